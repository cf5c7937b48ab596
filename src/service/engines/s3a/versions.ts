// The versions of Hadoop that the part for S3 is needed for: those of the engines on this computer.
import type { Variables } from '../../../lib/fetch/cache.ts';
import { lookNear } from '../homes/find.ts';
import { type EngineSource, shortTitle } from '../homes/source.ts';
import { hadoopVersionIn } from './jars.ts';

/** Throws an Error with the remedy if there are no engines. */
export function hadoopVersions(sources: readonly EngineSource[], environment: Variables): readonly string[] {
  const users = sources.filter(({ hadoopJars }) => hadoopJars !== undefined);
  const versions = users.flatMap((source) => {
    const home = lookNear(source, environment);
    return (home && hadoopVersionIn(source.hadoopJars?.(home.folder) ?? [])) ?? [];
  });
  if (versions.length > 0) return [...new Set(versions)];
  const names = users.map(shortTitle).join(' or ');
  throw new Error(`s3a is for ${names}, and neither is on this computer: install one with npm run engines`);
}
