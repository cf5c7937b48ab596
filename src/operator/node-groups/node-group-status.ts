// Status of a NodeGroup.
import { clusterLabel, groupLabel } from '../../wire/pod-labels.ts';
import type { RawResource } from '../api/definition.ts';
import { group as apiGroup } from '../api/shared-api.ts';
import { nodeGroup } from '../kinds/node-group/schema.ts';
import { reportStanding } from '../reconcile/report-standing.ts';
import { askedBy } from '../reconcile/resource/scalers.ts';
import type { Standing } from '../reconcile/status/conditions.ts';
import { scaledEvent, scalingOf, wantedCount } from './autoscaling.ts';
import type { NodeGroupPorts } from './node-group-ports.ts';
import { reportedGroup } from './reported-group.ts';

interface NodeGroupReport {
  readonly standing: Standing;
  /** Undefined: nothing is known of it. */
  readonly cluster?: RawResource | undefined;
}

export async function report(
  ports: NodeGroupPorts,
  resource: RawResource,
  { standing, cluster }: NodeGroupReport,
): Promise<void> {
  const group = reportedGroup(cluster, askedBy(resource)?.group ?? '');
  const [count, wanted] = [group?.ready, wantedCount(resource, group)];
  const counts = { ...(count === undefined ? {} : { count }), ...(wanted === undefined ? {} : { wanted }) };
  const fields = { selector: selectorOf(resource, cluster), ...counts };
  const scaling = scalingOf(resource, group);
  const wall = ports.clock.wall();
  const written = await reportStanding(ports, resource, {
    definition: nodeGroup,
    action: 'Scale',
    standing,
    scaling,
    fields,
    wall,
  });
  const scaled = scaledEvent(resource, group);
  if (scaled) ports.events.emit({ regarding: written, ...scaled });
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
