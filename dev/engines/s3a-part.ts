// Installs the part for S3: the connector of Hadoop, in the version of the installation that it is for, and the parts of the SDK of AWS that it uses.
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Variables } from '../../src/lib/fetch/cache.ts';
import { type EngineSource, type MavenSet, shortTitle } from '../../src/service/engines/homes/engine-source.ts';
import { lookNear } from '../../src/service/engines/homes/find.ts';
import { type InstallInput, whileInstalling } from '../../src/service/engines/homes/install.ts';
import { installFromMaven } from '../../src/service/engines/homes/maven.ts';
import { hadoopVersionIn, s3aHome, s3aJars } from '../../src/service/engines/s3a/jars.ts';

const sdk = '2.57.8';

const setOf = (version: string): MavenSet => ({
  dependencies: [
    `org.apache.hadoop:hadoop-aws:${version}`,
    ...['s3', 's3-transfer-manager', 'apache-client', 'netty-nio-client', 'sts'].map(
      (part) => `software.amazon.awssdk:${part}:${sdk}`,
    ),
  ],
  exclusions: [
    // Everything that AWS has, in 600 MB.
    'software.amazon.awssdk:bundle',
    // Another client of HTTP, which Hadoop does not use.
    'software.amazon.awssdk:apache5-client',
    // Spark and Hadoop have these.
    'io.netty:*',
    'org.slf4j:slf4j-api',
    'commons-logging:commons-logging',
    'commons-codec:commons-codec',
  ],
  jars: s3aJars,
  files: {},
});

/** Throws an Error with the remedy if the part is not installed. */
export function findS3a(version: string, cache: string): string {
  const home = s3aHome(cache, version);
  if (existsSync(home)) return home;
  throw new Error(`S3 for Hadoop ${version} is not installed, and only Maven has it: run npm run engines -- s3a`);
}

/** Installs the part for this version of Hadoop, unless it is there. Rejects with what Maven reports. */
export async function installS3a(version: string, input: InstallInput): Promise<string> {
  const { cache, progress } = input;
  const home = s3aHome(cache, version);
  return await whileInstalling(input, async () => {
    if (existsSync(home)) return home;
    const part = await mkdtemp(join(cache, '.part-'));
    try {
      const source = { name: 's3a', version, maven: setOf(version) };
      const state = () => ({ label: `S3 for Hadoop ${version}: installing with Maven` });
      await progress.during(state, () => installFromMaven(source, part));
      await rename(part, home);
      return home;
    } finally {
      await rm(part, { recursive: true, force: true });
    }
  });
}

/** The versions of Hadoop that engines on this computer have. Throws an Error with the remedy if there are no engines. */
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
