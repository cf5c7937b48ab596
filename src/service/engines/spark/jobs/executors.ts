// Refuses jobs whose executors are too small for Spark, or have no place on any worker: Spark would wait for a larger one without end.
import type { JobType } from '../../../../wire/jobs.ts';
import { type EngineNode, type EngineRun, nodesWith } from '../../engine.ts';
import { type SparkHome, worker } from '../launch.ts';
import { coresOf, mebibytesOf, memoryOf, settingsOf, tooLittle } from '../options.ts';

const [memory, cores, most] = ['spark.executor.memory', 'spark.executor.cores', 'spark.cores.max'] as const;

/** What the job sets, or else its cluster. */
const settingIn = ({ configs }: EngineRun, node: EngineNode, name: string): string =>
  String(configs[name] ?? settingsOf(node)[name] ?? '');

/** Throws an Error that names the field and the remedy if executors of the job are too small, or no worker has room for one. */
export function checkExecutors({ flavors }: Pick<SparkHome, 'flavors'>, run: EngineRun, type: JobType): void {
  const workers = nodesWith(run.nodes, worker);
  const [first] = workers;
  if (first === undefined) return;
  const refuse = (why: string) => new Error(`cannot run ${type} job: ${why}`);
  // What is no number, Spark itself refuses.
  const [size, count, all] = [memory, cores, most].map((name) => settingIn(run, first, name));
  const little = tooLittle(memory, size ?? '');
  if (little !== undefined) throw refuse(little);
  if (flavors === undefined) return;
  const wanted = { memory: mebibytesOf(size ?? '') ?? 0, cores: Number(count) || 0, all: Number(all) || 0 };
  if (wanted.all > 0 && wanted.cores > wanted.all)
    throw refuse(
      `${cores} is ${count}, but ${most} is ${all}, so that it gets no executor: raise ${most}, or lower ${cores}`,
    );
  const offers = workers.map((node) => ({ memory: memoryOf(node, flavors), cores: coresOf(node, flavors) }));
  if (offers.some((offer) => offer.memory >= wanted.memory && offer.cores >= wanted.cores)) return;
  const offered = offers.map((offer) => `${offer.memory} MiB and ${offer.cores} cores`);
  throw refuse(
    `${memory} is ${size}${wanted.cores > 0 ? ` and ${cores} is ${count}` : ''}, but its workers have ${[...new Set(offered)].join(', or ')}: lower it, or use a cluster with a larger flavor_id`,
  );
}
