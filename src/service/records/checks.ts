// Checks that need more than the body: names in use, references, the catalog, who still uses what. They stop at the first.
import type { NodeGroupRequest } from '../../wire/cluster-template.ts';
import type { Dialect } from '../../wire/dialect.ts';
import { targetOf } from '../clusters/machines.ts';
import { invalidData, invalidReference, missing, Refusal, unresolved } from '../http/refusal.ts';
import { type Catalog, checkConfigs, checkFlavor, checkProcesses } from '../plugins/catalog.ts';
import type { PluginVersion } from '../plugins/plugins.ts';
import type { Store } from '../store/store.ts';
import { see } from './owners.ts';
import type { ClusterRecord, GroupRecord, Kind, NodeGroupTemplateRecord, Records } from './records.ts';

export const titles: Readonly<Record<Kind, string>> = {
  pluginLabels: 'labels of plugin',
  images: 'image',
  nodeGroupTemplates: 'node group template',
  clusterTemplates: 'cluster template',
  clusters: 'cluster',
  dataSources: 'data source',
  jobBinaryInternals: 'job binary internal',
  jobBinaries: 'job binary',
  jobs: 'job',
  jobExecutions: 'job execution',
};

/** The record in the path, as far as the tenant sees it. */
export function need<K extends Kind>(
  store: Store,
  kind: K,
  at: { readonly tenant: string; readonly id: string },
): Records[K] {
  const seen = see(store, kind, at);
  if (seen === undefined) throw missing(titles[kind], at.id);
  return seen.record;
}

/** Finds a record that a body refers to, or refuses. Identifiers may come without hyphens. */
const resolving =
  (refuse: (message: string) => Refusal) =>
  <K extends Kind>(store: Store, kind: K, at: { readonly tenant: string; readonly id: string }): Records[K] => {
    const seen = see(store, kind, at) ?? see(store, kind, { ...at, id: withHyphens(at.id) });
    if (seen === undefined) throw refuse(`cannot find ${titles[kind]} ${at.id}`);
    return seen.record;
  };

export const resolve = resolving(unresolved);
/** For what upstream calls an invalid reference when it is missing. */
export const refer = resolving(invalidReference);

/** The usual form of an identifier that is written in upper case or without hyphens. */
export function withHyphens(id: string): string {
  const digits = id.replaceAll('-', '').toLowerCase();
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join(
    '-',
  );
}

/** Upstream checks no names of these before its database does. */
const uncheckedNames: ReadonlySet<Kind> = new Set(['jobBinaryInternals', 'jobBinaries', 'jobs']);

/** Section 7 shows the error name for clusters; upstream uses its general one for all kinds that it checks. */
function nameTaken(dialect: Dialect, kind: Kind): string {
  if (uncheckedNames.has(kind)) return 'DB_DUPLICATE_ENTRY';
  return dialect === 'neutral' && kind === 'clusters' ? 'CLUSTER_NAME_ALREADY_EXISTS' : 'NAME_ALREADY_EXISTS';
}

/** Where upstream looks before it tries, what others have made public is in the way, too. */
export function checkNameFree(
  { store, dialect }: { readonly store: Store; readonly dialect: Dialect },
  kind: Kind,
  at: { readonly tenant: string; readonly name: string },
): void {
  const foreign = uncheckedNames.has(kind) ? [] : [...store.shared(kind).values()];
  const free = !store.isTaken(kind, at.tenant, at.name) && foreign.every(({ record }) => record.name !== at.name);
  if (free) return;
  const text = `cannot create ${titles[kind]} ${at.name}: the name is in use`;
  throw new Refusal([400, nameTaken(dialect, kind)], text);
}

/** A record keeps its name, or gets one that is free. Upstream leaves the check to its database. */
export function checkRename(
  store: Store,
  kind: Kind,
  at: { readonly tenant: string; readonly record: { readonly id: string; readonly name: string } },
  name = at.record.name,
): void {
  if (name === at.record.name || !store.isTaken(kind, at.tenant, name)) return;
  const text = `cannot rename ${titles[kind]} ${at.record.id} to ${name}: the name is in use`;
  throw new Refusal([400, 'DB_DUPLICATE_ENTRY'], text);
}

/** Groups that carry an unknown configuration, flavor or process are refused, in the order of upstream. */
export function checkShape(
  catalog: Catalog,
  plugin: PluginVersion,
  shape: Pick<GroupRecord, 'flavor_id' | 'node_processes' | 'node_configs'>,
): void {
  checkConfigs(plugin, shape.node_configs);
  checkFlavor(catalog, shape.flavor_id);
  checkProcesses(plugin, shape.node_processes);
}

export function checkSamePlugin(
  template: NodeGroupTemplateRecord,
  owner: { readonly plugin_name: string; readonly bigdata_version: string },
): void {
  if (template.plugin_name === owner.plugin_name && template.bigdata_version === owner.bigdata_version) return;
  const theirs = `${template.plugin_name} ${template.bigdata_version}`;
  throw invalidReference(
    `cannot use node group template ${template.id}: it is for ${theirs}, not for ${owner.plugin_name} ${owner.bigdata_version}`,
  );
}

export function checkDistinct(groups: readonly { readonly name: string }[]): void {
  const names = groups.map((group) => group.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invalidData(`cannot accept node groups: ${twice} is named twice`);
}

const domain = 'novalocal';

/** Host names have at most 64 characters: cluster, group, number and domain together. */
export function checkHostNames(
  cluster: string,
  groups: readonly { readonly name: string; readonly count: number }[],
): void {
  for (const { name, count } of groups) {
    const host = `${cluster}-${name}-${String(Math.max(count, 0)).padStart(3, '0')}.${domain}`;
    if (host.length > 64)
      throw invalidData(`cannot name machines of group ${name}: host name ${host} is longer than 64 characters`);
  }
}

/** One whose start was refused has no machines, and gets none. */
const isEmptyError = ({ status, node_groups }: ClusterRecord): boolean =>
  status === 'Error' && node_groups.every(({ instances }) => instances.length === 0);

/** Why the wanted machines do not fit in beside those that all other clusters of the tenant have or get, if so. */
export function findQuotaProblem(
  catalog: Catalog,
  others: readonly ClusterRecord[],
  wanted: number,
): Refusal | undefined {
  const used = others
    .filter((cluster) => !isEmptyError(cluster))
    .flatMap((cluster) => cluster.node_groups.map((group) => targetOf(cluster, group)))
    .reduce((sum, count) => sum + count, 0);
  if (used + wanted <= catalog.quota) return undefined;
  const room = Math.max(catalog.quota - used, 0);
  return new Refusal([400, 'QUOTA_ERROR'], `cannot place ${wanted} machines: there is room for ${room}`);
}

export function checkQuota(...asked: Parameters<typeof findQuotaProblem>): void {
  const problem = findQuotaProblem(...asked);
  if (problem !== undefined) throw problem;
}

/** The identifiers that groups refer to, resolved. */
export const templateOf = (
  store: Store,
  tenant: string,
  group: NodeGroupRequest,
): NodeGroupTemplateRecord | undefined =>
  group.node_group_template_id === undefined
    ? undefined
    : resolve(store, 'nodeGroupTemplates', { tenant, id: group.node_group_template_id });
