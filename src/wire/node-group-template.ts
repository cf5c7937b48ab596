// Node group templates on the wire: sections 2 and 4.3 of the interface.
import { z } from 'zod';
import { boundedList, mostVolumes } from './bounds.ts';
import {
  access,
  answer,
  configs,
  type Immutable,
  lenientConfigs,
  lenientId,
  lenientInteger,
  mountPrefix,
  nodeProcesses,
  recordId,
  resourceFields,
  resourceName,
} from './common.ts';

/** The attributes of a node group in answers. Templates and the groups of clusters share them. */
export const nodeAttributes = {
  flavor_id: lenientId.optional(),
  node_processes: z.array(z.string()).optional(),
  node_configs: lenientConfigs.optional(),
  volumes_per_node: lenientInteger.optional(),
  volumes_size: lenientInteger.optional(),
  volume_mount_prefix: z.string().optional(),
  floating_ip_pool: z.string().optional(),
  image_id: z.string().optional(),
};

/** A shared directory of the cloud that is mounted at `path`. */
export const share = z.strictObject({
  id: recordId,
  path: z.string().nullable().optional(),
  access_level: z.enum(['rw', 'ro']).optional(),
});
export type Share = Immutable<z.infer<typeof share>>;

/** Attributes of nodes that only late releases accept. */
export const lateNodeOptions = {
  volume_type: z.string().optional(),
  volumes_availability_zone: z.string().optional(),
  volume_local_to_instance: z.boolean().optional(),
  availability_zone: z.string().optional(),
  security_groups: boundedList(z.string()).optional(),
  auto_security_group: z.boolean().optional(),
  is_proxy_gateway: z.boolean().optional(),
  shares: boundedList(share).optional(),
  use_autoconfig: z.boolean().optional(),
};

/** The optional attributes of nodes in requests. Sizes are in GiB. */
export const nodeOptions = {
  node_configs: configs.optional(),
  volumes_per_node: z.int().min(0).max(mostVolumes).optional(),
  volumes_size: z.int().min(1).optional(),
  volume_mount_prefix: mountPrefix.optional(),
  floating_ip_pool: z.string().min(1).optional(),
  image_id: recordId.optional(),
  ...lateNodeOptions,
};

export const nodeGroupTemplate = answer({
  ...resourceFields,
  plugin_name: z.string().optional(),
  bigdata_version: z.string().optional(),
  ...nodeAttributes,
});
export type NodeGroupTemplate = Immutable<z.infer<typeof nodeGroupTemplate>>;

/** Body of POST. `image_id` is not a field of the interface. Only the branded dialects accept it, and early releases have no late options. */
export const nodeGroupTemplateCreate = z.strictObject({
  name: resourceName,
  plugin_name: z.string().min(1),
  bigdata_version: z.string().min(1),
  flavor_id: z.string().min(1),
  node_processes: nodeProcesses,
  description: z.string().optional(),
  ...nodeOptions,
  ...access,
});
export type NodeGroupTemplateCreate = Immutable<z.infer<typeof nodeGroupTemplateCreate>>;
