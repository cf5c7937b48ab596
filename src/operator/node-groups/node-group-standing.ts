// What the conditions of a NodeGroup report, from its Cluster. PURE.
import { didYouMean } from '../../lib/similar.ts';
import type { RawResource } from '../api/definition.ts';
import { type Reason, readyReasons } from '../api/shared-api.ts';
import type { NodeGroupSpec } from '../kinds/node-group/schema.ts';
import type { Key } from '../reconcile/pass-ports.ts';
import { tellsMore } from '../reconcile/resource/change-words.ts';
import { conditionOf, readStatus } from '../reconcile/resource/read-conditions.ts';
import { askedBy } from '../reconcile/resource/scalers.ts';
import type { Standing } from '../reconcile/status/conditions.ts';
import { nodesIn, wantedCount } from './autoscaling.ts';
import { reportedGroup } from './reported-group.ts';

interface GroupEntry {
  readonly name?: unknown;
  readonly count?: unknown;
}

export function clusterKeyOf(resource: RawResource): Key {
  return { kind: 'Cluster', namespace: resource.metadata.namespace, name: askedBy(resource)?.cluster ?? '' };
}

/** The entries of spec.nodeGroups, as they were written. */
export function entriesOf({ spec }: RawResource): readonly GroupEntry[] {
  const { nodeGroups } = (spec ?? {}) as { readonly nodeGroups?: unknown };
  return Array.isArray(nodeGroups) ? (nodeGroups as readonly GroupEntry[]) : [];
}

interface SeenCluster {
  readonly resource: RawResource;
  readonly spec: NodeGroupSpec;
  readonly cluster: RawResource | undefined;
  /** Of all Clusters of the namespace, if this one does not exist. */
  readonly names: readonly string[];
}

export function standingOf({ resource, spec, cluster, names }: SeenCluster): Standing {
  const { clusterRef, nodeGroup: group } = spec;
  const count = wantedCount(resource, reportedGroup(cluster, group)) ?? spec.count;
  const what = `Cluster ${clusterRef.name}`;
  const anew = 'delete this NodeGroup and apply it with the right name';
  if (!cluster) {
    const meant = didYouMean(clusterRef.name, names) || '.';
    return awaiting(`spec.clusterRef: ${what} does not exist in this namespace${meant} Create it, or ${anew}`);
  }
  if (cluster.metadata.deletionTimestamp !== undefined)
    return awaiting(`${what} is being deleted. Delete this NodeGroup, too, or apply the Cluster again once it is gone`);
  const entries = entriesOf(cluster).map((entry) => String(entry.name));
  if (!entries.includes(group)) {
    const known = entries.slice(0, 20).join(', ') || 'none';
    return awaiting(
      `spec.nodeGroup: ${what} has no entry ${group} in spec.nodeGroups (its entries: ${known}). Add one with name and count, or ${anew}`,
    );
  }
  return inCluster(resource, { cluster, what, group, count });
}

function awaiting(message: string): Standing {
  return { state: 'progressing', reason: 'DependencyNotReady', message };
}

interface Wanted {
  readonly cluster: RawResource;
  readonly what: string;
  readonly group: string;
  readonly count: number;
}

/** The reasons of the Cluster are those of its counts. */
function inCluster({ metadata }: RawResource, { cluster, what, group, count }: Wanted): Standing {
  const status = readStatus(cluster.status);
  const ready = conditionOf(status, 'Ready');
  const reported = reportedGroup(cluster, group);
  const hasTakenOver = (reported?.scaledBy === metadata.name || count === 0) && reported?.desired === count;
  if (conditionOf(status, 'Stalled')?.status === 'True') {
    const message = `${what}: ${ready?.message ?? 'it is stalled'}`;
    return { state: 'stalled', reason: reasonOf(ready?.reason), message };
  }
  if (ready?.status === 'Unknown' && ready.reason === 'Suspended')
    return { state: 'suspended', message: `${what}: ${ready.message}` };
  if (ready?.status === 'Unknown' && reported) return { state: 'unobserved', message: `${what}: ${ready.message}` };
  const nodes = `node group ${group} of ${what}`;
  const isObserved = restraints(cluster).policy === 'Observe';
  if (ready?.status !== 'True') {
    if (!reported || isObserved || (ready?.reason !== 'Scaling' && hasTakenOver))
      return awaiting(`${what} is not ready: ${ready?.message ?? 'it was not reconciled yet'}`);
    const waited = ready && tellsMore(ready.message) ? `. ${what}: ${ready.message}` : '';
    return scaling(`scaling ${nodes} from ${reported.ready} to ${count}${waited}`);
  }
  if (!hasTakenOver || reported.ready !== count)
    return (
      unscaled({ cluster, what, group, count }) ??
      scaling(`scaling ${nodes} from ${reported?.ready ?? 0} to ${count}: the Cluster takes the count over`)
    );
  return { state: 'ready', message: `${nodes} has ${nodesIn(count)}`, synced: 'the Cluster has the count' };
}

/** A Cluster may be Ready though its counts differ from the service, where the operator writes nothing for it. Undefined: it scales. */
function unscaled({ cluster, what, group, count }: Wanted): Standing | undefined {
  const { policy, suspend } = restraints(cluster);
  const status = readStatus(cluster.status);
  const reported = reportedGroup(cluster, group);
  const has = reported ? `has ${nodesIn(reported.ready)}, and not ${count}` : `is not scaled to ${count}`;
  const told = `node group ${group} of ${what} ${has}`;
  if (policy === 'Observe') {
    const words = conditionOf(status, 'Ready')?.message ?? '';
    return awaiting(
      `${told}, because spec.policy of ${what} is Observe. Set it to Manage or Plan, or correct the count of this NodeGroup. ${what}: ${words}`,
    );
  }
  if (suspend !== true) return undefined;
  return { state: 'suspended', message: `${told}. ${what}: ${conditionOf(status, 'Paused')?.message ?? 'suspended'}` };
}

/** As they are asked for now: the status follows. */
function restraints({ spec }: RawResource): { readonly policy?: unknown; readonly suspend?: unknown } {
  return (spec ?? {}) as { readonly policy?: unknown; readonly suspend?: unknown };
}

function scaling(message: string): Standing {
  return { state: 'progressing', reason: 'Scaling', message };
}

function reasonOf(text: string | undefined): Reason {
  return readyReasons.find((reason) => reason === text) ?? 'DependencyNotReady';
}
