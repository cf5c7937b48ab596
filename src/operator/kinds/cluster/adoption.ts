// Taking over a cluster that exists: what has to be equal, and what it counts as made from. PURE.
import type { Cluster } from '../../../wire/cluster.ts';
import { capabilities } from '../../../wire/dialect.ts';
import type { Baseline, MappingContext } from '../../reconcile/kind/kind.ts';
import { type GroupSpec, groupRequest, settled } from '../node-groups.ts';
import { isDescribed, sourceOf } from './groups.ts';
import { imageReference, mustMerge, templateID } from './mapping.ts';
import type { ClusterSpec } from './schema.ts';

const described = (spec: ClusterSpec): readonly GroupSpec[] => (spec.nodeGroups ?? []).filter(isDescribed);

/** All but the counts, which can be changed. */
export const fixedFields = (spec: ClusterSpec, remote: Cluster, given: MappingContext) => {
  const can = capabilities(given.dialect);
  const image = imageReference(spec);
  return settled({
    plugin_name: spec.pluginName,
    bigdata_version: spec.bigdataVersion,
    // Such a cluster was started without its template.
    cluster_template_id: mustMerge(spec, given.dialect) ? undefined : templateID(spec, given.idOf),
    default_image_id: spec.defaultImageID ?? (image && given.idOf(image)),
    user_keypair_id: spec.userKeypairID,
    cluster_configs: spec.clusterConfigs,
    anti_affinity: spec.antiAffinity,
    description: can.startDescription ? spec.description : undefined,
    network_management_network: can.startNetwork ? spec.networkManagementNetwork : undefined,
    node_groups: groupsOf(spec, remote, given),
  });
};

/** With a template, the groups that the spec does not describe are those of the template. */
const groupsOf = (spec: ClusterSpec, remote: Cluster, { idOf }: MappingContext) => {
  const own = described(spec).map((group) => {
    const { count: _count, ...fixed } = groupRequest(group, idOf);
    return fixed;
  });
  return hasTemplate(spec) ? [...own, ...others(spec, remote).map(({ name }) => ({ name }))] : own;
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
