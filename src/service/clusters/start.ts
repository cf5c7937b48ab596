// Starting clusters: section 4.5 of the interface. What follows is the lifecycle's.
import type { ClusterCreate } from '../../wire/cluster.ts';
import { bodySchemas, readBody } from '../bodies/bodies.ts';
import { noted, nullsIn } from '../bodies/null-fields.ts';
import { unresolved } from '../http/refusal.ts';
import { checkImageFor } from '../images/images.ts';
import { checkConfigs, checkProcesses, findVersion } from '../plugins/catalog.ts';
import { checkEnabled } from '../plugins/labels.ts';
import { checkHostNames, checkNameFree, checkShape, findQuotaProblem, resolve } from '../records/checks.ts';
import { createId, timestamp } from '../records/identifiers.ts';
import type { ClusterGroupRecord, ClusterRecord, ClusterTemplateRecord, GroupRecord } from '../records/records.ts';
import type { Call } from '../routes/endpoint.ts';
import { createFreshId, type Service } from '../service.ts';
import { fill, mergeConfigs } from '../templates/expansion.ts';
import { expandGroups } from '../templates/templates.ts';
import { nameMachines } from './machines.ts';

export const wantedMachines = (groups: readonly { readonly count: number }[]): number =>
  groups.reduce((sum, group) => sum + Math.max(group.count, 0), 0);

export const asClusterGroup = (group: GroupRecord, now: string): ClusterGroupRecord => ({
  ...group,
  created: now,
  updated: now,
  instances: [],
});

/** The fields that a template contributes; the request's own win. The interface as written does not show that the description is one. */
function inherited({ dialect }: Service, template: Partial<ClusterTemplateRecord>) {
  const { default_image_id, network_management_network, shares, use_autoconfig, domain_name } = template;
  return {
    default_image_id,
    network_management_network,
    shares,
    use_autoconfig,
    domain_name,
    description: dialect === 'neutral' ? undefined : template.description,
    anti_affinity: template.anti_affinity ?? [],
  };
}

/** What is sent as null does not come from the template, but counts as given where something is asked for. Configurations are merged. */
function nullsOfCluster(body: ClusterCreate, template: ClusterTemplateRecord | undefined): readonly string[] {
  const own = nullsIn(body);
  const others = (template?.nulls ?? []).filter((name) => !Object.hasOwn(body, name));
  return [...own, ...others].filter((name) => name !== 'cluster_configs');
}

type StartRequest = Pick<Call, 'tenant' | 'body'>;
interface StartOrder {
  readonly tenant: string;
  readonly body: ClusterCreate;
}

/** What the cluster is made from: plugin and template, whose groups have to fit the name. */
function findTemplate(service: Service, { tenant, body }: StartOrder): ClusterTemplateRecord | undefined {
  const { catalog, store } = service;
  const plugin = findVersion(catalog, body.plugin_name, body.bigdata_version);
  checkEnabled(service, tenant, body);
  const { cluster_template_id: id, node_groups = [] } = body;
  const template = id === undefined ? undefined : resolve(store, 'clusterTemplates', { tenant, id });
  if (template === undefined || node_groups.length > 0) return template;
  for (const group of template.node_groups) checkShape(catalog, plugin, group);
  checkHostNames(body.name, template.node_groups);
  return template;
}

function checkImageOf(
  service: Service,
  { tenant, body }: StartOrder,
  template: ClusterTemplateRecord | undefined,
): void {
  const id = body.default_image_id ?? template?.default_image_id;
  if (id === undefined) throw unresolved('cannot start cluster: default_image_id is not given');
  checkImageFor(service, { tenant, id }, body);
}

/** Late upstream wants the network here or in the template; section 4.5 does not list it. */
function checkNetwork({ dialect }: Service, { body }: StartOrder, template: ClusterTemplateRecord | undefined): void {
  if (dialect !== 'sahara' || (body.network_management_network ?? template?.network_management_network)) return;
  throw unresolved('cannot start cluster: neutron_management_network is not given');
}

