// The schemas of answered resources by dialect: those of the interface with all additional fields of this service. PURE.
import { z } from 'zod';
import { nodeGroup } from '../../../wire/cluster-template.ts';
import { lenientConfigs, stamps } from '../../../wire/common.ts';
import type { Dialect } from '../../../wire/dialect.ts';
import { answeredExecution, termination } from '../../../wire/jobs.ts';
import { lateNodeOptions } from '../../../wire/node-group-template.ts';
import { plugin, pluginConfig, pluginDetail } from '../../../wire/plugin.ts';
import { type RouteKey, routes } from '../../../wire/routes.ts';

export const text = z.string().optional();
const flag = z.boolean().optional();

/** Fields that upstream has in all resources except plugins and images. Early releases have no access fields. */
const ownedIn = (dialect: Dialect) => ({
  tenant_id: text,
  ...(dialect === 'sahara' && { is_public: flag, is_protected: flag }),
});

const anything = z.record(z.string(), z.unknown()).optional();

/** Early releases return the credentials. */
const binaryOf = (dialect: Dialect) =>
  routes.jobBinaries.answer.out.extend({ ...ownedIn(dialect), ...(dialect === 'savanna' && { extra: anything }) });

export const sourceOf = (dialect: Dialect) =>
  routes.dataSources.answer.out.extend({
    ...ownedIn(dialect),
    ...(dialect === 'savanna' && { credentials: anything }),
  });

function jobOf(dialect: Dialect) {
  const binaries = z.array(binaryOf(dialect)).optional();
  const shown = routes.jobs.answer.out.extend({ ...ownedIn(dialect), mains: binaries, libs: binaries });
  return dialect === 'savanna' ? shown.omit({ interface: true }) : shown;
}

/** Late releases put the values of the interface into the configurations. Early ones have neither. */
function executionOf(dialect: Dialect) {
  const urls = z.record(z.string(), z.string()).optional();
  const info = z.looseObject({
    status: text,
    message: text,
    urls,
    termination: termination.optional(),
    queued: z.literal(true).optional(),
  });
  const all = answeredExecution.out.extend({ ...ownedIn(dialect), info: info.optional() });
  const measured = { progress: z.number().optional(), return_code: z.number().optional() };
  if (dialect === 'neutral')
    return all.extend({ interface: z.record(z.string(), z.unknown()).optional(), ...measured });
  const upstream = all.extend({ return_code: text });
  return dialect === 'sahara'
    ? upstream.extend({ oozie_job_id: text })
    : upstream.omit({ data_source_urls: true }).extend({ progress: z.number().optional() });
}

const hint = z.object({ name: z.string(), value: z.string(), description: z.string() });

const jobConfigOf = (dialect: Dialect) =>
  z.object({
    configs: z.array(hint),
    params: z.object({}).optional(),
    args: (dialect === 'savanna' ? z.object({}) : z.array(z.string())).optional(),
  });

function pluginDetailOf(dialect: Dialect) {
  if (dialect === 'neutral') return pluginDetail.out;
  const config = pluginConfig.extend({ config_values: z.array(z.string()).optional() });
  return pluginDetail.out.extend({ configs: z.array(config).optional() });
}

export type ShownKey = RouteKey | 'pluginDetail' | 'jobConfig';

const unstamped = { created_at: true, updated_at: true } as const;
const foreign = { floating_ip_pool: true, image_id: true } as const;
const isNeutral = (dialect: Dialect) => dialect === 'neutral';

/** Fields of nodes in late releases only. */
const lateShape = {
  ...lateNodeOptions,
  boot_from_volume: flag,
  boot_volume_type: text,
  boot_volume_availability_zone: text,
  boot_volume_local_to_instance: flag,
};

function groupOf(dialect: Dialect) {
  if (isNeutral(dialect)) return nodeGroup.omit(foreign);
  return nodeGroup.extend({ ...stamps, ...(dialect === 'sahara' && { id: text, ...lateShape }) });
}

