// Refuses clusters that their engine cannot run, wherever that is.
import { mostVolumes } from '../../wire/bounds.ts';
import type { ClusterRecord } from '../model/records/records.ts';
import type { Engine } from './engine.ts';
import { checkValues, type EngineGroup } from './engine-options.ts';
import { type Flavor, findFlavor } from './flavors.ts';

/** A cluster with its engine. */
export type Planned = readonly [engine: Engine, cluster: ClusterRecord];

/** What all processes of a machine of the group can take, in MiB. */
export const memoryOf = ({ processes }: Engine, group: EngineGroup): number =>
  processes
    .filter(({ name }) => group.group.node_processes.includes(name))
    .reduce((sum, process) => sum + process.memory(group), 0);

function checkFlavors(engine: Engine, cluster: ClusterRecord, flavors: readonly Flavor[]): void {
  for (const group of cluster.node_groups) {
    const { name, memory } = findFlavor(flavors, group.flavor_id);
    const needed = memoryOf(engine, { cluster, group });
    if (needed > memory)
      throw new Error(
        `the processes of group ${group.name} need ${needed} MiB, but flavor ${name} has ${memory}: choose a larger flavor_id, or lower the sizes in node_configs`,
      );
  }
}

/** Of all machines of a cluster together: folders, names or claims are made for each one. */
const mostVolumesOfCluster = 10_000;

/** Of a cluster: objects, names and files are made for each one, and some for each pair. Real clusters have a handful. */
const mostGroups = 100;

/** Throws an Error with the remedy if the cluster has too many groups, or its machines too many volumes: an earlier version allowed any number. */
export function checkSize(cluster: ClusterRecord): void {
  const { length } = cluster.node_groups;
  if (length > mostGroups)
    throw new Error(
      `node_groups has ${length} groups, of at most ${mostGroups}: join groups with the same processes and flavor`,
    );
  checkVolumes(cluster);
}

function checkVolumes({ node_groups }: ClusterRecord): void {
  for (const { name, volumes_per_node } of node_groups)
    if (volumes_per_node > mostVolumes)
      throw new Error(`volumes_per_node of group ${name} is ${volumes_per_node}: give at most ${mostVolumes}`);
  const all = node_groups.reduce((sum, group) => sum + Math.max(group.count, 0) * group.volumes_per_node, 0);
  if (all > mostVolumesOfCluster)
    throw new Error(
      `its machines have ${all} volumes in all, of at most ${mostVolumesOfCluster}: lower volumes_per_node or count`,
    );
}

/** Throws an Error that names the field and the remedy if the engine cannot run the cluster. */
export function checkEngine([engine, cluster]: Planned, flavors: readonly Flavor[]): void {
  checkSize(cluster);
  checkValues(cluster, engine.options);
  engine.checkLayout(cluster);
  checkFlavors(engine, cluster, flavors);
}
