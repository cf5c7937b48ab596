// What the servers of a Spark cluster have in common that run queries of their clients: each is an application on the cluster, as a job is.
import { join } from 'node:path';
import type { FlatConfigs } from '../../../../wire/common.ts';
import type { ClusterRecord } from '../../../model/records/records.ts';
import { type Command, type EngineNode, type EngineProcess, nodesWith, volumesOf } from '../../engine.ts';
import type { EngineGroup } from '../../engine-options.ts';
import type { Flavor } from '../../flavors.ts';
import { clientFiles, launchOf, masterUrl, opened, propertiesOf, type SparkHome, worker } from '../launch.ts';
import { coresOf } from '../memory.ts';
import { settingsOf } from '../options.ts';

/** An application that takes queries at a port until its cluster is deleted. */
export interface QueryServer {
  /** The word for it in `node_processes`. */
  readonly name: string;
  /** What the page of the master calls it. */
  readonly title: string;
  readonly main: string;
  readonly port: number;
  /** That of its page, which differs, so that all can be on one machine. */
  readonly page: number;
  /** The tab that its page has once it takes queries. */
  readonly tab: string;
  /** In MiB. */
  readonly heapOf: (group: EngineGroup) => number;
  /** Settings that nobody can replace. */
  readonly settings: (node: EngineNode, nodes: readonly EngineNode[]) => FlatConfigs;
  /** More files of its machine. When absent: none. */
  readonly files?: (node: EngineNode) => Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly state?: NonNullable<EngineProcess['state']>;
}

/** A folder of the machine that only this server uses. */
export const temporaryOf = ({ folder }: Pick<EngineNode, 'folder'>, { name }: Pick<QueryServer, 'name'>): string =>
  join(folder, `${name}-tmp`);

/** Half of the cores that the workers have when the server starts, one at least, so that jobs find others however long a query takes. */
function usualCores(cluster: ClusterRecord, flavors: readonly Flavor[]): number {
  const workers = cluster.node_groups.filter(({ node_processes }) => node_processes.includes(worker));
  const all = workers.reduce((sum, group) => sum + group.count * coresOf({ cluster, group }, flavors), 0);
  return Math.max(Math.floor(all / 2), 1);
}

/** What the cluster and the node group can replace. */
const usual = ({ cluster }: EngineNode, flavors: readonly Flavor[]): FlatConfigs => ({
  'spark.cores.max': usualCores(cluster, flavors),
  // Spark counts with one core for each executor if there is no other number.
  'spark.executor.cores': 1,
  'spark.ui.showConsoleProgress': false,
});

/** A server without queries gives its executors back. Those with data in memory, or with files of a shuffle, would never go otherwise. Both are computed again if they are needed. */
const givingBack: FlatConfigs = {
  'spark.dynamicAllocation.enabled': true,
  'spark.dynamicAllocation.shuffleTracking.enabled': true,
  'spark.dynamicAllocation.executorIdleTimeout': '60s',
  'spark.dynamicAllocation.cachedExecutorIdleTimeout': '30min',
  'spark.dynamicAllocation.shuffleTracking.timeout': '10min',
};

function configOf(
  { flavors, server }: { readonly flavors: readonly Flavor[]; readonly server: QueryServer },
  node: EngineNode,
  nodes: readonly EngineNode[],
): string {
  const [master] = nodesWith(nodes, 'master');
  return propertiesOf({
    ...usual(node, flavors),
    ...settingsOf(node),
    ...givingBack,
    'spark.app.name': server.title,
    ...(master !== undefined && { 'spark.master': masterUrl(master) }),
    'spark.submit.deployMode': 'client',
    'spark.authenticate': true,
    'spark.authenticate.secret': node.secret,
    'spark.driver.host': node.address,
    'spark.driver.bindAddress': node.address,
    'spark.ui.port': server.page,
    // Its clients cannot be told apart there.
    'spark.ui.killEnabled': false,
    // The log of an application that does not end would grow without end.
    'spark.eventLog.enabled': false,
    // Another port would be one that nobody is told.
    'spark.port.maxRetries': 0,
    ...server.settings(node, nodes),
  });
}

function commandOf(home: SparkHome, server: QueryServer, node: EngineNode): Command {
  const conf = join(node.folder, 'conf');
  const { classPath, env } = launchOf(home, { conf, address: node.address });
  const heap = [`-Xmx${server.heapOf(node)}m`, '-XX:+UseSerialGC', '-XX:-UsePerfData'];
  const java = [...heap, `-Djava.io.tmpdir=${temporaryOf(node, server)}`, ...opened, '-cp', classPath];
  const submit = ['org.apache.spark.deploy.SparkSubmit', '--properties-file', join(conf, `${server.name}.conf`)];
  return {
    file: home.java,
    args: [...java, ...submit, '--class', server.main, 'spark-internal'],
    env: { ...env, SPARK_LOG_DIR: node.folder, SPARK_LOCAL_DIRS: volumesOf(node).join(','), ...server.env },
  };
}

export const serverProcess = (home: SparkHome, flavors: readonly Flavor[], server: QueryServer): EngineProcess => ({
  name: server.name,
  target: 'Spark',
  // An application needs executors soon.
  rank: 2,
  memory: server.heapOf,
  files: (node, nodes) => ({
    [join('conf', `${server.name}.conf`)]: configOf({ flavors, server }, node, nodes),
    [join(`${server.name}-tmp`, '.keep')]: '',
    ...clientFiles(node, nodes, 'conf'),
    ...server.files?.(node),
  }),
  command: (node) => commandOf(home, server, node),
  ports: [server.port],
  ready: ({ address }) => ({
    url: `http://${address}:${server.page}/${server.tab}/json/`,
    wanted: `${server.title} takes queries`,
    // Until the tab is there, the answer is no JSON. Then it has no text.
    holds: (answer) => answer === undefined,
  }),
  listens: server.port,
  ...(server.state !== undefined && { state: server.state }),
});
