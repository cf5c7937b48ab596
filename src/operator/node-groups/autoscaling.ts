// What a NodeGroup with autoscaling reports: the number of nodes that was chosen, and why. PURE.
import { type AutoscalingReason, autoscalingReasons, within } from '../api/autoscaling.ts';
import type { RawResource } from '../api/definition.ts';
import type { AutoscalingBounds } from '../reconcile/kind/kind.ts';
import type { EventNote } from '../reconcile/pass-ports.ts';
import { askedBy } from '../reconcile/resource/scalers.ts';
import type { Circumstances } from '../reconcile/status/conditions.ts';
import type { ReportedGroup } from './reported-group.ts';

export function nodesIn(count: number): string {
  return `${count} node${count === 1 ? '' : 's'}`;
}

/** The number of nodes that the group is to have; undefined: the spec cannot be read. */
export function wantedCount(resource: RawResource, reported: ReportedGroup | undefined): number | undefined {
  const asked = askedBy(resource);
  if (!asked?.bounds) return asked?.count;
  return chosenFor(resource, reported)?.desired ?? within(asked.bounds, asked.count);
}

/** What the Cluster reports once this NodeGroup sets the count. */
function chosenFor({ metadata }: RawResource, reported: ReportedGroup | undefined): ReportedGroup | undefined {
  return reported?.scaledBy === metadata.name ? reported : undefined;
}

/** The condition ScalingActive; undefined: it is not autoscaled. */
export function scalingOf(resource: RawResource, reported: ReportedGroup | undefined): Circumstances['scaling'] {
  const bounds = askedBy(resource)?.bounds;
  if (!bounds) return undefined;
  const { reason, wanted } = foundIn(resource, reported);
  const isActive = reason !== 'NoSignal' && reason !== 'TooOld' && reason !== 'ClusterNotReady';
  return { status: isActive ? 'True' : 'False', reason, message: messages[reason](bounds, wanted ?? 0) };
}

/** What the status says was chosen before. While nothing was, the group keeps the nodes that it has. */
function countBefore({ status }: RawResource, reported: ReportedGroup | undefined): unknown {
  const {
    wanted,
    count,
    conditions = [],
  } = (status ?? {}) as {
    readonly wanted?: unknown;
    readonly count?: unknown;
    readonly conditions?: readonly { readonly type?: unknown; readonly reason?: unknown }[];
  };
  const isChosen = conditions.some(({ type, reason }) => type === 'ScalingActive' && reason !== 'ClusterNotReady');
  return isChosen ? wanted : (count ?? reported?.ready);
}

/** The event of another number of nodes than the status has. Before one is chosen, there is none. */
export function scaledEvent(
  resource: RawResource,
  reported: ReportedGroup | undefined,
): Omit<EventNote, 'regarding'> | undefined {
  const bounds = askedBy(resource)?.bounds;
  const count = chosenFor(resource, reported)?.desired;
  const before = countBefore(resource, reported);
  if (!bounds || count === undefined || typeof before !== 'number' || count === before) return undefined;
  const { reason, wanted } = foundIn(resource, reported);
  const note = `from ${before} to ${nodesIn(count)}: ${messages[reason](bounds, wanted ?? 0)}`;
  return { type: 'Normal', reason: count > before ? 'ScaledUp' : 'ScaledDown', action: 'Scale', note };
}

function foundIn(resource: RawResource, reported: ReportedGroup | undefined) {
  const found = chosenFor(resource, reported)?.autoscaling;
  const reason: AutoscalingReason = autoscalingReasons.find((one) => one === found?.reason) ?? 'ClusterNotReady';
  return { reason, wanted: found?.wanted };
}

const messages: Readonly<Record<AutoscalingReason, (bounds: AutoscalingBounds, wanted: number) => string>> = {
  WithinRange: (_, wanted) => `the work fills ${nodesIn(wanted)}`,
  AtMinimum: ({ minCount }) =>
    minCount > 0
      ? `the work fills fewer than ${nodesIn(minCount)}, which is spec.autoscaling.minCount`
      : 'the work fills no node, and one stays, because the service reports no load of another group with nodes: without it, nobody would tell when work waits',
  AtMaximum: ({ maxCount }) =>
    `the work would fill more than ${nodesIn(maxCount)}, which is spec.autoscaling.maxCount: raise it if the work takes too long`,
  ScalingDown: ({ scaleDownAfterMs }, wanted) =>
    `the work fills only ${nodesIn(wanted)}: each time that it has done so for ${scaleDownAfterMs / 1000} s, one node is removed`,
  NoSignal: ({ minCount }) =>
    `the service reports no load of this group, so the number of nodes stays within its bounds and does not follow the work: ${minCount > 0 ? '' : 'if it has no nodes, and no other group has a load, set spec.autoscaling.minCount to 1; '}use a service and an engine that report it, or remove spec.autoscaling and scale with a HorizontalPodAutoscaler or kubectl scale`,
  TooOld: () =>
    'the last load that the service reports is too old, so the number of nodes stays: check that the engine of the cluster answers, and that the clocks of service and operator agree',
  ClusterNotReady: () => 'the number of nodes follows the work as soon as the Cluster runs',
};