const machineOf = (dialect: Dialect) =>
  z.object({
    instance_name: text,
    instance_id: text,
    internal_ip: text,
    management_ip: text,
    ...(!isNeutral(dialect) && { id: text, ...stamps }),
    ...(dialect === 'sahara'
      ? { storage_devices_number: z.int().optional(), dns_hostname: text }
      : { volumes: z.array(z.unknown()).optional() }),
  });

const clusterGroupOf = (dialect: Dialect) =>
  z.object({
    ...groupOf(dialect).shape,
    ...(isNeutral(dialect) && { created: text, updated: text }),
    instances: z.array(machineOf(dialect)).optional(),
  });

const lateDefinition = { shares: lateNodeOptions.shares, use_autoconfig: flag, domain_name: text };

function nodeGroupTemplateOf(dialect: Dialect) {
  const shown = routes.nodeGroupTemplates.answer.out;
  if (isNeutral(dialect)) return shown.omit({ ...unstamped, image_id: true });
  return shown.extend({ ...ownedIn(dialect), ...(dialect === 'sahara' && { ...lateShape, is_default: flag }) });
}

function clusterTemplateOf(dialect: Dialect) {
  const shown = routes.clusterTemplates.answer.out.extend({ node_groups: z.array(groupOf(dialect)).optional() });
  if (isNeutral(dialect)) return shown.omit({ ...unstamped, default_image_id: true });
  return shown.extend({ ...ownedIn(dialect), ...(dialect === 'sahara' && { ...lateDefinition, is_default: flag }) });
}

const upstreamCluster = {
  ...stamps,
  network_management_network: text,
  is_transient: flag,
  trust_id: text,
  management_public_key: text,
};
const lateCluster = {
  ...lateDefinition,
  anti_affinity_ratio: z.int().optional(),
};

const nodes = z.int().min(0);
const load = z.object({ wantedNodes: nodes, busyNodes: nodes, observedAt: z.string() });

const clusterOf = (dialect: Dialect) =>
  z.object({
    ...routes.clusters.answer.out.omit({ load: true }).shape,
    info: z.looseObject({ Load: z.record(z.string(), load).optional() }).optional(),
    description: text,
    default_image_id: text,
    user_keypair_id: text,
    cluster_configs: lenientConfigs.optional(),
    anti_affinity: z.array(z.string()).optional(),
    node_groups: z.array(clusterGroupOf(dialect)).optional(),
    ...(!isNeutral(dialect) && { ...ownedIn(dialect), ...upstreamCluster }),
    ...(dialect === 'sahara' && lateCluster),
  });

function imageOf(dialect: Dialect) {
  const shown = routes.images.answer.out;
  if (isNeutral(dialect)) return shown.omit({ description: true });
  return shown.extend({ created: text, updated: text, 'OS-EXT-IMG-SIZE:size': z.int().optional() });
}

interface Shown {
  /** The name of the schema. When absent: `single`. */
  readonly component?: string;
  /** The keys that wrap one object and a list. */
  readonly single: string;
  readonly plural?: string;
  readonly schema: (dialect: Dialect) => z.ZodObject;
}

export const shown: Readonly<Record<ShownKey, Shown>> = {
  plugins: { ...routes.plugins, schema: () => plugin.out },
  pluginDetail: { single: 'plugin', component: 'plugin_detail', schema: pluginDetailOf },
  images: { ...routes.images, schema: imageOf },
  nodeGroupTemplates: { ...routes.nodeGroupTemplates, schema: nodeGroupTemplateOf },
  clusterTemplates: { ...routes.clusterTemplates, schema: clusterTemplateOf },
  clusters: { ...routes.clusters, schema: clusterOf },
  dataSources: { ...routes.dataSources, schema: sourceOf },
  jobBinaryInternals: {
    ...routes.jobBinaryInternals,
    schema: (dialect) => routes.jobBinaryInternals.answer.out.extend(ownedIn(dialect)),
  },
  jobBinaries: { ...routes.jobBinaries, schema: binaryOf },
  jobs: { ...routes.jobs, schema: jobOf },
  jobExecutions: { ...routes.jobExecutions, schema: executionOf },
  jobConfig: { single: 'job_config', schema: jobConfigOf },
};
