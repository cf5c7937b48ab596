// Starting, scaling and deleting clusters: section 4.5 of the interface. What follows is the lifecycle's.
import type { ClusterCreate, ClusterScale } from '../wire/cluster.ts';
import { checkChange, checkEnd } from './access.ts';
import { bodySchemas, readBody } from './bodies.ts';
import { checkConfigs, checkProcesses, findVersion } from './catalog.ts';
import { checkDistinct, checkHostNames, checkNameFree, checkQuota, need, resolve } from './checks.ts';
import type { Call } from './endpoint.ts';
import { mergeConfigs } from './expansion.ts';
import { createId, timestamp } from './identifiers.ts';
import { checkImage } from './images.ts';
import { nameMachines } from './machines.ts';
import type { ClusterGroupRecord, ClusterRecord, ClusterTemplateRecord, GroupRecord } from './records.ts';
import { invalidReference, unresolved } from './refusal.ts';
import { createFreshId, type Service } from './service.ts';
import { expandGroups } from './templates.ts';

const wantedMachines = (groups: readonly { readonly count: number }[]) =>
  groups.reduce((sum, group) => sum + Math.max(group.count, 0), 0);

const asClusterGroup = (group: GroupRecord, now: string): ClusterGroupRecord => ({
  ...group,
  created: now,
  updated: now,
  instances: [],
});

/** The fields that a template contributes; the request's own win. */
const inherited = (template: ClusterTemplateRecord | undefined) => ({
  default_image_id: template?.default_image_id,
  network_management_network: template?.network_management_network,
  anti_affinity: template?.anti_affinity ?? [],
  ...(template === undefined ? {} : { cluster_template_id: template.id }),
});

/** The cluster as the request and its template describe it, without machines. */
function describeCluster(service: Service, tenant: string, body: ClusterCreate): ClusterRecord {
  const { store, clock, catalog } = service;
  const plugin = findVersion(catalog, body.plugin_name, body.bigdata_version);
  const id = body.cluster_template_id;
  const template = id === undefined ? undefined : resolve(store, 'clusterTemplates', { tenant, id });
  const now = timestamp(clock);
  const groups =
    body.node_groups === undefined
      ? (template?.node_groups ?? []).map((group) => ({ ...group, id: createId(service.random) }))
      : expandGroups(service, { tenant, owner: body }, body.node_groups);
  const cluster_configs = mergeConfigs(template?.cluster_configs ?? {}, body.cluster_configs ?? {});
  checkConfigs(plugin, cluster_configs);
  const { anti_affinity, ...below } = inherited(template);
  return {
    id: createFreshId(service, 'clusters', tenant),
    status: '',
    info: {},
    ...below,
    ...body,
    ...(template === undefined ? {} : { cluster_template_id: template.id }),
    cluster_configs,
    anti_affinity: body.anti_affinity ?? anti_affinity,
    node_groups: groups.map((group) => asClusterGroup(group, now)),
    created_at: now,
    updated_at: now,
  };
}

function checkCluster(service: Service, tenant: string, cluster: ClusterRecord): void {
  const { catalog, store, dialect } = service;
  if (cluster.default_image_id === undefined) throw unresolved('cannot start cluster: default_image_id is not given');
  const { plugin_name: name, bigdata_version: version } = cluster;
  checkImage(service, { tenant, id: cluster.default_image_id }, { name, version });
  checkProcesses(findVersion(catalog, name, version), cluster.anti_affinity);
  checkHostNames(cluster.name, cluster.node_groups);
  // Late upstream wants the network here or in the template; section 4.5 does not list it.
  const needsNetwork = dialect === 'sahara' && cluster.network_management_network === undefined;
  if (needsNetwork) throw unresolved('cannot start cluster: neutron_management_network is not given');
  checkQuota(catalog, store.list('clusters', tenant), wantedMachines(cluster.node_groups));
}

export function createCluster(service: Service, call: Pick<Call, 'tenant' | 'body'>): ClusterRecord {
  const { dialect, lifecycle, clock, random } = service;
  const { tenant } = call;
  const body = readBody(dialect, bodySchemas(dialect).clusterCreate, call.body);
  checkNameFree(service, 'clusters', { tenant, name: body.name });
  const cluster = describeCluster(service, tenant, body);
  checkCluster(service, tenant, cluster);
  const begun = lifecycle.begin(cluster, { operation: 'start', stage: 0 });
  // Section 4.5: the answer lists the instances. Upstream's lists none.
  const listed = dialect === 'neutral' ? nameMachines(begun, timestamp(clock), () => createId(random)) : begun;
  return lifecycle.keep(tenant, listed);
}

/** What upstream leaves behind when a check fails after it has stored the row: the name in use, and no machines. */
export function leaveErrorRow(service: Service, call: { readonly tenant: string; readonly body: unknown }): void {
  const { node_groups, ...cluster } = createCluster(service, call);
  const empty = node_groups.map((group) => ({ ...group, instances: [] }));
  const status_description = 'cannot create cluster: a check failed';
  const row = { ...cluster, node_groups: empty, status: 'Error', status_description, work: undefined };
  service.lifecycle.keep(call.tenant, row);
}

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

/** The cluster with the added groups, still empty, and the counts that the scale leads to. */
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
  const grows = node_groups.some((group) => (targets[group.name] ?? 0) > group.instances.length);
  return { scaled: { ...cluster, node_groups }, targets, grows };
}

export function scaleCluster(
  service: Service,
  call: { readonly tenant: string; readonly id: string; readonly body: unknown },
): ClusterRecord {
  const { dialect, store, lifecycle, catalog, clock, random } = service;
  const cluster = need(store, 'clusters', call);
  const body = readBody(dialect, bodySchemas(dialect).clusterScale, call.body);
  checkChange(store, 'clusters', call, body);
  checkScale(cluster, body);
  const { scaled, targets, grows } = planScale(service, { tenant: call.tenant, cluster }, body);
  const wanted = scaled.node_groups.map((group) => ({ name: group.name, count: targets[group.name] ?? group.count }));
  checkHostNames(cluster.name, wanted);
  const others = store.list('clusters', call.tenant).filter((other) => other.id !== cluster.id);
  checkQuota(catalog, others, wantedMachines(wanted));
  const begun = lifecycle.begin(scaled, { operation: 'scale', stage: 0, targets, grows });
  if (dialect !== 'neutral') return lifecycle.keep(call.tenant, begun);
  // Section 4.5: the answer is the updated cluster. Upstream's has the old counts.
  const counted = begun.node_groups.map((group) => ({ ...group, count: targets[group.name] ?? group.count }));
  const updated = nameMachines({ ...begun, node_groups: counted }, timestamp(clock), () => createId(random));
  return lifecycle.keep(call.tenant, updated);
}

/** In any status; asking again while it is being deleted changes nothing, unless the deletion got stuck. */
export function deleteCluster(service: Service, at: { readonly tenant: string; readonly id: string }): void {
  const cluster = need(service.store, 'clusters', at);
  checkEnd(service.store, 'delete', 'clusters', at);
  if (cluster.work?.operation === 'delete') return;
  service.lifecycle.keep(at.tenant, service.lifecycle.begin(cluster, { operation: 'delete', stage: 0 }));
}
