// The programs of jobs: what is run, what is in which file, and what is refused before anything starts.
import { describe, expect, test } from 'vitest';
import type { EngineRun } from '../../../../src/service/engines/engine.ts';
import { javaJob } from '../../../../src/service/engines/jobs/java-job.ts';
import { shellJob } from '../../../../src/service/engines/jobs/shell-job.ts';
import { lineOf } from '../../../../src/service/engines/release-line.ts';
import { sparkJob } from '../../../../src/service/engines/spark/jobs/jobs.ts';
import { releaseOf, sparkReleases } from '../../../../src/service/engines/spark/releases.ts';
import { createSpark } from '../../../../src/service/engines/spark/spark.ts';
import type { FlatConfigs } from '../../../../src/wire/common.ts';
import { node, run, secret } from '../run-of-a-job.ts';
import { sparkWith } from './spark-folder.ts';

const home = { folder: '/opt/spark', java: '/usr/bin/java' };

const ofSpark = (given: Partial<EngineRun> = {}) => {
  const configs = { 'edp.java.main_class': 'org.example.Main', ...given.configs };
  return sparkJob(home).program(run({ ...given, configs }));
};

describe('a Spark job', () => {
  test('finds HDFS if its cluster has it', () => {
    expect(Object.keys(ofSpark().files ?? {})).toEqual(['.spark/run.conf', '.spark/tmp/.keep']);
    const { files, env } = ofSpark({ nodes: [...run().nodes, node('namenode', '127.77.1.4')] });
    expect(files?.['.spark/core-site.xml']).toContain('<value>hdfs://127.77.1.4:8020</value>');
    expect(files?.['.spark/hdfs-site.xml']).toContain('<name>dfs.replication</name><value>1</value>');
    expect(env['HADOOP_CONF_DIR']).toBe('/runs/run-1/work/.spark');
  });

  test('logs what it does if the cluster has a history server', () => {
    const lines = (given: Partial<EngineRun> = {}) => ofSpark(given).files?.['.spark/run.conf']?.split('\n') ?? [];
    expect(lines().filter((line) => line.startsWith('spark.eventLog.enabled'))).toEqual([]);
    const nodes = [...run().nodes, node('historyserver', '127.77.1.4')];
    expect(lines({ nodes })).toEqual(
      expect.arrayContaining(['spark.eventLog.enabled=true', 'spark.eventLog.dir=file:///machines/127.77.1.4/events']),
    );
    expect(lines({ nodes, configs: { 'spark.eventLog.enabled': false } })).toContain('spark.eventLog.enabled=false');
  });

  test('submits its main with its arguments, and its settings are in a file', () => {
    const libs = ['/runs/run-1/work/a.jar', '/runs/run-1/work/b.jar'];
    const { file, args, env, files } = ofSpark({
      args: ['hdfs://in', '--fast'],
      libs,
      configs: {
        'spark.executor.memory': '1g',
        'spark.hadoop.greeting': 'C:\\home\nsecond',
        'spark.hadoop.separator': '\n',
      },
    });
    expect(file).toBe('/usr/bin/java');
    expect(args.slice(args.indexOf('-cp'))).toEqual([
      '-cp',
      '/runs/run-1/work/.spark:/opt/spark/jars/*',
      'org.apache.spark.deploy.SparkSubmit',
      '--properties-file',
      '/runs/run-1/work/.spark/run.conf',
      '--class',
      'org.example.Main',
      '/runs/run-1/work/main.jar',
      'hdfs://in',
      '--fast',
    ]);
    expect(args).toContain('-Xmx512m');
    expect(env).toMatchObject({ SPARK_LOCAL_IP: '127.78.3.4', SPARK_HOME: '/opt/spark' });
    expect(files?.['.spark/run.conf']?.split('\n')).toEqual(
      expect.arrayContaining([
        'spark.master=spark://127.77.1.1:7077',
        'spark.cores.max=2',
        'spark.executor.memory=1g',
        'spark.hadoop.greeting=C:\\\\home\\nsecond',
        'spark.hadoop.separator=\\n',
        'spark.driver.host=127.78.3.4',
        'spark.authenticate=true',
        `spark.authenticate.secret=${secret}`,
        `spark.jars=${libs.join()}`,
      ]),
    );
  });

  test('lets its executors hand over their data before their worker is removed, unless it says otherwise', () => {
    const lines = (configs: FlatConfigs = {}) => ofSpark({ configs }).files?.['.spark/run.conf']?.split('\n') ?? [];
    expect(lines()).toEqual(
      expect.arrayContaining(['spark.decommission.enabled=true', 'spark.storage.decommission.enabled=true']),
    );
    const without = lines({ 'spark.storage.decommission.enabled': 'false' });
    expect(without.filter((line) => line.startsWith('spark.storage.decommission.enabled'))).toEqual([
      'spark.storage.decommission.enabled=false',
    ]);
  });

  test('has its secret only in the file that nobody else can read', () => {
    const { args, env } = ofSpark();
    expect(JSON.stringify([args, env])).not.toContain(secret);
  });

  test('that uses S3 has its settings, and its jars after those of Spark on all machines', () => {
    const s3 = { settings: { 'fs.s3a.endpoint': 'http://127.0.0.1:9000' }, classPath: ['/s3a/*'] };
    const { args, files } = ofSpark({ s3 });
    expect(args).toContain('/runs/run-1/work/.spark:/opt/spark/jars/*:/s3a/*');
    expect(files?.['.spark/run.conf']?.split('\n')).toEqual(
      expect.arrayContaining([
        'spark.hadoop.fs.s3a.endpoint=http://127.0.0.1:9000',
        'spark.executorEnv.SPARK_DIST_CLASSPATH=/s3a/*',
      ]),
    );
  });

  test.each([
    [{ 'spark.driver.memory': '768m' }, '-Xmx768m'],
    [{ 'spark.driver.memory': '465m' }, '-Xmx465m'],
    [{ 'spark.driver.memory': 600 }, '-Xmx600m'],
    [{ 'spark.driver.memory': '1gb' }, '-Xmx1g'],
  ])('takes the memory of its driver from %j', (configs, flag) => {
    expect(ofSpark({ configs }).args).toContain(flag);
  });

  test('in an image listens at all addresses of its pod', () => {
    const { env } = sparkJob({ ...home, isImage: true }).program(
      run({ configs: { 'edp.java.main_class': 'org.example.Main' } }),
    );
    expect(env).toMatchObject({ SPARK_LOCAL_HOSTNAME: '127.78.3.4' });
    expect(env).not.toHaveProperty('SPARK_LOCAL_IP');
  });

  test('in an image sends the file with its keys to its executors, which cannot open it elsewhere', () => {
    const inImage = sparkJob({ ...home, isImage: true, s3a: '/opt/s3a' });
    const s3 = { settings: { 'fs.s3a.auth.profile.file': '/run/work/.keys' }, classPath: inImage.s3Path?.() ?? [] };
    const configs = { 'edp.java.main_class': 'org.example.Main', 'spark.files': '/etc/hosts' };
    const { args, files } = inImage.program(run({ configs, s3 }));
    expect(args.find((each) => each.endsWith('/jars/*:/opt/s3a/*'))).toBeDefined();
    const lines = files?.['.spark/run.conf']?.split('\n') ?? [];
    expect(lines.filter((line) => /keys|profile|DIST_CLASSPATH/.test(line)).toSorted()).toEqual([
      'spark.executorEnv.SPARK_DIST_CLASSPATH=/opt/s3a/*',
      'spark.files=/etc/hosts,/run/work/.keys',
      'spark.hadoop.fs.s3a.auth.profile.file=.keys',
    ]);
    expect(() => sparkJob({ ...home, isImage: true }).s3Path?.()).toThrow(
      'the image of Spark has no jars for S3: use one that has them, and state their folder as s3a of spark in the file of --engine-images',
    );
  });

  describe('in Python', () => {
    const mains = ['/runs/run-1/work/main.py'];
    const python = '/usr/bin/python3.11';
    const program = (folder: string, given: object = {}, interpreter: string | undefined = python) =>
      sparkJob({ ...home, folder, python: interpreter }).program(run({ mains, ...given }));

    test('is refused with a wheel, which executors would not find', () => {
      expect(() => program(sparkWith('python/lib/pyspark.zip'), { libs: ['/runs/run-1/work/words-1.0.whl'] })).toThrow(
        'libs have words-1.0.whl, and Spark hands out no wheels: name it .zip, the format that a wheel has',
      );
    });

    test('runs the interpreter of this computer, with its libs as modules or jars', () => {
      const libs = ['a.py', 'b.zip', 'c.egg', 'd.jar'].map((name) => `/runs/run-1/work/${name}`);
      const { args, env, files } = program(sparkWith('python/lib/pyspark.zip'), { libs, args: ['x'] });
      expect(args.slice(-4)).toEqual(['--properties-file', '/runs/run-1/work/.spark/run.conf', mains[0], 'x']);
      expect(env['PYSPARK_PYTHON']).toBe(python);
      expect(files?.['.spark/run.conf']?.split('\n')).toEqual(
        expect.arrayContaining([`spark.submit.pyFiles=${libs.slice(0, 3).join()}`, `spark.jars=${libs[3]}`]),
      );
    });

    test('takes a main class that other services ask for', () => {
      const configs = { 'edp.java.main_class': 'any' };
      expect(program(sparkWith('python/lib/pyspark.zip'), { configs }).args).not.toContain('--class');
    });

    test('is refused without the Python of Spark, and without an interpreter', () => {
      const folder = sparkWith('jars/a.jar');
      const remedy =
        'install a complete Spark with npm run engines -- --from pip spark@4.1.2, or name one with --spark';
      expect(() => program(folder)).toThrow(
        `cannot run Spark job: its main is a program in Python, and ${folder}/python has no PySpark: use a jar, or ${remedy}`,
      );
      expect(() => sparkJob({ ...home, folder: sparkWith('python/lib/pyspark.zip') }).program(run({ mains }))).toThrow(
        'its main is a program in Python, and there is no python3 of version 3.10 or newer in the PATH of the service: install it',
      );
    });

    test('runs the interpreter of an image, or is refused if it has none', () => {
      const inImage = { ...home, folder: '/opt/spark', isImage: true };
      const { env } = sparkJob({ ...inImage, python }).program(run({ mains }));
      expect(env['PYSPARK_PYTHON']).toBe(python);
      expect(() => sparkJob(inImage).program(run({ mains }))).toThrow(
        'and the file of --engine-images states no python for spark: add it, or use a jar',
      );
    });
  });

  const refused: readonly (readonly [Partial<EngineRun>, string])[] = [
    [{ mains: [] }, 'mains has 0 binaries: name one, a jar or a Python program'],
    [{ configs: { 'edp.java.main_class': 'no class; at all' } }, 'no name of a class in edp.java.main_class: set it'],
    [{ configs: { 'spark.master': 'local' } }, 'spark.master, which the service sets: leave it out'],
    [{ configs: { 'spark.authenticate.secret': 'x' } }, 'spark.authenticate.secret, which the service sets'],
    [{ configs: { 'spark.jars': 'a.jar' } }, 'spark.jars, which the service sets: leave it out, and name jars in libs'],
    [
      { configs: { 'spark.jars.repositories': 'https://example.com' } },
      'spark.jars.repositories, which the service sets: leave it out, and name jars in libs',
    ],
    [{ configs: { 'spark.submit.deployMode': 'cluster' } }, 'spark.submit.deployMode, which the service sets'],
    [{ configs: { 'fs.s3a.path': 'x' } }, 'fs.s3a.path: use settings of Spark, for Hadoop spark.hadoop.fs.s3a.path'],
    [
      { configs: { 'spark.hadoop.dfs.replicaton': 1 } },
      'spark.hadoop.dfs.replicaton, which Hadoop does not know: did you mean spark.hadoop.dfs.replication?',
    ],
    [{ configs: { 'edp.spark.driver.classpath': 'x' } }, 'edp.spark.driver.classpath, which means nothing here'],
    [
      { configs: { 'spark.driver.memory': 'much' } },
      'spark.driver.memory is much: use a number of at most 9 digits with m or g',
    ],
    ...['99999999999999999999g', '0', '0g'].map(
      (size) =>
        [
          { configs: { 'spark.driver.memory': size } },
          `spark.driver.memory is ${size}: use a number of at most 9 digits with m or g, such as 512m`,
        ] as const,
    ),
    [
      { configs: { 'spark.driver.memory': '464m' } },
      'spark.driver.memory is 464m, but Spark needs 465m at least: raise it',
    ],
    [
      { configs: { 'spark.executor.memory': 449 } },
      'spark.executor.memory is 449, but Spark needs 450m at least: raise it',
    ],
    ...[' ', 'a\n ', '\ta', 'a\u0001'].map(
      (separator) =>
        [
          { configs: { 'spark.hadoop.separator': separator } },
          'spark.hadoop.separator, whose value has blanks or control characters at an end, which Spark removes: remove them, or set it in the program',
        ] as const,
    ),
    [{ nodes: [] }, 'its cluster has no master'],
  ];
  test('has its packages as jars after its libs, and Spark gets none itself', () => {
    const configs = { 'edp.java.main_class': 'Main', 'spark.jars.packages': 'org.b:b:1,org.a:a:1' };
    const job = sparkJob(home);
    expect(job.packages?.(configs)?.coordinates).toEqual(['org.a:a:1', 'org.b:b:1']);
    expect(job.packages?.({})).toBeUndefined();
    const text = job.program(run({ configs, libs: ['/w/c.jar'], packages: ['/p/a.jar'] })).files?.['.spark/run.conf'];
    expect(text).toContain('\nspark.jars=/w/c.jar,/p/a.jar\n');
    expect(text).not.toContain('spark.jars.packages');
    expect(() => job.packages?.({ 'spark.jars.packages': 'b' })).toThrow(
      'cannot run Spark job: configs have spark.jars.packages, which is no list of packages: name each as',
    );
  });

  test.each(sparkReleases)('gets with its packages what Spark $version does not contain', (release) => {
    const job = sparkJob({ ...home, release });
    const provided = job.packages?.({ 'spark.jars.packages': 'org.a:a:1' })?.provided ?? [];
    expect(provided).toEqual(
      expect.arrayContaining([
        `org.apache.spark:spark-sql_${release.scala}`,
        'org.apache.hadoop:hadoop-client-runtime',
      ]),
    );
    // Those for Kafka and for object stores need the others of these groups.
    expect(provided.filter((each) => /kafka|hadoop-aws|hadoop-azure|^org\.apache\..*:\*$/.test(each))).toEqual([]);
    const isNew = lineOf(release.version) !== '3.5';
    expect(provided.includes(`org.apache.spark:spark-connect_${release.scala}`)).toBe(isNew);
  });

  test('can have a setting whose name begins like one of the service', () => {
    const configs = { 'spark.driver.hostname': 'x', 'spark.ui.portals': 1, 'spark.driver.portable': 'y' };
    expect(() => ofSpark({ configs })).toThrow(/which Spark 4\.1 does not know/);
  });

  test('has what the version of its cluster has', () => {
    const ofRelease = (version: string) => sparkJob({ ...home, release: releaseOf(version) });
    const configs = { 'edp.java.main_class': 'Main', 'spark.sql.ansi.relationPrecedence': true };
    const onlySince4 = { ...configs, 'spark.ui.threadDump.flamegraphEnabled': true };
    expect(ofRelease('3.5.9').program(run({ configs })).env).toMatchObject({ SPARK_SCALA_VERSION: '2.12' });
    expect(() => ofRelease('3.5.9').program(run({ configs: onlySince4 }))).toThrow(
      'configs have spark.ui.threadDump.flamegraphEnabled, which Spark 3.5 does not know: correct it',
    );
    expect(ofRelease('4.0.5').program(run({ configs: onlySince4 })).env).toMatchObject({ SPARK_SCALA_VERSION: '2.13' });
    for (const version of ['3.5.1', '4.0.5'])
      expect(() => ofRelease(version).s3Path?.()).toThrow(/^Spark (3\.5|4\.0) finds no keys for S3, .* Spark 4\.1$/);
    expect(() => ofRelease('3.4.1')).toThrow('Spark 3.4.1 cannot be run: use Spark 4.1, 3.5, 4.0 or 4.3');
    const python = { ...home, folder: sparkWith('python/lib/pyspark.zip'), release: releaseOf('4.3.0') };
    expect(() => sparkJob(python).program(run({ mains: ['/w/main.py'] }))).toThrow('python3 of version 3.11 or newer');
  });

  test.each(refused)('is refused with %j: %s', (given, why) => {
    expect(() => ofSpark(given)).toThrow(`cannot run Spark job: `);
    expect(() => ofSpark(given)).toThrow(why);
  });
});

