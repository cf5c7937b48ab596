// The programs of jobs on Hadoop, and what they are refused for.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { EngineNode, EngineRun } from '../../../../src/service/engines/engine.ts';
import { usualFlavors } from '../../../../src/service/engines/flavors.ts';
import { createHadoop } from '../../../../src/service/engines/hadoop/hadoop.ts';
import { hadoopJobs } from '../../../../src/service/engines/hadoop/jobs/jobs.ts';
import type { JobType } from '../../../../src/wire/jobs.ts';
import { clusterOf, groupOf } from '../../provisioning/battery.ts';

const head: EngineNode = {
  cluster: clusterOf([]),
  group: groupOf('master', []),
  machine: { instance_id: 'm', instance_name: 'm' },
  processes: ['namenode', 'resourcemanager'],
  address: '127.77.1.1',
  folder: '/m',
  secret: '',
};

const run = (given: Partial<EngineRun> = {}): EngineRun => ({
  id: 'run-1',
  nodes: [head],
  folder: '/run',
  address: '127.78.1.1',
  mains: [],
  libs: [],
  args: [],
  configs: {},
  params: {},
  input: 'hdfs:///in',
  output: '/out',
  ...given,
});

function jobOf(type: JobType, folder = '/hadoop') {
  const home = { folder, java: '/java/bin/java', javaHome: '/java', pig: '/pig' };
  const job = hadoopJobs(home, usualFlavors).find((each) => each.type === type);
  if (job === undefined) throw new Error(`there is no ${type}`);
  return job;
}

/** The arguments after the class path, and the settings of the run. */
function programOf(type: JobType, given: Partial<EngineRun>, folder?: string) {
  const { args, files = {}, env } = jobOf(type, folder).program(run(given));
  const [path = '', ...rest] = args.slice(args.indexOf('-cp') + 1);
  return { path, rest, files, env, settings: files['.hadoop/conf/mapred-site.xml'] ?? '' };
}

const property = (name: string, value: string) => `<property><name>${name}</name><value>${value}</value></property>`;
const classes = { 'mapred.mapper.class': 'M', 'mapred.reducer.class': 'R' };

