// Jobs on Hadoop clusters: their client is a process of this computer, and their tasks run in containers of YARN.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AskJson,
  type EngineHints,
  type EngineJob,
  type EngineNode,
  type EngineRun,
  type JobOption,
  nodesWith,
  type Program,
  type RunPlace,
} from '../../engine.ts';
import type { Flavor } from '../../flavors.ts';
import { askFor, checkNames, checkSettings, mainClass, mainClassOf, mainClassOption } from '../../jobs/common.ts';
import { javaJob } from '../../jobs/java-job.ts';
import { shellJob } from '../../jobs/shell-job.ts';
import { countIn, numberIn } from '../../load.ts';
import { s3aPath } from '../../s3a/jars.ts';
import { settingsFiles, taskPath, unwritable } from '../config-files.ts';
import { meantInHadoop, nameInHadoop } from '../known.ts';
import { classPathOf, commandOf, type HadoopHome, ports } from '../launch.ts';
import { mapReduceOptions } from '../options.ts';
import { hadoopJars } from '../source.ts';
import { userOf } from '../user.ts';
import { runnerFile, runnerSource } from './mapreduce-main.ts';
import { pigProgram } from './pig.ts';

const own = '.hadoop';
const clientHeap = 256;

/** The folder of the configuration of a run. */
const confOf = ({ folder }: RunPlace): string => join(folder, own, 'conf');

/** Settings that the service makes itself. */
const reserved = [
  'fs.defaultFS',
  'hadoop.tmp.dir',
  'mapreduce.framework.name',
  'mapreduce.job.tags',
  'mapreduce.job.jar',
  'tmpjars',
  'yarn.resourcemanager.',
];

/** Throws if Hadoop takes the name for that of a setting that the service makes itself. */
function checkFree(key: string, type: string): void {
  const name = nameInHadoop(key);
  if (!reserved.some((beginning) => name.startsWith(beginning))) return;
  const [shown, taken] = key === name ? [key, ''] : [JSON.stringify(key), `Hadoop takes for ${name}, which `];
  throw new Error(`cannot run ${type} job: configs have ${shown}, which ${taken}the service sets: leave it out`);
}

function checkConfigs(run: EngineRun, type: string, known: readonly string[]): void {
  const { configs } = run;
  checkSettings(configs, type, known);
  for (const key of Object.keys(configs)) checkFree(key, type);
  checkNames(configs, type, 'Hadoop', meantInHadoop);
  checkWritable(run, type);
}

/** Throws if a setting cannot be in the configuration files: Hadoop could read none of them. Those of S3 are from configs, too, as far as users choose them freely. */
function checkWritable({ configs, s3 }: EngineRun, type: string): void {
  for (const [name, value] of Object.entries({ ...s3?.settings, ...configs })) {
    if (name.startsWith('edp.')) continue;
    const [inName, inValue] = [name, String(value)].map(unwritable);
    const refuse = (what: string, remedy: string) =>
      new Error(
        `cannot run ${type} job: configs have ${what}, which configuration files of Hadoop cannot have: ${remedy}`,
      );
    if (inName !== undefined) throw refuse(`${JSON.stringify(name)}, whose name has ${inName}`, 'remove it');
    if (inValue !== undefined)
      throw refuse(`${name}, whose value has ${inValue}`, 'use another character, or set it in the program');
  }
}

interface Tools {
  readonly home: HadoopHome;
  readonly flavors: readonly Flavor[];
}

/** The configuration of a run: that of its cluster with its own settings. */
function filesOf({ home, flavors }: Tools, run: EngineRun): Readonly<Record<string, string>> {
  const { nodes, folder, address, libs, configs, id, s3 } = run;
  const [head] = nodes;
  if (head === undefined) throw new Error('its cluster has no machines');
  const [jar, ...others] = libs;
  const settings = {
    ...Object.fromEntries(Object.entries(configs).filter(([key]) => !key.startsWith('edp.'))),
    // It finds the application of the run in YARN.
    'mapreduce.job.tags': id,
    ...(s3 !== undefined && taskPath(home, s3.classPath)),
    ...(jar !== undefined && { 'mapreduce.job.jar': jar }),
    ...(others.length > 0 && { tmpjars: others.map((path) => `file://${encodeURI(path)}`).join(',') }),
  };
  const client: EngineNode = { ...head, processes: [], folder: join(folder, own), address };
  const files = settingsFiles(home, client, nodes, { flavors, mapReduce: settings, core: s3?.settings ?? {} });
  const named = Object.entries(files).map(([name, text]) => [join(own, 'conf', name), text] as const);
  return { ...Object.fromEntries(named), [join(own, 'tmp', '.keep')]: '' };
}

