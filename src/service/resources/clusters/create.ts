// Creating clusters: section 4.5 of the interface. The lifecycle does the rest.
import type { ClusterCreate } from '../../../wire/cluster.ts';
import { checkConfigs, checkProcesses, findVersion } from '../../model/catalog/catalog.ts';
import {
  checkDistinct,
  checkHostNames,
  checkNameFree,
  checkShape,
  findQuotaProblem,
  resolve,
} from '../../model/checks/request-checks.ts';
import { createId, timestamp } from '../../model/records/identifiers.ts';
import { nameMachines } from '../../model/records/machines.ts';
import type {
  ClusterGroupRecord,
  ClusterRecord,
  ClusterTemplateRecord,
  GroupRecord,
} from '../../model/records/records.ts';
import { Refusal } from '../../model/refusal.ts';
import { bodySchemas, readBody } from '../bodies/bodies.ts';
import { nullFieldsIn, recordNulls } from '../bodies/null-fields.ts';
import type { Call } from '../endpoints/endpoint.ts';
import { checkImageFor } from '../images/images.ts';
import { createFreshId, type Service } from '../service.ts';
import { fill, mergeConfigs } from '../templates/expansion.ts';
import { expandGroups } from '../templates/templates.ts';
import { checkPlan } from './plan-check.ts';

export const wantedMachines = (groups: readonly { readonly count: number }[]): number =>
  groups.reduce((sum, group) => sum + Math.max(group.count, 0), 0);

export const asClusterGroup = (group: GroupRecord, now: string): ClusterGroupRecord => ({
  ...group,
  created: now,
  updated: now,
  instances: [],
});

/** The fields that come from the template unless the request has them. Section 4.5 does not list the description. */
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

/** A field that is sent as null does not come from the template, but counts as given for the checks. Configurations are merged. */
function nullFieldsOfCluster(body: ClusterCreate, template: ClusterTemplateRecord | undefined): readonly string[] {
  const own = nullFieldsIn(body);
  const others = (template?.nulls ?? []).filter((name) => !Object.hasOwn(body, name));
  return [...own, ...others].filter((name) => name !== 'cluster_configs');
}

type StartRequest = Pick<Call, 'tenant' | 'body'>;
interface StartOrder {
  readonly tenant: string;
  readonly body: ClusterCreate;
}

/** The template of the cluster. Throws unless its plugin exists and its groups fit the name. */
function findTemplate(service: Service, { tenant, body }: StartOrder): ClusterTemplateRecord | undefined {
  const { catalog, store } = service;
  const plugin = findVersion(catalog, body.plugin_name, body.bigdata_version);
  const { cluster_template_id: id, node_groups = [] } = body;
  const template = id === undefined ? undefined : resolve(store, 'clusterTemplates', { tenant, id }, 'unknownTemplate');
  if (template === undefined || node_groups.length > 0) return template;
  // Earlier releases stored templates whose groups were not checked.
  checkDistinct(template.node_groups);
  for (const group of template.node_groups) checkShape({ catalog, tenant }, plugin, group);
  checkHostNames(body.name, template.node_groups);
  return template;
}

function checkImageOf(
  service: Service,
  { tenant, body }: StartOrder,
  template: ClusterTemplateRecord | undefined,
): void {
  const id = body.default_image_id ?? template?.default_image_id;
  if (id === undefined) throw Refusal.by('noImage', 'cannot start cluster: default_image_id is not given');
  checkImageFor(service, { tenant, id }, body);
}

/** Late upstream requires the network in the request or in the template. Section 4.5 does not list it. */
function checkNetwork({ dialect }: Service, { body }: StartOrder, template: ClusterTemplateRecord | undefined): void {
  if (dialect !== 'sahara' || (body.network_management_network ?? template?.network_management_network)) return;
  throw Refusal.by('noNetwork', 'cannot start cluster: neutron_management_network is not given');
}

/** The groups of the request, or else those of the template. */
function groupsOf(
  service: Service,
  { tenant, body }: StartOrder,
  template: ClusterTemplateRecord | undefined,
): readonly GroupRecord[] {
  if (nullFieldsIn(body).includes('node_groups')) return [];
  return body.node_groups === undefined
    ? (template?.node_groups ?? []).map((group) => ({ ...group, id: createId(service.random) }))
    : expandGroups(service, { tenant, owner: body }, body.node_groups);
}

/** The cluster as the request and its template describe it, without machines. Checks everything except the quota, in the order of upstream. */
function describeCluster(service: Service, order: StartOrder): ClusterRecord {
  const { clock, catalog } = service;
  const { tenant, body } = order;
  const template = findTemplate(service, order);
  const now = timestamp(clock);
  const nulls = nullFieldsIn(body).map((name) => [name, undefined] as const);
  const described = {
    id: createFreshId(service, 'clusters', tenant),
    status: '',
    info: {},
    ...fill(inherited(service, { ...template, ...Object.fromEntries(nulls) }), body),
    ...recordNulls(nullFieldsOfCluster(body, template)),
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
  const cluster = { ...described, node_groups: groups.map((group) => asClusterGroup(group, now)) };
  checkPlan(service, cluster);
  return cluster;
}

/** Upstream stores the row before it checks the quota, and leaves it behind. */
function checkRoom({ dialect, catalog, store, lifecycle }: Service, tenant: string, cluster: ClusterRecord): void {
  const wanted = wantedMachines(cluster.node_groups);
  const refusal = findQuotaProblem(catalog, store.list('clusters', tenant), wanted);
  if (refusal === undefined) return;
  if (dialect !== 'neutral')
    lifecycle.keep(tenant, { ...cluster, status: 'Error', status_description: refusal.message });
  throw refusal;
}

function beginCluster(service: Service, tenant: string, cluster: ClusterRecord): ClusterRecord {
  const { dialect, lifecycle, clock, random } = service;
  checkRoom(service, tenant, cluster);
  const begun = lifecycle.begin(cluster, { operation: 'start' });
  // Section 4.5: the answer lists the instances. Upstream does not list them.
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
