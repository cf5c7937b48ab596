// Status of a NodeGroup: written when something changed, with an event when it stops or starts to work.
import { clusterLabel, groupLabel } from '../../wire/pod-labels.ts';
import type { RawResource } from '../api/definition.ts';
import { group as apiGroup } from '../api/shared-api.ts';
import { nodeGroup } from '../kinds/node-group/schema.ts';
import { conditionOf, readStatus } from '../reconcile/resource/read-conditions.ts';
import { askedBy } from '../reconcile/resource/scalers.ts';
import { conditionsOf, type Standing, transitionTime } from '../reconcile/status/conditions.ts';
import { truncated } from '../reconcile/status/truncate.ts';
import { sameStatus } from '../reconcile/status/write-policy.ts';
import type { NodeGroupPorts } from './node-group-ports.ts';
import { reportedGroup } from './node-group-standing.ts';

interface NodeGroupReport {
  readonly standing: Standing;
  /** Undefined: nothing is known of it. */
  readonly cluster?: RawResource | undefined;
}

export async function report(
  { store, clock, events }: NodeGroupPorts,
  resource: RawResource,
  { standing, cluster }: NodeGroupReport,
): Promise<void> {
  const { generation } = resource.metadata;
  const before = readStatus(resource.status);
  const conditions = conditionsOf(standing, before.conditions, { generation, now: transitionTime(clock.wall()) });
  const count = reportedGroup(cluster, askedBy(resource)?.group ?? '')?.ready;
  const status = truncated(nodeGroup.status, {
    observedGeneration: generation,
    conditions,
    selector: selectorOf(resource, cluster),
    ...(count === undefined ? {} : { count }),
  });
  if (sameStatus((resource.status ?? {}) as Record<string, unknown>, status)) return;
  const written = await store.writeStatus(resource, status);
  const [was, is] = [before.conditions, conditions].map((all) => conditionOf({ conditions: all }, 'Ready'));
  // What is applied in any order, and each step of a scale, needs no event.
  if (is === undefined || standing.state === 'progressing' || is.reason === (was?.reason ?? 'Available')) return;
  const type = is.status === 'True' ? 'Normal' : 'Warning';
  events.emit({ regarding: written, type, reason: is.reason, action: 'Scale', note: is.message });
}

const labelForm = /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;

/** Never empty, which would select every pod of the namespace. */
function selectorOf(resource: RawResource, cluster: RawResource | undefined): string {
  const { id } = (cluster?.status ?? {}) as { readonly id?: unknown };
  const group = askedBy(resource)?.group ?? '';
  if (typeof id === 'string' && labelForm.test(id) && labelForm.test(group))
    return `${clusterLabel}=${id},${groupLabel}=${group}`;
  return `${apiGroup}/node-group-uid=${resource.metadata.uid}`;
}