/** A program of Java that sends its work to YARN. */
function clientOf(
  tools: Tools,
  run: EngineRun,
  type: string,
  { main, args, libs }: { readonly main: string; readonly args: readonly string[]; readonly libs: readonly string[] },
): Program {
  if (nodesWith(run.nodes, 'resourcemanager').length === 0)
    throw new Error(`cannot run ${type} job: its cluster has no resourcemanager`);
  const temporary = join(run.folder, own, 'tmp');
  const path = [...libs, ...(run.s3?.classPath ?? [])];
  const command = commandOf(tools.home, { conf: confOf(run), temporary, heap: clientHeap, main, args, libs: path });
  return { ...command, files: filesOf(tools, run) };
}

/** Input and output of the run. Throws unless it has both. */
function placesOf({ input, output }: EngineRun, type: string): readonly [string, string] {
  if (input !== undefined && output !== undefined) return [input, output];
  throw new Error(`cannot run ${type} job: it needs input_id and output_id`);
}

const mappers = ['mapred.mapper.class', 'mapreduce.job.map.class'];

/** With a main class, that one gets the arguments, input and output. Without it, the settings name mapper and reducer. */
function mapReduce(tools: Tools, run: EngineRun): Program {
  const type = 'MapReduce';
  checkConfigs(run, type, [mainClass]);
  const { configs, args, libs, folder } = run;
  const places = placesOf(run, type);
  if (Object.hasOwn(configs, mainClass))
    return clientOf(tools, run, type, { main: mainClassOf(run, type), args: [...args, ...places], libs });
  if (!mappers.some((name) => Object.hasOwn(configs, name)))
    throw new Error(`cannot run ${type} job: configs have no mapper: set ${mappers.join(' or ')}, or ${mainClass}`);
  const source = join(own, runnerFile);
  const client = clientOf(tools, run, type, { main: join(folder, source), args: places, libs });
  return { ...client, files: { ...client.files, [source]: runnerSource } };
}

/** The folder of a distribution with jars that hardly any program needs. */
const toolsOf = ({ folder }: Pick<HadoopHome, 'folder'>): string => join(folder, 'share', 'hadoop', 'tools', 'lib');

function streamingJar({ folder, image }: HadoopHome): string {
  if (image !== undefined) return image.streaming;
  const places = [...hadoopJars(folder), toolsOf({ folder })];
  for (const place of places)
    try {
      const name = readdirSync(place).find((each) => /^hadoop-streaming-[\d.]+\.jar$/.test(each));
      if (name !== undefined) return join(place, name);
    } catch {
      // There is no such folder.
    }
  throw new Error(
    `cannot run MapReduce.Streaming job: ${folder} has no hadoop-streaming-*.jar: use a complete Hadoop, or add the jar`,
  );
}

const [mapper, reducer] = ['edp.streaming.mapper', 'edp.streaming.reducer'] as const;

/** The libs are files beside each task. */
function streaming(tools: Tools, run: EngineRun): Program {
  const type = 'MapReduce.Streaming';
  checkConfigs(run, type, [mapper, reducer]);
  const { configs, libs } = run;
  const [input, output] = placesOf(run, type);
  const jar = streamingJar(tools.home);
  const shipped = libs.length === 0 ? [] : ['-files', libs.map((path) => `file://${encodeURI(path)}`).join(',')];
  const programs = ['-mapper', String(configs[mapper]), '-reducer', String(configs[reducer])];
  const args = [...shipped, '-input', input, '-output', output, ...programs];
  const main = 'org.apache.hadoop.streaming.HadoopStreaming';
  return clientOf(tools, { ...run, libs: [] }, type, { main, args, libs: [jar] });
}

const option = (name: string, description: string): JobOption => ({ name, default: '', description });
const mapReduceHints: EngineHints = {
  options: [
    option('mapred.mapper.class', 'The class that maps, unless there is a main class'),
    option('mapred.reducer.class', 'The class that reduces'),
    option('mapred.output.key.class', 'The class of the keys of the output'),
    option('mapred.output.value.class', 'The class of the values of the output'),
    mainClassOption,
    ...mapReduceOptions,
  ],
  takes: ['args'],
};
const streamingHints: EngineHints = {
  options: [option(mapper, 'The program that maps'), option(reducer, 'The program that reduces'), ...mapReduceOptions],
  takes: [],
};

interface YarnApplication {
  readonly id: unknown;
  readonly state: string;
  readonly progress?: unknown;
  /** The memory of its containers. */
  readonly allocatedMB?: unknown;
}

interface Applications {
  readonly apps?: { readonly app?: readonly YarnApplication[] } | null;
}

const over = ['FINISHED', 'FAILED', 'KILLED'];

/** Undefined if the cluster has no resource manager. */
const applicationsAt = ({ nodes }: RunPlace): string | undefined =>
  nodesWith(nodes, 'resourcemanager').map(
    ({ address }) => `http://${address}:${ports.resourcemanagerPage}/ws/v1/cluster/apps`,
  )[0];