const observed = (answers: Readonly<Record<string, unknown>>) =>
  sparkJob(home).observe?.(run(), async (url) => {
    const answer = answers[url.replace('http://127.78.3.4:4040/api/v1/applications', '')];
    if (answer === undefined) throw new Error(`${url} does not answer`);
    return answer;
  });

describe('the progress of a Spark job', () => {
  const progress = async (answers: Readonly<Record<string, unknown>>) =>
    (await observed({ 'http://127.77.1.1:8080/json/': {}, ...answers }))?.progress;

  test('is the share of tasks that are complete', async () => {
    const jobs = [
      { numTasks: 4, numCompletedTasks: 4 },
      { numTasks: 4, numCompletedTasks: 1 },
    ];
    expect(await progress({ '': [{ id: 'app-1' }], '/app-1/jobs': jobs })).toBe(0.625);
  });

  test('costs three requests, with what the job waits for', async () => {
    const asked: string[] = [];
    await sparkJob(home).observe?.(run(), async (url) => {
      asked.push(url);
      return url.endsWith('/applications') ? [{ id: 'app-1' }] : [];
    });
    expect(asked).toHaveLength(3);
  });

  test('is not known before there is a task', async () => {
    expect(await progress({ '': [] })).toBeUndefined();
    expect(await progress({ '': [{ id: 'app-1' }], '/app-1/jobs': [] })).toBeUndefined();
  });
});

