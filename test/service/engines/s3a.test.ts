// Where the jars for S3 come from.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findS3a, hadoopVersions } from '../../../dev/engines/s3a-part.ts';
import { engineSources } from '../../../src/service/engines/index.ts';
import { s3aFolder, s3aPath } from '../../../src/service/engines/s3a/jars.ts';
import { temporaryFolder } from '../../plane/support.ts';

/** A folder with empty files. */
async function put(...files: readonly string[]): Promise<string> {
  const folder = await temporaryFolder();
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), '');
  }
  return folder;
}

test('they are those of the installation, of its tools, or of the part for its version of Hadoop', async () => {
  const cache = await put('s3a-3.5.0/jars/hadoop-aws-3.5.0.jar', 's3a-3.5.0/jars/s3-2.57.8.jar');
  const own = await put('hadoop-client-api-3.4.2.jar', 'hadoop-aws-3.4.2.jar', 'bundle-2.29.52.jar');
  expect(s3aPath({ jars: [own], cache })).toEqual([]);
  const bare = await put('hadoop-common-3.5.0.jar');
  const tools = await put('hadoop-aws-3.5.0.jar', 'bundle-2.35.4.jar');
  expect(s3aPath({ jars: [bare], tools, cache })).toEqual([`${tools}/*`]);
  expect(s3aPath({ jars: [bare], tools: '/none', cache })).toEqual([`${s3aFolder(cache, '3.5.0')}/*`]);
});

test('without them, or with those of another version, the remedy is named', async () => {
  const cache = await put('s3a-3.5.0/jars/hadoop-aws-3.5.0.jar', 's3a-3.5.0/jars/s3-2.57.8.jar');
  const jars = [await put('hadoop-client-api-3.4.2.jar')];
  const why = `s3a needs the jars of hadoop-aws 3.4.2, which are not installed: run npm run engines -- s3a, or add them to ${jars[0]}`;
  for (const given of [cache, undefined]) expect(() => s3aPath({ jars, cache: given })).toThrow(why);
  // The connector alone does nothing.
  const tools = await put('hadoop-aws-3.4.2.jar');
  expect(() => s3aPath({ jars, tools, cache })).toThrow(why);
  expect(() => findS3a('3.4.2', cache)).toThrow('S3 for Hadoop 3.4.2 is not installed, and only Maven has it');
});

test('they are installed for the versions of Hadoop that the engines have', async () => {
  const SPARK_HOME = await put('jars/hadoop-client-api-3.4.2.jar');
  writeFileSync(join(SPARK_HOME, 'RELEASE'), 'Spark 4.1.2');
  const HADOOP_HOME = await put('share/hadoop/common/hadoop-common-3.5.0.jar');
  const XDG_CACHE_HOME = await temporaryFolder();
  expect(hadoopVersions(engineSources, { SPARK_HOME, HADOOP_HOME, XDG_CACHE_HOME })).toEqual(['3.4.2', '3.5.0']);
  expect(() => hadoopVersions(engineSources, { XDG_CACHE_HOME })).toThrow(
    'neither is on this computer: install one with npm run',
  );
});
