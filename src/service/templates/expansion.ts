// How requests become records: defaults, groups by template, merged configurations (sections 2, 4.3 and 4.4). PURE.

import type { NodeGroupRequest } from '../../wire/cluster-template.ts';
import type { Dialect } from '../../wire/dialect.ts';
import { noted, nullsIn } from '../bodies/null-fields.ts';
import type { Nulled, Unset } from '../records/access-fields.ts';
import type { ConfigMap, GroupRecord, NodeGroupTemplateRecord, NodeShape } from '../records/records.ts';

/** The attributes that a response carries when the request omits them; upstream's volume size is 0 until volumes are asked for. */
export const nodeDefaults = (dialect: Dialect): Omit<NodeShape, 'flavor_id' | 'node_processes'> => ({
  node_configs: {},
  volumes_per_node: 0,
  volumes_size: dialect === 'neutral' ? 10 : 0,
  volume_mount_prefix: '/volumes/disk',
});

/** The same without the fields that are there but undefined. */
const defined = <Fields extends object>(fields: Fields): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Any of the fields; one that is there but undefined is set back. */
export type ChangeOf<Row> = { readonly [Field in keyof Row]?: Row[Field] | undefined };

/** The record with the change in it. Only fields that have defaults, or may be missing, are ever set back. */
export function applyChange<Row extends Nulled>(record: Row, change: ChangeOf<Row>): Row {
  const { nulls = [], ...before } = record;
  const left = nulls.filter((name) => !Object.hasOwn(change, name));
  return defined({ ...before, ...change, ...noted([...left, ...nullsIn(change)]) }) as Row;
}

/** The fields over their defaults; a field that is there but undefined counts as absent. */
export const fill = <
  Defaults extends object,
  Fields extends { readonly [Key in keyof Defaults]?: Defaults[Key] | undefined },
>(
  defaults: Defaults,
  fields: Fields,
) => ({ ...defaults, ...defined(fields) }) as Omit<Fields, keyof Defaults> & Defaults;

/** Target by target and name by name; the second wins. */
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

/** What the fields say of the node, and nothing else. */
const shapeOf = <Fields extends Unset<NodeShape>>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => Object.hasOwn(shapeFields, name))) as Pick<
    Fields,
    keyof Fields & keyof NodeShape
  >;

/** Those of the group's own, and those of its template that it does not override. Configurations of both are merged, and never null. */
function nullsOfGroup(group: NodeGroupRequest, template: NodeGroupTemplateRecord | undefined): readonly string[] {
  const inherited = (template?.nulls ?? []).filter((name) => !Object.hasOwn(group, name));
  const names = [...inherited, ...nullsIn(group)].filter((name) => Object.hasOwn(shapeFields, name));
  return template === undefined ? names : names.filter((name) => name !== 'node_configs');
}

/** A group with everything filled in: its own fields over those of its template over the defaults. */
export function expandGroup(
  group: NodeGroupRequest,
  source: { readonly id: string; readonly dialect: Dialect; readonly template: NodeGroupTemplateRecord | undefined },
): GroupRecord {
  const { template, dialect, id } = source;
  // A request without a template has flavor and processes: the schema sees to it.
  const defaults = { flavor_id: '', node_processes: [], ...nodeDefaults(dialect) };
  const below = template === undefined ? {} : shapeOf(template);
  const filled = fill<NodeShape, Unset<NodeShape>>(defaults, { ...below, ...shapeOf(group) });
  const node_configs = mergeConfigs(template?.node_configs ?? {}, filled.node_configs);
  // The identifier as the template has it: a request may write it without hyphens.
  const by = template === undefined ? {} : { node_group_template_id: template.id };
  const nulls = noted(nullsOfGroup(group, template));
  return { id, name: group.name, count: group.count, ...by, ...filled, node_configs, ...nulls };
}
