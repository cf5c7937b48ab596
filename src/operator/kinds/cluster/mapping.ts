// Cluster between YAML and the wire: the requests that start and scale one, and what its state means. PURE.
import type { Cluster, ClusterCreate, ClusterScale } from '../../../wire/cluster.ts';
import type { ClusterTemplate, NodeGroupRequest } from '../../../wire/cluster-template.ts';
import type { Configs } from '../../../wire/common.ts';
import { capabilities, type Dialect } from '../../../wire/dialect.ts';
import { cleanText, cutText } from '../../../wire/errors/shapes.ts';
import type { Baseline, Desired, Health, MappingContext, ResourceReference } from '../../reconcile/kind/kind.ts';
import { copiedGroup, groupReferences, groupRequest, settled } from '../node-groups.ts';
import type { GroupDiff } from './difference.ts';
import { isDescribed, sourceOf, wantedGroups } from './groups.ts';
import type { ClusterSpec } from './schema.ts';

// --- references ----------------------------------------------------------------------------------------------------------

export const templateReference = (spec: ClusterSpec): ResourceReference | undefined => {
  if (!spec.clusterTemplateRef) return undefined;
  const { name } = spec.clusterTemplateRef;
  return { field: 'spec.clusterTemplateRef', kind: 'ClusterTemplate', name, fixed: true };
};

/** An image that is registered but not tagged yet would be refused. */
export const imageReference = ({ imageRef }: ClusterSpec): ResourceReference | undefined => {
  if (!imageRef) return undefined;
  return { field: 'spec.imageRef', kind: 'ImageRegistration', name: imageRef.name, ready: true, fixed: true };
};

export const references = (spec: ClusterSpec): readonly ResourceReference[] => {
  const single = [templateReference(spec), imageReference(spec)].flatMap((one) => one ?? []);
  return [...single, ...groupReferences(spec.nodeGroups ?? [])];
};

export const templateID = (spec: ClusterSpec, idOf: (reference: ResourceReference) => string): string | undefined => {
  const reference = templateReference(spec);
  return reference ? idOf(reference) : spec.clusterTemplateID;
};

export const templateOf = (spec: ClusterSpec, given: MappingContext): ClusterTemplate | undefined => {
  const id = templateID(spec, given.idOf);
  return id === undefined ? undefined : (given.remote('clusterTemplates', id) as ClusterTemplate | undefined);
};

/** The cluster's own image, else that of the template, which some dialects leave out until the start request. */
export const imageOf = (
  spec: ClusterSpec,
  template: ClusterTemplate | undefined,
  given: MappingContext,
): string | undefined => {
  const reference = templateReference(spec);
  const held =
    reference && (given.resourceOf(reference).spec as { defaultImageID?: string } | undefined)?.defaultImageID;
  const registered = imageReference(spec);
  return spec.defaultImageID ?? (registered && given.idOf(registered)) ?? held ?? template?.default_image_id;
};

// --- start ---------------------------------------------------------------------------------------------------------------

export const baselineOf = (template: ClusterTemplate | undefined): Baseline | undefined =>
  template?.node_groups?.map(({ name, count, node_group_template_id: id }) => ({
    name,
    count,
    ...(id === undefined ? {} : { nodeGroupTemplateId: id }),
  }));

export const longestGroup = (spec: ClusterSpec, given: MappingContext): number => {
  const groups = wantedGroups(spec, { baseline: baselineOf(templateOf(spec, given)) });
  return typeof groups === 'string' ? 0 : Math.max(0, ...[...groups.keys()].map((name) => name.length));
};

export const desired = (spec: ClusterSpec, given: MappingContext): Desired<ClusterCreate> => {
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
};

/** The dialect accepts a template or groups, not both: the cluster's own entries are merged into the template's groups here. */
export const mustMerge = (spec: ClusterSpec, dialect: Dialect): boolean =>
  (spec.nodeGroups ?? []).length > 0 && !capabilities(dialect).startTemplateWithGroups;

