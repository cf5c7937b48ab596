// The load of a cluster as a personality makes it up. PURE.
import type { Clock } from '../../src/lib/ports.ts';
import type { ClusterLoad, ClusterRecord } from '../../src/service/model/records/records.ts';
import type { LoadEntry } from './personality.ts';

/** Undefined if no entry fits a node group of the cluster. As from an engine, there is none of a group without nodes. */
export function madeUpLoad(
  entries: readonly LoadEntry[],
  { name, node_groups }: Pick<ClusterRecord, 'name' | 'node_groups'>,
  clock: Pick<Clock, 'wall'>,
): ClusterLoad | undefined {
  const now = new Date(clock.wall()).toISOString();
  const found = node_groups.flatMap((group) => {
    const entry = entries.find((each) => each.group === group.name && (each.cluster ?? name) === name);
    if (entry === undefined || group.count === 0) return [];
    const { wantedNodes, busyNodes, observedAt = now } = entry;
    return [[group.name, { wantedNodes, busyNodes, observedAt }] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}
