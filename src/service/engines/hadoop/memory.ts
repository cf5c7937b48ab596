// How the memory and the cores of a machine are divided among the processes of Hadoop and its containers.
import { type EngineGroup, readNumber, readShare } from '../engine-options.ts';
import { type Flavor, findFlavor } from '../flavors.ts';
import { containerCores, containerMemory, heapOf, masterMemory, type ProcessName, processNames } from './options.ts';

export const heapSize = (group: EngineGroup, process: ProcessName): number => readNumber(group, heapOf(process));

export const coresOf = (group: EngineGroup, flavors: readonly Flavor[]): number =>
  readShare(group, containerCores) ?? findFlavor(flavors, group.group.flavor_id).cpus;

/** In MiB, for containers. It can be nothing, or less than nothing, if the flavor is too small. */
export function memoryOf(group: EngineGroup, flavors: readonly Flavor[]): number {
  const { node_processes, flavor_id } = group.group;
  const heaps = processNames
    .filter((process) => node_processes.includes(process))
    .reduce((sum, process) => sum + heapSize(group, process), 0);
  return readShare(group, containerMemory) ?? findFlavor(flavors, flavor_id).memory - heaps;
}

/** Throws if a machine of the group has more cores than its flavor, or no room for the master of a job. */
export function checkContainers(group: EngineGroup, flavors: readonly Flavor[]): void {
  const { name, flavor_id, node_processes } = group.group;
  if (!node_processes.includes('nodemanager')) return;
  const flavor = findFlavor(flavors, flavor_id);
  const [cores, left, least] = [coresOf(group, flavors), memoryOf(group, flavors), readNumber(group, masterMemory)];
  if (cores > flavor.cpus)
    throw new Error(
      `group ${name} has yarn.nodemanager.resource.cpu-vcores ${cores}, but flavor ${flavor.name} has ${flavor.cpus}: lower them, or choose another flavor_id`,
    );
  if (left < least)
    throw new Error(
      `flavor ${flavor.name} leaves ${left} MiB for containers in group ${name}, and the master of a job needs ${least}: choose a larger flavor_id, or lower the heap sizes`,
    );
}
