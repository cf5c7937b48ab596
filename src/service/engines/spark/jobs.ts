// Jobs on Spark standalone clusters: the driver is a process of this computer, and submits to the master.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkSettings, mainClassOf, mainClassOption, onlyMain } from '../common-jobs.ts';
import { type EngineJob, type EngineNode, type EngineRun, nodesWith } from '../engine.ts';
import { s3aPath } from '../s3a/jars.ts';
import { clientFiles } from './hdfs.ts';
import { historySettings } from './history.ts';
import { launchOf, masterUrl, opened, propertiesOf, type SparkHome, worker } from './launch.ts';
import { settingsOf, sparkJobOptions } from './options.ts';

/** Settings that the service makes itself, or that would have no effect. */
const reserved = [
  'spark.master',
  'spark.submit.',
  'spark.authenticate',
  'spark.driver.host',
  'spark.driver.bindAddress',
  'spark.driver.extraClassPath',
  'spark.driver.extraJavaOptions',
  'spark.driver.extraLibraryPath',
  'spark.local.dir',
  'spark.jars',
  'spark.ui.port',
];

function checkConfigs({ configs }: EngineRun): void {
  const refuse = (why: string) => new Error(`cannot run Spark job: configs have ${why}`);
  checkSettings(configs, 'Spark', ['edp.java.main_class']);
  for (const key of Object.keys(configs)) {
    if (key.startsWith('edp.')) continue;
    if (!/^spark\.[\w.-]+$/.test(key)) throw refuse(`${key}: use settings of Spark, for Hadoop spark.hadoop.${key}`);
    if (reserved.some((beginning) => key.startsWith(beginning)))
      throw refuse(`${key}, which the service sets: leave it out, and name jars in libs`);
  }
}

function configOf(run: EngineRun, master: EngineNode): string {
  const { address, configs, folder, id, libs, nodes } = run;
  const temporary = join(folder, '.spark', 'tmp');
  const given = Object.entries(configs).filter(([key]) => key.startsWith('spark.'));
  const settings = {
    'spark.app.name': id,
    // One core of each worker leaves room for another job.
    'spark.cores.max': nodesWith(nodes, worker).length,
    'spark.ui.showConsoleProgress': false,
    ...settingsOf(master),
    ...historySettings(nodes),
    ...Object.fromEntries(given),
    'spark.master': masterUrl(master),
    'spark.submit.deployMode': 'client',
    'spark.authenticate': true,
    'spark.authenticate.secret': master.secret,
    'spark.driver.host': address,
    'spark.driver.bindAddress': address,
    'spark.local.dir': temporary,
    ...(libs.length > 0 && { 'spark.jars': libs.join(',') }),
    ...s3Of(run),
  };
  return propertiesOf(settings);
}

/** Executors get the jars after their own ones, which Spark has no other setting for. */
function s3Of({ s3 }: EngineRun): Readonly<Record<string, string>> {
  if (s3 === undefined) return {};
  const settings = Object.entries(s3.settings).map(([name, value]) => [`spark.hadoop.${name}`, value] as const);
  return { ...Object.fromEntries(settings), 'spark.executorEnv.SPARK_DIST_CLASSPATH': s3.classPath.join(':') };
}

/** What a main in Python needs besides the jars. Throws if the installation does not have it. */
function pythonOf(home: SparkHome): Readonly<Record<string, string>> {
  const folder = join(home.folder, 'python');
  const lib = join(folder, 'lib');
  const zips = existsSync(lib) ? readdirSync(lib).filter((name) => name.endsWith('.zip')) : [];
  if (!existsSync(join(folder, 'pyspark')) && !zips.includes('pyspark.zip'))
    throw new Error(
      `cannot run Spark job: its main is a Python program, and ${folder} has no pyspark: use a complete Spark, or a jar`,
    );
  return { PYTHONPATH: [folder, ...zips.map((name) => join(lib, name))].join(':'), PYSPARK_PYTHON: 'python3' };
}

const heapPattern = /^\d+[kmgt]?b?$/i;

/** The memory of the driver, as Java takes it. Spark counts in MiB if there is no unit. */
function heapOf({ configs }: EngineRun, master: EngineNode): string {
  const name = 'spark.driver.memory';
  const memory = String(configs[name] ?? settingsOf(master)[name]);
  if (!heapPattern.test(memory))
    throw new Error(`cannot run Spark job: spark.driver.memory is ${memory}: use a number with m or g, such as 512m`);
  const bare = memory.replace(/b$/i, '');
  return /\d$/.test(bare) ? `${bare}m` : bare;
}

function program(home: SparkHome, run: EngineRun) {
  checkConfigs(run);
  const main = onlyMain(run, 'Spark', 'a jar or a Python program');
  const isPython = main.endsWith('.py');
  const [master] = nodesWith(run.nodes, 'master');
  if (master === undefined) throw new Error('cannot run Spark job: its cluster has no master');
  const conf = join(run.folder, '.spark');
  const temporary = join(conf, 'tmp');
  const java = [`-Xmx${heapOf(run, master)}`, '-XX:+UseSerialGC', '-XX:-UsePerfData', `-Djava.io.tmpdir=${temporary}`];
  const { classPath, env } = launchOf(home, { conf, address: run.address });
  const path = [classPath, ...(run.s3?.classPath ?? [])].join(':');
  const submit = ['org.apache.spark.deploy.SparkSubmit', '--properties-file', join(conf, 'run.conf')];
  const chosen = isPython ? [] : ['--class', mainClassOf(run, 'Spark')];
  return {
    file: home.java,
    args: [...java, ...opened, '-cp', path, ...submit, ...chosen, main, ...run.args],
    env: { ...env, ...(isPython && pythonOf(home)) },
    files: {
      '.spark/run.conf': configOf(run, master),
      '.spark/tmp/.keep': '',
      ...clientFiles({ ...master, processes: [], folder: conf, address: run.address }, run.nodes, '.spark'),
    },
  };
}

interface SparkApplication {
  readonly id?: string;
}
interface SparkStages {
  readonly numTasks?: number;
  readonly numCompletedTasks?: number;
}

/** Counts the tasks of the jobs that have begun, so the share can also fall when another one begins. */
const progress: NonNullable<EngineJob['progress']> = async ({ address }, ask) => {
  const applications = `http://${address}:4040/api/v1/applications`;
  const [application] = (await ask(applications)) as readonly SparkApplication[];
  if (application?.id === undefined) return undefined;
  const begun = (await ask(`${applications}/${application.id}/jobs`)) as readonly SparkStages[];
  const sum = (count: (job: SparkStages) => number | undefined) =>
    begun.reduce((all, job) => all + (count(job) ?? 0), 0);
  const tasks = sum(({ numTasks }) => numTasks);
  return tasks === 0 ? undefined : sum(({ numCompletedTasks }) => numCompletedTasks) / tasks;
};

export const sparkJob = (home: SparkHome): EngineJob => ({
  type: 'Spark',
  hints: { options: [mainClassOption, ...sparkJobOptions], takes: ['args'] },
  s3Path: () => s3aPath({ jars: [join(home.folder, 'jars')], cache: home.cache }),
  program: (run) => program(home, run),
  progress,
});
