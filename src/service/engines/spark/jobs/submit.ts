// What all jobs on Spark standalone clusters have in common: the driver is a process of this computer, and submits to the master.
import { basename, join } from 'node:path';
import { messageOf } from '../../../../lib/errors.ts';
import type { FlatConfigs } from '../../../../wire/common.ts';
import type { JobType } from '../../../../wire/jobs.ts';
import { type EngineNode, type EngineRun, nodesWith, type Program, type RunS3 } from '../../engine.ts';
import { checkNames, checkSettings } from '../../jobs/common.ts';
import { lineOf } from '../../release-line.ts';
import { s3aKeysFile } from '../../s3a/s3a-options.ts';
import { meantBelowSpark, unknownToSpark } from '../known.ts';
import { clientFiles, launchOf, masterUrl, opened, propertiesOf, type SparkHome, worker } from '../launch.ts';
import { tooLittle } from '../memory.ts';
import { driverMetrics } from '../metrics.ts';
import { settingsOf } from '../options.ts';
import { defaultRelease } from '../releases.ts';
import { historySettings } from '../servers/history.ts';
import { historyPath, jobBucketSettings } from '../servers/history-s3.ts';
import { checkExecutors } from './executors.ts';
import { type JavaOptions, javaOf } from './java-settings.ts';
import { packagesSetting } from './packages.ts';

/** Settings that the service makes itself, or that would have no effect. A name that ends with a dot stands for all below it. */
const reserved = [
  'spark.master',
  'spark.master.',
  'spark.submit.',
  'spark.authenticate',
  'spark.authenticate.',
  'spark.driver.host',
  'spark.driver.bindAddress',
  'spark.driver.extraClassPath',
  'spark.driver.extraLibraryPath',
  'spark.local.dir',
  'spark.jars',
  ...['ivy', 'ivySettings', 'repositories', 'excludes'].map((name) => `spark.jars.${name}`),
  'spark.ui.port',
  // Programs reach each other at random ports only.
  'spark.driver.port',
  'spark.driver.blockManager.port',
  'spark.blockManager.port',
];

/** Spark removes blanks and control characters, but not line breaks, at both ends of a value. */
const wouldBeTrimmed = (value: string): boolean =>
  [value.at(0), value.at(-1)].some((end) => end !== undefined && end <= ' ' && end !== '\r' && end !== '\n');

interface Allowed {
  /** Settings of the service itself. */
  readonly known: readonly string[];
  /** The beginning of other settings than those of Spark. */
  readonly others?: string;
  /** More settings that the service makes itself. */
  readonly reserved?: readonly string[];
}

/** Throws if `configs` have something that would have no effect, or that the service sets. */
export function checkConfigs(
  { release = defaultRelease }: SparkHome,
  { configs }: EngineRun,
  type: JobType,
  { known, others, reserved: more = [] }: Allowed,
) {
  const refuse = (why: string) => new Error(`cannot run ${type} job: configs have ${why}`);
  checkSettings(configs, type, known);
  const taken = [...reserved, ...more];
  for (const [key, value] of Object.entries(configs)) {
    if (key.startsWith('edp.')) continue;
    const isSpark = /^spark\.[\w.-]+$/.test(key);
    const isOther = others !== undefined && key.startsWith(others) && /^[\w.-]+$/.test(key);
    if (taken.some((each) => key === each || (each.endsWith('.') && key.startsWith(each))))
      throw refuse(
        `${key}, which the service sets: leave it out${key.startsWith('spark.jars') ? ', and name jars in libs' : ''}`,
      );
    if (!isSpark && !isOther) throw refuse(`${key}: use settings of Spark, for Hadoop spark.hadoop.${key}`);
    if (isSpark && wouldBeTrimmed(String(value)))
      throw refuse(
        `${key}, whose value has blanks or control characters at an end, which Spark removes: remove them, or set it in the program`,
      );
    const unknown = isSpark ? unknownToSpark(lineOf(release.version), key) : undefined;
    if (unknown !== undefined)
      throw refuse(
        `${key}, which Spark ${lineOf(release.version)} does not know: ${unknown.meant === undefined ? 'correct it, or begin settings of your own with a word that Spark does not use' : `did you mean ${unknown.meant}?`}`,
      );
  }
  // Those of S3 are checked with the rest of S3.
  checkNames(configs, type, 'Hadoop', meantBelowSpark);
}

/** What a driver runs. */
export interface Driver {
  readonly type: JobType;
  /** The main class. Undefined if Spark knows it by the file. */
  readonly main?: string;
  /** The file, and the arguments of the program. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** More flags of the virtual machine. */
  readonly jvm?: readonly string[];
  readonly jars: readonly string[];
  /** Settings that the job can replace. */
  readonly defaults?: FlatConfigs;
  /** Settings that it cannot. */
  readonly settings?: FlatConfigs;
}

/** A small executor for each worker leaves room for another job. Spark would start none that takes more cores than all of them may. */
const usualCores = (nodes: readonly EngineNode[], cores: FlatConfigs[string] | undefined): number =>
  nodesWith(nodes, worker).length * (Number(cores ?? 1) || 1);

/** The folder in that of the run with what is not the job's. */
const own = '.spark';
export const temporaryOf = ({ folder }: Pick<EngineRun, 'folder'>): string => join(folder, own, 'tmp');

