// What real clusters need from the computer, and where they are if nothing is given.
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { messageOf } from '../../../../src/lib/errors.ts';
import type { FetchRules } from '../../../../src/lib/fetch/guarded.ts';
import { createLineProgress } from '../../../../src/lib/fetch/progress.ts';
import { systemClock, systemGet } from '../../../../src/lib/system.ts';
import {
  checkPlatform,
  machinesFolder,
  openProcesses,
} from '../../../../src/service/backends/processes/open-processes.ts';
import { sparkSource } from '../../../../src/service/engines/spark/source.ts';
import { type Catalog, findVersion } from '../../../../src/service/model/catalog/catalog.ts';
import { parseFlags } from '../../../../src/service/program/flags/flags.ts';
import { temporaryFolder } from '../../../plane/support.ts';

/** A folder with something like Spark. */
async function putSpark(version: string, folder?: string): Promise<string> {
  const spark = folder ?? (await temporaryFolder());
  await mkdir(join(spark, 'jars'), { recursive: true });
  await writeFile(join(spark, 'RELEASE'), `Spark ${version}`);
  return spark;
}

/** With something like Spark and something like Java. */
async function open(hadoop?: string, more: readonly string[] = [], release = '17.0.1') {
  const machines = await temporaryFolder();
  const spark = await putSpark('4.1.7');
  const java = join(spark, 'java');
  await writeFile(java, `#!/bin/sh\necho 'openjdk version "${release}"'\n`);
  await chmod(java, 0o755);
  const [told, warnings]: [string[], string[]] = [[], []];
  const fetchRules: FetchRules[] = [];
  const log = {
    debug() {},
    info: (_: object, text: string) => void told.push(text),
    warn: (_: object, text: string) => void warnings.push(text),
    error() {},
  };
  const opened = await openProcesses({
    settings: parseFlags([
      '--provisioner=processes',
      `--machines=${machines}`,
      `--java=${java}`,
      ...(hadoop === undefined ? [] : [`--hadoop=${hadoop}`]),
      ...more,
    ]),
    data: undefined,
    search: {
      environment: { SPARK_HOME: spark, XDG_CACHE_HOME: spark },
      progress: createLineProgress(() => undefined, systemClock),
      clock: systemClock,
    },
    clock: systemClock,
    log,
    get: systemGet,
    ask: () => Promise.reject(new Error('nobody is asked')),
    download: () => Promise.reject(new Error('nothing is downloaded')),
    guardedDownload: (rules) => {
      fetchRules.push(rules);
      return () => Promise.reject(new Error('nothing is downloaded'));
    },
    createSecret: () => 'secret',
  });
  onTestFinished(opened.close);
  return { opened, told, warnings, spark, machines, fetchRules };
}

