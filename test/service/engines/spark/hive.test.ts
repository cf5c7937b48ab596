// The programs of Hive jobs on Spark clusters: what is run, where tables are, and what is refused before anything starts.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { EngineRun } from '../../../../src/service/engines/engine.ts';
import { hiveJobs } from '../../../../src/service/engines/spark/jobs/hive.ts';
import { createSpark } from '../../../../src/service/engines/spark/spark.ts';
import { node, run, secret } from '../run-of-a-job.ts';
import { sparkWith } from './spark-folder.ts';

const withHive = () => sparkWith('jars/spark-hive-thriftserver_2.13-4.1.2.jar');

function program(given: Partial<EngineRun> = {}) {
  const [job] = hiveJobs({ folder: withHive(), java: '/usr/bin/java' });
  if (job === undefined) throw new Error('there is no Hive');
  return job.program(run({ mains: ['/runs/run-1/work/main.hql'], ...given }));
}

const linesOf = (given: Partial<EngineRun> = {}) => program(given).files?.['.spark/run.conf']?.split('\n') ?? [];

describe('a Hive job', () => {
  test('is a script for Spark SQL, with params and data sources as variables', () => {
    const configs = { 'hive.exec.dynamic.partition': true, 'spark.executor.memory': '1g' };
    const params = { greeting: 'a = "b"', 'more.than': 3 };
    const { args } = program({ configs, params, input: 'hdfs://in', output: 'hdfs://out' });
    expect(args.slice(args.indexOf('--class'))).toEqual([
      '--class',
      'org.apache.spark.sql.hive.thriftserver.SparkSQLCLIDriver',
      'spark-internal',
      '-f',
      '/runs/run-1/work/main.hql',
      '--hiveconf',
      'hive.exec.dynamic.partition=true',
      '--hivevar',
      'INPUT=hdfs://in',
      '--hivevar',
      'OUTPUT=hdfs://out',
      '--hivevar',
      'greeting=a = "b"',
      '--hivevar',
      'more.than=3',
    ]);
    expect(linesOf({ configs })).toContain('spark.executor.memory=1g');
  });

  test('gets no reference in a value replaced, and none of its values hidden', () => {
    const params = { FILE: '/srv/tokens/url', MORE: 'x${FILE}y ${env:HOME}$' };
    const { args } = program({ params });
    expect(args.filter((_, index) => args[index - 1] === '--hivevar')).toEqual([
      'FILE=/srv/tokens/url',
      'MORE=x${DATAPROCESSING_DOLLAR}{FILE}y ${DATAPROCESSING_DOLLAR}{env:HOME}$',
      'DATAPROCESSING_DOLLAR=$',
    ]);
    const [pattern = ''] = linesOf().flatMap((line) => /^spark\.redaction\.regex=\(\?i\)(.*)$/.exec(line)?.[1] ?? []);
    const hides = (text: string) => new RegExp(pattern.replaceAll('\\\\', '\\'), 'i').test(text);
    expect(['spark.authenticate.secret', 'spark.hadoop.fs.s3a.access.key', 'password'].map(hides)).toEqual([
      true,
      true,
      true,
    ]);
    expect(['/srv/tokens/url', 'tokens', 'a password'].map(hides)).toEqual([false, false, false]);
  });

  test('has its tables in the folder of the master, or in HDFS', () => {
    expect(linesOf()).toEqual(
      expect.arrayContaining([
        'spark.master=spark://127.77.1.1:7077',
        'spark.sql.warehouse.dir=file:///machines/127.77.1.1/hive/warehouse',
        'spark.hadoop.javax.jdo.option.ConnectionURL=jdbc:derby:;databaseName=/machines/127.77.1.1/hive/metastore;create=true',
      ]),
    );
    const nodes = [...run().nodes, node('namenode', '127.77.1.4')];
    expect(linesOf({ nodes })).toContain('spark.sql.warehouse.dir=hdfs://127.77.1.4:8020/user/hive/warehouse');
  });

  test('can choose another form of tables, and has jars among its libs on its class path', () => {
    const name = 'spark.sql.legacy.createHiveTableByDefault';
    expect(linesOf()).toContain(`${name}=true`);
    expect(linesOf({ configs: { [name]: false } })).toContain(`${name}=false`);
    expect(linesOf({ libs: ['/w/udf.jar', '/w/words.txt'] })).toContain('spark.jars=/w/udf.jar');
  });

  test('has its secret only in the file that nobody else can read', () => {
    const { args, env } = program();
    expect(JSON.stringify([args, env])).not.toContain(secret);
  });

  const refused: readonly (readonly [Partial<EngineRun>, string])[] = [
    [{ mains: [] }, 'mains has 0 binaries: name one, the script'],
    [{ args: ['x'] }, 'a script has no args: pass values in params'],
    [{ params: { 'a b': 'x' } }, 'params have a b, which is no name of a variable: rename it'],
    [{ params: { token: 'x' } }, 'params have token, a name whose value Spark does not show to the script: rename it'],
    [{ params: { 'spark.my.password': 'x' } }, 'a name whose value Spark does not show to the script: rename it'],
    [{ params: { URL: 'x' } }, 'params have URL, a name whose value Spark does not show to the script: rename it'],
    [{ params: { DATAPROCESSING_DOLLAR: 'x' } }, 'a name whose value Spark does not show to the script: rename it'],
    [
      { params: { name: 'spark.ssl.keyPassword' } },
      'params have name, whose value Spark takes for the name of a secret',
    ],
    [{ configs: { 'spark.redaction.regex': 'x' } }, 'spark.redaction.regex, which the service sets: leave it out'],
    [{ configs: { 'hive.metastore.uris': 'x' } }, 'hive.metastore.uris, which the service sets: leave it out'],
    [{ configs: { 'spark.hadoop.hive.querylog.location': 'x' } }, 'which the service sets: leave it out'],
    ...['metastore.uris', 'exec.scratchdir', 'exec.local.scratchdir', 'querylog.location'].map(
      (name) =>
        [
          { configs: { [`spark.hive.${name}`]: 'x' } },
          `configs have spark.hive.${name}, which the service sets: leave it out`,
        ] as const,
    ),
    ...['datanucleus.ConnectionURL', 'DataNucleus.connectionUserName', 'Javax.jdo.option.ConnectionURL'].map(
      (name) =>
        [
          { configs: { [`spark.hadoop.${name}`]: 'x' } },
          `spark.hadoop.${name}, which Hive takes for one of javax.jdo., which the service sets: leave it out`,
        ] as const,
    ),
    [{ configs: { 'spark.hadoop.javax.jdo.option.ConnectionURL': 'x' } }, 'which the service sets: leave it out'],
    [{ configs: { 'spark.sql.warehouse.dir': 'x' } }, 'spark.sql.warehouse.dir, which the service sets'],
    [{ configs: { 'spark.master': 'local' } }, 'spark.master, which the service sets'],
    [{ configs: { 'mapreduce.job.maps': 1 } }, 'use settings of Spark, for Hadoop spark.hadoop.mapreduce.job.maps'],
    [
      { configs: { 'hive.exec.dynamic.partition.moed': 'x' } },
      'which Hive does not know: did you mean hive.exec.dynamic.partition.mode?',
    ],
    [{ configs: { 'edp.java.main_class': 'x' } }, 'edp.java.main_class, which means nothing here: leave it out'],
    [{ nodes: [] }, 'its cluster has no master'],
  ];
  test.each(refused)('is refused with %j: %s', (given, why) => {
    expect(() => program(given)).toThrow('cannot run Hive job: ');
    expect(() => program(given)).toThrow(why);
  });
});

