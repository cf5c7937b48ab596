// Spark standalone clusters: one master, workers that register with it, and perhaps a history server, servers for clients, and HDFS.
import { join } from 'node:path';
import type { ClusterRecord, InfoMap } from '../../model/records/records.ts';
import {
  countOf,
  type Engine,
  type EngineNode,
  type EngineProcess,
  firstVolumeOf,
  nodesWith,
  type Probe,
  volumesOf,
} from '../engine.ts';
import { type Flavor, usualFlavors } from '../flavors.ts';
import { hdfsFiles } from '../hadoop/config-files.ts';
import { checkHdfs, hdfsPages, hdfsProcesses, hdfsUsable } from '../hadoop/hdfs.ts';
import type { HadoopHome } from '../hadoop/launch.ts';
import { hdfsOptions } from '../hadoop/options.ts';
import { metricsSettings as hadoopMetrics } from '../hadoop/process.ts';
import { hdfsFor, variablesOf } from '../hadoop/user.ts';
import { javaJob } from '../jobs/java-job.ts';
import { shellJob } from '../jobs/shell-job.ts';
import { lineOf } from '../release-line.ts';
import { s3aOptions } from '../s3a/s3a-options.ts';
import { hiveJobs, hiveRemedy } from './jobs/hive.ts';
import { checkJavaOptions } from './jobs/java-settings.ts';
import { sparkJob } from './jobs/jobs.ts';
import { masterPage } from './jobs/observe.ts';
import type { MasterState } from './jobs/waiting.ts';
import { clientFiles, launchOf, masterUrl, opened, ports, propertiesOf, type SparkHome, worker } from './launch.ts';
import { sparkLoad } from './load.ts';
import { checkWorker, coresOf, masterHeapOf, memoryOf, workerHeapOf } from './memory.ts';
import { masterPages, metricsSettings, workerPages } from './metrics.ts';
import { decommissionSecondsOf, settingsOf, sparkOptions } from './options.ts';
import { defaultRelease } from './releases.ts';
import { historyKeys, historyPage, historyProcess, historyServer, historySettings } from './servers/history.ts';
import { applicationIds, checkHistory, historyPath, logsInS3 } from './servers/history-s3.ts';
import { absentServers, checkServers, serverEndpoints, serverProcesses, servers } from './servers/servers.ts';

/** What to do about processes that need a Hadoop where there is none, by their names. */
const remedy = 'it needs Hadoop: install it with npm run engines, or name it with --hadoop, and restart the service';
const absentIn = (home: SparkHome): Readonly<Record<string, string>> => ({
  ...(home.hadoop === undefined ? { namenode: remedy, datanode: remedy } : {}),
  ...absentServers(home),
});

const hdfsBeside = (hadoop: HadoopHome | undefined): readonly EngineProcess[] =>
  hadoop === undefined ? [] : hdfsProcesses(hadoop, (node, nodes) => hdfsFiles(node, nodes, hadoopMetrics(hadoop)));

/** A daemon does little: fast to start and small is better than fast. */
const daemon = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xss512k', '-XX:-UsePerfData'];

const recoveryFolder = (node: EngineNode): string => join(firstVolumeOf(node), 'recovery');

/**
 * A master that is started again knows its applications and workers, which have to answer it: without, a job would keep running and never get an executor again.
 * Those that are gone are waited for, so that is short.
 */
const recoveryOf = (node: EngineNode) => ({
  'spark.deploy.recoveryMode': 'FILESYSTEM',
  'spark.deploy.recoveryDirectory': recoveryFolder(node),
  'spark.deploy.recoveryTimeout': '20s',
});

