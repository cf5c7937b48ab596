// The options of Java of jobs: how they are read, what is refused, and where they are.
import { describe, expect, test } from 'vitest';
import type { EngineRun } from '../../../../src/service/engines/engine.ts';
import { readJavaOptions, wordsOf } from '../../../../src/service/engines/spark/jobs/java-options.ts';
import { sparkJob } from '../../../../src/service/engines/spark/jobs/jobs.ts';
import { createSpark } from '../../../../src/service/engines/spark/spark.ts';
import { clusterOf, groupOf } from '../../provisioning/battery.ts';
import { run } from '../run-of-a-job.ts';

const home = { folder: '/opt/spark', java: '/usr/bin/java' };
const driverOptions = 'spark.driver.extraJavaOptions';
const executorOptions = 'spark.executor.extraJavaOptions';
const work = '/runs/run-1/work';

const programOf = (given: Partial<EngineRun>, isImage = false) => {
  const configs = { 'edp.java.main_class': 'org.example.Main', ...given.configs };
  return sparkJob({ ...home, isImage }).program(run({ ...given, configs }));
};
const optionsOf = (given: Partial<EngineRun>) => programOf(given).files?.['.spark/java.options'];
const confOf = (given: Partial<EngineRun>) => programOf(given).files?.['.spark/run.conf']?.split('\n') ?? [];

