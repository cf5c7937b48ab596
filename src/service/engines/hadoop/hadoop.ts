// Hadoop clusters: HDFS, YARN and MapReduce.
import { join } from 'node:path';
import type { ClusterRecord, InfoMap } from '../../records/records.ts';
import {
  type Command,
  countOf,
  type Engine,
  type EngineNode,
  type EngineProcess,
  nodesWith,
  type Probe,
} from '../engine.ts';
import { type Flavor, usualFlavors } from '../flavors.ts';
import { confFolder, excludeContainers, excludeData, machineFiles, settingsFiles } from './files.ts';
import { hadoopJobs } from './jobs.ts';
import { commandOf, type HadoopHome, hdfsOf, ports, transferPort } from './launch.ts';
import {
  checkContainers,
  hadoopOptions,
  heapSize,
  memoryOf,
  type ProcessName,
  replicationOf,
  targetOfProcess,
} from './options.ts';

const mains: Readonly<Record<ProcessName, string>> = {
  namenode: 'org.apache.hadoop.hdfs.server.namenode.NameNode',
  datanode: 'org.apache.hadoop.hdfs.server.datanode.DataNode',
  resourcemanager: 'org.apache.hadoop.yarn.server.resourcemanager.ResourceManager',
  nodemanager: 'org.apache.hadoop.yarn.server.nodemanager.NodeManager',
  historyserver: 'org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer',
};

const programOf = (home: HadoopHome, node: EngineNode, heap: number, main: string, args: readonly string[] = []) =>
  commandOf(home, { conf: join(node.folder, confFolder), temporary: join(node.folder, 'tmp'), heap, main, args });

/** For commands that end soon. */
const toolHeap = 96;

const beans = (answer: unknown): readonly Readonly<Record<string, unknown>>[] =>
  (answer as { readonly beans?: readonly Readonly<Record<string, unknown>>[] }).beans ?? [];
const jmx = (address: string, port: number, bean: string) => `http://${address}:${port}/jmx?qry=Hadoop:service=${bean}`;

const hdfsState = ({ address }: EngineNode) => jmx(address, ports.namenodePage, 'NameNode,name=FSNamesystemState');
const hdfsNodes = ({ address }: EngineNode) => jmx(address, ports.namenodePage, 'NameNode,name=NameNodeInfo');

/** The states of the live data nodes, by address and port. */
function liveNodes(answer: unknown): Readonly<Record<string, { readonly adminState?: string }>> {
  const live = beans(answer)[0]?.['LiveNodes'];
  return typeof live === 'string' ? (JSON.parse(live) as ReturnType<typeof liveNodes>) : {};
}
const stateOf = (answer: unknown, node: EngineNode) =>
  liveNodes(answer)[`${node.address}:${transferPort(node)}`]?.adminState;

interface YarnNodes {
  readonly nodes?: { readonly node?: readonly { readonly nodeHostName?: string; readonly state?: string }[] } | null;
}
const yarnNodes = ({ address }: EngineNode) => `http://${address}:${ports.resourcemanagerPage}/ws/v1/cluster/nodes`;
const isInState = (answer: unknown, { address }: EngineNode, state: string): boolean =>
  ((answer as YarnNodes).nodes?.node ?? []).some((each) => each.nodeHostName === address && each.state === state);

/** A new name node makes its file system first. Without the mark of success, which comes after it, it begins anew. */
const formatting =
  'mark=$1; shift; test -e "$mark" || { "$@" -format -force -nonInteractive && : > "$mark"; } && exec "$@"';

function startName(home: HadoopHome, node: EngineNode): Command {
  const { file, args, env } = programOf(home, node, heapSize(node, 'namenode'), mains.namenode);
  const mark = join(node.folder, 'namenode.formatted');
  return { file: '/bin/sh', args: ['-c', formatting, 'sh', mark, file, ...args], env };
}

type Readiness = Pick<Probe, 'url' | 'holds'>;

const info =
  (port: number, path: string, field: string) =>
  ({ address }: EngineNode): Readiness => ({
    url: `http://${address}:${port}/ws/v1/${path}`,
    holds: (answer) => (answer as Readonly<Record<string, unknown>>)[field] !== undefined,
  });
const answers: Readonly<Record<ProcessName, (node: EngineNode) => Readiness>> = {
  namenode: (node) => ({ url: hdfsState(node), holds: (answer) => beans(answer).length > 0 }),
  datanode: ({ address }) => ({
    url: jmx(address, ports.datanodePage, 'DataNode,name=DataNodeInfo'),
    holds: (answer) => beans(answer).length > 0,
  }),
  resourcemanager: info(ports.resourcemanagerPage, 'cluster/info', 'clusterInfo'),
  nodemanager: info(ports.nodemanagerPage, 'node/info', 'nodeInfo'),
  historyserver: info(ports.historyPage, 'history/info', 'historyInfo'),
};

/** What the process needs besides what all of them have. */
type Own = Pick<EngineProcess, 'rank'> & Partial<Pick<EngineProcess, 'memory' | 'command' | 'reload' | 'drain'>>;

const drained = (
  head: string,
  done: (answer: unknown, node: EngineNode) => boolean,
  url: (node: EngineNode) => string,
) => ({
  done: (node: EngineNode, nodes: readonly EngineNode[]): Probe => ({
    url: url(nodesWith(nodes, head)[0] ?? node),
    wanted: `${node.machine.instance_name} is decommissioned`,
    holds: (answer) => done(answer, node),
  }),
});

const tool = (home: HadoopHome, main: string, args: readonly string[]) => (node: EngineNode) =>
  programOf(home, node, toolHeap, main, args);

/** How long containers can go on on a machine that leaves, in seconds. */
const containerSeconds = '1500';