/** The settings of the service come last: the last one of a name counts. */
function configOf(home: SparkHome, node: EngineNode, nodes: readonly EngineNode[]): string {
  const { release = defaultRelease } = home;
  const settings: Record<string, string | number | boolean> = {
    ...metricsSettings(home),
    ...settingsOf(node),
    ...historySettings(nodes),
    ...historyKeys(home, node),
    ...applicationIds(node),
    ...recoveryOf(node),
    'spark.authenticate': true,
    'spark.authenticate.secret': node.secret,
    // Its requests cannot be authenticated.
    'spark.master.rest.enabled': false,
    // Nor can those of the pages, which can be shown outside.
    'spark.ui.killEnabled': false,
    'spark.master.ui.decommission.allow.mode': 'DENY',
    'spark.worker.cleanup.enabled': true,
    'spark.port.maxRetries': 0,
  };
  for (const name of release.without ?? []) delete settings[name];
  return propertiesOf(settings);
}

interface DaemonProgram {
  readonly heap: string;
  readonly main: string;
  readonly args: readonly string[];
  /** What follows its class path. When absent: nothing. */
  readonly path?: readonly string[];
}

function commandOf(home: SparkHome, node: EngineNode, rest: DaemonProgram) {
  const conf = join(node.folder, 'conf');
  const { classPath, env } = launchOf(home, { conf, address: node.address });
  const file = join(conf, 'spark-defaults.conf');
  const path = [classPath, ...(rest.path ?? [])].join(':');
  const args = [`-Xmx${rest.heap}`, ...daemon, ...opened, '-cp', path, rest.main, '--properties-file', file];
  const folders = { SPARK_LOG_DIR: node.folder, SPARK_LOCAL_DIRS: volumesOf(node).join(',') };
  return { file: home.java, args: [...args, ...rest.args], env: { ...env, ...folders } };
}

const workersOf = (answer: unknown) => (answer as MasterState).workers ?? [];

const filesOf =
  (home: SparkHome): NonNullable<EngineProcess['files']> =>
  (node, nodes) => ({
    'conf/spark-defaults.conf': configOf(home, node, nodes),
    ...clientFiles(node, nodes, 'conf'),
  });

const masterProcess = (home: SparkHome): EngineProcess => ({
  name: 'master',
  target: 'Spark',
  memory: masterHeapOf,
  rank: 0,
  files: filesOf(home),
  command: (node) =>
    commandOf(home, node, {
      heap: `${masterHeapOf(node)}m`,
      main: 'org.apache.spark.deploy.master.Master',
      args: ['--host', node.address, '--port', `${ports.master}`, '--webui-port', `${ports.masterPage}`],
    }),
  ports: [ports.master],
  state: recoveryFolder,
  hasReadOnlyPage: true,
  ...masterPages(home),
  ready: (node) => ({
    url: masterPage(node),
    wanted: 'the master is alive',
    holds: (answer) => (answer as MasterState).status === 'ALIVE',
  }),
});

const workerProcess = (home: SparkHome, flavors: readonly Flavor[]): EngineProcess => ({
  name: worker,
  target: 'Spark',
  memory: (group) => workerHeapOf(group) + memoryOf(group, flavors),
  rank: 1,
  files: filesOf(home),
  command(node, nodes) {
    const [master] = nodesWith(nodes, 'master');
    const at = master === undefined ? '' : masterUrl(master);
    const own = ['--host', node.address, '--port', `${ports.worker}`, '--webui-port', `${ports.workerPage}`];
    const offer = ['--cores', `${coresOf(node, flavors)}`, '--memory', `${memoryOf(node, flavors)}m`];
    const size = [...offer, '--work-dir', join(node.folder, 'work')];
    return commandOf(home, node, {
      heap: `${workerHeapOf(node)}m`,
      main: 'org.apache.spark.deploy.worker.Worker',
      args: [...own, ...size, at],
    });
  },
  ports: [ports.worker],
  hasReadOnlyPage: true,
  ...workerPages(home),
  ready: ({ address }) => ({
    url: `http://${address}:${ports.workerPage}/json/`,
    wanted: 'the worker answers',
    holds: (answer) => typeof answer === 'object' && answer !== null,
  }),
  drain: {
    signal: 'SIGPWR',
    // An executor that has not yet registered with its driver when the worker is told is not told by anybody: it would work until its job ends.
    signalsChildren: true,
    limitMs: (node) => decommissionSecondsOf(node) * 1000,
    done: ({ address }): Probe => ({
      url: `http://${address}:${ports.workerPage}/json/`,
      wanted: 'no executor is left',
      holds: (answer) => ((answer as { executors?: readonly unknown[] }).executors ?? []).length === 0,
    }),
  },
});

