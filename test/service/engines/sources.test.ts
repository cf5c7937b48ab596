// The sources of the engines are complete, and recognise what they install.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hadoopJars, hadoopSource } from '../../../src/service/engines/hadoop/source.ts';
import { hasPython, sparkSource } from '../../../src/service/engines/spark/source.ts';
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

describe.each([sparkSource, hadoopSource])('$title', ({ archive, maven, version }) => {
  test('is published by Apache, with a digest', () => {
    const lengths = { sha256: 64, sha512: 128 };
    expect(archive.urls.filter((url) => !/^https:\/\/(dlcdn|archive)\.apache\.org\//.test(url))).toEqual([]);
    expect(archive.urls.every((url) => url.includes(version))).toBe(true);
    expect(archive.digest.hex).toMatch(new RegExp(`^[0-9a-f]{${lengths[archive.digest.algorithm]}}$`));
  });

  test('has coordinates that name versions', () => {
    expect(maven.dependencies.filter((each) => !/^[\w.-]+:[\w.-]+:[\d.]+$/.test(each))).toEqual([]);
    expect(maven.exclusions.filter((each) => !/^[\w.-]+:[\w.-]+$/.test(each))).toEqual([]);
  });
});

test('Spark is recognised by its file RELEASE and its jars, and has Python or not', async () => {
  const official = 'Spark 4.1.2 (git revision abc) built for Hadoop 3.4.2\nBuild flags: -B\n';
  const folder = await put({ RELEASE: official, 'jars/a.jar': '', 'python/pyspark/sql.py': '' });
  expect([sparkSource.readVersion(folder), hasPython(folder)]).toEqual(['4.1.2', true]);
  const { files } = sparkSource.maven;
  const fromMaven = await put({ ...files, 'jars/a.jar': '' });
  expect([sparkSource.readVersion(fromMaven), hasPython(fromMaven)]).toEqual(['4.1.2', false]);
  const [old, none, noJars] = [
    await put({ RELEASE: 'Spark 3.5.1', 'jars/a.jar': '' }),
    await put({}),
    await put(files),
  ];
  expect(() => sparkSource.readVersion(old)).toThrow('its file RELEASE names version 3.5.1, and Spark 4.1 is needed');
  for (const folder of [none, noJars])
    expect(() => sparkSource.readVersion(folder)).toThrow('it has no file RELEASE and folder jars, as a Spark 4.1 has');
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
  expect(() => hadoopSource.readVersion(old)).toThrow('it is version 3.3.6, and Hadoop 3.5 is needed');
  expect(() => hadoopSource.readVersion('/nowhere')).toThrow('it has no hadoop-common-*.jar');
});
