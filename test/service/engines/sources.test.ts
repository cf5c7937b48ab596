// The sources of the engines are complete, and recognise what they install.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { flinkSource } from '../../../src/service/engines/flink/source.ts';
import { pigJars, pigSource } from '../../../src/service/engines/hadoop/jobs/pig.ts';
import { hadoopJars, hadoopSource } from '../../../src/service/engines/hadoop/source.ts';
import { sourceIn } from '../../../src/service/engines/homes/engine-source.ts';
import { engineSources } from '../../../src/service/engines/index.ts';
import { sparkSource, sparkSources } from '../../../src/service/engines/spark/source.ts';
import { temporaryFolder } from '../../plane/support.ts';

/** A folder with these files. */
async function put(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

test.each([sparkSource, hadoopSource])('$title is published by Apache, with a digest', ({ archive, version }) => {
  const lengths = { sha256: 64, sha512: 128 };
  const { urls = [], digest = { algorithm: 'sha256', hex: '' } as const } = archive ?? {};
  expect(urls.filter((url) => /^https:\/\/(dlcdn|archive)\.apache\.org\//.test(url) && url.includes(version))).toEqual(
    urls,
  );
  expect([urls.length, digest.hex.length]).toEqual([2, lengths[digest.algorithm]]);
  expect(digest.hex).toMatch(/^[0-9a-f]+$/);
});

describe.each(engineSources)('$title', ({ maven }) => {
  test('has coordinates that name versions', () => {
    expect(maven.dependencies.filter((each) => !/^[\w.-]+:[\w.-]+:[\d.]+$/.test(each))).toEqual([]);
    expect(maven.exclusions.filter((each) => !/^[\w.-]+:[\w.*-]+$/.test(each))).toEqual([]);
  });
});

test('the Spark of the Python package index has a digest, and becomes an installation like the official one', () => {
  for (const { pip, version } of sparkSources) {
    expect([pip?.version, pip?.sha256]).toEqual([version, expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(pip?.bytes).toBeGreaterThan(300e6);
  }
  const { pip } = sparkSource;
  expect(Object.values(pip?.places ?? {})).toEqual(expect.arrayContaining(['jars', 'python/lib', 'python/pyspark']));
});

test('Spark is recognised by its file RELEASE and its jars, and by what it lacks', async () => {
  const official = 'Spark 4.1.2 (git revision abc) built for Hadoop 3.4.2\nBuild flags: -B\n';
  const hive = 'jars/spark-hive-thriftserver_2.13-4.1.2.jar';
  const folder = await put({ RELEASE: official, [hive]: '', 'python/lib/pyspark.zip': '' });
  expect([sparkSource.readVersion(folder), sparkSource.lacks(folder)]).toEqual(['4.1.2', []]);
  const { files } = sparkSource.maven;
  const fromMaven = await put({ ...files, 'jars/a.jar': '' });
  expect([sparkSource.readVersion(fromMaven), sparkSource.lacks(fromMaven)]).toEqual(['4.1.2', ['Python', 'Hive']]);
  const [old, unnamed, none, noJars] = [
    await put({ RELEASE: 'Spark 3.5.1', 'jars/a.jar': '' }),
    await put({ RELEASE: 'Spark', 'jars/a.jar': '' }),
    await put({}),
    await put(files),
  ];
  expect(() => sourceIn([sparkSource], old)).toThrow('it is version 3.5.1, and Spark 4.1 is needed');
  expect(sourceIn(sparkSources, old)[0].version).toMatch(/^3\.5\./);
  expect(() => sparkSource.readVersion(unnamed)).toThrow('its file RELEASE names no version');
  for (const folder of [none, noJars])
    expect(() => sparkSource.readVersion(folder)).toThrow('it has no file RELEASE and folder jars, as a Spark has');
});

test('Hadoop is recognised by the jar of its common part, in both layouts', async () => {
  const official = await put({ 'share/hadoop/common/hadoop-common-3.5.0.jar': '', 'share/hadoop/hdfs/lib/a.jar': '' });
  expect(hadoopSource.readVersion(official)).toBe('3.5.0');
  expect(hadoopJars(official)).toEqual(
    ['common', 'hdfs', 'hdfs/lib'].map((part) => join(official, 'share/hadoop', part)),
  );
  const fromMaven = await put({ 'jars/hadoop-common-3.5.1.jar': '' });
  expect([hadoopSource.readVersion(fromMaven), hadoopJars(fromMaven)]).toEqual(['3.5.1', [join(fromMaven, 'jars')]]);
  const old = await put({ 'jars/hadoop-common-3.3.6.jar': '' });
  expect(() => sourceIn([hadoopSource], old)).toThrow('it is version 3.3.6, and Hadoop 3.5 is needed');
  expect(() => hadoopSource.readVersion('/nowhere')).toThrow('it has no hadoop-common-*.jar');
});

describe('Pig', () => {
  const bundled = 'org/apache/pig/org/roaringbitmap/RoaringBitmap.class';

  test('is recognised by its jar, in both layouts', async () => {
    const official = await put({ 'pig-0.17.0-core-h2.jar': '', 'lib/antlr.jar': '', 'lib/h2/a.jar': '' });
    expect(pigSource.readVersion(official)).toBe('0.17.0');
    expect(pigJars(official)).toEqual([official, join(official, 'lib'), join(official, 'lib/h2')]);
    expect(pigSource.readVersion(await put({ 'lib/pig-0.17.0.jar': '' }))).toBe('0.17.0');
  });

  test('is refused if it is another version, or lacks classes', async () => {
    const complete = await put({ 'pig-0.18.0-core-h3.jar': `PK ${bundled} PK` });
    expect(pigSource.readVersion(complete)).toBe('0.18.0');
    const lacking = await put({ 'lib/pig-0.18.0.jar': 'PK org/apache/pig/Main.class PK' });
    expect(() => pigSource.readVersion(lacking)).toThrow(
      `${lacking}/lib/pig-0.18.0.jar lacks classes that it uses, as that of Maven repositories does: use Pig 0.17`,
    );
    const old = await put({ 'pig-0.15.0-core-h2.jar': '' });
    expect(() => sourceIn([pigSource], old)).toThrow('it is version 0.15.0, and Pig 0.17 or 0.18 is needed');
    const none = await put({ 'lib/antlr.jar': '' });
    expect(() => pigSource.readVersion(none)).toThrow('it has no pig-*.jar, neither in itself nor in lib');
  });
});

test('Flink is recognised by its jars, as Maven or the official archive has them', async () => {
  const [maven, archive, old, none] = [
    await put({ 'lib/flink-runtime-2.3.0.jar': '' }),
    await put({ 'lib/flink-dist-2.3.1.jar': '' }),
    await put({ 'lib/flink-dist-1.20.0.jar': '' }),
    await put({}),
  ];
  expect([maven, archive].map((folder) => flinkSource.readVersion(folder))).toEqual(['2.3.0', '2.3.1']);
  expect(() => sourceIn([flinkSource], old)).toThrow('it is version 1.20.0, and Flink 2.3 is needed');
  expect(() => flinkSource.readVersion(none)).toThrow('it has no flink-dist-*.jar or flink-runtime-*.jar in lib');
});
