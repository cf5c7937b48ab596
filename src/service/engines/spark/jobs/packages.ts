// The packages that jobs of Spark name.
import { messageOf } from '../../../../lib/errors.ts';
import type { JobType } from '../../../../wire/jobs.ts';
import type { EngineJob } from '../../engine.ts';
import { readCoordinates } from '../../packages/coordinates.ts';

export const packagesSetting = 'spark.jars.packages';

/** What Spark has itself. */
const provided = ['org.apache.spark:*', 'org.scala-lang:*', 'org.apache.hadoop:*', 'org.slf4j:*', 'log4j:*'];

/** The packages in the settings of a job. The driver hands them out to its executors, like libs. */
export const packagesOf =
  (type: JobType): NonNullable<EngineJob['packages']> =>
  (configs) => {
    const text = String(configs[packagesSetting] ?? '');
    if (text.trim() === '') return undefined;
    try {
      return { coordinates: readCoordinates(text), provided };
    } catch (cause) {
      throw new Error(`cannot run ${type} job: configs have ${packagesSetting}, ${messageOf(cause)}`, { cause });
    }
  };
