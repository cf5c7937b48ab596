// What faults answer and leave behind, in the forms of the service.
import type { Origin } from '../../src/service/model/causes.ts';
import {
  nameOf,
  phraseOf,
  Refusal,
  type RenderedRefusal,
  renderRefusal,
  renderUpstream,
} from '../../src/service/model/refusal.ts';
import { createCluster } from '../../src/service/resources/clusters/create.ts';
import type { Service } from '../../src/service/resources/service.ts';
import type { Dialect } from '../../src/wire/dialect.ts';

/** The answer in the form of the refusing component, whatever the dialect. */
export const renderShape = (dialect: Dialect, refusal: Refusal, errorId: () => string): RenderedRefusal =>
  refusal.origin === 'service' ? renderRefusal(dialect, refusal, errorId) : renderUpstream(refusal, errorId());

/** A refusal that is derived from its status. */
export function statusRefusal(
  status: number,
  origin: Origin,
  given: { readonly errorName: string | undefined; readonly message: string | undefined },
): Refusal {
  return new Refusal([status, given.errorName ?? nameOf(status)], given.message ?? phraseOf(status), origin);
}

/** The row that upstream leaves behind when a check fails after it was stored: its name stays in use, and it has no machines. */
export function leaveErrorRow(service: Service, call: { readonly tenant: string; readonly body: unknown }): void {
  const { node_groups, ...cluster } = createCluster(service, call);
  const empty = node_groups.map((group) => ({ ...group, instances: [] }));
  const status_description = 'cannot create cluster: a check failed';
  const row = { ...cluster, node_groups: empty, status: 'Error', status_description, work: undefined };
  service.lifecycle.keep(call.tenant, row);
}