describe('a MapReduce job', () => {
  test('in an image cannot use S3', () => {
    const home = {
      folder: '/hadoop',
      java: '/java/bin/java',
      javaHome: '/java',
      image: { jars: [], streaming: '/s.jar' },
    };
    const job = hadoopJobs(home, usualFlavors).find(({ type }) => type === 'MapReduce');
    expect(() => job?.s3Path?.()).toThrow(
      'Hadoop in pods cannot use S3: use a Spark cluster, or copy the data into HDFS',
    );
  });

  test('that names its classes is run by a program that Java compiles', () => {
    const { rest, files, settings } = programOf('MapReduce', {
      configs: classes,
      libs: ['/run/a.jar', '/run/b c.jar'],
    });
    expect(rest).toEqual(['/run/.hadoop/Run.java', 'hdfs:///in', '/out']);
    expect(files['.hadoop/Run.java']).toContain('class Run');
    expect(settings).toContain(property('mapred.mapper.class', 'M'));
    expect(settings).toContain(property('mapreduce.job.jar', '/run/a.jar'));
    expect(settings).toContain(property('tmpjars', 'file:///run/b%20c.jar'));
    expect(settings).toContain(property('mapreduce.job.tags', 'run-1'));
    expect(files['.hadoop/conf/core-site.xml']).toContain(property('fs.defaultFS', 'hdfs://127.77.1.1:8020'));
  });

  test('that has a main gets its arguments, and then its data sources', () => {
    const configs = { 'edp.java.main_class': 'org.example.Main', 'mapreduce.job.reduces': 3 };
    const { path, rest, settings } = programOf('MapReduce', { configs, args: ['count'], libs: ['/run/a.jar'] });
    expect(path).toMatch(/^\/run\/\.hadoop\/conf:.*\/run\/a\.jar$/);
    expect(rest).toEqual(['org.example.Main', 'count', 'hdfs:///in', '/out']);
    expect(settings).toContain(property('mapreduce.job.reduces', '3'));
    expect(settings).not.toContain('edp.java');
  });

  test('that uses S3 has its settings, and its jars after those of Hadoop, also for its tasks', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hadoop-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'jars'));
    const s3 = { settings: { 'fs.s3a.endpoint': 'http://127.0.0.1:9000' }, classPath: ['/s3a/*'] };
    const { path, files, settings } = programOf('MapReduce', { configs: classes, libs: ['/run/a.jar'], s3 }, folder);
    expect(path).toBe(`/run/.hadoop/conf:${folder}/jars/*:/run/a.jar:/s3a/*`);
    expect(files['.hadoop/conf/core-site.xml']).toContain(property('fs.s3a.endpoint', 'http://127.0.0.1:9000'));
    const tasks = `$HADOOP_CONF_DIR,${folder}/jars/*,/s3a/*`;
    expect(settings).toContain(property('mapreduce.application.classpath', tasks));
  });

  test.each([
    [
      { configs: {} },
      'configs have no mapper: set mapred.mapper.class or mapreduce.job.map.class, or edp.java.main_class',
    ],
    [{ configs: classes, input: undefined }, 'it needs input_id and output_id'],
    [{ configs: { ...classes, 'mapreduce.job.tags': 'x' } }, 'configs have mapreduce.job.tags, which the service sets'],
    [{ configs: { ...classes, 'edp.jaba': 'x' } }, 'configs have edp.jaba, which means nothing here'],
    [{ configs: classes, nodes: [{ ...head, processes: ['namenode'] }] }, 'its cluster has no resourcemanager'],
  ])('is refused with %j: %s', (given, why) => {
    expect(() => programOf('MapReduce', given)).toThrow(`cannot run MapReduce job: ${why}`);
  });

  test.each([
    ['fs.default.name', 'fs.defaultFS'],
    ['mapred.jar', 'mapreduce.job.jar'],
    [' fs.defaultFS', 'fs.defaultFS'],
    ['fs.default.name\t ', 'fs.defaultFS'],
    ['\n yarn.resourcemanager.address', 'yarn.resourcemanager.address'],
  ])('is refused with %j, another name of %s, which the service sets', (name, meant) => {
    expect(() => programOf('MapReduce', { configs: { ...classes, [name]: 'x' } })).toThrow(
      `cannot run MapReduce job: configs have ${JSON.stringify(name)}, which Hadoop takes for ${meant}, which the service sets: leave it out`,
    );
  });
});

describe('a setting of a job', () => {
  const separator = 'mapreduce.output.textoutputformat.separator';

  test.each([
    ['\u0001', 'U+0001'],
    ['a\u001fb', 'U+001F'],
    ['\ud83d', 'U+D83D'],
    ['\uffff', 'U+FFFF'],
  ])('with %j is refused, because no file can have it', (text, code) => {
    expect(() => programOf('MapReduce', { configs: { ...classes, [separator]: text } })).toThrow(
      `cannot run MapReduce job: configs have ${separator}, whose value has ${code}, which configuration files of Hadoop cannot have: use another character, or set it in the program`,
    );
    const s3 = { settings: { 'fs.s3a.user.agent.prefix': text }, classPath: [] };
    expect(() => programOf('MapReduce', { configs: classes, s3 })).toThrow('configs have fs.s3a.user.agent.prefix');
  });

  test('with such a name is refused, too', () => {
    expect(() => programOf('Pig', { mains: ['/run/main.pig'], configs: { 'my.own\u0002': 1 } })).toThrow(
      'cannot run Pig job: configs have "my.own\\u0002", whose name has U+0002, which configuration files of Hadoop cannot have: remove it',
    );
  });

  test('reaches Hadoop as it is', () => {
    const { settings } = programOf('MapReduce', { configs: { ...classes, [separator]: '\t\r\n<&>é\u{1f600}' } });
    expect(settings).toContain(property(separator, '\t&#13;\n&lt;&amp;&gt;é\u{1f600}'));
  });
});

