// How the memory and the cores of a machine are divided among the processes of Spark, its executors and drivers.
import { type EngineGroup, readNumber, readShare } from '../engine-options.ts';
import { type Flavor, findFlavor } from '../flavors.ts';
import { heapSize } from '../hadoop/memory.ts';
import { worker } from './launch.ts';
import {
  connectHeap,
  historyHeap,
  leastDriver,
  masterHeap,
  thriftHeap,
  workerCores,
  workerHeap,
  workerMemory,
} from './options.ts';

export const masterHeapOf = (group: EngineGroup): number => readNumber(group, masterHeap);
export const workerHeapOf = (group: EngineGroup): number => readNumber(group, workerHeap);
export const historyHeapOf = (group: EngineGroup): number => readNumber(group, historyHeap);
export const connectHeapOf = (group: EngineGroup): number => readNumber(group, connectHeap);
export const thriftHeapOf = (group: EngineGroup): number => readNumber(group, thriftHeap);

const heaps = {
  master: masterHeapOf,
  [worker]: workerHeapOf,
  historyserver: historyHeapOf,
  connect: connectHeapOf,
  thriftserver: thriftHeapOf,
  namenode: (group: EngineGroup) => heapSize(group, 'namenode'),
  datanode: (group: EngineGroup) => heapSize(group, 'datanode'),
};
/** Of all processes of a machine, without executors, in MiB. */
const heapsOf = (group: EngineGroup): number =>
  Object.entries(heaps)
    .filter(([process]) => group.group.node_processes.includes(process))
    .reduce((sum, [, heapOf]) => sum + heapOf(group), 0);

export const coresOf = (group: EngineGroup, flavors: readonly Flavor[]): number =>
  readShare(group, workerCores) ?? findFlavor(flavors, group.group.flavor_id).cpus;

/** In MiB, for executors. It can be nothing, or less than nothing, if the flavor is too small. */
export const memoryOf = (group: EngineGroup, flavors: readonly Flavor[]): number =>
  readShare(group, workerMemory) ?? findFlavor(flavors, group.group.flavor_id).memory - heapsOf(group);

/** In MiB. Spark counts in MiB if there is no unit. Undefined if Spark refuses it. */
export function mebibytesOf(size: string): number | undefined {
  const [, number, unit = 'm'] = /^(\d{1,9})([kmgtp]?)b?$/i.exec(size.trim()) ?? [];
  if (number === undefined) return undefined;
  const power = 'kmgtp'.indexOf((unit || 'm').toLowerCase()) - 1;
  return Number(number) * 1024 ** power;
}

/** Spark starts no smaller executor. */
const leastExecutor = 450;
const leastOf = { 'spark.driver.memory': leastDriver, 'spark.executor.memory': leastExecutor } as const;

/** Why Spark would end at once with so little memory, with the remedy. Undefined if it would not, or if it is no size. */
export function tooLittle(name: keyof typeof leastOf, size: string): string | undefined {
  const least = leastOf[name];
  const isEnough = (mebibytesOf(size) ?? least) >= least;
  return isEnough ? undefined : `${name} is ${size}, but Spark needs ${least}m at least: raise it`;
}

/** Throws if executors of the size that jobs get have no place on a worker. */
export function checkWorker(group: EngineGroup, flavors: readonly Flavor[]): void {
  const { name, flavor_id, node_processes } = group.group;
  if (!node_processes.includes(worker)) return;
  const flavor = findFlavor(flavors, flavor_id);
  const [cores, left] = [coresOf(group, flavors), memoryOf(group, flavors)];
  if (cores > flavor.cpus)
    throw new Error(
      `node_configs of group ${name} have Worker cores ${cores}, but flavor ${flavor.name} has ${flavor.cpus}: lower them, or choose another flavor_id`,
    );
  if (left < leastExecutor)
    throw new Error(
      `flavor ${flavor.name} leaves ${left} MiB for executors in group ${name}, which need ${leastExecutor}: choose a larger flavor_id, or lower the heap sizes`,
    );
}
