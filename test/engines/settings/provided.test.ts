// What packages of jobs leave out is what the Spark of their cluster contains, no more and no less.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { providedBy } from '../../../src/service/engines/spark/jobs/provided.ts';
import { releaseOf } from '../../../src/service/engines/spark/releases.ts';
import { hasHive, sparkSources } from '../../../src/service/engines/spark/source.ts';
import { findEngine } from '../engines.ts';
import { entriesIn } from './constants.ts';

/** Only the distributions: an installation by Maven has fewer jars. */
const found = sparkSources
  .flatMap((source) => findEngine(source) ?? [])
  .filter(({ folder }) => hasHive(folder))
  .map((engine) => [engine.version, engine.folder] as const);

/** Jars that belong to other groups. */
const others = /^(hadoop-shaded-|scala-.*_)/;
/** Jars with other artifacts in them. */
const shaded = /^(hadoop-client-api|spark-connect_[\d.]+)$/;

function artifactsIn(jars: string): readonly string[] {
  const names = new Set<string>();
  for (const file of readdirSync(jars)) {
    const [, name = ''] = /^((?:spark|hadoop|scala)-.*)-\d+\.\d+\.\d+\.jar$/.exec(file) ?? [];
    if (name === '' || others.test(name)) continue;
    names.add(name);
    if (!shaded.test(name)) continue;
    for (const { name: entry } of entriesIn(join(jars, file))) {
      const [, inside] = /^META-INF\/maven\/org\.apache\.(?:spark|hadoop)\/([^/]+)\/pom\.xml$/.exec(entry) ?? [];
      if (inside !== undefined) names.add(inside);
    }
  }
  return [...names].toSorted();
}

describe.skipIf(found.length === 0)('what packages leave out', () => {
  test.for(found)('for Spark %s is what its distribution contains', ([version, folder]) => {
    const release = releaseOf(version);
    const named = providedBy(release)
      .map((each) => each.split(':')[1] ?? '')
      .filter((name) => name !== '*' && (!/_2\.\d+$/.test(name) || name.endsWith(`_${release.scala}`)));
    expect(named.toSorted()).toEqual(artifactsIn(join(folder, 'jars')));
  });
});