describe('a streaming job', () => {
  const configs = { 'edp.streaming.mapper': '/bin/cat', 'edp.streaming.reducer': 'count.py' };

  test('has its programs, and its libs beside each task', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hadoop-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const tools = join(folder, 'share', 'hadoop', 'tools', 'lib');
    mkdirSync(tools, { recursive: true });
    writeFileSync(join(tools, 'hadoop-streaming-3.5.0.jar'), '');
    const { path, rest } = programOf('MapReduce.Streaming', { configs, libs: ['/run/count.py'] }, folder);
    expect(path.endsWith(`:${join(tools, 'hadoop-streaming-3.5.0.jar')}`)).toBe(true);
    expect(rest.join(' ')).toBe(
      'org.apache.hadoop.streaming.HadoopStreaming -files file:///run/count.py -input hdfs:///in -output /out -mapper /bin/cat -reducer count.py',
    );
  });

  test('is refused without its jar', () => {
    expect(() => programOf('MapReduce.Streaming', { configs })).toThrow(
      'cannot run MapReduce.Streaming job: /hadoop has no hadoop-streaming-*.jar: use a complete Hadoop, or add the jar',
    );
  });
});

test('programs of Java and of the shell have the configuration of the cluster', () => {
  const java = programOf('Java', { configs: { 'edp.java.main_class': 'Main' }, libs: ['/run/a.jar'] });
  expect(java.path).toMatch(/^\/run\/a\.jar:\/run\/\.hadoop\/conf/);
  const shell = programOf('Shell', { mains: ['/run/main.sh'], params: { A: 'b' } });
  for (const { files } of [java, shell]) expect(Object.keys(files)).toContain('.hadoop/conf/hdfs-site.xml');
  expect(shell.env).toEqual({ JAVA_HOME: '/java', HADOOP_CONF_DIR: '/run/.hadoop/conf', A: 'b' });
});

describe('the application of a run', () => {
  const apps = [
    { id: 'application_1', state: 'RUNNING', progress: 50 },
    { id: 'application_2', state: 'FINISHED', progress: 100 },
  ];
  function asked(answer: unknown) {
    const puts: (readonly [string, unknown])[] = [];
    const ask = async (url: string, put?: unknown) => {
      if (put !== undefined) puts.push([url, put]);
      else expect(url).toBe('http://127.77.1.1:8088/ws/v1/cluster/apps?applicationTags=run-1');
      return answer;
    };
    return { puts, ask };
  }

  test('tells its progress', async () => {
    const mapReduce = jobOf('MapReduce');
    expect(await mapReduce.observe?.(run(), asked({ apps: { app: apps } }).ask)).toEqual({ progress: 0.75 });
    expect(await mapReduce.observe?.(run(), asked({ apps: null }).ask)).toEqual({ progress: undefined });
  });

  test.each([
    ['is accepted, and has no container', [{ state: 'ACCEPTED', allocatedMB: 0 }], true],
    ['is accepted, and shows no containers', [{ state: 'ACCEPTED', allocatedMB: -1 }, { state: 'FINISHED' }], true],
    ['has the container of its master', [{ state: 'ACCEPTED', allocatedMB: 384 }], false],
    ['waits beside one that runs', [{ state: 'ACCEPTED' }, { state: 'RUNNING' }], false],
    ['is over', [{ state: 'KILLED' }], false],
  ])('that %s: the run says if it waits', async (_, states, isWaiting) => {
    const app = states.map((each, index) => ({ id: `application_${index}`, progress: 0, ...each }));
    const { waiting } = (await jobOf('MapReduce').observe?.(run(), asked({ apps: { app } }).ask)) ?? {};
    expect(waiting).toEqual(isWaiting ? expect.stringContaining('waiting for room in YARN') : undefined);
  });

  test('is killed unless it is over', async () => {
    const { puts, ask } = asked({ apps: { app: apps } });
    await jobOf('MapReduce.Streaming').cancel?.(run(), ask);
    const url = 'http://127.77.1.1:8088/ws/v1/cluster/apps/application_1/state';
    expect(puts).toEqual([[`${url}?user.name=${userInfo().username}`, { state: 'KILLED' }]]);
    await jobOf('MapReduce').cancel?.(run({ nodes: [] }), () => Promise.reject(new Error('nobody is asked')));
  });
});

