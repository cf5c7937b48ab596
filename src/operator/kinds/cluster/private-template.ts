// The private template of a Cluster whose name the user has fixed.
import type { ClusterTemplateCreate } from '../../../wire/cluster-template.ts';
import type { Configs } from '../../../wire/common.ts';
import { capabilities } from '../../../wire/dialect.ts';
import { routes } from '../../../wire/routes.ts';
import type { MappingContext, PrivateKind } from '../../reconcile/kind/kind.ts';
import { asSet, settled } from '../node-groups.ts';
import { imageOf, mergedConfigs, startGroups, templateOf } from './mapping.ts';
import type { ClusterSpec } from './schema.ts';

export const privateTemplate: PrivateKind = {
  definition: { kind: 'Private template' },
  route: 'clusterTemplates',
  identity: 'private',
  body: (spec, given) => bodyOf(spec as ClusterSpec, given),
  remedy: () => undefined,
  invalid: () => undefined,
  health: () => ({ state: 'ready' }),
  create: (service, body, permit) => service.create(routes.clusterTemplates, body as ClusterTemplateCreate, permit),
};

/** Everything that the cluster is made of, as a template that no other cluster is started from. */
const bodyOf = (spec: ClusterSpec, given: MappingContext): ClusterTemplateCreate => {
  const template = templateOf(spec, given);
  const can = capabilities(given.dialect);
  const groups = [...startGroups(spec, template, given)].sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    name: given.externalName,
    plugin_name: spec.pluginName ?? template?.plugin_name ?? '',
    bigdata_version: spec.bigdataVersion ?? template?.bigdata_version ?? '',
    description: `Of the cluster ${spec.name} alone: the operator that started it deletes this with it.`,
    node_groups: groups,
    ...settled({
      cluster_configs: mergedConfigs(template?.cluster_configs as Configs | undefined, spec.clusterConfigs),
      anti_affinity: asSet(spec.antiAffinity ?? template?.anti_affinity),
      network_management_network: spec.networkManagementNetwork ?? template?.network_management_network,
      default_image_id: can.templateImage ? imageOf(spec, template, given) : undefined,
    }),
  };
};