describe('real clusters', () => {
  test('have the flavors of the file, and one warning names those with settings of pods', async () => {
    const file = join(await temporaryFolder(), 'flavors.yaml');
    const size = 'cores: 1, memoryMiB: 1024';
    await writeFile(
      file,
      `flavors: { a: { ${size}, pod: {} }, b: { ${size} }, c: { ${size}, pod: {}, tenants: [t] } }`,
    );
    const { opened, warnings } = await open(undefined, [`--flavors-file=${file}`]);
    expect(opened.catalog.flavors).toMatchObject([{ id: 'a' }, { id: 'b' }, { id: 'c', tenants: ['t'] }]);
    expect(warnings).toEqual(['pod and queue of these flavors have no effect with --provisioner processes: a, c']);
    expect((await open()).warnings).toEqual([]);
  });

  test('run the engines that were found', async () => {
    const { opened, told, spark, machines } = await open();
    expect(opened.catalog.plugins.map(({ name, versions }) => [name, versions[0]?.version])).toEqual([
      ['spark', '4.1.7'],
    ]);
    expect(opened.catalog.plugins[0]?.versions[0]).toMatchObject({
      processes: { Spark: ['master', 'slave', 'historyserver'] },
      absent: { namenode: expect.stringContaining('npm run engines'), datanode: expect.stringContaining('--hadoop') },
    });
    const spark4 = opened.catalog.plugins[0]?.versions[0];
    expect([spark4?.jobTypes, Object.keys(spark4?.absentJobs ?? {})]).toEqual([['Spark', 'Java', 'Shell'], ['Hive']]);
    expect(told).toEqual([
      `Spark 4.1.7 without Python and Hive in ${spark} (SPARK_HOME), Java 17.0.1, machines in ${machines}`,
    ]);
  });

  test('run several versions of an engine, and say what to do to have more', async () => {
    const [three, four] = [await putSpark('3.5.2'), await putSpark('4.0.1')];
    const { opened } = await open(undefined, [`--spark=${four}`, `--spark=${three}`]);
    const { plugins } = opened.catalog;
    expect(plugins.map(({ name, versions }) => [name, ...versions.map(({ version }) => version)])).toEqual([
      ['spark', '4.0.1', '3.5.2'],
    ]);
    const catalog = { plugins } as unknown as Catalog;
    const why = (version: string) => {
      try {
        return findVersion(catalog, 'spark', version).version;
      } catch (error) {
        return messageOf(error);
      }
    };
    expect(why('3.5.2')).toBe('3.5.2');
    const has = 'of plugin spark: its versions are 4.0.1, 3.5.2';
    expect(why('4.1.2')).toBe(
      `cannot use version 4.1.2 ${has}; 4.1.2 is missing: install it with npm run engines -- spark@4.1.2, and restart the service`,
    );
    expect(why('2.4.8')).toBe(`cannot use version 2.4.8 ${has}; missing are 4.1.2, 4.3.0`);
  });

  test('run no version that the Java is too new for', async () => {
    const spark = await putSpark('3.5.2');
    const why =
      /Spark 3.5 runs on Java 17 at the newest, and .*java is Java 21.0.1: name an older one with --java or in JAVA_HOME/;
    await expect(open(undefined, [`--spark=${spark}`], '21.0.1')).rejects.toThrow(why);
    const { opened } = await open(undefined, [], '21.0.1');
    const [plugin] = opened.catalog.plugins;
    expect(plugin?.versions.map(({ version }) => version)).toEqual(['4.1.7']);
    expect(plugin?.absentVersions?.['3.5.9']).toMatch(why);
    expect(plugin?.absentVersions?.['4.0.5']).toContain('npm run engines -- spark@4.0.5');
    // Nothing is installed that the Java could not run.
    await expect(open(undefined, [], '25')).rejects.toThrow(
      'cannot run engines: Spark 4.1 runs on Java 22 at the newest',
    );
    const newer = (await open(undefined, [`--spark=${await putSpark('4.3.0')}`], '25')).opened;
    expect(newer.catalog.plugins[0]?.versions.map(({ version }) => version)).toEqual(['4.3.0']);
  });

  test('fetch files of jobs from this computer, or from where flags say', async () => {
    expect((await open()).fetchRules).toEqual([{ allowed: ['127.0.0.0/8', '::1/128'], denied: [] }]);
    const flags = ['--allow-fetch-from=10.0.0.7/32', '--deny-fetch-from=10.96.0.0/12'];
    const { fetchRules } = await open(undefined, flags);
    expect(fetchRules).toEqual([{ allowed: ['10.0.0.7/32'], denied: ['10.96.0.0/12'] }]);
  });

  test('run Hadoop if it is there, with exactly the options that it has', async () => {
    const hadoop = await temporaryFolder();
    await mkdir(join(hadoop, 'jars'));
    await writeFile(join(hadoop, 'jars', 'hadoop-common-3.5.1.jar'), '');
    const { opened, told } = await open(hadoop);
    const vanilla = opened.catalog.plugins.find(({ name }) => name === 'vanilla');
    expect(vanilla?.versions[0]).toMatchObject({
      version: '3.5.1',
      processes: {
        HDFS: ['namenode', 'datanode'],
        YARN: ['resourcemanager', 'nodemanager'],
        MapReduce: ['historyserver'],
      },
    });
    const spark = opened.catalog.plugins.find(({ name }) => name === 'spark')?.versions[0];
    expect(spark?.processes).toEqual({ Spark: ['master', 'slave', 'historyserver'], HDFS: ['namenode', 'datanode'] });
    expect(Object.keys(spark?.absent ?? {})).toEqual(['connect', 'thriftserver']);
    expect(vanilla?.isExact).toBe(true);
    const { configs = [] } = vanilla?.versions[0] ?? {};
    expect(configs.map(({ applicable_target, name }) => `${applicable_target} ${name}`)).toContain(
      'HDFS dfs.replication',
    );
    expect(told.join()).toContain(`, Hadoop 3.5.1 in ${hadoop} (--hadoop), `);
    const empty = await temporaryFolder();
    await expect(open(empty)).rejects.toThrow('it has no hadoop-common-*.jar');
  });

  test.each([
    [{ machines: '/m', data: '/d/s.db' }, {}, '/m'],
    [{ data: '/d/s.db' }, {}, '/d/machines'],
    [{}, { HOME: '/home/me' }, '/home/me/.local/state/dataprocessing-service/machines'],
    [{}, { HOME: '/home/me', XDG_STATE_HOME: '/state' }, '/state/dataprocessing-service/machines'],
  ])('given %o and %o, are in %s', (given, environment, folder) => {
    expect(machinesFolder({ machines: undefined, data: undefined, ...given }, environment)).toBe(folder);
  });

  test('need Linux', () => {
    expect(() => checkPlatform('linux')).not.toThrow();
    expect(() => checkPlatform('darwin')).toThrow(
      'needs Linux, or WSL 2 on Windows: leave it out to simulate clusters',
    );
  });
});

test('the version that is installed is one that is accepted', async () => {
  expect(sparkSource.version).toMatch(/^4\.1\./);
});
