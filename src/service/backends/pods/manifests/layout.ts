// The pods of a cluster as machines of its engine. PURE.
import type { EngineNode } from '../../../engines/engine.ts';
import type { ClusterGroupRecord, ClusterRecord } from '../../../model/records/records.ts';
import { type DnsScope, digestOf, podHost, podHosts, podNames } from '../api/names.ts';

/** Where a pod has the files of its machine. */
export const machineFolder = '/machine';

/**
 * Stands for the name of the pod in what all pods of a group share. Each pod puts its own in its place. It comes from the text that the machines share, so no
 * text of a user contains it, and it stays the same for a cluster.
 */
export const anyPodOf = (secret: string): string => `any-pod-${digestOf(`any pod: ${secret}`).slice(0, 20)}`;

export interface PodPlace extends DnsScope {
  /** The random text that the machines share. */
  readonly secret: string;
}

interface NodeAddress {
  readonly place: PodPlace;
  readonly address: string;
}

const nodeAt = (cluster: ClusterRecord, group: ClusterGroupRecord, { place, address }: NodeAddress) => ({
  cluster,
  group,
  processes: group.node_processes,
  address,
  folder: machineFolder,
  secret: place.secret,
});

/** The machines of the group. Its numbers are those of its pods. */
export function nodesOfGroup(
  cluster: ClusterRecord,
  group: ClusterGroupRecord,
  place: PodPlace,
): readonly EngineNode[] {
  const names = podNames(cluster, group);
  const hostOf = podHosts(cluster, place);
  return group.instances.map((machine, ordinal) => ({
    ...nodeAt(cluster, group, { place, address: hostOf(names[ordinal] ?? '') }),
    machine,
  }));
}

export const nodesOf = (cluster: ClusterRecord, place: PodPlace): readonly EngineNode[] =>
  cluster.node_groups.flatMap((group) => nodesOfGroup(cluster, group, place));

/** What stands for every machine of a group of the cluster. What takes digests is made once for all groups. */
export function templatesIn(cluster: ClusterRecord, place: PodPlace): (group: ClusterGroupRecord) => EngineNode {
  const anyPod = anyPodOf(place.secret);
  const machine = { instance_id: anyPod, instance_name: anyPod, created_at: '' };
  const address = podHost(cluster, place, anyPod);
  return (group) => ({ ...nodeAt(cluster, group, { place, address }), machine });
}

/** What stands for every machine of the group, and the machines of the cluster with it in place of them. The result is the same for any number of machines. */
export function templateOf(
  cluster: ClusterRecord,
  group: ClusterGroupRecord,
  place: PodPlace,
): readonly [EngineNode, readonly EngineNode[]] {
  const node = templatesIn(cluster, place)(group);
  // A process that others look for is on the only machine of its group.
  const others = cluster.node_groups.filter(({ name }) => name !== group.name);
  const firsts = others.map((each) => ({ ...each, instances: each.instances.slice(0, 1) }));
  const heads = firsts.flatMap((each) => nodesOfGroup(cluster, each, place));
  return [node, [node, ...heads]];
}
