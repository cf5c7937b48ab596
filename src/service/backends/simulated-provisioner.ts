// A provisioner that pretends: machines are addresses, and processes are URLs.
import type { Random } from '../../lib/ports.ts';
import { isUp, machinesOf } from '../model/records/machines.ts';
import type { ClusterGroupRecord, InfoMap } from '../model/records/records.ts';
import type { Provisioner } from './provisioner.ts';

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

/** Its machines are always well, and are there as long as the record has them with an address. */
export function createSimulatedProvisioner(random: Random): Provisioner {
  return {
    checkPlan() {},
    launch: async (_order, machines) =>
      machines.map((machine) => ({
        ...machine,
        internal_ip: address('10.0', random),
        management_ip: address('172.18', random),
      })),
    configure: async ({ cluster }) => findPages(cluster.node_groups),
    drain: async () => {},
    remove: async () => {},
    adopt: async () => undefined,
    list: async ({ cluster }) =>
      machinesOf(cluster)
        .filter(isUp)
        .map(({ instance_id }) => instance_id),
    watch: () => () => {},
  };
}
