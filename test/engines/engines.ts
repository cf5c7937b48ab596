// Which engines there are on this machine for the tests. Without one its tests are skipped, and the reason is told.
import { findS3a, hadoopVersions } from '../../dev/engines/s3a-part.ts';
import { messageOf } from '../../src/lib/errors.ts';
import { type EngineSource, titleOf, wordOf } from '../../src/service/engines/homes/engine-source.ts';
import { engineCache, lookNear } from '../../src/service/engines/homes/find.ts';
import { findJava } from '../../src/service/engines/homes/java.ts';
import { engineSources } from '../../src/service/engines/index.ts';

export interface FoundEngine {
  readonly folder: string;
  readonly version: string;
  readonly java: string;
}

export function findEngine(source: EngineSource): FoundEngine | undefined {
  const skip = (why: string) => console.warn(`The tests of ${titleOf(source)} are skipped: ${why}`);
  try {
    const java = findJava({ given: undefined, environment: process.env });
    const home = lookNear(source, process.env);
    if (home === undefined) skip(`it is not on this computer. npm run engines -- ${wordOf(source)} installs it`);
    return home && { ...home, java: java.file };
  } catch (error) {
    skip(messageOf(error));
    return undefined;
  }
}

/** The version of Hadoop that S3 is installed for. Undefined if it is not, and the reason is told. */
export function findS3aPart(): string | undefined {
  try {
    return hadoopVersions(engineSources, process.env).map((version) => findS3a(version, engineCache(process.env)))[0];
  } catch (error) {
    console.warn(`The tests of S3 are skipped: ${String(error)}`);
    return undefined;
  }
}