const historyOf = (home: SparkHome): EngineProcess =>
  historyProcess(home, {
    files: filesOf(home),
    commandOf: (node, heap, main) =>
      commandOf(home, node, { heap: `${heap}m`, main, args: [], path: historyPath(home, node) }),
  });

function checkLayout(cluster: ClusterRecord, home: SparkHome, flavors: readonly Flavor[]): void {
  const masters = countOf(cluster, 'master');
  if (masters !== 1)
    throw new Error(`node_groups have ${masters} machines with the process master: a Spark cluster needs exactly one`);
  if (countOf(cluster, worker) === 0)
    throw new Error(`node_groups have no machine with the process ${worker}: a Spark cluster needs at least one`);
  for (const process of [historyServer, ...servers]) {
    const count = countOf(cluster, process);
    if (count > 1)
      throw new Error(
        `node_groups have ${count} machines with the process ${process}: a Spark cluster has one at most`,
      );
  }
  for (const [process, remedy] of Object.entries(absentIn(home)))
    if (countOf(cluster, process) > 0) throw new Error(`cannot run process ${process}: ${remedy}`);
  checkHdfs(cluster);
  for (const group of cluster.node_groups) {
    checkWorker({ cluster, group }, flavors);
    checkJavaOptions({ cluster, group });
  }
  checkServers(cluster, home, flavors);
  checkHistory(cluster, home);
}

function pagesOf(nodes: readonly EngineNode[]): InfoMap {
  const [master] = nodesWith(nodes, 'master');
  if (master === undefined) return {};
  const { address } = master;
  const [history] = nodesWith(nodes, historyServer).map(historyPage);
  const own = {
    'Web UI': `http://${address}:${ports.masterPage}`,
    Master: masterUrl(master),
    ...serverEndpoints(nodes),
  };
  return { ...hdfsPages(nodes), Spark: { ...own, ...(history !== undefined && { 'History Server': history }) } };
}

/** A registered worker is known to the master by its address. */
export const createSpark = (home: SparkHome, flavors = usualFlavors): Engine => ({
  plugin: 'spark',
  version: lineOf((home.release ?? defaultRelease).version),
  title: 'Apache Spark',
  description: 'Spark standalone clusters of processes on the computer of the service',
  options: [...sparkOptions, ...(home.hadoop === undefined ? [] : hdfsOptions), ...s3aOptions],
  ...variablesOf(home.hadoop ?? {}),
  processes: [
    masterProcess(home),
    workerProcess(home, flavors),
    ...hdfsBeside(home.hadoop),
    historyOf(home),
    ...serverProcesses(home, flavors),
  ],
  absent: absentIn(home),
  jobs: [sparkJob({ ...home, flavors }), ...hiveJobs({ ...home, flavors }), javaJob(home.java), shellJob],
  absentJobs: hiveRemedy(home),
  checkLayout: (cluster) => checkLayout(cluster, home, flavors),
  usable(nodes) {
    const workers = nodesWith(nodes, worker).map(({ address }) => address);
    const masters = nodesWith(nodes, 'master').map((master) => ({
      url: masterPage(master),
      wanted: `${workers.length} workers are registered`,
      holds: (answer: unknown) =>
        workers.every((address) => workersOf(answer).some(({ host, state }) => host === address && state === 'ALIVE')),
    }));
    return [...masters, ...hdfsUsable(nodes)];
  },
  pages: pagesOf,
  load: sparkLoad(flavors),
  hdfs: hdfsFor(home.hadoop ?? {}),
  keepsHistory: (cluster) => cluster.node_groups.some((group) => logsInS3({ cluster, group }) !== undefined),
});
