// The versions of Hadoop that the part for S3 is needed for: those of the engines on this computer.
import { join } from 'node:path';
import type { Variables } from '../../../lib/fetch/cache.ts';
import { hadoopJars, hadoopSource } from '../hadoop/source.ts';
import { lookNear } from '../homes/find.ts';
import { sparkSource } from '../spark/source.ts';
import { hadoopVersionIn } from './jars.ts';

/** Throws an Error with the remedy if there are no engines. */
export function hadoopVersions(environment: Variables): readonly string[] {
  const [spark, hadoop] = [lookNear(sparkSource, environment), lookNear(hadoopSource, environment)];
  const folders = [spark && [join(spark.folder, 'jars')], hadoop && hadoopJars(hadoop.folder)];
  const versions = new Set(folders.flatMap((each) => (each && hadoopVersionIn(each)) ?? []));
  if (versions.size > 0) return [...versions];
  throw new Error('s3a is for Spark or Hadoop, and neither is on this computer: install one with npm run engines');
}
