// Finds executors that are too small for Spark, need devices, or have no place on any worker: Spark would wait for a larger one without end.
import type { JobType } from '../../../../wire/jobs.ts';
import { type EngineRun, nodesWith } from '../../engine.ts';
import type { EngineGroup } from '../../engine-options.ts';
import type { Flavor } from '../../flavors.ts';
import { type SparkHome, worker } from '../launch.ts';
import { coresOf, mebibytesOf, memoryOf, tooLittle } from '../memory.ts';
import { settingsOf } from '../options.ts';

const [memory, cores, most] = ['spark.executor.memory', 'spark.executor.cores', 'spark.cores.max'] as const;

/** Why an application with these settings gets no executor, with the remedy. Undefined if it does, or if that is not known. */
export function executorProblem(
  settingOf: (name: string) => string,
  workers: readonly EngineGroup[],
  flavors: readonly Flavor[] | undefined,
): string | undefined {
  // What is no number, Spark itself refuses.
  const [size = '', count = '', all = ''] = [memory, cores, most].map(settingOf);
  const little = tooLittle(memory, size);
  if (little !== undefined || flavors === undefined) return little;
  const wanted = { memory: mebibytesOf(size) ?? 0, cores: Number(count) || 0, all: Number(all) || 0 };
  if (wanted.all > 0 && wanted.cores > wanted.all)
    return `${cores} is ${count}, but ${most} is ${all}, so that it gets no executor: raise ${most}, or lower ${cores}`;
  const offers = workers.map((each) => ({ memory: memoryOf(each, flavors), cores: coresOf(each, flavors) }));
  if (offers.some((offer) => offer.memory >= wanted.memory && offer.cores >= wanted.cores)) return undefined;
  const offered = offers.map((offer) => `${offer.memory} MiB and ${offer.cores} cores`);
  return `${memory} is ${size}${wanted.cores > 0 ? ` and ${cores} is ${count}` : ''}, but its workers have ${[...new Set(offered)].join(', or ')}: lower it, or use a cluster with a larger flavor_id`;
}

const device = /^spark\.(?:driver|executor|task)\.resource\.[^.]+\.amount$/;

/** No worker of the service tells its master that it has devices, also not in pods with some. */
function deviceProblem(configs: EngineRun['configs']): string | undefined {
  const name = Object.keys(configs).find((each) => device.test(each) && Number(configs[each]) > 0);
  if (name === undefined) return undefined;
  return `${name} is ${configs[name]}, but workers offer Spark no devices, so that it would wait for them without end: leave it out. Where a flavor gives pods a device, all tasks of a worker share it`;
}

/** Throws an Error that names the field and the remedy if executors of the job need devices, are too small, or no worker has room for one. */
export function checkExecutors({ flavors }: Pick<SparkHome, 'flavors'>, run: EngineRun, type: JobType): void {
  const devices = deviceProblem(run.configs);
  if (devices !== undefined) throw new Error(`cannot run ${type} job: ${devices}`);
  const workers = nodesWith(run.nodes, worker);
  const [first] = workers;
  if (first === undefined) return;
  // What the job sets, or else its cluster.
  const settingOf = (name: string) => String(run.configs[name] ?? settingsOf(first)[name] ?? '');
  const problem = executorProblem(settingOf, workers, flavors);
  if (problem !== undefined) throw new Error(`cannot run ${type} job: ${problem}`);
}
