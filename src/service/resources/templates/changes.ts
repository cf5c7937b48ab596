// Changes of both kinds of templates, as in late upstream releases: any field of a create can be changed while no cluster depends on the template.

import { checkConfigs, checkFlavor, checkProcesses, findVersion } from '../../model/catalog/catalog.ts';
import type { PluginVersion } from '../../model/catalog/plugins.ts';
import { checkChange, failed } from '../../model/checks/access.ts';
import { checkRename, need } from '../../model/checks/checks.ts';
import { listAll } from '../../model/checks/owners.ts';
import { createId, timestamp } from '../../model/records/identifiers.ts';
import type { ClusterTemplateRecord, NodeGroupTemplateRecord } from '../../model/records/records.ts';
import { invalidReference } from '../../model/refusal.ts';
import { readChange } from '../bodies/bodies.ts';
import { changes } from '../bodies/change-bodies.ts';
import type { Call } from '../endpoints/endpoint.ts';
import { checkImageFor } from '../images/images.ts';
import type { Service } from '../service.ts';
import { applyChange, type ChangeOf, expandGroup, fill, nodeDefaults } from './expansion.ts';
import {
  checkGroupsLength,
  checkShares,
  checkVolumes,
  emptyDefinition,
  expandGroups,
  expandUnchecked,
} from './templates.ts';

type Installed = Pick<ClusterTemplateRecord, 'plugin_name' | 'bigdata_version'>;

/** The plugin and version of the template after the change. */
function installedBy({ catalog }: Service, record: Installed, change: ChangeOf<Installed>): [Installed, PluginVersion] {
  const { plugin_name = record.plugin_name, bigdata_version = record.bigdata_version } = change;
  if (change.plugin_name !== undefined && change.bigdata_version === undefined)
    throw invalidReference('cannot change plugin_name: hadoop_version has to be given with it');
  return [{ plugin_name, bigdata_version }, findVersion(catalog, plugin_name, bigdata_version)];
}

/** The clusters that were created from one of the templates. */
const clustersFrom = ({ store }: Service, templates: readonly string[]): readonly string[] =>
  listAll(store, 'clusters')
    .filter(({ record }) => templates.includes(record.cluster_template_id ?? ''))
    .map(({ record }) => record.name);

/** The cluster templates that use the template, with their groups updated. Groups keep their names and counts. */
function copyInto(service: Service, template: NodeGroupTemplateRecord): readonly ClusterTemplateRecord[] {
  const { dialect, store, random, clock } = service;
  const { id: node_group_template_id } = template;
  const using = listAll(store, 'clusterTemplates').filter(({ record }) =>
    record.node_groups.some((group) => group.node_group_template_id === node_group_template_id),
  );
  return using.map(({ record }) => ({
    ...record,
    node_groups: record.node_groups.map(({ name, count, ...group }) =>
      group.node_group_template_id === node_group_template_id
        ? expandGroup({ name, count, node_group_template_id }, { id: createId(random), dialect, template })
        : { name, count, ...group },
    ),
    updated_at: timestamp(clock),
  }));
}

/** Cluster templates that use the template change with it. Throws if clusters were created from them. */
export function changeNodeGroupTemplate(service: Service, call: Call): NodeGroupTemplateRecord {
  const { dialect, store, catalog, clock } = service;
  const kind = 'nodeGroupTemplates';
  const before = need(store, kind, call);
  const change = readChange(dialect, changes[kind], call.body);
  const [installed, plugin] = installedBy(service, before, change);
  if (change.image_id !== undefined) checkImageFor(service, { ...call, id: change.image_id }, installed);
  checkConfigs(plugin, change.node_configs ?? {});
  if (change.flavor_id !== undefined) checkFlavor(catalog, change.flavor_id);
  checkProcesses(plugin, change.node_processes ?? []);
  checkVolumes(fill({ volumes_per_node: 0, volumes_size: 0 }, change));
  checkShares(change.shares);
  checkChange(store, kind, call, change);
  const changed = {
    ...fill(nodeDefaults(dialect), applyChange(before, change)),
    updated_at: timestamp(clock),
  };
  const users = copyInto(service, changed);
  const ids = users.map(({ id }) => id);
  const clusters = clustersFrom(service, ids);
  if (clusters.length > 0)
    throw failed('update', kind, call.id, `clusters were made from templates with it: ${clusters.join(', ')}`);
  for (const { id, node_groups } of users) checkChange(store, 'clusterTemplates', { ...call, id }, { node_groups });
  for (const { node_groups } of users) checkGroupsLength(node_groups);
  checkRename(store, kind, { tenant: call.tenant, record: before }, change.name);
  store.put(kind, call.tenant, changed);
  for (const user of users) store.put('clusterTemplates', call.tenant, user);
  return changed;
}

/** If the change has groups, they replace all groups. */
export function changeClusterTemplate(service: Service, call: Call): ClusterTemplateRecord {
  const { dialect, store, clock } = service;
  const kind = 'clusterTemplates';
  const before = need(store, kind, call);
  const change = readChange(dialect, changes[kind], call.body);
  const { node_groups: groups, ...fields } = change;
  const [installed, plugin] = installedBy(service, before, change);
  if (change.default_image_id !== undefined)
    checkImageFor(service, { ...call, id: change.default_image_id }, installed);
  // Upstream checks configurations and groups only if the request names the plugin. The start of a cluster checks them in any case.
  const isChecked = change.plugin_name !== undefined;
  if (isChecked) checkConfigs(plugin, change.cluster_configs ?? {});
  checkProcesses(plugin, change.anti_affinity ?? []);
  checkShares(change.shares);
  const expand = () =>
    isChecked
      ? expandGroups(service, { tenant: call.tenant, owner: installed }, groups ?? [])
      : expandUnchecked(service, call.tenant, groups ?? []);
  const node_groups = Object.hasOwn(change, 'node_groups') ? expand() : before.node_groups;
  checkChange(store, kind, call, change);
  const clusters = clustersFrom(service, [call.id]);
  if (clusters.length > 0) throw failed('update', kind, call.id, `clusters were made from it: ${clusters.join(', ')}`);
  checkRename(store, kind, { tenant: call.tenant, record: before }, change.name);
  const changed = {
    ...fill(emptyDefinition, applyChange(before, fields)),
    node_groups,
    updated_at: timestamp(clock),
  };
  store.put(kind, call.tenant, changed);
  return changed;
}
