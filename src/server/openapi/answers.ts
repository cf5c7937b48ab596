// Resources as they are answered, by dialect: the schemas of the interface, with all that this service tells of them. PURE.
import { z } from 'zod';
import { nodeGroup } from '../../wire/cluster-template.ts';
import { lenientConfigs } from '../../wire/common.ts';
import type { Dialect } from '../../wire/dialect.ts';
import { pluginDetail } from '../../wire/plugin.ts';
import { type RouteKey, routes } from '../../wire/routes.ts';

export type ShownKey = RouteKey | 'pluginDetail' | 'jobConfig' | 'jobTypes';

const text = z.string().optional();
const flag = z.boolean().optional();
const stamped = { created_at: text, updated_at: text };
const unstamped = { created_at: true, updated_at: true } as const;
const foreign = { floating_ip_pool: true, image_id: true } as const;
const isNeutral = (dialect: Dialect) => dialect === 'neutral';

const groupOf = (dialect: Dialect) =>
  isNeutral(dialect) ? nodeGroup.omit(foreign) : nodeGroup.extend({ id: text, ...stamped });

const machineOf = (dialect: Dialect) =>
  z.object({
    instance_name: text,
    instance_id: text,
    internal_ip: text,
    management_ip: text,
    ...(!isNeutral(dialect) && { id: text, ...stamped }),
    ...(dialect === 'sahara'
      ? { storage_devices_number: z.int().optional() }
      : { volumes: z.array(z.unknown()).optional() }),
  });

const clusterGroupOf = (dialect: Dialect) =>
  z.object({
    ...groupOf(dialect).shape,
    ...(isNeutral(dialect) && { created: text, updated: text }),
    instances: z.array(machineOf(dialect)).optional(),
  });

/** What upstream knows of all but plugins and images. */
const owned = { tenant_id: text, is_public: flag, is_protected: flag };

function nodeGroupTemplateOf(dialect: Dialect) {
  const shown = routes.nodeGroupTemplates.answer.out;
  return isNeutral(dialect) ? shown.omit({ ...unstamped, image_id: true }) : shown.extend(owned);
}

function clusterTemplateOf(dialect: Dialect) {
  const shown = routes.clusterTemplates.answer.out.extend({ node_groups: z.array(groupOf(dialect)).optional() });
  return isNeutral(dialect) ? shown.omit({ ...unstamped, default_image_id: true }) : shown.extend(owned);
}

const verification = z.object({ id: text, cluster_id: text, status: text, checks: z.array(z.unknown()), ...stamped });
const lateCluster = {
  shares: z.array(z.object({ id: z.string(), path: text, access_level: text })).optional(),
  verification: verification.optional(),
};

const clusterOf = (dialect: Dialect) =>
  z.object({
    ...routes.clusters.answer.out.shape,
    description: text,
    default_image_id: text,
    user_keypair_id: text,
    cluster_configs: lenientConfigs.optional(),
    anti_affinity: z.array(z.string()).optional(),
    node_groups: z.array(clusterGroupOf(dialect)).optional(),
    ...(!isNeutral(dialect) && { ...owned, ...stamped, network_management_network: text, is_transient: flag }),
    ...(dialect === 'sahara' && lateCluster),
  });

function imageOf(dialect: Dialect) {
  const shown = routes.images.answer.out;
  if (isNeutral(dialect)) return shown.omit({ description: true });
  return shown.extend({ created: text, updated: text, 'OS-EXT-IMG-SIZE:size': z.int().optional() });
}

/** Of a job resource: early releases know nothing of access. */
const jobOwned = (dialect: Dialect) => (dialect === 'sahara' ? owned : { tenant_id: text });

const binaryOf = (dialect: Dialect) => routes.jobBinaries.answer.out.extend(jobOwned(dialect));

function jobOf(dialect: Dialect) {
  const binaries = z.array(binaryOf(dialect)).optional();
  const shown = routes.jobs.answer.out.extend({ ...jobOwned(dialect), mains: binaries, libs: binaries });
  return dialect === 'savanna' ? shown.omit({ interface: true }) : shown;
}

const executionOf = (dialect: Dialect) =>
  routes.jobExecutions.answer.out.extend({
    ...jobOwned(dialect),
    ...(!isNeutral(dialect) && { return_code: text }),
    ...(dialect === 'sahara' && { oozie_job_id: text }),
    ...(dialect !== 'savanna' && { interface: z.record(z.string(), z.unknown()).optional() }),
  });

const hint = z.object({ name: z.string(), value: z.string(), description: z.string() });

const jobConfigOf = (dialect: Dialect) =>
  z.object({
    configs: z.array(hint),
    params: z.object({}).optional(),
    args: (dialect === 'savanna' ? z.object({}) : z.array(z.string())).optional(),
  });

/** Each plugin with the versions that run jobs of the type. */
const jobTypeOf = () => {
  const { name, title, description } = routes.plugins.answer.out.shape;
  const plugin = z.object({ name, title, description, versions: z.record(z.string(), z.unknown()) });
  return z.object({ name, plugins: z.array(plugin) });
};

interface Shown {
  /** What wraps one, and many. */
  readonly single: string;
  readonly plural?: string;
  readonly schema: (dialect: Dialect) => z.ZodObject;
}

export const shown: Readonly<Record<ShownKey, Shown>> = {
  plugins: { ...routes.plugins, schema: () => routes.plugins.answer.out },
  pluginDetail: { single: 'plugin', schema: () => pluginDetail.out },
  images: { ...routes.images, schema: imageOf },
  nodeGroupTemplates: { ...routes.nodeGroupTemplates, schema: nodeGroupTemplateOf },
  clusterTemplates: { ...routes.clusterTemplates, schema: clusterTemplateOf },
  clusters: { ...routes.clusters, schema: clusterOf },
  dataSources: {
    ...routes.dataSources,
    schema: (dialect) => routes.dataSources.answer.out.extend(jobOwned(dialect)),
  },
  jobBinaryInternals: {
    ...routes.jobBinaryInternals,
    schema: (dialect) => routes.jobBinaryInternals.answer.out.extend(jobOwned(dialect)),
  },
  jobBinaries: { ...routes.jobBinaries, schema: binaryOf },
  jobs: { ...routes.jobs, schema: jobOf },
  jobExecutions: { ...routes.jobExecutions, schema: executionOf },
  jobConfig: { single: 'job_config', schema: jobConfigOf },
  jobTypes: { single: 'job_type', plural: 'job_types', schema: jobTypeOf },
};
