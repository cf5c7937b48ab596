// Turns requests into records: defaults, groups with templates, merged configurations (sections 2, 4.3 and 4.4). PURE.
import type { NodeGroupRequest } from '../../../wire/cluster-template.ts';
import type { Dialect } from '../../../wire/dialect.ts';
import type { ConfigMap, GroupRecord, NodeGroupTemplateRecord, NodeShape, Unset } from '../../model/records/records.ts';
import { nullFieldsIn, recordNulls } from '../bodies/null-fields.ts';

/** The defaults of attributes that the request omits. Upstream's volume size is 0 unless there are volumes. */
export const nodeDefaults = (dialect: Dialect): Omit<NodeShape, 'flavor_id' | 'node_processes'> => ({
  node_configs: {},
  volumes_per_node: 0,
  volumes_size: dialect === 'neutral' ? 10 : 0,
  volume_mount_prefix: '/volumes/disk',
});

/** The fields without those that are undefined. */
const defined = <Fields extends object>(fields: Fields): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** The fields with defaults. A field that is undefined counts as absent. */
export const fill = <
  Defaults extends object,
  Fields extends { readonly [Key in keyof Defaults]?: Defaults[Key] | undefined },
>(
  defaults: Defaults,
  fields: Fields,
) => ({ ...defaults, ...defined(fields) }) as Omit<Fields, keyof Defaults> & Defaults;

/** Merges by target and name. The second one wins. */
export function mergeConfigs(below: ConfigMap, above: ConfigMap): ConfigMap {
  const merged = Object.entries(above).map(([target, values]) => [target, { ...below[target], ...values }] as const);
  return { ...below, ...Object.fromEntries(merged) };
}

const shapeFields: Readonly<Record<keyof NodeShape, true>> = {
  flavor_id: true,
  node_processes: true,
  node_configs: true,
  volumes_per_node: true,
  volumes_size: true,
  volume_mount_prefix: true,
  floating_ip_pool: true,
  image_id: true,
  volume_type: true,
  volumes_availability_zone: true,
  volume_local_to_instance: true,
  availability_zone: true,
  security_groups: true,
  auto_security_group: true,
  is_proxy_gateway: true,
  shares: true,
  use_autoconfig: true,
};

/** Only the fields that describe the node. */
const shapeOf = <Fields extends Unset<NodeShape>>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => Object.hasOwn(shapeFields, name))) as Pick<
    Fields,
    keyof Fields & keyof NodeShape
  >;

/** The null fields of the group, and those of its template that it does not override. Configurations of both are merged, and never null. */
function nullFieldsOfGroup(group: NodeGroupRequest, template: NodeGroupTemplateRecord | undefined): readonly string[] {
  const inherited = (template?.nulls ?? []).filter((name) => !Object.hasOwn(group, name));
  const names = [...inherited, ...nullFieldsIn(group)].filter((name) => Object.hasOwn(shapeFields, name));
  return template === undefined ? names : names.filter((name) => name !== 'node_configs');
}

/** A complete group: its own fields, then those of its template, then the defaults. */
export function expandGroup(
  group: NodeGroupRequest,
  source: { readonly id: string; readonly dialect: Dialect; readonly template: NodeGroupTemplateRecord | undefined },
): GroupRecord {
  const { template, dialect, id } = source;
  // The schema guarantees that a group without a template has a flavor and processes.
  const defaults = { flavor_id: '', node_processes: [], ...nodeDefaults(dialect) };
  const below = template === undefined ? {} : shapeOf(template);
  const filled = fill<NodeShape, Unset<NodeShape>>(defaults, { ...below, ...shapeOf(group) });
  const node_configs = mergeConfigs(template?.node_configs ?? {}, filled.node_configs);
  // The identifier of the template, because a request can write it without hyphens.
  const by = template === undefined ? {} : { node_group_template_id: template.id };
  const nulls = recordNulls(nullFieldsOfGroup(group, template));
  return { id, name: group.name, count: group.count, ...by, ...filled, node_configs, ...nulls };
}
