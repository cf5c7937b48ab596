// The configuration files of Hadoop.
import { join } from 'node:path';
import { type EngineNode, nodesWith, volumesOf } from '../engine.ts';
import { entriesOf } from '../engine-options.ts';
import type { Flavor } from '../flavors.ts';
import { classPathOf, type HadoopHome, isLocal, ports, transferPort, transferPorts } from './launch.ts';
import { coresOf, memoryOf } from './memory.ts';
import { hadoopOptions } from './options.ts';

type Properties = Readonly<Record<string, string | number | boolean>>;

/** Whoever reads it would take a carriage return for a line break. Tabs and line breaks stay what they are in the text of an element. */
const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };
const escape = (text: string): string => text.replaceAll(/[&<>\r]/g, (mark) => marks[mark] ?? mark);

/** The first character that XML 1.0 cannot have, not even escaped, such as `U+0001`. Undefined if there is none. */
export function unwritable(text: string): string | undefined {
  const [character] = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.exec(text) ?? [];
  const code = character?.codePointAt(0);
  return code === undefined ? undefined : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** The text of a configuration file. */
export const xmlOf = (properties: Properties): string =>
  `<configuration>\n${Object.entries(properties)
    .map(
      ([name, value]) => `<property><name>${escape(name)}</name><value>${escape(String(value))}</value></property>\n`,
    )
    .join('')}</configuration>\n`;

/** The options that belong into the file. */
const given = (node: EngineNode, file: string): Properties => Object.fromEntries(entriesOf(node, hadoopOptions, file));

/** The machine with the process, and its address. Both are those of this machine if there is none, because then nobody asks. */
const headOf = (nodes: readonly EngineNode[], process: string, other: EngineNode): EngineNode =>
  nodesWith(nodes, process)[0] ?? other;

const coreSite = (node: EngineNode, nodes: readonly EngineNode[]): Properties => ({
  ...given(node, 'core-site.xml'),
  'fs.defaultFS': `hdfs://${headOf(nodes, 'namenode', node).address}:${ports.namenode}`,
  'hadoop.tmp.dir': join(node.folder, 'tmp'),
});

const foldersOf = (node: EngineNode, name: string): string =>
  volumesOf(node)
    .map((volume) => `file://${encodeURI(join(volume, name))}`)
    .join(',');

const allAddresses = '0.0.0.0';

/** Makes a program in a pod listen at all addresses, because a forwarded port arrives at the loopback address. `options`: those that say where it listens. */
const bindHosts = (node: EngineNode, options: readonly string[]): Properties =>
  isLocal(node) ? {} : Object.fromEntries(options.map((option) => [option, allAddresses]));

/** Data nodes connect from 127.0.0.1, so their ports tell them apart. */
function hdfsSite(node: EngineNode, nodes: readonly EngineNode[]): Properties {
  const { address } = node;
  const name = headOf(nodes, 'namenode', node);
  return {
    ...given(node, 'hdfs-site.xml'),
    'dfs.namenode.name.dir': foldersOf(node, 'name'),
    'dfs.datanode.data.dir': foldersOf(node, 'data'),
    'dfs.namenode.rpc-address': `${name.address}:${ports.namenode}`,
    'dfs.namenode.http-address': `${name.address}:${ports.namenodePage}`,
    'dfs.namenode.secondary.http-address': `${name.address}:9868`,
    ...bindHosts(node, ['dfs.namenode.http-bind-host']),
    'dfs.namenode.datanode.registration.ip-hostname-check': false,
    'dfs.hosts.exclude': join(name.folder, excludedData),
    'dfs.namenode.heartbeat.recheck-interval': 5000,
    'dfs.heartbeat.interval': 1,
    'dfs.namenode.decommission.interval': 1,
    'dfs.namenode.safemode.extension': 0,
    'dfs.namenode.replication.work.multiplier.per.iteration': 10,
    // A copy that fails is tried again after that time; by default, a data node that leaves would wait for it for 5 minutes and more.
    'dfs.namenode.reconstruction.pending.timeout-sec': 60,
    'dfs.datanode.hostname': address,
    'dfs.datanode.address': `${address}:${transferPort(node)}`,
    'dfs.datanode.ipc.address': `${address}:${ports.datanodeIpc}`,
    'dfs.datanode.http.address': `${isLocal(node) ? address : allAddresses}:${ports.datanodePage}`,
    'dfs.datanode.use.datanode.hostname': true,
    'dfs.client.use.datanode.hostname': true,
  };
}

function yarnSite(
  home: HadoopHome,
  node: EngineNode,
  nodes: readonly EngineNode[],
  flavors: readonly Flavor[],
): Properties {
  const { address } = node;
  const manager = headOf(nodes, 'resourcemanager', node);
  const runs = node.processes.includes('nodemanager');
  const folders = (name: string) =>
    volumesOf(node)
      .map((volume) => join(volume, name))
      .join(',');
  return {
    ...given(node, 'yarn-site.xml'),
    'yarn.resourcemanager.hostname': manager.address,
    'yarn.resourcemanager.nodes.exclude-path': join(manager.folder, excludedContainers),
    'yarn.nm.liveness-monitor.expiry-interval-ms': 20_000,
    'yarn.nodemanager.hostname': address,
    'yarn.nodemanager.address': `${address}:${ports.nodemanager}`,
    'yarn.nodemanager.localizer.address': `${address}:8040`,
    'yarn.nodemanager.webapp.address': `${address}:${ports.nodemanagerPage}`,
    'yarn.nodemanager.collector-service.address': `${address}:8048`,
    ...bindHosts(node, ['yarn.resourcemanager.bind-host', 'yarn.nodemanager.bind-host']),
    'yarn.nodemanager.aux-services': 'mapreduce_shuffle',
    'yarn.nodemanager.aux-services.mapreduce_shuffle.class': 'org.apache.hadoop.mapred.ShuffleHandler',
    'yarn.nodemanager.local-dirs': folders('containers'),
    'yarn.nodemanager.log-dirs': folders('container-logs'),
    'yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage': 99.5,
    'yarn.nodemanager.log-container-debug-info.enabled': false,
    'yarn.application.classpath': `$HADOOP_CONF_DIR,${classPathOf(home).join(',')}`,
    ...(runs && {
      'yarn.nodemanager.resource.memory-mb': memoryOf(node, flavors),
      'yarn.nodemanager.resource.cpu-vcores': coresOf(node, flavors),
    }),
  };
}

/** The class path of tasks, and what follows that of Hadoop. */
export const taskPath = (home: HadoopHome, others: readonly string[] = []): Properties => ({
  'mapreduce.application.classpath': ['$HADOOP_CONF_DIR', ...classPathOf(home), ...others].join(','),
});

const mapredSite = (home: HadoopHome, node: EngineNode, nodes: readonly EngineNode[]): Properties => {
  const { address } = headOf(nodes, 'historyserver', headOf(nodes, 'resourcemanager', node));
  return {
    ...given(node, 'mapred-site.xml'),
    'mapreduce.framework.name': 'yarn',
    ...taskPath(home),
    // It listens at all addresses, so its port is any free one.
    'mapreduce.shuffle.port': 0,
    'mapreduce.jobhistory.address': `${address}:${ports.history}`,
    'mapreduce.jobhistory.admin.address': `${address}:10033`,
    'mapreduce.jobhistory.webapp.address': `${address}:${ports.historyPage}`,
    ...bindHosts(node, ['mapreduce.jobhistory.bind-host']),
  };
};

const scheduler: Properties = {
  'yarn.scheduler.capacity.root.queues': 'default',
  'yarn.scheduler.capacity.root.default.capacity': 100,
  'yarn.scheduler.capacity.maximum-am-resource-percent': 0.5,
};

const logging = `\
log4j.rootLogger=INFO,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.target=System.err
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c{2}: %m%n
`;

export const confFolder = 'conf';
const excludedData = join(confFolder, 'dfs.exclude');
const excludedContainers = join(confFolder, 'yarn.exclude');

/** What HDFS and its clients need, in their folder of configuration. */
export const hdfsFiles = (
  node: EngineNode,
  nodes: readonly EngineNode[],
  core: Properties = {},
): Readonly<Record<string, string>> => ({
  'core-site.xml': xmlOf({ ...coreSite(node, nodes), ...core }),
  'hdfs-site.xml': xmlOf(hdfsSite(node, nodes)),
  'log4j.properties': logging,
});

interface Additions {
  readonly flavors: readonly Flavor[];
  /** Settings of a run, in place of those of its cluster. */
  readonly mapReduce?: Properties;
  /** Settings of a run for all programs. */
  readonly core?: Properties;
}

/** The files of a machine or of a run, in their folder of configuration. */
export function settingsFiles(
  home: HadoopHome,
  node: EngineNode,
  nodes: readonly EngineNode[],
  { flavors, mapReduce = {}, core }: Additions,
): Readonly<Record<string, string>> {
  return {
    ...hdfsFiles(node, nodes, core),
    'yarn-site.xml': xmlOf(yarnSite(home, node, nodes, flavors)),
    'mapred-site.xml': xmlOf({ ...mapredSite(home, node, nodes), ...mapReduce }),
    'capacity-scheduler.xml': xmlOf(scheduler),
  };
}

/** Jars do not have the pages, and the processes do not start without their folders. */
const pages = ['hdfs', 'datanode', 'static'].map((name) => [`webapps/${name}/.keep`, ''] as const);

/** The files that every process of a machine needs, by relative path. */
export function machineFiles(settings: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const named = [...Object.entries(settings), ...pages].map(([name, text]) => [join(confFolder, name), text] as const);
  return { ...Object.fromEntries(named), 'tmp/.keep': '' };
}

type Excludes = (nodes: readonly EngineNode[], leaving: readonly EngineNode[]) => Readonly<Record<string, string>>;

const lineFor = (text: string): string => `${text}\n`;
const hostLine = ({ address }: EngineNode): string => lineFor(address);

/**
 * Tells the name node who has to get rid of their data: whoever leaves, and whoever is not there. A data node that has left stays on the list, because its
 * files would be looked for there otherwise until the name node takes it for dead.
 */
export const excludeData: Excludes = (nodes, leaving) => {
  if (!nodes.every(isLocal)) return { [excludedData]: nodesWith(leaving, 'datanode').map(hostLine).join('') };
  const staying = new Set(
    nodesWith(nodes, 'datanode')
      .filter((node) => !leaving.includes(node))
      .map(transferPort),
  );
  const others = transferPorts.filter((port) => !staying.has(port));
  return { [excludedData]: others.map((port) => lineFor(`127.0.0.1:${port}`)).join('') };
};

/** Tells the resource manager where no new containers are to run. */
export const excludeContainers: Excludes = (_nodes, leaving) => ({
  [excludedContainers]: nodesWith(leaving, 'nodemanager')
    .map(({ address }) => lineFor(address))
    .join(''),
});