test.each([
  ['-Da=1  -Db=2', ['-Da=1', '-Db=2']],
  [`-Da="one two" '-Db=say "hi"'`, ['-Da=one two', '-Db=say "hi"']],
  [`-Da="say \\"hi\\" \\\\"`, ['-Da=say "hi" \\']],
  [`-Da=C:\\x ""`, ['-Da=C:\\x', '']],
  ['', []],
  [`-Da="open`, undefined],
  ['-Da=1\n-Db=2', undefined],
])('%j is split as Spark does it', (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

test.each([
  ['-Xmx4g', /-Xmx4g, and spark.driver.memory and spark.executor.memory set the heap: leave it out/],
  ['-XX:MaxRAMPercentage=80', /-XX:MaxRAMPercentage, and spark.driver.memory/],
  ['-Dspark.master=local', /-Dspark.master, and Spark takes no settings there: set it in configs/],
  ['-Djava.io.tmpdir=/tmp', /-Djava.io.tmpdir, and the service sets it/],
  ['-javaagent:/a.jar', /-javaagent:\/a.jar, and the service sets what Java loads: .* name jars in libs/],
  ['-cp /a.jar', /has -cp, and the service sets what Java loads/],
  ['--class-path=/a', /has --class-path, and the service sets what Java loads/],
  ['@/etc/options', /it reads more options/],
  ['-XX:OnOutOfMemoryError=reboot', /-XX:OnOutOfMemoryError, and it runs another program/],
  ['org.example.Other', /org.example.Other, and it is no option of Java/],
  ['-XX:HeapDumpPath=/srv', /-XX:HeapDumpPath, and it writes outside of the folder of the program/],
  ['-Xlog:gc:file=../gc.log', /-Xlog:gc:file, and it writes outside/],
  ['"-Da=', /lacks a quotation mark/],
  ['-Da=1 --add-opens', /has --add-opens, and it lacks its value: write both with =/],
  ['--add-modules -Xss4m', /has --add-modules, and it lacks its value/],
  ['--add-opens java.base/a=ALL-UNNAMED java.base/b=ALL-UNNAMED', /has java.base\/b, and it is no option of Java/],
])('%s is refused', (text, why) => {
  expect(() => readJavaOptions('spark.executor.extraJavaOptions', text)).toThrow(why);
  expect(() => readJavaOptions('spark.executor.extraJavaOptions', text)).toThrow(/^spark.executor.extraJavaOptions /);
});

test.each([
  '-Xss4m',
  '-XX:+UseG1GC',
  '-Xlog:gc:file=gc.log',
  '-Dspa.rk=/x',
  '-XX:+HeapDumpOnOutOfMemoryError',
  '-Dpath=/a/../b',
])('%s is allowed', (text) => {
  expect(readJavaOptions('name', text)).toEqual([text]);
});

test('an option whose value is the next word gets both in one word', () => {
  const text = '-Da=1 --add-opens java.base/java.lang=ALL-UNNAMED --add-modules=jdk.incubator.vector -Db=2';
  expect(readJavaOptions('name', text)).toEqual([
    '-Da=1',
    '--add-opens=java.base/java.lang=ALL-UNNAMED',
    '--add-modules=jdk.incubator.vector',
    '-Db=2',
  ]);
});

describe('the options of Java of a driver', () => {
  test('are in a file that nobody else can read, before those of the service, which count', () => {
    const configs = { [driverOptions]: '-Dpassword="se cret" -Xss4m' };
    const { args, files } = programOf({ configs });
    expect(files?.['.spark/java.options']).toBe('"-Dpassword=se cret"\n"-Xss4m"\n');
    expect(JSON.stringify(args)).not.toContain('se cret');
    const at = (word: string) => args.indexOf(word);
    expect(at(`@${work}/.spark/java.options`)).toBeLessThan(at('-Xmx512m'));
    expect(at(`@${work}/.spark/java.options`)).toBeGreaterThan(at('-XX:+UseSerialGC'));
  });

  test('that its cluster has by default come first', () => {
    const configs = { 'spark.driver.defaultJavaOptions': '-Da=1', [driverOptions]: '-Da=2' };
    expect(optionsOf({ configs })).toBe('"-Da=1"\n"-Da=2"\n');
  });

  test('replace the collector of the service, because Java refuses two', () => {
    expect(programOf({ configs: { [driverOptions]: '-XX:+UseZGC' } }).args).not.toContain('-XX:+UseSerialGC');
  });

  test('of its cluster are for jobs that set none', () => {
    const cluster = {
      ...clusterOf([]),
      cluster_configs: { Spark: { [driverOptions]: '-Dof=cluster', [executorOptions]: '-Dof=cluster' } },
    };
    const nodes = run().nodes.map((each) => ({ ...each, cluster }));
    expect(optionsOf({ nodes })).toBe('"-Dof=cluster"\n');
    expect(confOf({ nodes })).toContain(`${executorOptions}=-Dof=cluster`);
    expect(optionsOf({ nodes, configs: { [driverOptions]: '-Dof=job' } })).toBe('"-Dof=job"\n');
  });

  test('name files of the job, which are not jars', () => {
    const libs = [`${work}/log4j2.properties`, `${work}/more.jar`];
    const option = '-Dlog4j2.configurationFile=log4j2.properties';
    const given = { libs, configs: { [driverOptions]: option, [executorOptions]: option } };
    expect(optionsOf(given)).toBe(`"-Dlog4j2.configurationFile=${work}/log4j2.properties"\n`);
    expect(confOf(given)).toEqual(
      expect.arrayContaining([
        `${executorOptions}=-Dlog4j2.configurationFile=${work}/log4j2.properties`,
        `spark.jars=${work}/more.jar`,
      ]),
    );
    expect(() => programOf({ ...given, libs: [] })).toThrow(
      `cannot run Spark job: ${driverOptions} names the file log4j2.properties, which the job does not have: add it to libs`,
    );
    expect(() => programOf(given, true)).toThrow(/names log4j2.properties, which executors in pods do not have/);
  });
});

test('a cluster whose options of Java cannot work is refused', () => {
  const groups = [{ ...groupOf('all', []), count: 1, flavor_id: '2', node_processes: ['master', 'slave'] }];
  const withOptions = (text: string) => ({
    ...clusterOf(groups),
    cluster_configs: { Spark: { [executorOptions]: text } },
  });
  const spark = createSpark(home);
  expect(() => spark.checkLayout(withOptions('-Xmx9g'))).toThrow(/^spark.executor.extraJavaOptions has -Xmx9g, and/);
  spark.checkLayout(withOptions('-Xss4m'));
});
