// Spark standalone clusters: one master, and workers that register with it.
import { join } from 'node:path';
import type { ClusterRecord } from '../../records/records.ts';
import { javaJob, shellJob } from '../common-jobs.ts';
import { type Engine, type EngineNode, type EngineProcess, nodesWith, type Probe } from '../engine.ts';
import { sparkJob } from './jobs.ts';
import { masterUrl, opened, ports, type SparkHome, worker } from './launch.ts';

/** A daemon does little: fast to start and small is better than fast. */
const daemon = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xss512k', '-XX:-UsePerfData'];

const configOf = ({ secret }: EngineNode): string =>
  [
    'spark.authenticate true',
    `spark.authenticate.secret ${secret}`,
    // Its requests cannot be authenticated.
    'spark.master.rest.enabled false',
    'spark.decommission.enabled true',
    'spark.worker.cleanup.enabled true',
    'spark.port.maxRetries 0',
    '',
  ].join('\n');

function commandOf(home: SparkHome, node: EngineNode, rest: { heap: string; main: string; args: readonly string[] }) {
  const conf = join(node.folder, 'conf');
  const path = [conf, join(home.folder, 'jars', '*')].join(':');
  const file = join(conf, 'spark-defaults.conf');
  const args = [`-Xmx${rest.heap}`, ...daemon, ...opened, '-cp', path, rest.main, '--properties-file', file];
  const env = {
    SPARK_HOME: home.folder,
    SPARK_CONF_DIR: conf,
    SPARK_SCALA_VERSION: '2.13',
    SPARK_LOCAL_IP: node.address,
    SPARK_LOG_DIR: node.folder,
  };
  return { file: home.java, args: [...args, ...rest.args], env };
}

interface MasterState {
  readonly status?: string;
  readonly workers?: readonly { readonly host?: string; readonly state?: string }[];
}

const masterPage = ({ address }: EngineNode): string => `http://${address}:${ports.masterPage}/json/`;
const workersOf = (answer: unknown) => (answer as MasterState).workers ?? [];

const filesOf = (node: EngineNode) => ({ 'conf/spark-defaults.conf': configOf(node) });

const masterProcess = (home: SparkHome): EngineProcess => ({
  name: 'master',
  rank: 0,
  files: filesOf,
  command: (node) =>
    commandOf(home, node, {
      heap: '160m',
      main: 'org.apache.spark.deploy.master.Master',
      args: ['--host', node.address, '--port', `${ports.master}`, '--webui-port', `${ports.masterPage}`],
    }),
  ready: (node) => ({
    url: masterPage(node),
    wanted: 'the master is alive',
    holds: (answer) => (answer as MasterState).status === 'ALIVE',
  }),
});

const workerProcess = (home: SparkHome): EngineProcess => ({
  name: worker,
  rank: 1,
  files: filesOf,
  command(node, nodes) {
    const [master] = nodesWith(nodes, 'master');
    const at = master === undefined ? '' : masterUrl(master);
    const own = ['--host', node.address, '--port', `${ports.worker}`, '--webui-port', `${ports.workerPage}`];
    const size = ['--cores', '2', '--memory', '1g', '--work-dir', join(node.folder, 'work')];
    return commandOf(home, node, {
      heap: '128m',
      main: 'org.apache.spark.deploy.worker.Worker',
      args: [...own, ...size, at],
    });
  },
  ready: ({ address }) => ({
    url: `http://${address}:${ports.workerPage}/json/`,
    wanted: 'the worker answers',
    holds: (answer) => typeof answer === 'object' && answer !== null,
  }),
  drain: {
    signal: 'SIGPWR',
    done: ({ address }): Probe => ({
      url: `http://${address}:${ports.workerPage}/json/`,
      wanted: 'no executor is left',
      holds: (answer) => ((answer as { executors?: readonly unknown[] }).executors ?? []).length === 0,
    }),
  },
});

function checkLayout({ node_groups }: ClusterRecord): void {
  const count = (process: string) =>
    node_groups
      .filter(({ node_processes }) => node_processes.includes(process))
      .reduce((sum, { instances }) => sum + instances.length, 0);
  const masters = count('master');
  if (masters !== 1)
    throw new Error(`node_groups have ${masters} machines with the process master: a Spark cluster needs exactly one`);
}

/** A registered worker is known to the master by its address. */
export const createSpark = (home: SparkHome): Engine => ({
  plugin: 'spark',
  version: '4.1',
  processes: [masterProcess(home), workerProcess(home)],
  jobs: [sparkJob(home), javaJob(home.java), shellJob],
  checkLayout,
  usable(nodes) {
    const workers = nodesWith(nodes, worker).map(({ address }) => address);
    return nodesWith(nodes, 'master').map((master) => ({
      url: masterPage(master),
      wanted: `${workers.length} workers are registered`,
      holds: (answer) =>
        workers.every((address) => workersOf(answer).some(({ host, state }) => host === address && state === 'ALIVE')),
    }));
  },
  pages: (nodes) => {
    const [master] = nodesWith(nodes, 'master');
    if (master === undefined) return {};
    const { address } = master;
    const Spark = { 'Web UI': `http://${address}:${ports.masterPage}`, Master: masterUrl(master) };
    return { Spark };
  },
});
