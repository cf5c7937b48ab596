// The machines of a cluster's groups: naming, counting, taking away. PURE.
import type { ClusterGroupRecord, ClusterRecord, Machine, Work } from '../records/records.ts';

export const machinesOf = (cluster: ClusterRecord): readonly Machine[] =>
  cluster.node_groups.flatMap((group) => group.instances);
export const isUp = (machine: Machine): boolean => machine.internal_ip !== undefined;

/** What each group is meant to have: the target of the operation under way, else its count. */
export function targetOf(cluster: ClusterRecord, group: ClusterGroupRecord): number {
  const { work } = cluster;
  const target = work === undefined || work.operation === 'delete' ? undefined : work.targets?.[group.name];
  return Math.max(target ?? group.count, 0);
}

/** Applies a change to every group and stamps those that it changed. */
export function changeGroups(
  cluster: ClusterRecord,
  now: string,
  change: (group: ClusterGroupRecord) => ClusterGroupRecord,
): ClusterRecord {
  const stamped = (group: ClusterGroupRecord) => {
    const changed = change(group);
    return changed === group ? group : { ...changed, updated: now };
  };
  return { ...cluster, node_groups: cluster.node_groups.map(stamped) };
}

/** Gives identifiers and names to the machines that a group lacks; numbers go on from the highest. */
export function nameMachines(cluster: ClusterRecord, now: string, createId: () => string): ClusterRecord {
  return changeGroups(cluster, now, (group) => {
    const target = targetOf(cluster, group);
    if (group.instances.length >= target) return group;
    const name = (index: number) => `${cluster.name}-${group.name}-${String(index + 1).padStart(3, '0')}`.toLowerCase();
    const added = Array.from({ length: target - group.instances.length }, (_, index) => ({
      instance_id: createId(),
      instance_name: name(group.instances.length + index),
      created_at: now,
    }));
    return { ...group, count: target, instances: [...group.instances, ...added] };
  });
}

/** The machines beyond a group's target: those with the highest numbers. */
export const surplusMachines = (cluster: ClusterRecord): readonly Machine[] =>
  cluster.node_groups.flatMap((group) => group.instances.slice(targetOf(cluster, group)));

/** Forgets some machines. Counts follow: `count` is the number of machines there are. */
export function forgetMachines(cluster: ClusterRecord, now: string, gone: readonly Machine[]): ClusterRecord {
  const ids = new Set(gone.map((machine) => machine.instance_id));
  return changeGroups(cluster, now, (group) => {
    const instances = group.instances.filter((machine) => !ids.has(machine.instance_id));
    if (instances.length === group.instances.length && instances.length === group.count) return group;
    return { ...group, instances, count: instances.length };
  });
}

/** Replaces machines by their newer versions, and stamps them. */
export function updateMachines(cluster: ClusterRecord, now: string, newer: readonly Machine[]): ClusterRecord {
  const byId = new Map(newer.map((machine) => [machine.instance_id, { ...machine, updated_at: now }]));
  return changeGroups(cluster, now, (group) => {
    if (!group.instances.some((machine) => byId.has(machine.instance_id))) return group;
    return { ...group, instances: group.instances.map((machine) => byId.get(machine.instance_id) ?? machine) };
  });
}

/** Groups without machines are no longer part of a cluster that was scaled. */
export const dropEmptied = (cluster: ClusterRecord): ClusterRecord => ({
  ...cluster,
  node_groups: cluster.node_groups.filter((group) => group.instances.length > 0),
});

/** Machines are about to be made: no group has any yet, and the work knows how many each is to get. */
export function countMade(cluster: ClusterRecord, now: string, work: Work): ClusterRecord {
  if (work.operation !== 'start') return { ...cluster, work };
  const targets = Object.fromEntries(cluster.node_groups.map((group) => [group.name, targetOf(cluster, group)]));
  return { ...forgetMachines(cluster, now, []), work: { ...work, targets } };
}
