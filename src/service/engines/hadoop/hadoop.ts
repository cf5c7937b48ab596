// Hadoop clusters: HDFS, YARN and MapReduce.
import type { ClusterRecord, InfoMap } from '../../model/records/records.ts';
import { countOf, type Engine, type EngineNode, type EngineProcess, nodesWith, type Probe } from '../engine.ts';
import { type Flavor, usualFlavors } from '../flavors.ts';
import { lineOf } from '../release-line.ts';
import { s3aOptions } from '../s3a/s3a-options.ts';
import { excludeContainers, settingsFiles } from './config-files.ts';
import { checkHdfs, hdfsPages, hdfsProcesses, hdfsUsable } from './hdfs.ts';
import { hadoopJobs } from './jobs/jobs.ts';
import { pigRemedy } from './jobs/pig.ts';
import { type HadoopHome, ports } from './launch.ts';
import { hadoopLoad, type YarnNodes, yarnNodes } from './load.ts';
import { checkContainers, heapSize, memoryOf } from './memory.ts';
import { decommissionSecondsOf, hadoopOptions } from './options.ts';
import {
  checkHead,
  drainedBy,
  metricsSettings,
  processOf,
  type Readiness,
  refuse,
  type SettingsOf,
  toolOf,
} from './process.ts';
import { hadoopSource } from './source.ts';
import { hdfsFor, variablesOf } from './user.ts';

const isInState = (answer: unknown, { address }: EngineNode, state: string): boolean =>
  ((answer as YarnNodes).nodes?.node ?? []).some((each) => each.nodeHostName === address && each.state === state);

/** A process that answers at its page. */
const info = (page: number, path: string, field: string) => ({
  page,
  answers: ({ address }: EngineNode): Readiness => ({
    url: `http://${address}:${page}/ws/v1/${path}`,
    holds: (answer) => (answer as Readonly<Record<string, unknown>>)[field] !== undefined,
  }),
});

/** How long the resource manager may take to find out that a machine has nothing left, or to end what is left there. */
const afterContainersMs = 120_000;

function processesOf(home: HadoopHome, flavors: readonly Flavor[]): readonly EngineProcess[] {
  const settings: SettingsOf = (node, nodes) =>
    settingsFiles(home, node, nodes, { flavors, core: metricsSettings(home) });
  const secondsOf = (node: EngineNode) => decommissionSecondsOf(node, 'YARN');
  const refresh = (node: EngineNode) => ['-refreshNodes', '-g', `${secondsOf(node)}`, '-server'];
  return [
    ...hdfsProcesses(home, settings),
    processOf(home, settings, 'resourcemanager', {
      main: 'org.apache.hadoop.yarn.server.resourcemanager.ResourceManager',
      rank: 0,
      ports: [ports.scheduler, ports.resourceTracker, ports.resourcemanager],
      ...info(ports.resourcemanagerPage, 'cluster/info', 'clusterInfo'),
      also: excludeContainers,
      reload: (node) => toolOf(home, 'org.apache.hadoop.yarn.client.cli.RMAdminCLI', refresh(node))(node),
    }),
    processOf(home, settings, 'nodemanager', {
      main: 'org.apache.hadoop.yarn.server.nodemanager.NodeManager',
      rank: 1,
      ports: [ports.nodemanager],
      ...info(ports.nodemanagerPage, 'node/info', 'nodeInfo'),
      memory: (group) => heapSize(group, 'nodemanager') + memoryOf(group, flavors),
      drain: {
        limitMs: (node) => secondsOf(node) * 1000 + afterContainersMs,
        ...drainedBy(
          'resourcemanager',
          (node) => `${yarnNodes(node)}?states=DECOMMISSIONED`,
          (node) => ({ holds: (answer) => isInState(answer, node, 'DECOMMISSIONED') }),
        ),
      },
    }),
    processOf(home, settings, 'historyserver', {
      main: 'org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer',
      rank: 2,
      ports: [ports.history],
      ...info(ports.historyPage, 'history/info', 'historyInfo'),
    }),
  ];
}

function checkLayout(cluster: ClusterRecord, flavors: readonly Flavor[]): void {
  checkHdfs(cluster);
  checkHead(cluster, 'resourcemanager', 'nodemanager');
  const [histories, managers] = [countOf(cluster, 'historyserver'), countOf(cluster, 'resourcemanager')];
  if (countOf(cluster, 'namenode') === 0) throw refuse(cluster, 'namenode', 'a Hadoop cluster needs one');
  if (histories > 1) throw refuse(cluster, 'historyserver', 'a cluster has one at most');
  if (histories === 1 && managers === 0) throw refuse(cluster, 'resourcemanager', 'historyserver needs one');
  for (const group of cluster.node_groups) checkContainers({ cluster, group }, flavors);
}

/** Every worker is known to its head, and takes part. */
function usable(nodes: readonly EngineNode[]): readonly Probe[] {
  const managers = nodesWith(nodes, 'nodemanager');
  return [
    ...hdfsUsable(nodes),
    ...nodesWith(nodes, 'resourcemanager').map((node) => ({
      url: yarnNodes(node),
      wanted: `${managers.length} node managers are registered`,
      holds: (answer: unknown) => managers.every((each) => isInState(answer, each, 'RUNNING')),
    })),
  ];
}

function pagesOf(nodes: readonly EngineNode[]): InfoMap {
  const page = (process: string, port: number) =>
    nodesWith(nodes, process).map(({ address }) => `http://${address}:${port}`)[0];
  const yarn = page('resourcemanager', ports.resourcemanagerPage);
  const history = page('historyserver', ports.historyPage);
  return {
    ...hdfsPages(nodes),
    ...(yarn !== undefined && { YARN: { 'Web UI': yarn } }),
    ...(history !== undefined && { MapReduce: { 'History Server': history } }),
  };
}

export const createHadoop = (home: HadoopHome, flavors = usualFlavors): Engine => ({
  plugin: 'vanilla',
  version: lineOf(home.version ?? hadoopSource.version),
  title: 'Apache Hadoop',
  description: 'HDFS, YARN and MapReduce as processes on the computer of the service',
  options: [...hadoopOptions, ...s3aOptions],
  ...variablesOf(home),
  processes: processesOf(home, flavors),
  jobs: hadoopJobs(home, flavors),
  absentJobs: pigRemedy(home),
  checkLayout: (cluster) => checkLayout(cluster, flavors),
  usable,
  pages: pagesOf,
  load: hadoopLoad(flavors),
  hdfs: hdfsFor(home),
});
