// What a provisioner reports while a cluster is made. PURE.
import type { ClusterReport } from '../../backends/provisioner.ts';
import { machinesOf, updateMachines } from '../../model/records/machines.ts';
import type { ClusterRecord } from '../../model/records/records.ts';

/** The cluster with what its provisioner reports: the addresses of a machine, and a description. */
export function applyReport(cluster: ClusterRecord, now: string, { machine, message }: ClusterReport): ClusterRecord {
  const known = machinesOf(cluster).find(({ instance_id }) => instance_id === machine?.instance_id);
  const addresses = { internal_ip: machine?.internal_ip, management_ip: machine?.management_ip };
  const placed = known === undefined ? cluster : updateMachines(cluster, now, [{ ...known, ...addresses }]);
  return message === undefined ? placed : { ...placed, status_description: message, updated_at: now };
}
