// Clusters on the wire, and the request that scales them: sections 2 and 4.5 of the interface.
import { z } from 'zod';
import { boundedList } from './bounds.ts';
import { readInfo } from './cluster-info.ts';
import { type ReportedLoads, readLoad } from './cluster-load.ts';
import { groupAttributes, lateClusterOptions, nodeGroupRequest } from './cluster-template.ts';
import { answer, configs, type Immutable, isRecord, keypairName, longList, recordId, resourceName } from './common.ts';

/** Host names have the form <cluster>-<group>-<number>. Services limit cluster and longest group together to this many letters. */
export const hostNameLimit = 49;

/** One machine. Its addresses appear later than its other fields. */
const instance = z.object({
  instance_name: z.string().optional(),
  instance_id: z.string().optional(),
  internal_ip: z.string().optional(),
  management_ip: z.string().optional(),
});

const { name, count, node_group_template_id } = groupAttributes;
const clusterNodeGroup = z.object({ name, count, node_group_template_id, instances: longList(instance).optional() });
export type ClusterNodeGroup = Immutable<z.infer<typeof clusterNodeGroup>>;

/** The load is read apart from the addresses in `info`, because it changes all the time. */
const withLoad = (row: unknown): unknown => {
  if (!isRecord(row)) return row;
  const { load: _other, ...fields } = row;
  const load = isRecord(fields['info']) ? readLoad(fields['info']['Load']) : undefined;
  return load === undefined ? fields : { ...fields, load };
};

/**
 * A cluster as answered, with only the fields that are used, because there can be thousands. The set of statuses is open (section 3). A row before
 * its first status reads as `undefined`.
 */
export const cluster = answer(
  {
    id: z.string(),
    name: z.string(),
    status: z.string().default('undefined'),
    status_description: z.string().optional(),
    info: z.record(z.string(), z.unknown()).transform(readInfo).optional(),
    load: z.custom<ReportedLoads>().optional(),
    plugin_name: z.string().optional(),
    bigdata_version: z.string().optional(),
    cluster_template_id: z.string().optional(),
    /** A scale is under way, and another one would replace it. Services without this field refuse to scale a cluster that is not Active. */
    accepts_scale: z.boolean().optional(),
    node_groups: longList(clusterNodeGroup).optional(),
  },
  withLoad,
);
export type Cluster = Immutable<z.infer<typeof cluster>>;

/** Body of POST: creates a cluster. The capabilities of a dialect determine which fields it accepts. */
export const clusterCreate = z.strictObject({
  name: resourceName,
  plugin_name: z.string().min(1),
  bigdata_version: z.string().min(1),
  cluster_template_id: recordId.optional(),
  default_image_id: recordId.optional(),
  user_keypair_id: keypairName.optional(),
  cluster_configs: configs.optional(),
  anti_affinity: boundedList(z.string()).optional(),
  node_groups: boundedList(nodeGroupRequest).optional(),
  description: z.string().optional(),
  network_management_network: recordId.optional(),
  is_transient: z.boolean().optional(),
  ...lateClusterOptions,
});
export type ClusterCreate = Immutable<z.infer<typeof clusterCreate>>;

/** Body of PUT with added groups of this form. */
export const clusterScaleAdding = (group: typeof nodeGroupRequest) =>
  z
    .strictObject({
      resize_node_groups: boundedList(z.strictObject({ name: z.string(), count: z.int().min(0) }))
        .min(1)
        .optional(),
      add_node_groups: boundedList(group).optional(),
    })
    .refine((body) => body.resize_node_groups !== undefined || body.add_node_groups !== undefined, {
      error: 'has neither resize_node_groups nor add_node_groups',
    });

/** Body of PUT: resizes groups, adds groups, or both. */
export const clusterScale = clusterScaleAdding(nodeGroupRequest);
export type ClusterScale = Immutable<z.infer<typeof clusterScale>>;