function configOf(
  home: SparkHome,
  run: EngineRun,
  { defaults, settings: fixed, jars }: Driver,
  { master, java }: { readonly master: EngineNode; readonly java: JavaOptions },
): string {
  const { address, configs, id, nodes } = run;
  const given = Object.entries(configs).filter(([key]) => key.startsWith('spark.') && key !== packagesSetting);
  const all = [...jars.filter((jar) => !java.files.includes(jar)), ...(run.packages ?? [])];
  const settings = {
    'spark.app.name': id,
    'spark.cores.max': usualCores(nodes, configs['spark.executor.cores'] ?? settingsOf(master)['spark.executor.cores']),
    'spark.ui.showConsoleProgress': false,
    ...settingsOf(master),
    ...historySettings(nodes),
    ...driverMetrics(home),
    ...defaults,
    ...Object.fromEntries(given),
    ...java.settings,
    'spark.master': masterUrl(master),
    'spark.submit.deployMode': 'client',
    'spark.authenticate': true,
    'spark.authenticate.secret': master.secret,
    'spark.driver.host': address,
    'spark.driver.bindAddress': address,
    'spark.local.dir': temporaryOf(run),
    ...(all.length > 0 && { 'spark.jars': all.join(',') }),
    ...fixed,
    ...jobBucketSettings(home, master, run.s3),
    ...s3Of(home, run),
  };
  return propertiesOf(settings);
}

/** Executors get the jars after their own ones, which Spark has no other setting for. */
function s3Of(home: SparkHome, run: EngineRun): Readonly<Record<string, string>> {
  const { s3 } = run;
  if (s3 === undefined) return {};
  const settings = Object.entries(s3.settings).map(([name, value]) => [`spark.hadoop.${name}`, value] as const);
  return {
    ...Object.fromEntries(settings),
    'spark.executorEnv.SPARK_DIST_CLASSPATH': s3.classPath.join(':'),
    ...(home.isImage === true && sentKeys(run, s3)),
  };
}

/** An executor in another pod cannot open the file with the keys. The driver sends it, and both find it in the folder in which they run. */
function sentKeys({ configs }: EngineRun, { settings }: RunS3): Readonly<Record<string, string>> {
  const file = settings[s3aKeysFile];
  if (file === undefined) return {};
  const files = [configs['spark.files'], file].filter((each) => each !== undefined && each !== '');
  return { [`spark.hadoop.${s3aKeysFile}`]: basename(file), 'spark.files': files.join(',') };
}

const heapPattern = /^[1-9]\d{0,8}[kmgt]?b?$/i;

/** The memory of the driver, as Java takes it. Spark counts in MiB if there is no unit. */
function heapOf({ configs }: EngineRun, type: JobType, master: EngineNode): string {
  const name = 'spark.driver.memory';
  const memory = String(configs[name] ?? settingsOf(master)[name]);
  if (!heapPattern.test(memory))
    throw new Error(
      `cannot run ${type} job: spark.driver.memory is ${memory}: use a number of at most 9 digits with m or g, such as 512m`,
    );
  const little = tooLittle(name, memory);
  if (little !== undefined) throw new Error(`cannot run ${type} job: ${little}`);
  const bare = memory.replace(/b$/i, '');
  return /\d$/.test(bare) ? `${bare}m` : bare;
}

/** What has to follow its class path, for S3. */
function s3PathOf(home: SparkHome, { s3 }: EngineRun, type: JobType, master: EngineNode): readonly string[] {
  try {
    return s3?.classPath ?? historyPath(home, master);
  } catch (cause) {
    throw new Error(`cannot run ${type} job: ${messageOf(cause)}`, { cause });
  }
}

export function submitOf(home: SparkHome, run: EngineRun, driver: Driver): Program {
  const [master] = nodesWith(run.nodes, 'master');
  if (master === undefined) throw new Error(`cannot run ${driver.type} job: its cluster has no master`);
  checkExecutors(home, run, driver.type);
  const conf = join(run.folder, own);
  const heap = heapOf(run, driver.type, master);
  const java = javaOf(home, run, driver.type, master);
  const optionsFile = join(own, 'java.options');
  // The last one counts, and Java refuses two collectors.
  const flags = [
    ...(java.choosesCollector ? [] : ['-XX:+UseSerialGC']),
    '-XX:-UsePerfData',
    ...(driver.jvm ?? []),
    ...(java.driver === '' ? [] : [`@${join(run.folder, optionsFile)}`]),
    `-Xmx${heap}`,
    `-Djava.io.tmpdir=${temporaryOf(run)}`,
  ];
  const { classPath, env } = launchOf(home, { conf, address: run.address });
  const path = [classPath, ...s3PathOf(home, run, driver.type, master)].join(':');
  const submit = ['org.apache.spark.deploy.SparkSubmit', '--properties-file', join(conf, 'run.conf')];
  const chosen = driver.main === undefined ? [] : ['--class', driver.main];
  return {
    file: home.java,
    args: [...flags, ...opened, '-cp', path, ...submit, ...chosen, ...driver.args],
    env: { ...env, ...driver.env },
    files: {
      [join(own, 'run.conf')]: configOf(home, run, driver, { master, java }),
      ...(java.driver !== '' && { [optionsFile]: java.driver }),
      [join(own, 'tmp', '.keep')]: '',
      ...clientFiles({ ...master, processes: [], folder: conf, address: run.address }, run.nodes, own),
    },
  };
}

/** The targets of the pages that show programs of Spark. */
export const sparkPages = ['Spark'];