describe('a Java job', () => {
  const configs = { 'edp.java.main_class': 'org.example.Main' };

  test('has its libs on its class path, before what its engine adds', () => {
    const { file, args } = javaJob('/usr/bin/java', ['/lib/*']).program(
      run({ configs, mains: [], libs: ['/runs/run-1/work/main.jar', '/runs/run-1/work/a.jar'], args: ['x'] }),
    );
    expect(file).toBe('/usr/bin/java');
    expect(args.slice(args.indexOf('-cp'))).toEqual([
      '-cp',
      '/runs/run-1/work/main.jar:/runs/run-1/work/a.jar:/lib/*',
      'org.example.Main',
      'x',
    ]);
  });

  test.each([
    [{ ...configs, greeting: 'x' }, 'configs have greeting, but a Java program has none: pass it in args'],
    [{ ...configs, 'edp.jaba': 'x' }, 'edp.jaba, which means nothing here: the known ones are edp.java.main_class'],
    [{}, 'configs have no name of a class in edp.java.main_class: set it'],
  ])('is refused with %j: %s', (wrong, why) => {
    expect(() => javaJob('/usr/bin/java').program(run({ configs: wrong }))).toThrow(why);
  });
});

describe('a Shell job', () => {
  test('is run by the shell, with its params in its environment', () => {
    const mains = ['/runs/run-1/work/main.sh'];
    expect(shellJob.program(run({ mains, args: ['a b'], params: { COUNT: 3, FAST: true } }))).toEqual({
      file: '/bin/sh',
      args: ['/runs/run-1/work/main.sh', 'a b'],
      env: { COUNT: '3', FAST: 'true' },
    });
  });

  test.each([
    [{ mains: ['a', 'b'] }, 'mains has 2 binaries: name one, the script'],
    [{ configs: { greeting: 'x' } }, 'configs have greeting, but a script has none: pass it in params'],
    [{ configs: { 'edp.x': 'x' } }, 'configs have edp.x, which means nothing here: leave it out'],
    [{ params: { 'a-b': 'x' } }, 'params have a-b, which is no name of an environment variable: rename it'],
    [{ params: { UID: '0' } }, 'params have UID, which the shell sets itself: rename it'],
    [{ params: { OPTIND: 'x' } }, 'params have OPTIND, which the shell sets itself: rename it'],
    [{ params: { DATAPROCESSING_RUN: 'x' } }, 'params have DATAPROCESSING_RUN, which is a variable of the service'],
    [{ params: { DATAPROCESSING_ADDRESS: 'x' } }, 'params have DATAPROCESSING_ADDRESS, which is a variable of the'],
  ])('is refused with %j: %s', (given, why) => {
    expect(() => shellJob.program(run(given))).toThrow(`cannot run Shell job: ${why}`);
  });
});

