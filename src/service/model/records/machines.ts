// The machines of a cluster's groups: names, counts and removal. PURE.
import { ownValue } from '../../../lib/own.ts';
import { mostVolumes } from '../../../wire/bounds.ts';
import type { ClusterGroupRecord, ClusterRecord, Machine, Work } from './records.ts';

export const machinesOf = (cluster: ClusterRecord): readonly Machine[] =>
  cluster.node_groups.flatMap((group) => group.instances);
export const isUp = (machine: Machine): boolean => machine.internal_ip !== undefined;

export const isLeaving = (machine: Machine): boolean => machine.leaving === true;
/** How many machines of the group are not leaving. */
export const stayingIn = (group: ClusterGroupRecord): number =>
  group.instances.filter((machine) => !isLeaving(machine)).length;

/** The volumes of a machine of the group. A row of an earlier version can ask for any number. */
export const volumeCountOf = ({ volumes_per_node }: Pick<ClusterGroupRecord, 'volumes_per_node'>): number =>
  Math.min(volumes_per_node, mostVolumes);

/** The wanted number of machines: the target of the operation under way, or else the group's count. */
export function targetOf(cluster: ClusterRecord, group: ClusterGroupRecord): number {
  const { work } = cluster;
  const target = work !== undefined && 'targets' in work ? ownValue(work.targets, group.name) : undefined;
  return Math.max(target ?? group.count, 0);
}

/** Applies a change to every group, and updates the timestamps of the groups that changed. */
function changeGroups(
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

/** Adds the machines that a group lacks, with identifiers and names. Numbers continue from the highest one, once no machine is leaving. */
export function nameMachines(cluster: ClusterRecord, now: string, createId: () => string): ClusterRecord {
  return changeGroups(cluster, now, (group) => {
    const target = targetOf(cluster, group);
    if (group.instances.length >= target || group.instances.some(isLeaving)) return group;
    const name = (index: number) => `${cluster.name}-${group.name}-${String(index + 1).padStart(3, '0')}`.toLowerCase();
    const added = Array.from({ length: target - group.instances.length }, (_, index) => ({
      instance_id: createId(),
      instance_name: name(group.instances.length + index),
      created_at: now,
    }));
    return { ...group, count: target, instances: [...group.instances, ...added] };
  });
}

/** The machines beyond a group's target, which are those with the highest numbers. */
export const surplusMachines = (cluster: ClusterRecord): readonly Machine[] =>
  cluster.node_groups.flatMap((group) => group.instances.slice(targetOf(cluster, group)));

/** Removes machines from their groups. `count` is the number of machines, unless it is already what a scale under way leads to. */
export function forgetMachines(cluster: ClusterRecord, now: string, gone: readonly Machine[]): ClusterRecord {
  const ids = new Set(gone.map((machine) => machine.instance_id));
  const isScaled = cluster.work?.operation === 'scale';
  return changeGroups(cluster, now, (group) => {
    const instances = group.instances.filter((machine) => !ids.has(machine.instance_id));
    const count = isScaled && group.count === targetOf(cluster, group) ? group.count : instances.length;
    if (instances.length === group.instances.length && count === group.count) return group;
    return { ...group, instances, count };
  });
}

/** The cluster with the machines that stay. */
export function withoutMachines(cluster: ClusterRecord, gone: readonly Machine[]): ClusterRecord {
  const ids = new Set(gone.map(({ instance_id }) => instance_id));
  const node_groups = cluster.node_groups.map((group) => ({
    ...group,
    instances: group.instances.filter(({ instance_id }) => !ids.has(instance_id)),
  }));
  return { ...cluster, node_groups };
}

/** The machines of each group that a scale which begins now does not add. What a replaced scale has named is not launched yet. */
export function countsBefore({ node_groups, work }: ClusterRecord): Readonly<Record<string, number>> {
  const earlier = (work?.operation === 'scale' && work.before) || {};
  const count = (group: ClusterGroupRecord) =>
    Math.min(ownValue(earlier, group.name) ?? stayingIn(group), stayingIn(group));
  return Object.fromEntries(node_groups.map((group) => [group.name, count(group)]));
}

/** The machines that the operation under way adds to the cluster. */
export function machinesMade({ node_groups, work }: ClusterRecord): readonly Machine[] {
  if (work?.operation === 'start') return node_groups.flatMap((group) => group.instances);
  if (work?.operation !== 'scale') return [];
  const { before } = work;
  return node_groups.flatMap(({ name, instances }) =>
    // An earlier version did not store the numbers.
    before === undefined ? instances.filter((machine) => !isUp(machine)) : instances.slice(ownValue(before, name) ?? 0),
  );
}

/** Marks machines as down, so that they are launched again. */
export function markDown(cluster: ClusterRecord, now: string, lost: readonly string[]): ClusterRecord {
  const ids = new Set(lost);
  const down = machinesOf(cluster).filter(({ instance_id }) => ids.has(instance_id));
  return updateMachines(
    cluster,
    now,
    down.map((machine) => ({ ...machine, internal_ip: undefined, management_ip: undefined })),
  );
}

/** Replaces machines by their newer versions, and updates their timestamps. */
export function updateMachines(cluster: ClusterRecord, now: string, newer: readonly Machine[]): ClusterRecord {
  const byId = new Map(newer.map((machine) => [machine.instance_id, { ...machine, updated_at: now }]));
  return changeGroups(cluster, now, (group) => {
    if (!group.instances.some((machine) => byId.has(machine.instance_id))) return group;
    return { ...group, instances: group.instances.map((machine) => byId.get(machine.instance_id) ?? machine) };
  });
}

/** A cluster that was scaled loses its groups without machines. */
export const dropEmptied = (cluster: ClusterRecord): ClusterRecord => ({
  ...cluster,
  node_groups: cluster.node_groups.filter((group) => group.instances.length > 0),
});

/** Machines are about to be created: no group has any yet, and the work records how many each group is to get. */
export function countMade(cluster: ClusterRecord, now: string, work: Work): ClusterRecord {
  if (work.operation !== 'start') return { ...cluster, work };
  const targets = Object.fromEntries(cluster.node_groups.map((group) => [group.name, targetOf(cluster, group)]));
  return { ...forgetMachines(cluster, now, []), work: { ...work, targets } };
}
