// How requests become records: defaults, groups by template, merged configurations (sections 2, 4.3 and 4.4). PURE.
import type { NodeGroupRequest } from '../wire/cluster-template.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { ConfigMap, GroupRecord, NodeGroupTemplateRecord, NodeShape } from './records.ts';

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
export const applyChange = <Row extends object>(record: Row, change: ChangeOf<Row>): Row =>
  defined({ ...record, ...change }) as Row;

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

function shapeOf(template: NodeGroupTemplateRecord): NodeShape {
  const { flavor_id, node_processes, node_configs, volumes_per_node, volumes_size, volume_mount_prefix } = template;
  const shape: NodeShape = {
    flavor_id,
    node_processes,
    node_configs,
    volumes_per_node,
    volumes_size,
    volume_mount_prefix,
  };
  const { floating_ip_pool, image_id } = template;
  return fill<NodeShape, Partial<NodeShape>>(shape, { floating_ip_pool, image_id });
}

/** A group with everything filled in: its own fields over those of its template over the defaults. */
export function expandGroup(
  group: NodeGroupRequest,
  source: { readonly id: string; readonly dialect: Dialect; readonly template: NodeGroupTemplateRecord | undefined },
): GroupRecord {
  const { template, dialect, id } = source;
  // A request without a template has flavor and processes: the schema sees to it.
  const below =
    template === undefined ? { flavor_id: '', node_processes: [], ...nodeDefaults(dialect) } : shapeOf(template);
  const filled = fill<NodeShape, NodeGroupRequest>(below, group);
  const node_configs = mergeConfigs(below.node_configs, filled.node_configs);
  // The identifier as the template has it: a request may write it without hyphens.
  return { ...filled, ...(template === undefined ? {} : { node_group_template_id: template.id }), node_configs, id };
}
