// The bodies of changes in late upstream releases, and the fields that null resets.
import { z } from 'zod';
import { clusterTemplateCreate } from '../../../wire/cluster-template.ts';
import { access, jobResourceName, resourceName } from '../../../wire/common.ts';
import { dataSourceCreate, jobBinaryCreate } from '../../../wire/jobs.ts';
import { lateNodeOptions, nodeGroupTemplateCreate, share } from '../../../wire/node-group-template.ts';
import type { Changeable } from './bodies.ts';
import { flavorsOf, ownFlavor } from './flavors.ts';
import { narrowed } from './narrowing.ts';
import { accessFields } from './null-fields.ts';

const changeable = <Schema extends z.ZodType>(schema: Schema, ...clearable: readonly string[]): Changeable<Schema> => ({
  schema,
  clearable: [...clearable, ...accessFields],
});

const description = z.string().optional();

export const changes = {
  nodeGroupTemplates: changeable(
    narrowed(nodeGroupTemplateCreate.partial(), ownFlavor),
    ...Object.keys(lateNodeOptions).filter((name) => name !== 'shares'),
    'description',
    'floating_ip_pool',
    'image_id',
    'node_configs',
    'volume_mount_prefix',
    'volumes_size',
  ),
  clusterTemplates: changeable(
    narrowed(clusterTemplateCreate.partial(), flavorsOf('node_groups')),
    'anti_affinity',
    'cluster_configs',
    'default_image_id',
    'description',
    'domain_name',
    'network_management_network',
    'node_groups',
    'use_autoconfig',
  ),
  clusters: changeable(
    z.strictObject({
      name: resourceName.optional(),
      description,
      shares: z.array(share).optional(),
      verification: z.strictObject({ status: z.literal('START').optional() }).optional(),
      ...access,
    }),
    'description',
  ),
  dataSources: changeable(dataSourceCreate.partial()),
  jobBinaries: changeable(jobBinaryCreate.partial()),
  jobBinaryInternals: changeable(z.strictObject({ name: jobResourceName.optional(), ...access })),
  jobs: changeable(z.strictObject({ name: jobResourceName.optional(), description, ...access }), 'description'),
  jobExecutions: changeable(
    z.strictObject({
      info: z.strictObject({ status: z.enum(['suspend', 'cancel']).optional() }).optional(),
      ...access,
    }),
  ),
};