describe('a Pig job', () => {
  const mains = ['/run/main.pig'];

  test('is a script, with params and data sources in a file that Pig reads', () => {
    const params = { greeting: 'a "b" costs $3 \\', count_1: 3 };
    const { rest, files, settings } = programOf('Pig', { mains, params, args: ['-t', 'All'] });
    expect(rest.join(' ')).toBe(
      'org.apache.pig.Main -x mapreduce -param_file /run/.hadoop/parameters -t All -f /run/main.pig',
    );
    expect(files['.hadoop/parameters']?.split('\n')).toEqual([
      'INPUT = "hdfs:///in"',
      'OUTPUT = "/out"',
      'greeting = "a \\"b\\" costs \\$3 \\\\"',
      'count_1 = "3"',
      '',
    ]);
    // YARN finds its jobs by the tag, to show their progress and to kill them.
    expect(settings).toContain(property('mapreduce.job.tags', 'run-1'));
  });

  test('does not wait for a history server if there is none', () => {
    const [report, interval] = ['pig.stats.notaskreport', 'ipc.client.connect.retry.interval'];
    const { settings } = programOf('Pig', { mains });
    expect(settings).toContain(property(report, 'true') + '\n' + property(interval, '100'));
    const nodes = [{ ...head, processes: [...head.processes, 'historyserver'] }];
    for (const name of [report, interval]) expect(programOf('Pig', { mains, nodes }).settings).not.toContain(name);
    expect(programOf('Pig', { mains, configs: { [interval]: 9 } }).settings).toContain(property(interval, '9'));
  });

  test.each([
    [{}, 'mains has 0 binaries: name one, the script'],
    [{ mains, params: { 'a-b': 'x' } }, 'params have a-b, which is no name of a parameter: rename it'],
    [{ mains, params: { text: 'x\ny' } }, 'params have text, whose value has several lines: use one'],
    [
      { mains, configs: { 'fs.default.name': 'x' } },
      'configs have "fs.default.name", which Hadoop takes for fs.defaultFS',
    ],
    [{ mains, configs: { 'fs.defaultFS': 'x' } }, 'configs have fs.defaultFS, which the service sets: leave it out'],
    [
      { mains, configs: { 'pig.exec.nocombinr': 'x' } },
      'configs have pig.exec.nocombinr, which Hadoop does not know: did you mean pig.exec.nocombiner?',
    ],
    [{ mains, nodes: [{ ...head, processes: ['namenode'] }] }, 'its cluster has no resourcemanager'],
  ])('is refused with %j: %s', (given, why) => {
    expect(() => programOf('Pig', given)).toThrow(`cannot run Pig job: ${why}`);
  });

  test('is not offered where there is no Pig, with the remedy', () => {
    const { jobs, absentJobs } = createHadoop({ folder: '/hadoop', java: '/java/bin/java', javaHome: '/java' });
    expect(jobs.map(({ type }) => type)).toEqual(['MapReduce', 'MapReduce.Streaming', 'Java', 'Shell']);
    expect(absentJobs?.['Pig']).toContain('install it with npm run engines -- pig, or name it with --pig');
  });

  test('is not offered in pods, where --pig is no remedy', () => {
    const image = { jars: ['/hadoop/jars'], streaming: '/hadoop/streaming.jar' };
    const { absentJobs } = createHadoop({ folder: '/hadoop', java: '/java/bin/java', javaHome: '/java', image });
    expect(absentJobs?.['Pig']).toBe(
      'clusters in pods have no Pig: write the script for Spark, or run it on a cluster of --provisioner processes',
    );
  });
});