describe('a Spark job without executors', () => {
  const answers = (state: string, memoryperexecutor: number): Readonly<Record<string, unknown>> => ({
    '': [{ id: 'app-1' }],
    '/app-1/jobs': [],
    'http://127.77.1.1:8080/json/': {
      workers: [
        { state: 'ALIVE', memory: 1920 },
        { state: 'DEAD', memory: 8192 },
      ],
      activeapps: [
        { id: 'app-0', state: 'WAITING', memoryperexecutor: 1 },
        { id: 'app-1', state, memoryperexecutor },
      ],
    },
  });
  const waits = async (given: Readonly<Record<string, unknown>>) => (await observed(given))?.waiting;

  test('waits for a larger worker, or for a free one', async () => {
    expect(await waits(answers('WAITING', 4096))).toBe(
      'waiting for a larger worker: its executors need 4096 MiB each, and the largest worker offers 1920: cancel it, and lower spark.executor.memory or use a cluster with a larger flavor_id',
    );
    expect(await waits(answers('WAITING', 1920))).toContain('waiting for free workers: no executor of 1920 MiB');
  });

  test('waits for nothing once it had one, and before it is known', async () => {
    expect(await waits(answers('RUNNING', 4096))).toBeUndefined();
    expect(await waits({ ...answers('WAITING', 4096), '': [] })).toBeUndefined();
    expect(await waits({ ...answers('WAITING', 4096), 'http://127.77.1.1:8080/json/': {} })).toBeUndefined();
  });

  test('waits in vain if its master does not know it any more, but not while that recovers, and not once it has ended', async () => {
    const says = (master: object) =>
      waits({ ...answers('RUNNING', 4096), 'http://127.77.1.1:8080/json/': { workers: [], ...master } });
    expect(await says({ status: 'ALIVE', activeapps: [{ id: 'app-0' }] })).toMatch(
      /^its master was started again without its state, .*: cancel it, and run it again$/,
    );
    expect(await says({ status: 'RECOVERING', activeapps: [] })).toBeUndefined();
    expect(await says({ status: 'ALIVE', activeapps: [{ id: 'app-1', state: 'RUNNING' }] })).toBeUndefined();
    expect(await says({ status: 'ALIVE', activeapps: [], completedapps: [{ id: 'app-1' }] })).toBeUndefined();
  });
});

