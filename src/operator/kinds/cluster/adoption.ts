// Taking over a cluster that exists: what has to be equal, and what it counts as made from. PURE.
import type { Cluster } from '../../../wire/cluster.ts';
import type { ClusterTemplate, NodeGroupRequest } from '../../../wire/cluster-template.ts';
import type { Configs } from '../../../wire/common.ts';
import { capabilities } from '../../../wire/dialect.ts';
import type { Baseline, MappingContext, ResourceReference } from '../../reconcile/kind/kind.ts';
import { copiedGroup, type GroupSpec, groupRequest, settled } from '../node-groups.ts';
import { isDescribed, sourceOf } from './groups.ts';
import { imageReference, mergedConfigs, mustMerge, templateID, templateOf } from './mapping.ts';
import type { ClusterSpec } from './schema.ts';

const described = (spec: ClusterSpec): readonly GroupSpec[] => (spec.nodeGroups ?? []).filter(isDescribed);

/** All but the counts, which can be changed. */
export const fixedFields = (spec: ClusterSpec, remote: Cluster, given: MappingContext) => {
  const can = capabilities(given.dialect);
  const image = imageReference(spec);
  const copied = copiedTemplate(spec, remote, given);
  return settled({
    plugin_name: spec.pluginName ?? copied?.plugin_name,
    bigdata_version: spec.bigdataVersion ?? copied?.bigdata_version,
    cluster_template_id: copied ? undefined : templateID(spec, idLike(remote.cluster_template_id, given)),
    default_image_id: spec.defaultImageID ?? (image && given.idOf(image)),
    user_keypair_id: spec.userKeypairID,
    cluster_configs: mergedConfigs(copied?.cluster_configs as Configs | undefined, spec.clusterConfigs),
    anti_affinity: spec.antiAffinity ?? copied?.anti_affinity,
    description: can.startDescription ? spec.description : undefined,
    network_management_network: can.startNetwork ? spec.networkManagementNetwork : undefined,
    node_groups: groupsOf(spec, { remote, copied, given }),
  });
};

/**
 * The template whose content is compared in place of its id: the cluster names none, and would name none either if it had been
 * started for this spec. Undefined where the two have no group in common: then the missing id says it better.
 */
const copiedTemplate = (spec: ClusterSpec, remote: Cluster, given: MappingContext): ClusterTemplate | undefined => {
  if (remote.cluster_template_id !== undefined || !mustMerge(spec, given.dialect)) return undefined;
  const template = templateOf(spec, given);
  const names = new Set(template?.node_groups?.map(({ name }) => name));
  return remote.node_groups?.some(({ name }) => names.has(name)) ? template : undefined;
};

/** What runs stays in the revision that it was made from: the id of a former one is as good as that of the current one. */
const idLike =
  (found: string | undefined, { idOf, idsOf }: MappingContext) =>
  (reference: ResourceReference): string =>
    found !== undefined && idsOf(reference).includes(found) ? found : idOf(reference);

const uncounted = ({ count: _count, ...fixed }: NodeGroupRequest) => fixed;

interface Compared {
  readonly remote: Cluster;
  readonly copied: ClusterTemplate | undefined;
  readonly given: MappingContext;
}

/** Each entry must have its group. With a template, the groups that the spec does not describe are those of the template; one that is absent has count 0. */
const groupsOf = (spec: ClusterSpec, { remote, copied, given }: Compared) => {
  const ids = new Map(remote.node_groups?.map((group) => [group.name, group.node_group_template_id]));
  const own = described(spec).map((entry) => uncounted(groupRequest(entry, idLike(ids.get(entry.name), given))));
  if (!hasTemplate(spec)) return own;
  const originals = new Map(copied?.node_groups?.map((group) => [group.name, uncounted(copiedGroup(group, 0))]));
  const kept = others(spec, remote).flatMap(({ name }) => (copied ? (originals.get(name) ?? []) : { name }));
  const absent = (spec.nodeGroups ?? []).filter((entry) => !isDescribed(entry) && !ids.has(entry.name));
  return [...own, ...kept, ...absent.map(({ name }) => ({ name }))];
};

const hasTemplate = (spec: ClusterSpec): boolean =>
  spec.clusterTemplateRef !== undefined || spec.clusterTemplateID !== undefined;

const others = (spec: ClusterSpec, { node_groups: groups = [] }: Cluster) => {
  const names = new Set(described(spec).map(({ name }) => name));
  return groups.filter(({ name }) => !names.has(name));
};

/** The counts that the spec leaves open stay as they are. */
export const madeLike = (spec: ClusterSpec, remote: Cluster) => {
  const baseline: Baseline = others(spec, remote).map(({ name, count, node_group_template_id: id }) => ({
    name,
    count,
    ...(id === undefined ? {} : { nodeGroupTemplateId: id }),
  }));
  return { baseline, madeFrom: Object.fromEntries(described(spec).map((entry) => [entry.name, sourceOf(entry)])) };
};
