// Records as answers: the fields of section 2 or those of upstream, in the words of the dialect. PURE.
import { type Dialect, toWire } from '../../../wire/dialect.ts';
import type { PluginConfigEntry } from '../../model/catalog/configs.ts';
import { type PluginEntry, type PluginVersion, requiredTags } from '../../model/catalog/plugins.ts';
import type { ClusterGroupRecord, GroupRecord, ImageRecord, Kind, Records } from '../../model/records/records.ts';
import { openScale } from '../../model/stages/cluster-stages.ts';
import { showNulls } from '../bodies/null-fields.ts';
import { type Fields, interfaceJobViews, omit, upstreamJobViews, type ViewContext } from './job-view.ts';
import { lateFields, upstreamCluster, upstreamGroupTemplate, upstreamTemplate } from './upstream-view.ts';

type Show<Record> = (record: Record, context: ViewContext) => Fields;

const shownGroup = (group: GroupRecord): Fields => omit(group, ['id', 'floating_ip_pool', 'image_id', ...lateFields]);
const shownClusterGroup = (group: ClusterGroupRecord): Fields => ({
  ...shownGroup(group),
  instances: group.instances.map((machine) => ({
    ...omit(machine, ['created_at', 'updated_at', 'leaving']),
    volumes: [],
  })),
});

/** The registration as properties of the image, where the registry stores it. */
function imageMetadata({ username, description, tags }: ImageRecord): Fields {
  const properties = { _svc_username: username, _svc_description: description };
  const given = Object.entries(properties).filter(([, value]) => value !== undefined && value !== '');
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

/**
 * Sections 2 and 4.6. Fields that were never set are omitted. `status_description` is an addition that appears only when it is set, and `accepts_scale` one that
 * appears only while a newer scale can replace the one under way.
 */
const interfaceViews: { readonly [K in Kind]: Show<Records[K]> } = {
  images: shownImage,
  nodeGroupTemplates: (template) => omit(template, ['created_at', 'updated_at', 'image_id']),
  clusterTemplates: (template) => ({
    ...omit(template, ['created_at', 'updated_at', 'default_image_id']),
    node_groups: template.node_groups.map(shownGroup),
  }),
  clusters: (cluster) => ({
    ...omit(cluster, ['created_at', 'updated_at', 'work', 'is_transient', 'network_management_network']),
    ...(openScale(cluster, 'neutral') !== undefined && { accepts_scale: true }),
    node_groups: cluster.node_groups.map(shownClusterGroup),
  }),
  ...interfaceJobViews,
};

/** Late releases return empty texts in place of unset fields. */
const upstreamImage = (image: ImageRecord, { dialect }: ViewContext): Fields => ({
  ...shownImage(image),
  username: image.username ?? (dialect === 'sahara' ? '' : null),
  description: image.description ?? (dialect === 'sahara' ? '' : null),
  created: '2014-01-01T00:00:00Z',
  updated: '2014-01-01T00:00:00Z',
  'OS-EXT-IMG-SIZE:size': 1_073_741_824,
});

/** The fields of a record for JSON, without a wrapping key. */
export function showRecord<K extends Kind>(as: ViewContext & { readonly kind: K }, record: Records[K]): Fields {
  const { dialect, tenant, kind } = as;
  const show = interfaceViews[kind];
  // Stored data can come from a service with another dialect.
  if (dialect === 'neutral') return omit(show(record, as), lateFields);
  const upstream: { readonly [Each in Kind]: Show<Records[Each]> } = {
    images: upstreamImage,
    nodeGroupTemplates: upstreamGroupTemplate,
    clusterTemplates: upstreamTemplate,
    clusters: upstreamCluster,
    ...upstreamJobViews,
  };
  // Images belong to the cloud, everything else to a tenant.
  const owner = kind === 'images' ? {} : { tenant_id: tenant };
  const shown = upstream[kind](record, as);
  return toWire(dialect, { ...owner, ...(dialect === 'sahara' ? showNulls(shown) : omit(shown, ['nulls'])) }) as Fields;
}

export const showPlugin = ({ name, title, description, versions }: PluginEntry): Fields => ({
  name,
  title,
  description,
  versions: versions.map(({ version }) => version),
});

/** Section 2 shows only strings and booleans, so a number becomes a string. Upstream has numbers, and a list of possible values. */
function shownConfig(dialect: Dialect, config: PluginConfigEntry): Fields {
  if (dialect !== 'neutral') return { ...config, config_values: null };
  const text = { config_type: 'string', default_value: String(config.default_value) };
  return { ...config, ...(config.config_type === 'int' && text) };
}

export const showVersion = (dialect: Dialect, plugin: PluginEntry, version: PluginVersion): Fields => ({
  ...showPlugin(plugin),
  node_processes: version.processes,
  required_image_tags: requiredTags(plugin.name, version),
  configs: version.configs.map((config) => shownConfig(dialect, config)),
});
