// What of an answer the interface shows. Other services show more, and null for what is not set: neutral literals know neither. PURE.
import type { Json } from '../../peer.ts';
import type { Target } from '../command/description.ts';

/** Fields of an object; those of a list of objects below it. */
interface Shape {
  readonly [field: string]: true | Shape;
}

const of = (...names: readonly string[]): Shape => Object.fromEntries(names.map((name) => [name, true]));

const named = of('id', 'name', 'description', 'plugin_name', 'bigdata_version');
const nodes = of(
  'flavor_id',
  'node_processes',
  'node_configs',
  'volumes_per_node',
  'volumes_size',
  'volume_mount_prefix',
);
const group = { ...nodes, ...of('name', 'count', 'node_group_template_id') };
const instances = of('instance_name', 'instance_id', 'internal_ip', 'management_ip', 'volumes');
const value = of('name', 'description', 'default_value', 'config_type', 'applicable_target');
const configs = { ...value, ...of('is_optional', 'scope', 'priority') };
const common = of('cluster_configs', 'anti_affinity');

/** Section 2, by collection. */
const shapes: Readonly<Record<string, Shape>> = {
  plugins: { ...of('name', 'title', 'description', 'versions', 'node_processes', 'required_image_tags'), configs },
  images: of('id', 'name', 'status', 'username', 'tags', 'minDisk', 'minRam', 'progress', 'metadata'),
  'node-group-templates': { ...named, ...nodes, ...of('floating_ip_pool') },
  'cluster-templates': { ...named, ...common, ...of('network_management_network'), node_groups: group },
  clusters: {
    ...named,
    ...common,
    ...of('status', 'info', 'cluster_template_id', 'default_image_id', 'user_keypair_id'),
    node_groups: { ...group, ...of('created', 'updated'), instances },
  },
};

const ofBinary = of('id', 'name', 'url', 'description');
const ofRun = of('id', 'job_id', 'cluster_id', 'input_id', 'output_id', 'job_configs', 'interface', 'info', 'end_time');
const bytes = of('id', 'name', 'datasize');

/** Section 4.6 shows no fields: those that all known services have, by the key of one row. */
const rowsOfJobs: Readonly<Record<string, Shape>> = {
  data_source: of('id', 'name', 'type', 'url', 'description'),
  job_binary: ofBinary,
  job_binary_internal: bytes,
  job: { ...of('id', 'name', 'type', 'description', 'interface'), mains: ofBinary, libs: ofBinary },
  job_execution: { ...ofRun, ...of('start_time', 'data_source_urls') },
};
const listsOfJobs: Readonly<Record<string, Shape>> = {
  data_sources: rowsOfJobs['data_source'] ?? {},
  binaries: { ...ofBinary, ...bytes },
  jobs: rowsOfJobs['job'] ?? {},
  job_executions: rowsOfJobs['job_execution'] ?? {},
};

const isObject = (value: Json): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

function within(value: Json, shape: Shape): Json {
  if (Array.isArray(value)) return value.map((item) => within(item, shape));
  if (!isObject(value)) return value;
  const shown = Object.entries<Json>(value).flatMap(([name, inner]) => {
    const below = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (below === undefined || inner === null) return [];
    return [[name, below === true ? inner : within(inner, below)]];
  });
  return Object.fromEntries(shown);
}

/** Section 4.6 shows no fields: those of access are known to be of late releases only. */
const access: readonly string[] = ['is_public', 'is_protected'];

function withoutUnset(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutUnset);
  if (!isObject(value)) return value;
  const kept = Object.entries<Json>(value).filter(([name, inner]) => inner !== null && !access.includes(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutUnset(inner)]));
}

function ofJobs(body: Json): Json {
  const known: Readonly<Record<string, Shape>> = { ...rowsOfJobs, ...listsOfJobs };
  const entries = Object.entries<Json>(body).filter(([key]) => known[key] !== undefined || key === 'job_config');
  return Object.fromEntries(
    entries.map(([key, value]) => [key, known[key] === undefined ? withoutUnset(value) : within(value, known[key])]),
  );
}

/** Keys of one row and of lists, by collection. */
const keysOf = (collection: string): readonly string[] => {
  const list = collection.replaceAll('-', '_');
  return [list.slice(0, -1), list];
};

/** The body of a good answer about a collection, in neutral words, as far as the interface shows it. */
export function toShown({ dialect, ours }: Target, collection: string, body: Json): Json {
  if ((dialect === 'neutral' && ours) || !isObject(body)) return body;
  const shape = shapes[collection];
  if (shape === undefined) return ours ? withoutUnset(body) : ofJobs(body);
  const entries = Object.entries<Json>(body).filter(([key]) => ours || keysOf(collection).includes(key));
  return Object.fromEntries(entries.map(([key, value]) => [key, within(value, shape)]));
}

const ofErrors: readonly string[] = ['error_code', 'error_name', 'error_message', 'error'];

/** The body of an error, as far as section 7 shows it. */
export const toErrorShown = (body: Json): Json =>
  isObject(body) ? Object.fromEntries(Object.entries<Json>(body).filter(([key]) => ofErrors.includes(key))) : body;