const own = (home: HadoopHome, flavors: readonly Flavor[]): Readonly<Record<ProcessName, Own>> => ({
  namenode: {
    rank: 0,
    command: (node) => startName(home, node),
    reload: tool(home, 'org.apache.hadoop.hdfs.tools.DFSAdmin', ['-refreshNodes']),
  },
  resourcemanager: {
    rank: 0,
    reload: tool(home, 'org.apache.hadoop.yarn.client.cli.RMAdminCLI', [
      '-refreshNodes',
      '-g',
      containerSeconds,
      '-server',
    ]),
  },
  datanode: {
    rank: 1,
    drain: drained('namenode', (answer, node) => stateOf(answer, node) === 'Decommissioned', hdfsNodes),
  },
  nodemanager: {
    rank: 1,
    memory: (group) => heapSize(group, 'nodemanager') + memoryOf(group, flavors),
    drain: drained(
      'resourcemanager',
      (answer, node) => isInState(answer, node, 'DECOMMISSIONED'),
      (node) => `${yarnNodes(node)}?states=DECOMMISSIONED`,
    ),
  },
  historyserver: { rank: 2 },
});

const excludes: { readonly [Name in ProcessName]?: typeof excludeData } = {
  namenode: excludeData,
  resourcemanager: excludeContainers,
};

function processesOf(home: HadoopHome, flavors: readonly Flavor[]): readonly EngineProcess[] {
  const special = own(home, flavors);
  return (Object.keys(special) as readonly ProcessName[]).map((name) => ({
    name,
    target: targetOfProcess(name),
    memory: (group) => heapSize(group, name),
    command: (node) => programOf(home, node, heapSize(node, name), mains[name]),
    files: (node, nodes, leaving = []) => ({
      ...machineFiles(settingsFiles(home, node, nodes, { flavors })),
      ...excludes[name]?.(nodes, leaving),
    }),
    ready: (node) => ({ ...answers[name](node), wanted: `the ${name} answers` }),
    ...special[name],
  }));
}

const single: readonly (readonly [head: ProcessName, worker: ProcessName])[] = [
  ['namenode', 'datanode'],
  ['resourcemanager', 'nodemanager'],
];

function checkLayout(cluster: ClusterRecord, flavors: readonly Flavor[]): void {
  const count = (process: ProcessName) => countOf(cluster, process);
  const refuse = (process: ProcessName, why: string) =>
    new Error(`node_groups have ${count(process)} machines with the process ${process}: ${why}`);
  for (const [head, worker] of single) {
    if (count(head) > 1) throw refuse(head, 'a Hadoop cluster has one at most');
    if (count(head) === 0 && count(worker) > 0) throw refuse(head, `${worker} needs one`);
    if (count(head) === 1 && count(worker) === 0) throw refuse(worker, `${head} needs at least one`);
  }
  if (count('namenode') === 0) throw refuse('namenode', 'a Hadoop cluster needs one');
  if (count('historyserver') > 1) throw refuse('historyserver', 'a Hadoop cluster has one at most');
  if (count('historyserver') === 1 && count('resourcemanager') === 0)
    throw refuse('resourcemanager', 'historyserver needs one');
  const copies = Math.max(...cluster.node_groups.map((group) => replicationOf({ cluster, group })));
  if (copies > count('datanode'))
    throw refuse('datanode', `dfs.replication is ${copies}: lower it, or have as many data nodes`);
  for (const group of cluster.node_groups) checkContainers({ cluster, group }, flavors);
}

/** Every worker is known to its head, and takes part. */
function usable(nodes: readonly EngineNode[]): readonly Probe[] {
  const [data, managers] = [nodesWith(nodes, 'datanode'), nodesWith(nodes, 'nodemanager')];
  return [
    ...nodesWith(nodes, 'namenode').flatMap((node) => [
      {
        url: hdfsNodes(node),
        wanted: `${data.length} data nodes are registered`,
        holds: (answer: unknown) => data.every((each) => stateOf(answer, each) === 'In Service'),
      },
      {
        url: hdfsState(node),
        wanted: 'HDFS is writable',
        holds: (answer: unknown) => beans(answer)[0]?.['FSState'] === 'Operational',
      },
    ]),
    ...nodesWith(nodes, 'resourcemanager').map((node) => ({
      url: yarnNodes(node),
      wanted: `${managers.length} node managers are registered`,
      holds: (answer: unknown) => managers.every((each) => isInState(answer, each, 'RUNNING')),
    })),
  ];
}

function pagesOf(nodes: readonly EngineNode[]): InfoMap {
  const pages = (process: ProcessName, target: string, of: (address: string) => Readonly<Record<string, string>>) =>
    nodesWith(nodes, process).map(({ address }) => [target, of(address)] as const);
  return Object.fromEntries([
    ...pages('namenode', 'HDFS', (address) => ({
      'Web UI': `http://${address}:${ports.namenodePage}`,
      NameNode: `hdfs://${address}:${ports.namenode}`,
    })),
    ...pages('resourcemanager', 'YARN', (address) => ({ 'Web UI': `http://${address}:${ports.resourcemanagerPage}` })),
    ...pages('historyserver', 'MapReduce', (address) => ({
      'History Server': `http://${address}:${ports.historyPage}`,
    })),
  ]);
}

export const createHadoop = (home: HadoopHome, flavors = usualFlavors): Engine => ({
  plugin: 'vanilla',
  version: '3.5',
  title: 'Apache Hadoop',
  description: 'HDFS, YARN and MapReduce as processes on the computer of the service',
  options: hadoopOptions,
  processes: processesOf(home, flavors),
  jobs: hadoopJobs(home, flavors),
  checkLayout: (cluster) => checkLayout(cluster, flavors),
  usable,
  pages: pagesOf,
  hdfs: hdfsOf,
});
