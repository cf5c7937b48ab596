// Node groups between YAML and the wire, shared by ClusterTemplate and Cluster. PURE.
import type { z } from 'zod';
import type { NodeGroup, NodeGroupRequest } from '../../wire/cluster-template.ts';
import { capabilities, type Dialect, dialectName } from '../../wire/dialect.ts';
import type { nodeGroupList } from '../api/node-group.ts';
import type { ResourceReference } from '../reconcile/kind/kind.ts';

/** A list whose order means nothing, for hashing. */
export const asSet = (list: readonly string[] | undefined): readonly string[] | undefined =>
  list && [...new Set(list)].sort();

/** An entry of spec.nodeGroups. */
export type GroupSpec = z.output<ReturnType<typeof nodeGroupList>>[number];

export const groupReference = (group: GroupSpec): ResourceReference | undefined => {
  if (!group.nodeGroupTemplateRef) return undefined;
  return {
    field: `spec.nodeGroups[${group.name}].nodeGroupTemplateRef`,
    kind: 'NodeGroupTemplate',
    name: group.nodeGroupTemplateRef.name,
  };
};

export const groupReferences = (groups: readonly GroupSpec[]): readonly ResourceReference[] =>
  groups.flatMap((group) => groupReference(group) ?? []);

/** The fields that the user set; what is unset is left to the service. */
export const settled = <T extends object>(fields: T): { readonly [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };

/** A node's own attributes in the interface's words. */
export const nodeAttributes = (group: Omit<GroupSpec, 'name' | 'count'>) =>
  settled({
    flavor_id: group.flavorID,
    node_processes: group.nodeProcesses,
    node_configs: group.nodeConfigs,
    floating_ip_pool: group.floatingIPPool,
    volumes_per_node: group.volumesPerNode,
    volumes_size: group.volumesSize,
    volume_mount_prefix: group.volumeMountPrefix,
  });

/** An entry with its own nodes or a template, as a request carries it. */
export const groupRequest = (group: GroupSpec, idOf: (reference: ResourceReference) => string): NodeGroupRequest => {
  const { name, count } = group;
  const reference = groupReference(group);
  const id = reference ? idOf(reference) : group.nodeGroupTemplateID;
  if (id !== undefined) return { name, count, node_group_template_id: id };
  return { name, count, ...nodeAttributes(group) } as NodeGroupRequest;
};

/** A group of a template as answered, as a request that makes the same group. */
export const copiedGroup = (group: NodeGroup, count: number): NodeGroupRequest => {
  const { name, node_group_template_id: id } = group;
  if (id !== undefined) return { name, count, node_group_template_id: id };
  const {
    flavor_id,
    node_processes,
    node_configs,
    floating_ip_pool,
    volumes_per_node,
    volumes_size,
    volume_mount_prefix,
  } = group;
  // A size without volumes is a default of the service, and some services refuse their own zero.
  const volumes = volumes_per_node ? { volumes_per_node, volumes_size, volume_mount_prefix } : {};
  return settled({
    name,
    count,
    flavor_id,
    node_processes,
    node_configs,
    floating_ip_pool,
    ...volumes,
  }) as NodeGroupRequest;
};

/** For the content hash: the hash of the referent stands in for a reference, and lists that mean sets are sorted. */
export const groupContent = (group: GroupSpec, hashOf: (reference: ResourceReference) => string): unknown => {
  const reference = groupReference(group);
  return {
    name: group.name,
    count: group.count,
    node_group_template: reference && hashOf(reference),
    node_group_template_id: group.nodeGroupTemplateID,
    ...nodeAttributes(group),
    node_processes: asSet(group.nodeProcesses),
  };
};

/** What the dialect's node groups cannot express. `within`: the path of the group that refers to the template. */
export const checkGroups = (groups: readonly GroupSpec[], dialect: Dialect, within = ''): string | undefined => {
  const pooled = groups.find((group) => group.floatingIPPool !== undefined);
  if (!pooled || capabilities(dialect).inlineFloatingIPPool) return undefined;
  return `spec.nodeGroups[${pooled.name}].floatingIPPool: the node groups of this service have none (dialect ${dialectName(dialect)}): put it into a NodeGroupTemplate and refer to that${within}`;
};

/** Config maps of the entries, by path in spec. */
export const groupConfigs = (groups: readonly GroupSpec[]): Readonly<Record<string, unknown>> => {
  const inline = groups.filter((group) => group.flavorID !== undefined);
  return Object.fromEntries(inline.map((group) => [`nodeGroups[${group.name}].nodeConfigs`, group.nodeConfigs]));
};
