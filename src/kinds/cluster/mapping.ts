// Cluster between YAML and the wire: what is sent to start and to scale one, and what its state means. PURE.
import type { Spec } from '../../api/definition.ts';
import type { Desired, Given, Health, Reference } from '../../reconcile/kind.ts';
import type { Cluster, ClusterCreate, ClusterScale } from '../../wire/cluster.ts';
import type { ClusterTemplate, NodeGroupRequest } from '../../wire/cluster-template.ts';
import type { Configs } from '../../wire/common.ts';
import { capabilities, type Dialect } from '../../wire/dialect.ts';
import { cleanText } from '../../wire/error-shapes.ts';
import { checkGroups, copiedGroup, type GroupSpec, groupReferences, groupRequest, settled } from '../node-groups.ts';
import { type GroupDiff, isDescribed, sourceOf, wantedGroups } from './groups.ts';
import type { cluster } from './schema.ts';

export type ClusterSpec = Spec<typeof cluster>;

// --- references and checks -----------------------------------------------------------------------------------------------

export function templateReference(spec: ClusterSpec): Reference | undefined {
  if (!spec.clusterTemplateRef) return undefined;
  return { field: 'spec.clusterTemplateRef', kind: 'ClusterTemplate', name: spec.clusterTemplateRef.name };
}

export function references(spec: ClusterSpec): readonly Reference[] {
  const template = templateReference(spec);
  return [...(template ? [template] : []), ...groupReferences(spec.nodeGroups ?? [])];
}

export function templateID(spec: ClusterSpec, idOf: (reference: Reference) => string): string | undefined {
  const reference = templateReference(spec);
  return reference ? idOf(reference) : spec.clusterTemplateID;
}

function templateOf(spec: ClusterSpec, given: Given): ClusterTemplate | undefined {
  const id = templateID(spec, given.idOf);
  return id === undefined ? undefined : (given.remote('clusterTemplates', id) as ClusterTemplate | undefined);
}

export function check(spec: ClusterSpec, dialect: Dialect): string | undefined {
  const can = capabilities(dialect);
  const template = spec.clusterTemplateRef ?? spec.clusterTemplateID;
  if (spec.networkManagementNetwork !== undefined && !can.startNetwork && template === undefined) {
    return `spec.networkManagementNetwork: the start request of this service has no such field (dialect ${dialect}): put it into a ClusterTemplate and refer to that`;
  }
  if (can.startNeedsKeypair && spec.userKeypairID === undefined) {
    return `spec.userKeypairID: this service (dialect ${dialect}) needs a key pair to start a cluster: add one`;
  }
  return checkGroups(spec.nodeGroups ?? [], dialect);
}

/** What can be told only with the template at hand. */
export function checkCreate(spec: ClusterSpec, given: Given): string | undefined {
  const template = templateOf(spec, given);
  const groups = wantedGroups(spec, baselineOf(template));
  if (typeof groups === 'string') return groups;
  if (imageOf(spec, template, given) === undefined) {
    return 'spec.defaultImageID: there is an image neither here nor in the ClusterTemplate: add one of both';
  }
  const network = spec.networkManagementNetwork ?? template?.network_management_network;
  if (
    network !== undefined &&
    template &&
    mustMerge(spec, given.dialect) &&
    !capabilities(given.dialect).startNetwork
  ) {
    return `spec.nodeGroups: the ClusterTemplate names a network, and this service (dialect ${given.dialect}) cannot start a cluster in it with other groups than the template's: put the groups into a ClusterTemplate`;
  }
  if (
    network === undefined ||
    capabilities(given.dialect).startNetwork ||
    network === template?.network_management_network
  )
    return undefined;
  return `spec.networkManagementNetwork: the start request of this service has no such field (dialect ${given.dialect}): remove it, or put the same network into the ClusterTemplate`;
}

/** The cluster's own image; else the one of the template, which some dialects hold back for the start request. */
function imageOf(spec: ClusterSpec, template: ClusterTemplate | undefined, given: Given): string | undefined {
  const reference = templateReference(spec);
  const held =
    reference && (given.resourceOf(reference).spec as { defaultImageID?: string } | undefined)?.defaultImageID;
  return spec.defaultImageID ?? held ?? template?.default_image_id;
}

// --- start ---------------------------------------------------------------------------------------------------------------

function baselineOf(template: ClusterTemplate | undefined) {
  return template?.node_groups?.map(({ name, count, node_group_template_id: id }) => ({
    name,
    count,
    ...(id === undefined ? {} : { nodeGroupTemplateId: id }),
  }));
}

export function longestGroup(spec: ClusterSpec, given: Given): number {
  const groups = wantedGroups(spec, baselineOf(templateOf(spec, given)));
  return typeof groups === 'string' ? 0 : Math.max(0, ...[...groups.keys()].map((name) => name.length));
}

