// Records as answers: the fields that section 2 shows, or those that upstream shows, in the words of the dialect. PURE.
import { type Dialect, toWire } from '../wire/dialect.ts';
import { access, type Fields, interfaceJobViews, omit, type Surroundings, upstreamJobViews } from './job-view.ts';
import { type PluginConfigEntry, type PluginEntry, type PluginVersion, requiredTags } from './plugins.ts';
import type {
  ClusterGroupRecord,
  ClusterRecord,
  ClusterTemplateRecord,
  GroupRecord,
  ImageRecord,
  Kind,
  Machine,
  NodeGroupTemplateRecord,
  Records,
} from './records.ts';

const lateFields = ['is_public', 'is_protected', 'shares', 'verification'];

type Show<Record> = (record: Record, surroundings: Surroundings) => Fields;

const shownGroup = (group: GroupRecord): Fields => omit(group, ['id', 'floating_ip_pool', 'image_id']);
const shownClusterGroup = (group: ClusterGroupRecord): Fields => ({
  ...shownGroup(group),
  instances: group.instances.map((machine) => ({ ...machine, volumes: [] })),
});

/** What the registry has noted, once more as the properties of the image that it keeps them in. */
function imageMetadata({ username, description, tags }: ImageRecord): Fields {
  const told = { _svc_username: username, _svc_description: description };
  const given = Object.entries(told).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...given, ...tags.map((tag) => [`_svc_tag_${tag}`, 'True'])]);
}

const shownImage = (image: ImageRecord): Fields => ({
  id: image.id,
  name: image.name,
  status: 'ACTIVE',
  username: image.username,
  tags: image.tags,
  minDisk: 0,
  minRam: 0,
  progress: 100,
  metadata: imageMetadata(image),
});

/** Sections 2 and 4.6. Fields that were never set are left out; `status_description` is no field of it and shows up only with something to say. */
const interfaceViews: { readonly [K in Kind]: Show<Records[K]> } = {
  images: shownImage,
  nodeGroupTemplates: (template) => omit(template, ['created_at', 'updated_at', 'image_id']),
  clusterTemplates: (template) => ({
    ...omit(template, ['created_at', 'updated_at', 'default_image_id']),
    node_groups: template.node_groups.map(shownGroup),
  }),
  clusters: (cluster) => ({
    ...omit(cluster, ['created_at', 'updated_at', 'work', 'is_transient', 'network_management_network']),
    node_groups: cluster.node_groups.map(shownClusterGroup),
  }),
  ...interfaceJobViews,
};

const unsetShape = { image_id: null, floating_ip_pool: null };
const unset = (around: Surroundings) => ({ description: null, updated_at: null, ...access(around) });

const upstreamMachine = (dialect: Dialect, cluster: ClusterRecord) => (machine: Machine) => ({
  id: machine.instance_id,
  internal_ip: null,
  management_ip: null,
  ...machine,
  created_at: cluster.created_at,
  updated_at: cluster.updated_at,
  // Early releases list the volumes, late ones only count them.
  ...(dialect === 'savanna' ? { volumes: [] } : { storage_devices_number: 0 }),
});

function upstreamCluster(cluster: ClusterRecord, around: Surroundings): Fields {
  const groups = cluster.node_groups.map(({ created, updated, ...group }) => ({
    ...unsetShape,
    node_group_template_id: null,
    ...group,
    created_at: created,
    updated_at: updated,
    instances: group.instances.map(upstreamMachine(around.dialect, cluster)),
  }));
  return {
    ...unset(around),
    cluster_template_id: null,
    user_keypair_id: null,
    default_image_id: null,
    network_management_network: null,
    status_description: '',
    is_transient: false,
    ...omit(cluster, ['work']),
    node_groups: groups,
  };
}

const upstreamTemplate = (template: ClusterTemplateRecord, around: Surroundings): Fields => ({
  ...unset(around),
  network_management_network: null,
  default_image_id: null,
  ...omit(template, []),
  node_groups: template.node_groups.map((group) => ({ ...unsetShape, node_group_template_id: null, ...group })),
});

const upstreamGroupTemplate = (template: NodeGroupTemplateRecord, around: Surroundings): Fields => ({
  ...unset(around),
  ...unsetShape,
  ...omit(template, []),
});

const upstreamImage = (image: ImageRecord): Fields => ({
  ...shownImage(image),
  username: image.username ?? null,
  description: image.description ?? null,
  created: '2014-01-01T00:00:00Z',
  updated: '2014-01-01T00:00:00Z',
  'OS-EXT-IMG-SIZE:size': 1_073_741_824,
});

/** A record as JSON can carry it, wrapped in nothing. */
export function showRecord<K extends Kind>(as: Surroundings & { readonly kind: K }, record: Records[K]): unknown {
  const { dialect, tenant, kind } = as;
  const show = interfaceViews[kind];
  // Kept data may come from a service that spoke another dialect.
  if (dialect === 'neutral') return omit(show(record, as), lateFields);
  const upstream: { readonly [Each in Kind]: Show<Records[Each]> } = {
    images: upstreamImage,
    nodeGroupTemplates: upstreamGroupTemplate,
    clusterTemplates: upstreamTemplate,
    clusters: upstreamCluster,
    ...upstreamJobViews,
  };
  // Images belong to the cloud, all else to a tenant.
  const owner = kind === 'images' ? {} : { tenant_id: tenant };
  return toWire(dialect, { ...owner, ...upstream[kind](record, as) });
}

export const showPlugin = ({ name, title, description, versions }: PluginEntry): Fields => ({
  name,
  title,
  description,
  versions: versions.map(({ version }) => version),
});

/** Section 2 shows no type but text and truth: there a number is written as text. Upstream has numbers. */
const shownConfig = (config: PluginConfigEntry): PluginConfigEntry =>
  config.config_type === 'int'
    ? { ...config, config_type: 'string', default_value: String(config.default_value) }
    : config;

export const showVersion = (dialect: Dialect, plugin: PluginEntry, version: PluginVersion): Fields => ({
  ...showPlugin(plugin),
  node_processes: version.processes,
  required_image_tags: requiredTags(plugin.name, version),
  configs: dialect === 'neutral' ? version.configs.map(shownConfig) : version.configs,
});
