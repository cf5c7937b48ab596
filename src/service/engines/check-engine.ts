// Refuses clusters that their engine cannot run, wherever that is.
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

/** Throws an Error that names the field and the remedy if the engine cannot run the cluster. */
export function checkEngine([engine, cluster]: Planned, flavors: readonly Flavor[]): void {
  checkValues(cluster, engine.options);
  engine.checkLayout(cluster);
  checkFlavors(engine, cluster, flavors);
}
