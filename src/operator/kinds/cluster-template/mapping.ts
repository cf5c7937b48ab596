// ClusterTemplate between YAML and the wire. PURE.
import type { ClusterTemplate, ClusterTemplateCreate } from '../../../wire/cluster-template.ts';
import { capabilities, type Dialect } from '../../../wire/dialect.ts';
import { cleanWord } from '../../../wire/errors/shapes.ts';
import type { Spec } from '../../api/definition.ts';
import type { ResourceReference } from '../../reconcile/kind/kind.ts';
import { asSet, groupContent, groupRequest, settled } from '../node-groups.ts';
import type { clusterTemplate } from './schema.ts';

export type ClusterTemplateSpec = Spec<typeof clusterTemplate>;

export const content = (spec: ClusterTemplateSpec, hashOf: (reference: ResourceReference) => string): unknown => {
  const groups = [...spec.nodeGroups].sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    plugin_name: spec.pluginName,
    bigdata_version: spec.bigdataVersion,
    cluster_configs: spec.clusterConfigs,
    anti_affinity: asSet(spec.antiAffinity),
    network_management_network: spec.networkManagementNetwork,
    default_image_id: spec.defaultImageID,
    node_groups: groups.map((group) => groupContent(group, hashOf)),
  };
};

/** The image is left out where the dialect's template has no such field: clusters send it in their start request. */
export const body = (
  spec: ClusterTemplateSpec,
  name: string,
  how: { readonly dialect: Dialect; readonly idOf: (reference: ResourceReference) => string },
): ClusterTemplateCreate => {
  const image = capabilities(how.dialect).templateImage ? spec.defaultImageID : undefined;
  return {
    name,
    plugin_name: spec.pluginName,
    bigdata_version: spec.bigdataVersion,
    node_groups: spec.nodeGroups.map((group) => groupRequest(group, how.idOf)),
    ...settled({
      description: spec.description,
      cluster_configs: spec.clusterConfigs,
      anti_affinity: spec.antiAffinity,
      network_management_network: spec.networkManagementNetwork,
      default_image_id: image,
    }),
  };
};

export const report = (remote: ClusterTemplate): Readonly<Record<string, unknown>> =>
  settled({ pluginName: cleanWord(remote.plugin_name), bigdataVersion: cleanWord(remote.bigdata_version) });

export const mentions = (remote: ClusterTemplate) => {
  const ids = (remote.node_groups ?? []).flatMap((group) => group.node_group_template_id ?? []);
  return ids.map((id) => ({ route: 'nodeGroupTemplates', id }) as const);
};
