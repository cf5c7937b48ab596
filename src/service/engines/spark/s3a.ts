// How programs of Spark reach S3.
import { join } from 'node:path';
import { lineOf } from '../release-line.ts';
import { s3aPath } from '../s3a/jars.ts';
import type { SparkHome } from './launch.ts';
import { defaultRelease } from './releases.ts';

/** What has to follow the class path of a program that uses S3. Throws an Error with the remedy if there is nothing. */
export function s3aOf({ release = defaultRelease, folder, cache, isImage = false, s3a }: SparkHome): readonly string[] {
  if (release.lacksS3 === true)
    throw new Error(
      `Spark ${lineOf(release.version)} finds no keys for S3, because its clients of Hadoop are older than 3.4.2: use a cluster with Spark ${lineOf(defaultRelease.version)}`,
    );
  if (!isImage) return s3aPath({ jars: [join(folder, 'jars')], cache });
  if (s3a !== undefined) return [join(s3a, '*')];
  throw new Error(
    'the image of Spark has no jars for S3: use one that has them, and state their folder as s3a of spark in the file of --engine-images',
  );
}
