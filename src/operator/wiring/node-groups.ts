// Wakes a Cluster when a NodeGroup of it changes, and NodeGroups when their Cluster or another one of it changes.
import type { RawResource } from '../api/definition.ts';
import { cluster } from '../kinds/cluster/schema.ts';
import { type Key, keyOf, type ResourceChange } from '../reconcile/pass-ports.ts';
import { readStatus } from '../reconcile/resource/read-conditions.ts';
import { askedBy, isHeld, scalerKind, scalersOf } from '../reconcile/resource/scalers.ts';

/** Handles changes of the cache by any client. `list`: at least the NodeGroups of a Cluster. */
export function createNodeGroupWaker(
  list: (of: Key) => Iterable<RawResource>,
  wake: (key: Key) => void,
): (change: ResourceChange) => void {
  const wakeAll = (scalers: readonly RawResource[]): void => {
    for (const one of scalers) wake(keyOf(one));
  };
  return ({ key, previous, current }) => {
    if (key.kind === cluster.kind) {
      // Most Clusters have none, and each write of the operator comes here.
      const scalers = scalersOf(list(key), key);
      if (scalers.length > 0 && factsOfCluster(previous) !== factsOfCluster(current)) wakeAll(scalers);
    } else if (key.kind === scalerKind && factsOf(previous) !== factsOf(current)) {
      const named = new Set([previous, current].flatMap((one) => (one && askedBy(one)?.cluster) ?? []));
      for (const name of named) {
        const of = { kind: cluster.kind, namespace: key.namespace, name };
        wake(of);
        wakeAll(scalersOf(list(of), of));
      }
    }
  };
}

/** What a Cluster and other NodeGroups see of a NodeGroup. */
function factsOf(nodeGroup: RawResource | undefined): string {
  if (nodeGroup === undefined) return '';
  const { uid, deletionTimestamp } = nodeGroup.metadata;
  return JSON.stringify([uid, deletionTimestamp, isHeld(nodeGroup), askedBy(nodeGroup)]);
}

/** What a NodeGroup sees of its Cluster. */
function factsOfCluster(resource: RawResource | undefined): string {
  if (resource === undefined) return '';
  const { uid, deletionTimestamp, generation } = resource.metadata;
  const { nodeGroups, id } = (resource.status ?? {}) as { readonly nodeGroups?: unknown; readonly id?: unknown };
  const seen = readStatus(resource.status)
    .conditions.filter(({ type }) => type === 'Ready' || type === 'Stalled')
    .map(({ type, status, reason, message }) => [type, status, reason, message]);
  return JSON.stringify([uid, deletionTimestamp, generation, nodeGroups, id, seen]);
}