/** Without entries of its own the cluster is its template; with them all groups are sent, and some dialects then accept no template. */
const startFields = (spec: ClusterSpec, template: ClusterTemplate | undefined, given: MappingContext) => {
  const can = capabilities(given.dialect);
  const held = {
    description: can.startDescription ? spec.description : undefined,
    network_management_network: can.startNetwork ? spec.networkManagementNetwork : undefined,
  };
  if (given.privateId !== undefined) return settled({ cluster_template_id: given.privateId, ...held });
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
    ...held,
  });
};

export const startGroups = (
  spec: ClusterSpec,
  template: ClusterTemplate | undefined,
  given: MappingContext,
): readonly NodeGroupRequest[] => {
  const wanted = wantedGroups(spec, { baseline: baselineOf(template) });
  if (typeof wanted === 'string') throw new Error(`cannot start a cluster: ${wanted}`);
  const originals = new Map((template?.node_groups ?? []).map((group) => [group.name, group]));
  return [...wanted.values()].flatMap((group) => {
    if (group.entry) return groupRequest(group.entry, given.idOf);
    const original = originals.get(group.name);
    return original ? copiedGroup(original, group.count) : [];
  });
};

/** Key by key; the cluster's own values win. */
export const mergedConfigs = (template: Configs | undefined, own: Configs | undefined): Configs | undefined => {
  if (!template || !own) return own ?? template;
  const targets = [...new Set([...Object.keys(template), ...Object.keys(own)])];
  return Object.fromEntries(targets.map((target) => [target, { ...template[target], ...own[target] }]));
};

// --- scale ---------------------------------------------------------------------------------------------------------------

export const change = (diff: GroupDiff, given: MappingContext): ClusterScale => {
  const add = diff.add.map((group): NodeGroupRequest => {
    if (group.entry) return groupRequest(group.entry, given.idOf);
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
};

// --- state ---------------------------------------------------------------------------------------------------------------

/** Words of the interface and of upstream for work in progress. */
const workWords =
  /^(undefined|Validating|InfraUpdating|Spawning|Waiting|Preparing|Configuring|Starting|Decommissioning|AwaitingTermination|Adding Instances|Deleting Instances|(Scaling|Rollback)\b.*)$/;

// The set of words is open (section 3 of the interface):
//   Active -> ready · Error -> failed · Deleting -> deleting · a word of work -> in progress · unknown -> in progress, with a message
export const health = (remote: Cluster): Health => {
  const message = remote.status_description ? cleanText(remote.status_description, []) : '';
  switch (remote.status) {
    case 'Active':
      return { state: 'ready', ...(message ? { message } : {}) };
    case 'Error':
      return { state: 'failed', message: message || 'the service gave no reason' };
    case 'Deleting':
      return { state: 'deleting' };
    default:
      if (!workWords.test(remote.status)) return { state: 'busy', message: unknownWord(remote.status) };
      // What keeps the service from going on, for example a quota.
      return { state: 'busy', ...(message ? { message } : {}), ...(remote.accepts_scale && { acceptsChange: true }) };
  }
};

/** It lists no machine at all; a cluster that the service accepted has at least begun to get some. */
export const isRemnant = ({ node_groups: groups }: Cluster): boolean =>
  groups?.every(({ instances }) => instances?.length === 0) ?? false;

const wordShown = 80;

const unknownWord = (word: string): string =>
  `the service says "${cutText(cleanText(word, []), wordShown)}", which this operator does not know; it waits for Active or Error`;

export const referencesIn = (remote: Cluster) => {
  const groups = (remote.node_groups ?? []).flatMap((group) => group.node_group_template_id ?? []);
  const template = remote.cluster_template_id;
  return [
    ...(template === undefined ? [] : [{ route: 'clusterTemplates', id: template } as const]),
    ...groups.map((id) => ({ route: 'nodeGroupTemplates', id }) as const),
  ];
};
