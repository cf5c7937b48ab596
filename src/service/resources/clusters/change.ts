// Scaling and deleting clusters: section 4.5 of the interface. The lifecycle does the rest.
import { ownValue } from '../../../lib/own.ts';
import type { ClusterScale } from '../../../wire/cluster.ts';
import type { Dialect } from '../../../wire/dialect.ts';
import { checkFlavor } from '../../model/catalog/catalog.ts';
import { checkGrowth } from '../../model/checks/quotas.ts';
import { checkDistinct, checkHostNames, checkQuota, need } from '../../model/checks/request-checks.ts';
import { createId, timestamp } from '../../model/records/identifiers.ts';
import { nameMachines, stayingIn } from '../../model/records/machines.ts';
import type { ClusterRecord } from '../../model/records/records.ts';
import { Refusal } from '../../model/refusal.ts';
import { openScale } from '../../model/stages/cluster-stages.ts';
import { bodySchemas, readBody } from '../bodies/bodies.ts';
import type { Service } from '../service.ts';
import { checkGroupsLength, expandGroups } from '../templates/templates.ts';
import { asClusterGroup, wantedMachines } from './create.ts';
import { checkPlan } from './plan-check.ts';

function checkScale(dialect: Dialect, cluster: ClusterRecord, body: ClusterScale): void {
  const { status, node_groups, name } = cluster;
  if (status !== 'Active' && openScale(cluster, dialect) === undefined)
    throw Refusal.by('notActive', `cannot scale cluster ${name}: it is ${status}, not Active`);
  const [resized, added] = [body.resize_node_groups ?? [], body.add_node_groups ?? []];
  checkDistinct(resized);
  checkDistinct(added);
  const names = new Set(node_groups.map((group) => group.name));
  const unknown = resized.find((group) => !names.has(group.name));
  if (unknown !== undefined) {
    const why = `there is no such group; its groups are ${[...names].join(', ')}`;
    throw Refusal.by('badScale', `cannot resize node group ${unknown.name} of cluster ${name}: ${why}`);
  }
  const existing = added.find((group) => names.has(group.name));
  if (existing !== undefined) throw Refusal.by('badScale', `cannot add node group ${existing.name}: it exists`);
}

/**
 * The cluster with the added groups, which are still empty, and the counts that the scale leads to. One that replaces another keeps the counts that it does
 * not name, and has the machines configured that were being drained.
 */
function planScale(
  service: Service,
  at: { readonly tenant: string; readonly cluster: ClusterRecord },
  body: ClusterScale,
) {
  const { cluster, tenant } = at;
  const added = expandGroups(service, { tenant, owner: cluster }, body.add_node_groups ?? []);
  const known = cluster.node_groups.map((group) => ({ ...group, instances: [] }));
  if (added.length > 0) {
    checkGroupsLength([...known, ...added]);
    // A short body can name a large template.
    checkGrowth(service, tenant, added);
  }
  const replaced = openScale(cluster, service.dialect);
  const asked = [...(body.resize_node_groups ?? []), ...added].map(({ name, count }) => [name, Math.max(count, 0)]);
  const targets: Readonly<Record<string, number>> = { ...replaced?.targets, ...Object.fromEntries(asked) };
  const now = timestamp(service.clock);
  const node_groups = [...cluster.node_groups, ...added.map((group) => asClusterGroup({ ...group, count: 0 }, now))];
  const more = node_groups.map((group) => (ownValue(targets, group.name) ?? group.count) - stayingIn(group));
  const grows = more.some((count) => count > 0);
  // The administrator can have taken a flavor from the tenant since the cluster was created.
  for (const [index, { flavor_id }] of node_groups.entries())
    if ((more[index] ?? 0) > 0) checkFlavor({ catalog: service.catalog, tenant }, flavor_id);
  const shrinks = replaced !== undefined || more.some((count) => count < 0);
  return { scaled: { ...cluster, node_groups }, targets, grows, shrinks };
}

/** Throws unless provisioner and quota allow what the scale leads to. Upstream begins before these checks, and leaves the reason in the row. */
function checkRoom(
  service: Service,
  { tenant, cluster }: { readonly tenant: string; readonly cluster: ClusterRecord },
  scaled: ClusterRecord,
): void {
  const { dialect, store, lifecycle, catalog, clock } = service;
  const others = store.list('clusters', tenant).filter((other) => other.id !== cluster.id);
  try {
    checkPlan(service, scaled);
    checkQuota(catalog, others, wantedMachines(scaled.node_groups));
  } catch (refusal) {
    if (dialect !== 'neutral' && refusal instanceof Refusal)
      lifecycle.amend(tenant, { ...cluster, status_description: refusal.message, updated_at: timestamp(clock) });
    throw refusal;
  }
}

export function scaleCluster(
  service: Service,
  call: { readonly tenant: string; readonly id: string; readonly body: unknown },
): ClusterRecord {
  const { dialect, store, lifecycle, clock, random } = service;
  const cluster = need(store, 'clusters', call);
  const body = readBody(dialect, bodySchemas(dialect).clusterScale, call.body);
  checkScale(dialect, cluster, body);
  const { scaled, targets, ...direction } = planScale(service, { tenant: call.tenant, cluster }, body);
  const counted = scaled.node_groups.map((group) => ({
    ...group,
    count: ownValue(targets, group.name) ?? group.count,
  }));
  checkHostNames(cluster.name, counted);
  checkRoom(service, { tenant: call.tenant, cluster }, { ...scaled, node_groups: counted });
  const begun = lifecycle.begin(scaled, { operation: 'scale', targets, ...direction });
  if (dialect !== 'neutral') return lifecycle.keep(call.tenant, begun);
  // Section 4.5: the answer is the updated cluster. Upstream answers with the old counts.
  const updated = nameMachines({ ...begun, node_groups: counted }, timestamp(clock), () => createId(random));
  return lifecycle.keep(call.tenant, updated);
}

/** Possible in any status. Another request during the deletion retries at once what failed, and changes nothing else. */
export function deleteCluster(service: Service, at: { readonly tenant: string; readonly id: string }): void {
  const cluster = need(service.store, 'clusters', at);
  if (cluster.work?.operation === 'delete') return service.lifecycle.retryNow(cluster.id);
  service.lifecycle.keep(at.tenant, service.lifecycle.begin(cluster, { operation: 'delete' }));
}
