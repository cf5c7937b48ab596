// Words and bodies that several tests send, as section 4 shows them. What the interface leaves to the service comes from the scene.

import { anyPool, bundledScene } from './foreign/command/description.ts';
import { target } from './foreign/target.ts';

/** What there is to try: what the given service has, or what the bundled one always had. */
export const scene = target?.scene ?? bundledScene;

const { plugin, version, masters: leading, workers: working, flavors, options } = scene;

const four = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** The interface promises text in UUID form, and not how it comes about. */
export const uuid = target === undefined || target.ours ? four : /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
export const imageId = scene.image;
export const unknownId = '00000000-0000-4000-8000-000000000000';
/** The network of clusters. The bundled service has no registry of networks. */
export const networkId = target?.network ?? unknownId;
/** A pool of floating IP addresses. The bundled service takes any. */
export const pool = target?.pool ?? anyPool;

export const pluginFields = { plugin_name: plugin, bigdata_version: version };
/** The path of the plugin in its version. */
export const pluginPath = `plugins/${encodeURIComponent(plugin)}/${encodeURIComponent(version)}`;

/** One process of each sort, for groups that are to have no more. */
export const [master = ''] = leading;
export const worker = working.at(-1) ?? '';

export const workers = { name: 'workers', ...pluginFields, node_processes: working, flavor_id: flavors.workers };
export const masters = {
  ...workers,
  name: 'masters',
  node_processes: scene.bundled ? leading.toReversed() : leading,
  flavor_id: flavors.masters,
};
/** Everything on one machine: plugins refuse clusters without masters or without workers. */
const everything = [...new Set([...leading, ...working])];
/** A group that makes a cluster, described in full. */
export const masterGroup = {
  name: 'master',
  count: 1,
  flavor_id: flavors.masters,
  node_processes: scene.bundled ? leading : everything,
};
/** The smallest one that does. */
export const smallGroup = {
  name: 'g',
  count: 1,
  flavor_id: flavors.small,
  node_processes: scene.bundled ? [master] : everything,
};

export const startBody = {
  name: 'cluster-1',
  ...pluginFields,
  default_image_id: imageId,
  user_keypair_id: scene.keypair,
};

/** Where the plugin has options, if it has any. */
export const configTarget = (options.text ?? options.number ?? options.flag)?.target ?? 'HDFS';

type Values = Partial<Record<keyof typeof options, unknown>>;

/** Values for options of the plugin by their types. It may not have all of them, or not take all values. */
export function configs(values: Values): Record<string, Record<string, unknown>> {
  const found: Record<string, Record<string, unknown>> = {};
  for (const [type, value] of Object.entries(values)) {
    const option = options[type as keyof typeof options];
    if (option === undefined) continue;
    const { target: at, name, only = value } = option;
    found[at] = { ...found[at], [name]: typeof value === typeof only ? only : value };
  }
  return found;
}