describe('a Spark job that its master counts as running', () => {
  const start = Date.parse('2026-01-31T12:00:00.000Z');
  const app = { id: 'app-1', state: 'RUNNING', memoryperexecutor: 512, cores: 0, starttime: start, duration: 90_000 };
  const busy = { status: 'RUNNING', submissionTime: '2026-01-31T12:00:10.000GMT', numTasks: 4, numActiveTasks: 0 };
  const driver = { id: 'driver', isActive: true };
  const free = { state: 'ALIVE', memory: 1920, memoryfree: 1920, coresfree: 2 };
  const says = async (given: { jobs?: object[]; executors?: object[]; app?: object; workers?: object[] } = {}) => {
    const { jobs = [busy], executors = [driver], workers = [free] } = given;
    const master = { status: 'ALIVE', workers, activeapps: [{ ...app, ...given.app }] };
    const answers = { '': [{ id: 'app-1' }], '/app-1/jobs': jobs, '/app-1/allexecutors': executors };
    return (await observed({ ...answers, 'http://127.77.1.1:8080/json/': master }))?.waiting;
  };
  const forgotten = /^waiting for executors that its master has forgotten: .*: cancel it, and run it again$/;

  test('and that has had no executor for a minute waits in vain', async () => {
    expect(await says()).toMatch(forgotten);
    const gone = { id: '0', isActive: false, removeTime: '2026-01-31T12:00:20.000GMT' };
    expect(await says({ executors: [driver, gone] })).toMatch(forgotten);
    expect(await says({ app: { cores: 1 }, workers: [] })).toMatch(forgotten);
  });

  test('waits for nothing while it has an executor, or no task, and while one can still start', async () => {
    expect(await says({ executors: [driver, { id: '0', isActive: true }] })).toBeUndefined();
    expect(await says({ jobs: [] })).toBeUndefined();
    expect(await says({ jobs: [{ ...busy, status: 'SUCCEEDED' }] })).toBeUndefined();
    expect(await says({ jobs: [{ ...busy, numActiveTasks: 1 }] })).toBeUndefined();
    expect(await says({ app: { duration: 60_000 } })).toBeUndefined();
    const gone = { id: '0', isActive: false, removeTime: '2026-01-31T12:00:40.000GMT' };
    expect(await says({ executors: [driver, gone] })).toBeUndefined();
  });

  test('waits for free workers if others have taken the place of its executors', async () => {
    const full = { ...free, memoryfree: 256 };
    expect(await says({ workers: [full] })).toContain('waiting for free workers: no executor of 512 MiB');
  });
});

