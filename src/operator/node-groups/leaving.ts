// The deletion of a NodeGroup: its count goes into the Cluster, by one request, and then its finalizer goes.
import type { RawResource } from '../api/definition.ts';
import { scaledByAnnotation } from '../api/shared-api.ts';
import { StoreError } from '../reconcile/pass-ports.ts';
import type { Requeue } from '../reconcile/requeue.ts';
import { askedBy, isHeld, scaleTarget } from '../reconcile/resource/scalers.ts';
import type { NodeGroupPorts } from './node-group-ports.ts';
import { clusterKeyOf, entriesOf } from './node-group-standing.ts';
import { report } from './node-group-status.ts';
import { listedGroup } from './reported-group.ts';

/** What the API server refuses may be accepted later, without a change that wakes the NodeGroup. */
const refusedMs = 60_000;

/** Needs no service. A process that dies between the two writes finds the count in the Cluster, and only removes the finalizer. */
export async function leave(
  ports: NodeGroupPorts,
  resource: RawResource,
  owner: RawResource | undefined,
): Promise<Requeue> {
  if (!isHeld(resource)) return { next: 'watch' };
  if (owner?.metadata.uid === resource.metadata.uid) {
    const refusal = await leaveCount(ports, resource);
    if (refusal !== undefined) {
      const message = `the API server refuses to write the count into the Cluster: ${refusal}. Correct the cause; or, to keep the count that spec.nodeGroups of the Cluster has, remove the finalizer of this NodeGroup`;
      await report(ports, resource, { standing: { state: 'retrying', reason: 'Deleting', message } });
      return { next: 'at', afterMs: refusedMs };
    }
  }
  await ports.store.release(resource);
  return { next: 'watch' };
}

/** What the service was last asked for, where autoscaling chose that; undefined: it has chosen nothing yet. */
function lastCount(cluster: RawResource, group: string): number | undefined {
  return scaleTarget(cluster, group) ?? listedGroup(cluster, group)?.desired;
}

/** The newest version of the Cluster: the cache may lack an edit. Returns why the API server refuses the write. */
async function leaveCount({ store }: NodeGroupPorts, resource: RawResource): Promise<string | undefined> {
  const cluster = await store.readFresh(clusterKeyOf(resource));
  const asked = askedBy(resource);
  if (!asked || !cluster || cluster.metadata.deletionTimestamp !== undefined) return undefined;
  const { group } = asked;
  const count = asked.bounds ? lastCount(cluster, group) : asked.count;
  const entries = entriesOf(cluster);
  if (count === undefined) return undefined;
  if (!entries.some((entry) => entry.name === group && entry.count !== count)) return undefined;
  const nodeGroups = entries.map((entry) => (entry.name === group ? { ...entry, count } : entry));
  try {
    await store.writeCounts(cluster, {
      spec: { nodeGroups },
      annotations: { [scaledByAnnotation]: resource.metadata.name },
    });
    return undefined;
  } catch (error) {
    if (error instanceof StoreError && (error.category === 'invalid' || error.category === 'forbidden'))
      return error.message;
    // A Cluster that is gone has no count.
    if (error instanceof StoreError && error.category === 'gone') return undefined;
    throw error;
  }
}