test('a Hive job can choose how its metastore keeps its connections', () => {
  expect(() => program({ configs: { 'spark.hadoop.datanucleus.connectionPoolingType': 'DBCP' } })).not.toThrow();
});

describe('the turn of a Hive job', () => {
  /** The program with something else in place of Java, and a folder in place of the machine of the master. */
  function open() {
    const folder = mkdtempSync(join(tmpdir(), 'master-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const nodes = [{ ...node('master', '127.77.1.1'), folder }];
    const { file, args } = program({ nodes });
    const commandOf = (script: string) => [...args.slice(0, 4), '/bin/sh', '-c', script];
    return { file, folder, commandOf };
  }

  test('comes when the one before has ended, however it ended', async () => {
    const { file, folder, commandOf } = open();
    const first = spawn(file, commandOf(`touch '${folder}/started'; exec sleep 600`), { stdio: 'ignore' });
    const ended = once(first, 'close');
    while (!existsSync(join(folder, 'started'))) await new Promise((resolve) => setTimeout(resolve, 10));
    const output = join(folder, 'output');
    const second = spawn('/bin/sh', ['-c', '"$@" > "$0"', output, file, ...commandOf('echo mine; exit 3')]);
    const closed = once(second, 'close');
    const waiting = 'waiting for another Hive job of this cluster to end\n';
    while (!existsSync(output) || readFileSync(output, 'utf8') !== waiting)
      await new Promise((resolve) => setTimeout(resolve, 10));
    first.kill('SIGKILL');
    await ended;
    const [code] = await closed;
    expect([code, readFileSync(output, 'utf8')]).toEqual([3, `${waiting}mine\n`]);
  });

  test('never comes on a machine that is gone', () => {
    const { file, folder, commandOf } = open();
    rmSync(folder, { recursive: true });
    expect(() => execFileSync(file, commandOf('echo mine'), { stdio: 'pipe' })).toThrow(/hive/);
    expect(existsSync(folder)).toBe(false);
    execFileSync('mkdir', [folder]);
  });
});

test('a Spark without Hive offers no such jobs, and has the remedy', () => {
  const typesOf = (folder: string) => {
    const { jobs, absentJobs } = createSpark({ folder, java: '/java' });
    return [jobs.map(({ type }) => type), Object.keys(absentJobs ?? {})];
  };
  expect(typesOf(withHive())).toEqual([['Spark', 'Hive', 'Java', 'Shell'], []]);
  expect(typesOf(sparkWith('jars/spark-sql_2.13-4.1.2.jar'))).toEqual([['Spark', 'Java', 'Shell'], ['Hive']]);
  const { absentJobs } = createSpark({ folder: sparkWith(), java: '/java' });
  expect(absentJobs?.['Hive']).toMatch(
    /^its Spark has no Hive: install a complete Spark with npm run engines -- --from pip spark/,
  );
});
