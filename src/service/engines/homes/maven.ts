// Installs an engine with Maven, from the repositories that its settings name.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EngineSource, type MavenSet, writeTexts } from './engine-source.ts';
import { run } from './run-program.ts';

interface MavenRun {
  /** More flags of Maven. */
  readonly flags?: readonly string[];
  /** When absent: as long as it takes. */
  readonly timeoutMs?: number;
  /** Ends it. When absent: nothing does. */
  readonly signal?: AbortSignal;
}

/** Fills the folder. Rejects with what Maven reports. */
export async function installFromMaven(
  { name, version, maven }: Pick<EngineSource, 'name' | 'version' | 'maven'>,
  folder: string,
  { flags = [], ...how }: MavenRun = {},
): Promise<void> {
  const pom = join(folder, 'pom.xml');
  await writeFile(pom, pomOf(`${name}-${version}`, maven));
  const target = `-DoutputDirectory=${join(folder, maven.jars)}`;
  const copy = ['dependency:copy-dependencies', '-DincludeScope=runtime', target];
  const quiet = ['--batch-mode', '--no-transfer-progress', '--quiet', '--strict-checksums'];
  await run('mvn', [...quiet, ...flags, '--file', pom, ...copy], how);
  await writeTexts(folder, maven.files);
}

/** A project that has nothing but dependencies. */
export function pomOf(name: string, { dependencies, exclusions }: MavenSet): string {
  const excluded = exclusions.map((each) => {
    const [group, artifact] = each.split(':');
    return `<exclusion><groupId>${group}</groupId><artifactId>${artifact}</artifactId></exclusion>`;
  });
  const wanted = dependencies.map((each) => {
    const [group, artifact, version] = each.split(':');
    return `    <dependency>
      <groupId>${group}</groupId>
      <artifactId>${artifact}</artifactId>
      <version>${version}</version>
      <exclusions>${excluded.join('')}</exclusions>
    </dependency>`;
  });
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>dataprocessing</groupId>
  <artifactId>${name}</artifactId>
  <version>1</version>
  <dependencies>
${wanted.join('\n')}
  </dependencies>
</project>
`;
}
