// The interface through which the lifecycle creates machines, and a provisioner that simulates them.
import type { Random } from '../../lib/ports.ts';
import type { ClusterGroupRecord, ClusterRecord, InfoMap, Machine } from '../records/records.ts';

/** The input of a provisioner: the tenant, the cluster as it is now, and a signal that ends the call. */
interface MachineOrder {
  readonly tenant: string;
  readonly cluster: ClusterRecord;
  /** Aborted when another operation takes over or the service closes. The call should then settle soon. */
  readonly signal: AbortSignal;
}

/**
 * Calls for one cluster never overlap. Every method can be called again with the same machines after a restart of the service, and must then lead to
 * the same result. A rejection fails the operation, except for one of `remove`, which is called again later. Users see its message.
 */
export interface Provisioner {
  /** Starts the machines, which already have identifiers and names. Resolves to them with their addresses, in the same order. */
  launch(order: MachineOrder, machines: readonly Machine[]): Promise<readonly Machine[]>;
  /** Installs and starts the processes on all machines of the cluster. Resolves to the URLs to show. */
  configure(order: MachineOrder): Promise<InfoMap>;
  /** Removes the machines. A machine that is already gone is no failure. */
  remove(order: MachineOrder, machines: readonly Machine[]): Promise<void>;
}

/** The pages of processes: process, target, label, URL by address. */
const pages: readonly (readonly [process: string, target: string, label: string, url: (address: string) => string])[] =
  [
    ['namenode', 'HDFS', 'Web UI', (address) => `http://${address}:50070`],
    ['namenode', 'HDFS', 'NameNode', (address) => `hdfs://${address}:8020`],
    ['jobtracker', 'MapReduce', 'Web UI', (address) => `http://${address}:50030`],
    ['historyserver', 'MapReduce', 'History Server', (address) => `http://${address}:19888`],
    ['resourcemanager', 'YARN', 'Web UI', (address) => `http://${address}:8088`],
    ['oozie', 'JobFlow', 'Oozie', (address) => `http://${address}:11000`],
    ['master', 'Spark', 'Web UI', (address) => `http://${address}:8080`],
  ];

const addressOf = (groups: readonly ClusterGroupRecord[], process: string) =>
  groups
    .filter((group) => group.node_processes.includes(process))
    .flatMap((group) => group.instances)
    .find((machine) => machine.management_ip !== undefined)?.management_ip;

/** The URLs of a cluster, derived from the processes on its machines. */
export function findPages(groups: readonly ClusterGroupRecord[]): InfoMap {
  const info: Record<string, Record<string, string>> = {};
  for (const [process, target, label, url] of pages) {
    const address = addressOf(groups, process);
    if (address !== undefined) info[target] = { ...info[target], [label]: url(address) };
  }
  return info;
}

const octet = (random: Random) => 1 + Math.floor(random.next() * 254);
const address = (network: string, random: Random) => `${network}.${octet(random)}.${octet(random)}`;

export function createSimulatedProvisioner(random: Random): Provisioner {
  return {
    launch: async (_order, machines) =>
      machines.map((machine) => ({
        ...machine,
        internal_ip: address('10.0', random),
        management_ip: address('172.18', random),
      })),
    configure: async ({ cluster }) => findPages(cluster.node_groups),
    remove: async () => {},
  };
}