/** What is kept of the applications of the run. */
const askForApplications = <T>(
  [at, { id }]: readonly [at: string, place: RunPlace],
  ask: AskJson,
  kept: (applications: readonly YarnApplication[]) => T,
): Promise<T> =>
  askFor(ask, `${at}?applicationTags=${encodeURIComponent(id)}`, (answer) =>
    kept((answer as Applications).apps?.app ?? []),
  );

/** Undefined unless nothing of the run has a container. An application whose master has just got one is also accepted only, until that has registered. */
function waitingOf(applications: readonly YarnApplication[]): string | undefined {
  const begun = applications.filter(({ state }) => !over.includes(state));
  const waits = ({ state, allocatedMB }: YarnApplication) => state === 'ACCEPTED' && countIn(allocatedMB) === 0;
  return begun.length > 0 && begun.every(waits)
    ? 'waiting for room in YARN: it has accepted the application, and its master has no container yet'
    : undefined;
}

/** The mean of all of them. One that says nothing has not begun. Undefined if there is none, or one of them does not tell a number. */
function shareOf(applications: readonly YarnApplication[]): number | undefined {
  const sum = applications.reduce((all, { progress = 0 }) => all + (numberIn(progress) ?? Number.NaN), 0);
  return numberIn(sum / applications.length / 100);
}

/** No run has as many at a time. */
const mostKilled = 1000;

/** Those that have not ended. What is no identifier is none of YARN's. */
const idsToKill = (applications: readonly YarnApplication[]): readonly string[] =>
  applications
    .filter(({ state }) => !over.includes(state))
    .map(({ id }) => id)
    .filter((id) => typeof id === 'string' && /^\w{1,100}$/.test(id))
    .slice(0, mostKilled) as readonly string[];

const onYarn = (home: HadoopHome): Pick<EngineJob, 'shownOn' | 'observe' | 'cancel'> => ({
  shownOn: ['YARN', 'MapReduce'],
  async observe(place, ask) {
    const at = applicationsAt(place);
    if (at === undefined) return {};
    return await askForApplications([at, place], ask, (found) => ({
      progress: shareOf(found),
      waiting: waitingOf(found),
    }));
  },
  async cancel(place, ask) {
    const at = applicationsAt(place);
    if (at === undefined) return;
    const user = encodeURIComponent(userOf(home));
    for (const id of await askForApplications([at, place], ask, idsToKill))
      await ask(`${at}/${id}/state?user.name=${user}`, { state: 'KILLED' });
  },
});

/** Empty if there is no Pig. Data sources are optional, because a script can name its data itself. */
function pigJobs(tools: Tools, s3Path: () => readonly string[]): readonly EngineJob[] {
  const { pig } = tools.home;
  if (pig === undefined) return [];
  const type = 'Pig';
  const program = (run: EngineRun): Program => {
    checkConfigs(run, type, []);
    return pigProgram(pig, run, (planned, client) => clientOf(tools, planned, type, client));
  };
  const hints: EngineHints = { options: mapReduceOptions, takes: ['params', 'args'] };
  return [{ type, hints, needs: [], s3Path, program, ...onYarn(tools.home) }];
}

/** The job with the configuration of its cluster. */
function configured(tools: Tools, job: EngineJob): EngineJob {
  return {
    ...job,
    program(run) {
      const program = job.program(run);
      const env = { JAVA_HOME: tools.home.javaHome, HADOOP_CONF_DIR: confOf(run), ...program.env };
      return { ...program, env, files: { ...filesOf(tools, { ...run, configs: {}, libs: [] }), ...program.files } };
    },
  };
}

/** Machines in pods do not get the keys: YARN would keep them in HDFS. */
function s3PathOf(home: HadoopHome): readonly string[] {
  if (home.image === undefined)
    return s3aPath({ jars: hadoopJars(home.folder), tools: toolsOf(home), cache: home.cache });
  throw new Error('Hadoop in pods cannot use S3: use a Spark cluster, or copy the data into HDFS');
}

export function hadoopJobs(home: HadoopHome, flavors: readonly Flavor[]): readonly EngineJob[] {
  const tools = { home, flavors };
  const s3Path = () => s3PathOf(home);
  const java: EngineJob = {
    ...javaJob(home.java),
    s3Path,
    program: (run) =>
      javaJob(home.java, [confOf(run), ...classPathOf(home), ...(run.s3?.classPath ?? [])]).program(run),
  };
  return [
    {
      type: 'MapReduce',
      hints: mapReduceHints,
      makesOutput: true,
      s3Path,
      program: (run) => mapReduce(tools, run),
      ...onYarn(home),
    },
    {
      type: 'MapReduce.Streaming',
      hints: streamingHints,
      makesOutput: true,
      s3Path,
      program: (run) => streaming(tools, run),
      ...onYarn(home),
    },
    ...pigJobs(tools, s3Path),
    configured(tools, java),
    configured(tools, shellJob),
  ];
}
