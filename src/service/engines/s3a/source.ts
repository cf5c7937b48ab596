// The part for S3: the connector of Hadoop, in the version of the installation that it is for, and the parts of the SDK of AWS that it uses.
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Installing, whileInstalling } from '../homes/install.ts';
import { installFromMaven } from '../homes/maven.ts';
import type { MavenSet } from '../homes/source.ts';

const sdk = '2.57.8';
const name = 's3a';
const jars = 'jars';

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
  jars,
  files: {},
});

const homeOf = (cache: string, version: string): string => join(cache, `${name}-${version}`);

/** The folder of the jars for this version of Hadoop. */
export const s3aFolder = (cache: string, version: string): string => join(homeOf(cache, version), jars);

/** Throws an Error with the remedy if the part is not installed. */
export function findS3a(version: string, cache: string): string {
  const home = homeOf(cache, version);
  if (existsSync(home)) return home;
  throw new Error(`S3 for Hadoop ${version} is not installed, and only Maven has it: run npm run engines -- s3a`);
}

/** Installs the part for this version of Hadoop, unless it is there. Rejects with what Maven reports. */
export async function installS3a(version: string, installing: Installing): Promise<string> {
  const { cache, progress } = installing;
  const home = homeOf(cache, version);
  return await whileInstalling(installing, async () => {
    if (existsSync(home)) return home;
    const part = await mkdtemp(join(cache, '.part-'));
    try {
      const source = { name, version, maven: setOf(version) };
      const state = () => ({ label: `S3 for Hadoop ${version}: installing with Maven` });
      await progress.during(state, () => installFromMaven(source, part));
      await rename(part, home);
      return home;
    } finally {
      await rm(part, { recursive: true, force: true });
    }
  });
}