export function desired(spec: ClusterSpec, given: Given): Desired<ClusterCreate> {
  const template = templateOf(spec, given);
  const baseline = baselineOf(template);
  const own = (spec.nodeGroups ?? []).filter(isDescribed);
  const madeFrom = Object.fromEntries(own.map((entry) => [entry.name, sourceOf(entry)]));
  const body = {
    name: given.externalName,
    plugin_name: spec.pluginName ?? template?.plugin_name ?? '',
    bigdata_version: spec.bigdataVersion ?? template?.bigdata_version ?? '',
    ...settled({ user_keypair_id: spec.userKeypairID, default_image_id: imageOf(spec, template, given) }),
    ...startFields(spec, template, given),
  };
  return { body, ...(baseline ? { baseline } : {}), madeFrom };
}

/** The dialect takes a template or groups, not both: entries of the cluster's own are then merged into the template's groups here. */
function mustMerge(spec: ClusterSpec, dialect: Dialect): boolean {
  return (spec.nodeGroups ?? []).length > 0 && !capabilities(dialect).startTemplateWithGroups;
}

/** Without entries of its own the cluster is its template; with them all groups are sent, and some dialects then want no template. */
function startFields(spec: ClusterSpec, template: ClusterTemplate | undefined, given: Given) {
  const can = capabilities(given.dialect);
  const id = templateID(spec, given.idOf);
  const overridden = (spec.nodeGroups ?? []).length > 0;
  const merge = template !== undefined && mustMerge(spec, given.dialect);
  return settled({
    cluster_template_id: merge ? undefined : id,
    node_groups: overridden ? startGroups(spec, template, given) : undefined,
    cluster_configs: merge
      ? mergedConfigs(template.cluster_configs as Configs | undefined, spec.clusterConfigs)
      : spec.clusterConfigs,
    anti_affinity: spec.antiAffinity ?? (merge ? template.anti_affinity : undefined),
    description: can.startDescription ? spec.description : undefined,
    network_management_network: can.startNetwork ? spec.networkManagementNetwork : undefined,
  });
}

function startGroups(
  spec: ClusterSpec,
  template: ClusterTemplate | undefined,
  given: Given,
): readonly NodeGroupRequest[] {
  const wanted = wantedGroups(spec, baselineOf(template));
  if (typeof wanted === 'string') throw new Error(`cannot start a cluster: ${wanted}`);
  const originals = new Map((template?.node_groups ?? []).map((group) => [group.name, group]));
  return [...wanted.values()].flatMap((group) => {
    if (group.entry) return groupRequest(group.entry, given.idOf);
    const original = originals.get(group.name);
    return original ? copiedGroup(original, group.count) : [];
  });
}

/** Key by key, the cluster's own last. */
function mergedConfigs(template: Configs | undefined, own: Configs | undefined): Configs | undefined {
  if (!template || !own) return own ?? template;
  const targets = [...new Set([...Object.keys(template), ...Object.keys(own)])];
  return Object.fromEntries(targets.map((target) => [target, { ...template[target], ...own[target] }]));
}

// --- scale ---------------------------------------------------------------------------------------------------------------

export function change(diff: GroupDiff, given: Given): ClusterScale {
  const add = diff.add.map((group): NodeGroupRequest => {
    if (group.entry) return groupRequest(group.entry as GroupSpec, given.idOf);
    return {
      name: group.name,
      count: group.count,
      node_group_template_id: group.templateGroup?.nodeGroupTemplateId ?? '',
    };
  });
  return {
    ...(diff.resize.length > 0 ? { resize_node_groups: diff.resize } : {}),
    ...(add.length > 0 ? { add_node_groups: add } : {}),
  };
}

// --- state ---------------------------------------------------------------------------------------------------------------

// The set of words is open (section 3 of the interface); these are known, and any other one is work in progress:
//   Active -> ready · Error -> failed · Deleting -> deleting · unknown -> in progress, shown in status.externalStatus
export function health(remote: Cluster): Health {
  const message = remote.status_description ? cleanText(remote.status_description) : '';
  switch (remote.status) {
    case 'Active':
      return { state: 'ready', ...(message ? { message } : {}) };
    case 'Error':
      return { state: 'failed', message: message || 'it gave no reason' };
    case 'Deleting':
      return { state: 'deleting' };
    default:
      return { state: 'busy' };
  }
}

export function mentions(remote: Cluster) {
  const groups = (remote.node_groups ?? []).flatMap((group) => group.node_group_template_id ?? []);
  const template = remote.cluster_template_id;
  return [
    ...(template === undefined ? [] : [{ route: 'clusterTemplates', id: template } as const]),
    ...groups.map((id) => ({ route: 'nodeGroupTemplates', id }) as const),
  ];
}
