// Asks the provisioner whether it can make a cluster, before anything is stored.
import { messageOf } from '../../../lib/errors.ts';
import { listAll } from '../../model/checks/owners.ts';
import { targetOf } from '../../model/records/machines.ts';
import type { ClusterRecord } from '../../model/records/records.ts';
import { Refusal } from '../../model/refusal.ts';
import type { Service } from '../service.ts';

const asPlanned = (cluster: ClusterRecord): ClusterRecord => ({
  ...cluster,
  node_groups: cluster.node_groups.map((group) => ({ ...group, count: targetOf(cluster, group) })),
});

/** All clusters, with the counts that are wanted. */
export const plannedClusters = (store: Service['store']): readonly ClusterRecord[] =>
  listAll(store, 'clusters').map(({ record }) => asPlanned(record));

/** `cluster`: with the counts that are wanted. Throws a refusal that names the field and the remedy if it cannot be made. */
export function checkPlan(
  { store, provisioner }: Pick<Service, 'store' | 'provisioner'>,
  cluster: ClusterRecord,
): void {
  const others = plannedClusters(store).filter(({ id }) => id !== cluster.id);
  try {
    provisioner.checkPlan(cluster, others);
  } catch (cause) {
    throw Refusal.by('unplaceable', `cannot make cluster ${cluster.name}: ${messageOf(cause)}`);
  }
}
