// The recorded names of the settings of an engine are those in its classes. `-u` records them anew, where all releases are installed.
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pigJars, pigSource } from '../../../src/service/engines/hadoop/jobs/pig.ts';
import { hadoopJars, hadoopSources } from '../../../src/service/engines/hadoop/source.ts';
import { recordedNames } from '../../../src/service/engines/known-settings.ts';
import { namesOf } from '../../../src/service/engines/spark/known.ts';
import { sparkLines } from '../../../src/service/engines/spark/releases.ts';
import { sparkSources } from '../../../src/service/engines/spark/source.ts';
import { findEngine } from '../engines.ts';
import { defaultsIn, namesIn } from './constants.ts';

const prefix = 'spark.';
const lines = sparkLines.toSorted();
const found = sparkSources.flatMap((source) => {
  const engine = findEngine(source);
  return engine === undefined ? [] : [{ ...engine, line: source.lines[0] ?? '' }];
});

/** By release line: the names in its classes and its Python. */
const read = new Map<string, readonly string[]>();
function namesOfRelease({ line, folder }: (typeof found)[number]): readonly string[] {
  const known = read.get(line);
  if (known !== undefined) return known;
  const jars = readdirSync(join(folder, 'jars')).filter((name) => /^spark-.*\.jar$/.test(name));
  const files = jars.map((name) => join(folder, 'jars', name));
  const names = new Set(namesIn(files, /^spark\.[a-z]\w*(\.\w[\w-]*)*$/));
  for (const file of globSync(join(folder, 'python/pyspark/**/*.py')))
    if (!file.includes('/tests/'))
      for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/["'](spark\.[a-z]\w*(\.\w[\w-]*)*)["']/g))
        names.add(name);
  // Those of other masters have no effect here, and those of tests are for nobody.
  const kept = [...names].filter((name) => !/^spark\.(kubernetes|yarn|testing|test|some)\b/.test(name)).toSorted();
  read.set(line, kept);
  return kept;
}

/** A line for each beginning, with what follows it. `-`: nothing. */
function textOf(names: readonly string[], before = ''): string {
  const parts = names.map((name) => name.slice(before.length).split('.'));
  const groups = Map.groupBy(parts, ([first = '']) => first);
  const line = ([first, of]: readonly [string, readonly (readonly string[])[]]) =>
    `${first}: ${of.map(([, ...rest]) => rest.join('.') || '-').join(' ')}\n`;
  return [...groups].map(line).join('');
}

/** Each name once, by the release lines that have it. */
function fileOf(byLine: ReadonlyMap<string, ReadonlySet<string>>): string {
  const names = [...new Set([...byLine.values()].flatMap((each) => [...each]))].toSorted();
  const groups = Map.groupBy(names, (name) => lines.filter((line) => byLine.get(line)?.has(name)).join(' '));
  const sorted = [...groups].toSorted(([one], [other]) => other.length - one.length || (one < other ? -1 : 1));
  const entries = sorted.map(([of, group]) => `  '${of}': \`\n${textOf(group, prefix)}\`,\n`);
  const head = `// Names of settings of Spark, by the release lines that have them. test/engines/settings/known-settings.test.ts records them.\n`;
  return `${head}export const sparkNames: Readonly<Record<string, string>> = {\n${entries.join('')}};\n`;
}

describe('the recorded settings of Spark', () => {
  test.for(found.map((each) => [each.line, each] as const))(
    '%s are those in its classes and its Python',
    ([line, engine]) => {
      expect(recordedNames({ prefix, recorded: namesOf(line) }).toSorted()).toEqual(namesOfRelease(engine));
    },
  );

  test.skipIf(found.length < lines.length)('of all releases are in one file', async () => {
    const text = fileOf(new Map(found.map((each) => [each.line, new Set(namesOfRelease(each))])));
    await expect(text).toMatchFileSnapshot('../../../src/service/engines/spark/setting-names.ts');
  });
});

const jarsIn = (folder: string, pattern: RegExp): readonly string[] =>
  globSync('*.jar', { cwd: folder }).flatMap((name) => (pattern.test(name) ? [join(folder, name)] : []));
const installed = (sources: Parameters<typeof findEngine>[0][]) =>
  sources.flatMap((source) => findEngine(source) ?? []);
const hadoops = installed([...hadoopSources]);
const [pig] = installed([pigSource]);
const sparks = installed([...sparkSources]);

/** What settings of jobs of Hadoop begin with. */
const ofHadoop = /^(mapreduce|mapred|map|yarn|dfs|fs|io|ipc|file|hadoop|stream|job|task|pig)(\.[\w-]+)+$/;
const ofHive = /^hive(\.[\w-]+)+$/;

/** In a file of its own. A name that any release has is known. */
function oneFile(engine: string, constant: string, names: Iterable<string>): string {
  const head = `// Names of settings of ${engine}, of all release lines. test/engines/settings/known-settings.test.ts records them.\n`;
  return `${head}export const ${constant} = \`\n${textOf([...names].toSorted())}\`;\n`;
}

describe('the recorded settings of other engines', () => {
  test.skipIf(hadoops.length < hadoopSources.length || pig === undefined)('are those of Hadoop and Pig', async () => {
    const jars = [
      ...hadoops.flatMap(({ folder }) => hadoopJars(folder).flatMap((each) => jarsIn(each, /^hadoop-.*\.jar$/))),
      ...pigJars(pig?.folder ?? '').flatMap((each) => jarsIn(each, /^pig-.*\.jar$/)),
    ];
    const defaults = [...defaultsIn(jars)].filter((name) => ofHadoop.test(name));
    const names = new Set([...namesIn(jars, ofHadoop), ...defaults]);
    const text = oneFile('Hadoop and Pig', 'hadoopNames', names);
    await expect(text).toMatchFileSnapshot('../../../src/service/engines/hadoop/jobs/hadoop-names.ts');
  });

  test.skipIf(sparks.length < sparkSources.length)('are those of the Hive in Spark', async () => {
    const jars = sparks.flatMap(({ folder }) => jarsIn(join(folder, 'jars'), /^(hive|spark-hive)[-_].*\.jar$/));
    const text = oneFile('Hive', 'hiveNames', namesIn(jars, ofHive));
    await expect(text).toMatchFileSnapshot('../../../src/service/engines/spark/jobs/hive-names.ts');
  });
});
