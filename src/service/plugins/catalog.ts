// What the cloud around the service has to offer: plugins, flavors, room for machines; and the questions asked about it.
import { unsigned } from '../bodies/flavors.ts';
import { invalidData, invalidReference, unresolved } from '../http/refusal.ts';
import type { ConfigMap } from '../records/records.ts';
import { type PluginEntry, type PluginVersion } from './plugins.ts';

export interface Catalog {
  readonly plugins: readonly PluginEntry[];
  /** Flavors that exist; undefined: `1` to `5` and whatever has UUID form. */
  readonly flavors: readonly string[] | undefined;
  /** Images that exist; undefined: the bundled ones and whatever has UUID form. */
  readonly images: readonly CloudImage[] | undefined;
  /** Machines that one tenant may have in all its clusters. */
  readonly quota: number;
  /** Resources of all kinds that one tenant may have. */
  readonly rowQuota: number;
  /** Bytes that all rows of one tenant may have. */
  readonly rowByteQuota: number;
  /** Bytes that all internal binaries of one tenant may have. */
  readonly byteQuota: number;
}

const anyFlavor = /^([1-5]|[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12})$/i;

export function checkFlavor(catalog: Catalog, flavor: string): void {
  const known = catalog.flavors?.includes(flavor) ?? anyFlavor.test(flavor);
  if (known) return;
  const number = unsigned(flavor);
  if (number !== undefined)
    throw unresolved(
      `cannot use flavor ${number}: identifiers of flavors are text; send it in quotes and without a sign`,
    );
  const choice = catalog.flavors?.join(', ') ?? '1 to 5, or any in UUID form';
  throw unresolved(`cannot use flavor ${flavor}: there is no such flavor; known are ${choice}`);
}

/** The plugin in this version, or a refusal that names what there is. */
export function findVersion(catalog: Catalog, name: string, version: string): PluginVersion {
  const plugin = catalog.plugins.find((entry) => entry.name === name);
  if (plugin === undefined) {
    const names = catalog.plugins.map((entry) => entry.name).join(', ');
    throw invalidReference(`cannot use plugin ${name}: there is no such plugin; known are ${names}`);
  }
  const found = plugin.versions.find((entry) => entry.version === version);
  if (found !== undefined) return found;
  const versions = plugin.versions.map((entry) => entry.version).join(', ');
  throw invalidReference(`cannot use version ${version} of plugin ${name}: its versions are ${versions}`);
}

export function checkProcesses(plugin: PluginVersion, processes: readonly string[]): void {
  const twice = processes.find((name, index) => processes.indexOf(name) !== index);
  if (twice !== undefined) throw invalidData(`cannot run process ${twice}: it is named twice`);
  const known = Object.values(plugin.processes).flat();
  const unknown = processes.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw invalidReference(`cannot run process ${unknown}: the plugin has ${known.join(', ')}`);
}

export function checkConfigs(plugin: PluginVersion, configs: ConfigMap): void {
  for (const [target, values] of Object.entries(configs)) {
    const names = plugin.configs.filter((entry) => entry.applicable_target === target).map((entry) => entry.name);
    if (names.length === 0) throw invalidReference(`cannot configure ${target}: the plugin has no such target`);
    const unknown = Object.keys(values).find((name) => !names.includes(name));
    if (unknown === undefined) continue;
    throw invalidReference(`cannot configure ${unknown}: the plugin has no such configuration for ${target}`);
  }
}

/** An image that the cloud has. A registered one can be used at once: it has a user name and the tags of all plugins. */
export interface CloudImage {
  readonly id: string;
  readonly name: string;
  readonly registered: boolean;
}
