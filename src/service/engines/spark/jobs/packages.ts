// The packages that jobs of Spark name.
import { messageOf } from '../../../../lib/errors.ts';
import type { JobType } from '../../../../wire/jobs.ts';
import type { EngineJob } from '../../engine.ts';
import { readCoordinates } from '../../packages/coordinates.ts';
import { defaultRelease, type SparkRelease } from '../releases.ts';
import { providedBy } from './provided.ts';

export const packagesSetting = 'spark.jars.packages';

/** The packages in the settings of a job. The driver hands them out to its executors, like libs. */
export const packagesOf =
  (type: JobType, release: SparkRelease = defaultRelease): NonNullable<EngineJob['packages']> =>
  (configs) => {
    const text = String(configs[packagesSetting] ?? '');
    if (text.trim() === '') return undefined;
    try {
      return { coordinates: readCoordinates(text), provided: providedBy(release) };
    } catch (cause) {
      throw new Error(`cannot run ${type} job: configs have ${packagesSetting}, ${messageOf(cause)}`, { cause });
    }
  };
