// Cluster templates on the wire, and the node groups that clusters share with them: sections 2 and 4.4 of the interface.
import { z } from 'zod';
import { boundedList } from './bounds.ts';
import {
  access,
  answer,
  configs,
  earlyResourceName,
  type Immutable,
  lenientConfigs,
  lenientInteger,
  nodeProcesses,
  recordId,
  resourceFields,
  resourceName,
} from './common.ts';
import { nodeAttributes, nodeOptions, share } from './node-group-template.ts';

/** Fields of a node group in answers. A referenced template is expanded. `count` has no bounds on real services. */
export const groupAttributes = {
  name: z.string(),
  count: lenientInteger,
  node_group_template_id: z.string().optional(),
  ...nodeAttributes,
};

export const nodeGroup = z.object(groupAttributes);
export type NodeGroup = Immutable<z.infer<typeof nodeGroup>>;

const groupRequestNamed = (name: z.ZodString) =>
  z
    .strictObject({
      name,
      count: z.int(),
      node_group_template_id: recordId.optional(),
      flavor_id: z.string().min(1).optional(),
      node_processes: nodeProcesses.optional(),
      description: z.string().optional(),
      ...nodeOptions,
      ...access,
    })
    .refine(
      (group) =>
        group.node_group_template_id !== undefined ||
        (group.flavor_id !== undefined && group.node_processes !== undefined),
      { error: 'has neither node_group_template_id nor both flavor_id and node_processes' },
    );

/**
 * A node group in requests: either with a template, or with its own flavor and processes. Access fields and the description are accepted and ignored.
 */
export const nodeGroupRequest = groupRequestNamed(resourceName);
export const earlyNodeGroupRequest = groupRequestNamed(earlyResourceName);
export type NodeGroupRequest = Immutable<z.infer<typeof nodeGroupRequest>>;

export const clusterTemplate = answer({
  ...resourceFields,
  plugin_name: z.string().optional(),
  bigdata_version: z.string().optional(),
  cluster_configs: lenientConfigs.optional(),
  anti_affinity: z.array(z.string()).optional(),
  network_management_network: z.string().optional(),
  default_image_id: z.string().optional(),
  node_groups: z.array(nodeGroup).optional(),
});
export type ClusterTemplate = Immutable<z.infer<typeof clusterTemplate>>;

/** Fields of a whole cluster that only late releases accept. */
export const lateClusterOptions = {
  shares: boundedList(share).optional(),
  use_autoconfig: z.boolean().optional(),
  domain_name: z.string().optional(),
  ...access,
};

/** Body of POST. `default_image_id` is not a field of the interface's template: see the capabilities of the dialect. */
export const clusterTemplateCreate = z.strictObject({
  name: resourceName,
  plugin_name: z.string().min(1),
  bigdata_version: z.string().min(1),
  description: z.string().optional(),
  cluster_configs: configs.optional(),
  anti_affinity: boundedList(z.string()).optional(),
  network_management_network: recordId.optional(),
  default_image_id: recordId.optional(),
  node_groups: boundedList(nodeGroupRequest).optional(),
  ...lateClusterOptions,
});
export type ClusterTemplateCreate = Immutable<z.infer<typeof clusterTemplateCreate>>;