describe('the executors of a Spark job', () => {
  const configured = { 'edp.java.main_class': 'org.example.Main' };
  const engine = createSpark(home, [{ id: '2', name: 'small', cpus: 2, memory: 2048, disk: 20 }]);
  const small = (process: string, number: number) => {
    const machine = node(process, `127.77.1.${number}`);
    return { ...machine, group: { ...machine.group, flavor_id: '2', node_processes: [process] } };
  };
  const nodes = [small('master', 1), small('slave', 2), small('slave', 3)];
  const programOf = (configs: FlatConfigs) =>
    engine.jobs.find(({ type }) => type === 'Spark')?.program(run({ nodes, configs: { ...configured, ...configs } }));

  test.each([
    [{ 'spark.executor.memory': '2g' }, 'spark.executor.memory is 2g, but its workers have 1920 MiB and 2 cores'],
    [{ 'spark.executor.memory': '1921' }, 'spark.executor.memory is 1921, but its workers have 1920 MiB'],
    [{ 'spark.executor.memory': '1t' }, 'lower it, or use a cluster with a larger flavor_id'],
    [{ 'spark.executor.cores': 3 }, 'and spark.executor.cores is 3, but its workers have 1920 MiB and 2 cores'],
    [{ 'spark.executor.cores': 2, 'spark.cores.max': 1 }, 'spark.executor.cores is 2, but spark.cores.max is 1'],
    [
      { 'spark.executor.resource.gpu.amount': '1' },
      'spark.executor.resource.gpu.amount is 1, but workers offer Spark no',
    ],
    [{ 'spark.task.resource.fpga.amount': 0.5 }, 'spark.task.resource.fpga.amount is 0.5, but workers offer Spark no'],
    [{ 'spark.driver.resource.gpu.amount': 2 }, 'no devices, so that it would wait for them without end: leave it out'],
  ])('that have no place on any worker are refused: %j', (configs, why) => {
    expect(() => programOf(configs)).toThrow(why);
  });

  test.each([
    [{ 'spark.executor.memory': '1920m' }, 'spark.cores.max=2'],
    [{ 'spark.executor.memory': '450m' }, 'spark.executor.memory=450m'],
    [{ 'spark.executor.memory': '1966080k' }, 'spark.cores.max=2'],
    // Both executors start, although two cores are all that jobs have by default.
    [{ 'spark.executor.cores': 2 }, 'spark.cores.max=4'],
    [{ 'spark.executor.cores': 2, 'spark.cores.max': 2 }, 'spark.cores.max=2'],
    [{ 'spark.executor.resource.gpu.amount': '0' }, 'spark.executor.resource.gpu.amount=0'],
    // Spark itself refuses it.
    [{ 'spark.executor.memory': 'much' }, 'spark.executor.memory=much'],
  ])('can be as large as a worker: %j', (configs, line) => {
    expect(programOf(configs)?.files?.['.spark/run.conf']?.split('\n')).toContain(line);
  });
});
