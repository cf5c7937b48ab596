// HDFS, for clusters of Hadoop and of engines beside it.
import { join } from 'node:path';
import { parseAnswer } from '../../../lib/http/bounded.ts';
import type { ClusterRecord, InfoMap } from '../../model/records/records.ts';
import {
  type Command,
  countOf,
  type EngineNode,
  type EngineProcess,
  firstVolumeOf,
  nodesWith,
  type Probe,
  type ReadLines,
} from '../engine.ts';
import { countIn } from '../load.ts';
import { excludeData } from './config-files.ts';
import { type HadoopHome, hdfsOf, ports, transferPort } from './launch.ts';
import { decommissionSecondsOf, replicationOf } from './options.ts';
import { checkHead, drainedBy, processOf, type Readiness, refuse, type SettingsOf, toolOf } from './process.ts';
import { findUnsaved } from './unsaved.ts';
import { userOf } from './user.ts';

const beans = (answer: unknown): readonly Readonly<Record<string, unknown>>[] =>
  (answer as { readonly beans?: readonly Readonly<Record<string, unknown>>[] }).beans ?? [];
const jmx = (address: string, port: number, bean: string) => `http://${address}:${port}/jmx?qry=Hadoop:service=${bean}`;

const stateAt = ({ address }: EngineNode) => jmx(address, ports.namenodePage, 'NameNode,name=FSNamesystemState');
const nodesAt = ({ address }: EngineNode) => jmx(address, ports.namenodePage, 'NameNode,name=NameNodeInfo');

const answersAt =
  (url: (node: EngineNode) => string) =>
  (node: EngineNode): Readiness => ({ url: url(node), holds: (answer) => beans(answer).length > 0 });

interface DataNodeState {
  readonly adminState?: string;
  /** In bytes. 0 until its first heartbeat, which tells of its volumes. */
  readonly capacity?: number;
  /** Seconds since its last heartbeat. */
  readonly lastContact?: number;
  /** How many of its blocks are the last ones of open files, with too few other replicas. */
  readonly underReplicateInOpenFiles?: unknown;
}
/** What the name node knows of the data nodes in a list, by host and port. */
function nodesIn(
  answer: unknown,
  list: 'LiveNodes' | 'DeadNodes' | 'DecomNodes',
): Readonly<Record<string, DataNodeState>> {
  const text = beans(answer)[0]?.[list];
  return typeof text === 'string' ? (parseAnswer(text) as ReturnType<typeof nodesIn>) : {};
}
const keyOf = (node: EngineNode): string => `${node.address}:${transferPort(node)}`;
/** Undefined for a node that is not live. */
const stateOf = (answer: unknown, node: EngineNode) => nodesIn(answer, 'LiveNodes')[keyOf(node)]?.adminState;

/**
 * Once the name node calls the node decommissioned or dead, a look at all blocks follows, because it does not count blocks that are being written, and forgets
 * those of dead nodes. The look also follows while the name node waits for the last blocks of open files: it does not copy them, so the files have to be named.
 */
const decommissioned = (home: HadoopHome) => (node: EngineNode, head: EngineNode) => {
  const isDone = (answer: unknown) => [undefined, 'Decommissioned'].includes(stateOf(answer, node));
  const openOn = (answer: unknown) => countIn(nodesIn(answer, 'DecomNodes')[keyOf(node)]?.underReplicateInOpenFiles);
  return {
    holds: (answer: unknown) => isDone(answer) || openOn(answer) > 0,
    lacks(answer: unknown) {
      const known = { user: userOf(home), isLive: stateOf(answer, node) !== undefined };
      const open = isDone(answer) ? undefined : `it alone has ${openOn(answer)} blocks of open files`;
      return async (read: ReadLines) =>
        (await findUnsaved(`http://${head.address}:${ports.namenodePage}`, known, read)) ?? open;
    },
  };
};

/**
 * A new name node makes its file system first. Without a complete image, or the mark of success, which comes after it, it begins anew. Both are in the volume,
 * which stays when another pod has it: formatting that would lose all files.
 */
const formatting = `
volume=$1; old=$2; shift 2
mark=$volume/namenode.formatted
formatted() { test -e "$mark" || test -e "$old" || ls "$volume"/name/current/fsimage_*[0-9] > /dev/null 2>&1; }
formatted || { "$@" -format -force -nonInteractive && : > "$mark"; } && exec "$@"`;