/** The groups of the request, or else those of the template. */
function groupsOf(
  service: Service,
  { tenant, body }: StartOrder,
  template: ClusterTemplateRecord | undefined,
): readonly GroupRecord[] {
  if (nullsIn(body).includes('node_groups')) return [];
  return body.node_groups === undefined
    ? (template?.node_groups ?? []).map((group) => ({ ...group, id: createId(service.random) }))
    : expandGroups(service, { tenant, owner: body }, body.node_groups);
}

/** The cluster as the request and its template describe it, without machines. Everything but the quota is checked, in the order of upstream. */
export function describeCluster(service: Service, order: StartOrder): ClusterRecord {
  const { clock, catalog } = service;
  const { tenant, body } = order;
  const template = findTemplate(service, order);
  const now = timestamp(clock);
  const nulls = nullsIn(body).map((name) => [name, undefined] as const);
  const described = {
    id: createFreshId(service, 'clusters', tenant),
    status: '',
    info: {},
    ...fill(inherited(service, { ...template, ...Object.fromEntries(nulls) }), body),
    ...noted(nullsOfCluster(body, template)),
    ...(template === undefined ? {} : { cluster_template_id: template.id }),
    cluster_configs: mergeConfigs(template?.cluster_configs ?? {}, body.cluster_configs ?? {}),
    created_at: now,
    updated_at: now,
  };
  checkImageOf(service, order, template);
  const plugin = findVersion(catalog, body.plugin_name, body.bigdata_version);
  checkConfigs(plugin, described.cluster_configs);
  const groups = groupsOf(service, order, template);
  checkProcesses(plugin, described.anti_affinity);
  checkHostNames(body.name, groups);
  checkNetwork(service, order, template);
  return { ...described, node_groups: groups.map((group) => asClusterGroup(group, now)) };
}

/** Upstream has stored the row before it looks at the quota, and leaves it behind. */
function checkRoom({ dialect, catalog, store, lifecycle }: Service, tenant: string, cluster: ClusterRecord): void {
  const wanted = wantedMachines(cluster.node_groups);
  const refusal = findQuotaProblem(catalog, store.list('clusters', tenant), wanted);
  if (refusal === undefined) return;
  if (dialect !== 'neutral')
    lifecycle.keep(tenant, { ...cluster, status: 'Error', status_description: refusal.message });
  throw refusal;
}

export function beginCluster(service: Service, tenant: string, cluster: ClusterRecord): ClusterRecord {
  const { dialect, lifecycle, clock, random } = service;
  checkRoom(service, tenant, cluster);
  const begun = lifecycle.begin(cluster, { operation: 'start' });
  // Section 4.5: the answer lists the instances. Upstream's lists none.
  const listed = dialect === 'neutral' ? nameMachines(begun, timestamp(clock), () => createId(random)) : begun;
  return lifecycle.keep(tenant, listed);
}

export function createCluster(service: Service, call: StartRequest): ClusterRecord {
  const { dialect } = service;
  const { tenant } = call;
  const body = readBody(dialect, bodySchemas(dialect).clusterCreate, call.body);
  checkNameFree(service, 'clusters', { tenant, name: body.name });
  return beginCluster(service, tenant, describeCluster(service, { tenant, body }));
}

/** What upstream leaves behind when a check fails after it has stored the row: the name in use, and no machines. */
export function leaveErrorRow(service: Service, call: { readonly tenant: string; readonly body: unknown }): void {
  const { node_groups, ...cluster } = createCluster(service, call);
  const empty = node_groups.map((group) => ({ ...group, instances: [] }));
  const status_description = 'cannot create cluster: a check failed';
  const row = { ...cluster, node_groups: empty, status: 'Error', status_description, work: undefined };
  service.lifecycle.keep(call.tenant, row);
}
