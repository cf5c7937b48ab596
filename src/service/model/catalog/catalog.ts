// The catalog of the cloud: plugins, flavors, images and quotas, with the checks against it.

import type { ConfigMap } from '../records/records.ts';
import { Refusal } from '../refusal.ts';
import { firstTwice } from '../texts.ts';
import { type PluginEntry, type PluginVersion } from './plugins.ts';

export interface Catalog {
  readonly plugins: readonly PluginEntry[];
  /** The flavors that exist. Undefined: `1` to `5` and any UUID. */
  readonly flavors: readonly CloudFlavor[] | undefined;
  /** The images that exist. Undefined: the bundled ones and any UUID. */
  readonly images: readonly CloudImage[] | undefined;
  readonly quota: number;
  readonly rowQuota: number;
  /** How many bytes of memory all rows of a tenant may take. */
  readonly rowByteQuota: number;
  /** The same for the rows of all tenants. */
  readonly allRowBytes: number;
  /** The maximum number of bytes of all internal binaries of a tenant. */
  readonly byteQuota: number;
  /** The maximum number of bytes that the runs of a tenant keep on the disk. */
  readonly runByteQuota: number;
}

export const usualQuotas = {
  quota: 10_000,
  rowQuota: 100_000,
  rowByteQuota: 128 * 1024 ** 2,
  byteQuota: 1024 ** 3,
  runByteQuota: 1024 ** 3,
} as const;

const anyFlavor = /^([1-5]|[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12})$/i;

/** The number of an identifier that was sent as a number: such identifiers get a sign. */
const unsigned = (flavor: string): string | undefined => /^\+(\d+)$/.exec(flavor)?.[1];

/** Those that exist for the tenant. */
export const flavorsFor = <Offered extends CloudFlavor>(tenant: string, flavors: readonly Offered[]) =>
  flavors.filter(({ tenants }) => tenants?.includes(tenant) ?? true);

/** Those that exist for the tenant, in words. Undefined if the flavor is one of them. */
export function flavorsWithout({ catalog, tenant }: CatalogView, flavor: string): string | undefined {
  const flavors = catalog.flavors && flavorsFor(tenant, catalog.flavors).map(({ id }) => id);
  const isKnown = flavors?.includes(flavor) ?? anyFlavor.test(flavor);
  return isKnown ? undefined : (flavors?.join(', ') ?? '1 to 5, or any in UUID form');
}

/** A flavor of another tenant is refused like one that does not exist. */
export function checkFlavor(view: CatalogView, flavor: string): void {
  const choice = flavorsWithout(view, flavor);
  if (choice === undefined) return;
  const number = unsigned(flavor);
  if (number !== undefined)
    throw Refusal.by(
      'unknownFlavor',
      `cannot use flavor ${number}: identifiers of flavors are text; send it in quotes and without a sign`,
    );
  throw Refusal.by('unknownFlavor', `cannot use flavor ${flavor}: there is no such flavor; known are ${choice}`);
}

/** The plugin in this version. Throws a refusal that names the existing ones. */
export function findVersion(catalog: Catalog, name: string, version: string): PluginVersion {
  const plugin = catalog.plugins.find((entry) => entry.name === name);
  if (plugin === undefined) {
    const names = catalog.plugins.map((entry) => entry.name).join(', ');
    throw Refusal.by('unsupported', `cannot use plugin ${name}: there is no such plugin; known are ${names}`);
  }
  const found = plugin.versions.find((entry) => entry.version === version);
  if (found !== undefined) return found;
  const versions = plugin.versions.map((entry) => entry.version).join(', ');
  const absent = new Map(Object.entries(plugin.absentVersions ?? {}));
  const others = absent.size === 0 ? '' : `; missing are ${[...absent.keys()].join(', ')}`;
  const remedy = absent.get(version);
  throw Refusal.by(
    'unsupported',
    `cannot use version ${version} of plugin ${name}: its versions are ${versions}${remedy === undefined ? others : `; ${version} is missing: ${remedy}`}`,
  );
}

export function checkProcesses(plugin: PluginVersion, processes: readonly string[]): void {
  const twice = firstTwice(processes);
  if (twice !== undefined) throw Refusal.by('twice', `cannot run process ${twice}: it is named twice`);
  const known = Object.values(plugin.processes).flat();
  const unknown = processes.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const remedy = Object.entries(plugin.absent ?? {}).find(([name]) => name === unknown)?.[1];
  throw Refusal.by('unsupported', `cannot run process ${unknown}: ${remedy ?? `the plugin has ${known.join(', ')}`}`);
}

export function checkConfigs(plugin: PluginVersion, configs: ConfigMap): void {
  for (const [target, values] of Object.entries(configs)) {
    const names = plugin.configs.filter((entry) => entry.applicable_target === target).map((entry) => entry.name);
    if (names.length === 0) {
      const targets = [...new Set(plugin.configs.map((entry) => entry.applicable_target))].join(', ') || 'none';
      throw Refusal.by(
        'unsupported',
        `cannot configure ${target}: the plugin has no such target; there are ${targets}`,
      );
    }
    const unknown = Object.keys(values).find((name) => !names.includes(name));
    if (unknown === undefined) continue;
    throw Refusal.by(
      'unsupported',
      `cannot configure ${unknown}: the plugin has no such configuration for ${target}; there are ${names.join(', ')}`,
    );
  }
}

/** The catalog as a tenant sees it. */
export interface CatalogView {
  readonly catalog: Catalog;
  readonly tenant: string;
}

export interface CloudFlavor {
  readonly id: string;
  /** The tenants for which it exists. When absent: all of them. */
  readonly tenants?: readonly string[] | undefined;
}

/** An image of the cloud. A registered image can be used at once: it has a user name and the tags of all plugins. */
export interface CloudImage {
  readonly id: string;
  readonly name: string;
  readonly registered: boolean;
}