function formatFirst({ file, args, env }: Command, node: EngineNode): Command {
  // Machines of earlier versions have the mark beside the volume.
  const old = join(node.folder, 'namenode.formatted');
  return { file: '/bin/sh', args: ['-c', formatting, 'sh', firstVolumeOf(node), old, file, ...args], env };
}

export const hdfsProcesses = (home: HadoopHome, settings: SettingsOf): readonly EngineProcess[] => [
  processOf(home, settings, 'namenode', {
    main: 'org.apache.hadoop.hdfs.server.namenode.NameNode',
    page: ports.namenodePage,
    rank: 0,
    // Programs read and write at the pages, too, with WebHDFS.
    ports: [ports.namenode, ports.namenodePage],
    answers: answersAt(stateAt),
    command: formatFirst,
    state: (node) => join(firstVolumeOf(node), 'name'),
    also: excludeData,
    reload: toolOf(home, 'org.apache.hadoop.hdfs.tools.DFSAdmin', ['-refreshNodes']),
  }),
  processOf(home, settings, 'datanode', {
    main: 'org.apache.hadoop.hdfs.server.datanode.DataNode',
    page: ports.datanodePage,
    rank: 1,
    ports: [ports.datanodeTransfer, ports.datanodeIpc, ports.datanodePage],
    answers: answersAt(({ address }) => jmx(address, ports.datanodePage, 'DataNode,name=DataNodeInfo')),
    // Nobody else may have its blocks.
    drain: {
      isNeeded: true,
      limitMs: (node) => decommissionSecondsOf(node, 'HDFS') * 1000,
      ...drainedBy('namenode', nodesAt, decommissioned(home)),
    },
  }),
];

/** Throws unless there is a name node for the data nodes, and as many of these as there are copies. */
export function checkHdfs(cluster: ClusterRecord): void {
  checkHead(cluster, 'namenode', 'datanode');
  if (countOf(cluster, 'namenode') === 0) return;
  const copies = Math.max(...cluster.node_groups.map((group) => replicationOf({ cluster, group })));
  if (copies > countOf(cluster, 'datanode'))
    throw refuse(cluster, 'datanode', `dfs.replication is ${copies}: lower it, or have as many data nodes`);
}

/** By then a dead node counts as dead, after 20 s, and the next check of heartbeats has dropped its replicas. */
const forgottenAfterSeconds = 35;

/**
 * No data node is known but those that stay, as many as `staying`. One that has left and is still known would be in service again with the next machine of its
 * name, and the name node would delete replicas that stay in favor of those that are gone.
 */
const hasForgotten = (answer: unknown, staying: number): boolean =>
  Object.keys(nodesIn(answer, 'LiveNodes')).length === staying &&
  Object.values(nodesIn(answer, 'DeadNodes')).every(({ lastContact = 0 }) => lastContact >= forgottenAfterSeconds);

/** One that is registered is in service at once, and the name node refuses new files until it knows a volume for them. */
const takesData = ({ adminState, capacity = 0 }: DataNodeState = {}): boolean =>
  adminState === 'In Service' && capacity > 0;

/** Every data node is registered and takes part. */
export function hdfsUsable(nodes: readonly EngineNode[]): readonly Probe[] {
  const data = nodesWith(nodes, 'datanode');
  return nodesWith(nodes, 'namenode').flatMap((node) => [
    {
      url: nodesAt(node),
      wanted: `${data.length} data nodes are registered, and no others`,
      holds: (answer: unknown) =>
        data.every((each) => takesData(nodesIn(answer, 'LiveNodes')[keyOf(each)])) && hasForgotten(answer, data.length),
    },
    {
      url: stateAt(node),
      wanted: 'HDFS is writable',
      holds: (answer: unknown) => beans(answer)[0]?.['FSState'] === 'Operational',
    },
  ]);
}

/** The URL of the file system. Undefined if the cluster has none. */
export function hdfsUrl(nodes: readonly EngineNode[]): string | undefined {
  const hdfs = hdfsOf(nodes);
  return hdfs && `hdfs://${hdfs.authority}`;
}

export function hdfsPages(nodes: readonly EngineNode[]): InfoMap {
  const [hdfs, NameNode] = [hdfsOf(nodes), hdfsUrl(nodes)];
  return hdfs === undefined || NameNode === undefined ? {} : { HDFS: { 'Web UI': hdfs.page, NameNode } };
}
