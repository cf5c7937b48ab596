// Checks that need more than the body: names, references, the catalog and the quota. Each stops at the first problem.

import type { NodeGroupRequest } from '../../../wire/cluster-template.ts';
import type { Dialect } from '../../../wire/dialect.ts';
import { type Catalog, type CatalogView, checkConfigs, checkFlavor, checkProcesses } from '../catalog/catalog.ts';
import type { PluginVersion } from '../catalog/plugins.ts';
import type { CauseKey } from '../causes.ts';
import { targetOf } from '../records/machines.ts';
import type { ClusterRecord, GroupRecord, Kind, NodeGroupTemplateRecord, Records } from '../records/records.ts';
import { missing, Refusal } from '../refusal.ts';
import type { Store } from '../store/store.ts';
import { firstTwice } from '../texts.ts';
import { findVisible } from './owners.ts';

export const titles: Readonly<Record<Kind, string>> = {
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

/** In characters of JSON: as much as a request can have. */
const mostLength = 1024 ** 2;

/**
 * Throws if a few large objects, which a short request names, would make a row or an answer that is much larger than the request. `what` begins the
 * message, and `remedy` ends it.
 */
export function checkLength(
  parts: readonly object[],
  { what, remedy }: { readonly what: string; readonly remedy: string },
): void {
  let length = 0;
  for (const part of parts) {
    length += JSON.stringify(part).length;
    if (length > mostLength)
      throw Refusal.by('tooLongParts', `cannot use ${what} longer than ${mostLength} characters; ${remedy}`);
  }
}

/** The record in the path. Throws unless the tenant has it. */
export function need<K extends Kind>(
  store: Store,
  kind: K,
  at: { readonly tenant: string; readonly id: string },
): Records[K] {
  const record = findVisible(store, kind, at);
  if (record === undefined) throw missing(titles[kind], at.id);
  return record;
}

/** Finds a record that a body refers to. Throws, with the cause, if it is missing. Identifiers can come without hyphens. */
export function resolve<K extends Kind>(
  store: Store,
  kind: K,
  at: { readonly tenant: string; readonly id: string },
  cause: CauseKey,
): Records[K] {
  const record = findVisible(store, kind, at) ?? findVisible(store, kind, { ...at, id: withHyphens(at.id) });
  if (record === undefined) throw Refusal.by(cause, `cannot find ${titles[kind]} ${at.id}`);
  return record;
}

/** The canonical form of an identifier that is written in upper case or without hyphens. */
export function withHyphens(id: string): string {
  const digits = id.replaceAll('-', '').toLowerCase();
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join(
    '-',
  );
}

/** For these kinds, upstream leaves the check of names to its database. */
const uncheckedNames: ReadonlySet<Kind> = new Set(['jobBinaryInternals', 'jobBinaries', 'jobs']);

/** Section 7 has this error name for clusters. Upstream uses its general one for all kinds that it checks. */
function nameTaken(dialect: Dialect, kind: Kind): CauseKey {
  if (uncheckedNames.has(kind)) return 'duplicate';
  if (kind !== 'clusters') return 'nameTaken';
  return dialect === 'neutral' ? 'clusterNameTaken' : 'clusterNameTakenUpstream';
}

export function checkNameFree(
  { store, dialect }: { readonly store: Store; readonly dialect: Dialect },
  kind: Kind,
  at: { readonly tenant: string; readonly name: string },
): void {
  if (!store.isTaken(kind, at.tenant, at.name)) return;
  const text = `cannot create ${titles[kind]} ${at.name}: the name is in use`;
  throw Refusal.by(nameTaken(dialect, kind), text);
}

/** Refuses unknown configurations, flavors and processes of a group, in the order of upstream. */
export function checkShape(
  view: CatalogView,
  plugin: PluginVersion,
  shape: Pick<GroupRecord, 'flavor_id' | 'node_processes' | 'node_configs'>,
): void {
  checkConfigs(plugin, shape.node_configs);
  checkFlavor(view, shape.flavor_id);
  checkProcesses(plugin, shape.node_processes);
}

export function checkSamePlugin(
  template: NodeGroupTemplateRecord,
  owner: { readonly plugin_name: string; readonly bigdata_version: string },
): void {
  if (template.plugin_name === owner.plugin_name && template.bigdata_version === owner.bigdata_version) return;
  const theirs = `${template.plugin_name} ${template.bigdata_version}`;
  throw Refusal.by(
    'foreignTemplate',
    `cannot use node group template ${template.id}: it is for ${theirs}, not for ${owner.plugin_name} ${owner.bigdata_version}`,
  );
}

export function checkDistinct(groups: readonly { readonly name: string }[]): void {
  const twice = firstTwice(groups.map((group) => group.name));
  if (twice !== undefined) throw Refusal.by('badGroups', `cannot accept node groups: ${twice} is named twice`);
}

const domain = 'novalocal';

/** Host names consist of cluster, group, number and domain, and have at most 64 characters. */
export function checkHostNames(
  cluster: string,
  groups: readonly { readonly name: string; readonly count: number }[],
): void {
  for (const { name, count } of groups) {
    const host = `${cluster}-${name}-${String(Math.max(count, 0)).padStart(3, '0')}.${domain}`;
    if (host.length > 64)
      throw Refusal.by(
        'longHostNames',
        `cannot name machines of group ${name}: host name ${host} is longer than 64 characters`,
      );
  }
}

/** A cluster whose start was refused has no machines, and gets none. */
const isEmptyError = ({ status, node_groups }: ClusterRecord): boolean =>
  status === 'Error' && node_groups.every(({ instances }) => instances.length === 0);

/** The refusal if the wanted machines exceed the quota together with those of the tenant's other clusters. */
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
  const remedy = 'ask for fewer, delete clusters, or start the service with a larger --quota';
  const why = `${used} of ${catalog.quota} are in use; ${remedy}`;
  return Refusal.by('quota', `cannot place ${wanted} machines: ${why}`);
}

export function checkQuota(...asked: Parameters<typeof findQuotaProblem>): void {
  const problem = findQuotaProblem(...asked);
  if (problem !== undefined) throw problem;
}

/** The template that a group refers to. */
export const templateOf = (
  store: Store,
  tenant: string,
  group: NodeGroupRequest,
): NodeGroupTemplateRecord | undefined =>
  group.node_group_template_id === undefined
    ? undefined
    : resolve(store, 'nodeGroupTemplates', { tenant, id: group.node_group_template_id }, 'unknownTemplate');
