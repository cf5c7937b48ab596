// Asks the provisioner whether it can make a cluster, before anything is stored.
import { messageOf } from '../../../lib/errors.ts';
import { targetOf } from '../../clusters/machines.ts';
import { invalidData } from '../../http/refusal.ts';
import { listAll } from '../../records/owners.ts';
import type { ClusterRecord } from '../../records/records.ts';
import type { Service } from '../service.ts';

const asPlanned = (cluster: ClusterRecord): ClusterRecord => ({
  ...cluster,
  node_groups: cluster.node_groups.map((group) => ({ ...group, count: targetOf(cluster, group) })),
});

/** `cluster`: with the counts that are wanted. Throws a refusal that names the field and the remedy if it cannot be made. */
export function checkPlan(
  { store, provisioner }: Pick<Service, 'store' | 'provisioner'>,
  cluster: ClusterRecord,
): void {
  const others = listAll(store, 'clusters')
    .map(({ record }) => record)
    .filter(({ id }) => id !== cluster.id);
  try {
    provisioner.checkPlan(cluster, others.map(asPlanned));
  } catch (cause) {
    throw invalidData(`cannot make cluster ${cluster.name}: ${messageOf(cause)}`);
  }
}
