// The queue of Kueue in which a run waits until there is room for it.
import { queueConfig } from '../../model/references.ts';
import type { Flavors, OfferedFlavor } from '../flavors-file.ts';
import type { RunPlan } from '../job-engine.ts';

/** The queue that the run names, or else that of its flavor. Undefined if there is none. Throws an Error that names those that jobs can name. */
export function jobQueueOf(
  { job_configs }: Pick<RunPlan, 'job_configs'>,
  { jobQueues = [] }: Flavors,
  flavor: OfferedFlavor | undefined,
): string | undefined {
  const wanted = job_configs.configs?.[queueConfig];
  if (wanted === undefined) return flavor?.queue;
  const queue = jobQueues.find((each) => each === wanted);
  if (queue !== undefined) return queue;
  const shown = JSON.stringify(String(wanted).slice(0, 100));
  const remedy =
    jobQueues.length === 0
      ? 'jobs can name no queue here; leave it out, or have the administrator list it in jobQueues of --flavors-file'
      : `jobs can name ${jobQueues.join(', ')}`;
  throw new Error(`cannot use ${queueConfig} ${shown} in configs: ${remedy}`);
}
