// How the memory of a machine is divided among the processes of Flink, and that of a task manager among its parts.
import { type EngineGroup, readNumber, readShare } from '../engine-options.ts';
import { type Flavor, findFlavor } from '../flavors.ts';
import { manager, managerHeap, slots, worker, workerMemory } from './options.ts';

export const managerHeapOf = (group: EngineGroup): number => readNumber(group, managerHeap);

export const slotsOf = (group: EngineGroup, flavors: readonly Flavor[]): number =>
  readShare(group, slots) ?? findFlavor(flavors, group.group.flavor_id).cpus;

/** In MiB. It can be nothing, or less than nothing, if the flavor is too small. */
export function workerMemoryOf(group: EngineGroup, flavors: readonly Flavor[]): number {
  const beside = group.group.node_processes.includes(manager) ? managerHeapOf(group) : 0;
  return readShare(group, workerMemory) ?? findFlavor(flavors, group.group.flavor_id).memory - beside;
}

/** In MiB, whatever the tasks are. */
const fixed = { metaspace: 160, overhead: 64, frameworkHeap: 96, frameworkOffHeap: 96 } as const;
const leastTasks = 64;

/** The parts of the memory of a task manager, in MiB. Flink computes them only in its scripts, which are not used here. */
export function memoryPartsOf(total: number) {
  const left = total - Object.values(fixed).reduce((sum, each) => sum + each, 0);
  const network = Math.min(Math.max(Math.floor(left / 8), 32), 512);
  const managed = Math.max(Math.floor(left / 4), 0);
  return { ...fixed, network, managed, tasks: left - network - managed };
}

/** Throws if tasks have no memory. */
export function checkWorker(group: EngineGroup, flavors: readonly Flavor[]): void {
  const { name, flavor_id, node_processes } = group.group;
  if (!node_processes.includes(worker)) return;
  const { tasks } = memoryPartsOf(workerMemoryOf(group, flavors));
  if (tasks >= leastTasks) return;
  const flavor = findFlavor(flavors, flavor_id);
  throw new Error(
    `flavor ${flavor.name} leaves ${tasks} MiB for tasks in group ${name}, which need ${leastTasks}: choose a larger flavor_id, or raise Task Manager Memory`,
  );
}
