// Scaling and deleting clusters: section 4.5 of the interface. The lifecycle does the rest.
import type { ClusterScale } from '../../wire/cluster.ts';
import { bodySchemas, readBody } from '../bodies/bodies.ts';
import { invalidReference } from '../http/refusal.ts';
import { checkEnabled } from '../plugins/labels.ts';
import { checkChange, checkEnd } from '../records/access.ts';
import { checkDistinct, checkHostNames, checkQuota, need } from '../records/checks.ts';
import { createId, timestamp } from '../records/identifiers.ts';
import type { ClusterRecord } from '../records/records.ts';
import type { Service } from '../service.ts';
import { expandGroups } from '../templates/templates.ts';
import { nameMachines } from './machines.ts';
import { asClusterGroup, wantedMachines } from './start.ts';

function checkScale(cluster: ClusterRecord, body: ClusterScale): void {
  const { status, node_groups, name } = cluster;
  if (status !== 'Active') throw invalidReference(`cannot scale cluster ${name}: it is ${status}, not Active`);
  const [resized, added] = [body.resize_node_groups ?? [], body.add_node_groups ?? []];
  checkDistinct(resized);
  checkDistinct(added);
  const names = new Set(node_groups.map((group) => group.name));
  const unknown = resized.find((group) => !names.has(group.name));
  if (unknown !== undefined) throw invalidReference(`cannot resize node group ${unknown.name}: there is no such group`);
  const existing = added.find((group) => names.has(group.name));
  if (existing !== undefined) throw invalidReference(`cannot add node group ${existing.name}: it exists`);
}

/** The cluster with the added groups, which are still empty, and the counts that the scale leads to. */
function planScale(
  service: Service,
  at: { readonly tenant: string; readonly cluster: ClusterRecord },
  body: ClusterScale,
) {
  const { cluster, tenant } = at;
  const added = expandGroups(service, { tenant, owner: cluster }, body.add_node_groups ?? []);
  const targets = Object.fromEntries(
    [...(body.resize_node_groups ?? []), ...added].map(({ name, count }) => [name, Math.max(count, 0)]),
  );
  const now = timestamp(service.clock);
  const node_groups = [...cluster.node_groups, ...added.map((group) => asClusterGroup({ ...group, count: 0 }, now))];
  const more = node_groups.map((group) => (targets[group.name] ?? group.count) - group.instances.length);
  const grows = more.some((count) => count > 0);
  return { scaled: { ...cluster, node_groups }, targets, grows, shrinks: more.some((count) => count < 0) };
}

export function scaleCluster(
  service: Service,
  call: { readonly tenant: string; readonly id: string; readonly body: unknown },
): ClusterRecord {
  const { dialect, store, lifecycle, catalog, clock, random } = service;
  const cluster = need(store, 'clusters', call);
  const body = readBody(dialect, bodySchemas(dialect).clusterScale, call.body);
  checkEnabled(service, call.tenant, cluster);
  checkChange(store, 'clusters', call, body);
  checkScale(cluster, body);
  const { scaled, targets, ...direction } = planScale(service, { tenant: call.tenant, cluster }, body);
  const wanted = scaled.node_groups.map((group) => ({ name: group.name, count: targets[group.name] ?? group.count }));
  checkHostNames(cluster.name, wanted);
  const others = store.list('clusters', call.tenant).filter((other) => other.id !== cluster.id);
  checkQuota(catalog, others, wantedMachines(wanted));
  const begun = lifecycle.begin(scaled, { operation: 'scale', targets, ...direction });
  if (dialect !== 'neutral') return lifecycle.keep(call.tenant, begun);
  // Section 4.5: the answer is the updated cluster. Upstream answers with the old counts.
  const counted = begun.node_groups.map((group) => ({ ...group, count: targets[group.name] ?? group.count }));
  const updated = nameMachines({ ...begun, node_groups: counted }, timestamp(clock), () => createId(random));
  return lifecycle.keep(call.tenant, updated);
}

/** Possible in any status. Another request during the deletion retries at once what failed, and changes nothing else. */
export function deleteCluster(service: Service, at: { readonly tenant: string; readonly id: string }): void {
  const cluster = need(service.store, 'clusters', at);
  checkEnd(service.store, 'delete', 'clusters', at);
  if (cluster.work?.operation === 'delete') return service.lifecycle.retryNow(cluster.id);
  service.lifecycle.keep(at.tenant, service.lifecycle.begin(cluster, { operation: 'delete' }));
}
