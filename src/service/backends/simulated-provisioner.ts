// A provisioner that pretends: machines are addresses, and processes are URLs.
import type { Random } from '../../lib/ports.ts';
import { simulatedPages } from '../engines/index.ts';
import { isUp, machinesOf } from '../model/records/machines.ts';
import type { ClusterGroupRecord, InfoMap } from '../model/records/records.ts';
import type { Provisioner } from './provisioner.ts';

const addressOf = (groups: readonly ClusterGroupRecord[], process: string) =>
  groups
    .filter((group) => group.node_processes.includes(process))
    .flatMap((group) => group.instances)
    .find((machine) => machine.management_ip !== undefined)?.management_ip;

/** The URLs of a cluster, derived from the processes on its machines. */
export function findPages(groups: readonly ClusterGroupRecord[]): InfoMap {
  const info: Record<string, Record<string, string>> = {};
  for (const { process, target, label, url } of simulatedPages) {
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
