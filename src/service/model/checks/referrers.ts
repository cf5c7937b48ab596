// References to records. A record cannot be deleted while another one refers to it.
import type { GroupRecord, Kind, Records } from '../records/records.ts';
import { Refusal } from '../refusal.ts';
import type { Store } from '../store/store.ts';
import { isForgotten, listAll, type Place } from './owners.ts';
import { need, titles } from './request-checks.ts';

const areOf = (groups: readonly GroupRecord[], template: string) =>
  groups.some((group) => group.node_group_template_id === template);

const listOf = <K extends Kind>(store: Store, kind: K) => listAll(store, kind).map(({ record }) => record);

/** As messages name them. */
const named = <K extends 'clusterTemplates' | 'clusters' | 'jobs'>(
  store: Store,
  kind: K,
  refers: (record: Records[K]) => boolean,
) =>
  listOf(store, kind)
    .filter(refers)
    .map(({ name }) => `${titles[kind]} ${name}`);

const executions = (store: Store, referred: string) =>
  listOf(store, 'jobExecutions')
    .filter((execution) => !isForgotten(execution))
    .filter(
      ({ job_id, input_id, output_id, data_source_urls }) =>
        [job_id, input_id, output_id].includes(referred) || Object.hasOwn(data_source_urls, referred),
    )
    .map(({ id }) => `job execution ${id}`);

/** The users of a record in any tenant, as messages name them. Other kinds can be deleted whatever refers to them. */
const users: { readonly [K in Kind]?: (store: Store, id: string) => readonly string[] } = {
  nodeGroupTemplates: (store, id) => [
    ...named(store, 'clusterTemplates', (template) => areOf(template.node_groups, id)),
    ...named(store, 'clusters', (cluster) => areOf(cluster.node_groups, id)),
  ],
  clusterTemplates: (store, id) => named(store, 'clusters', (cluster) => cluster.cluster_template_id === id),
  dataSources: executions,
  jobs: executions,
  jobBinaries: (store, id) => named(store, 'jobs', ({ mains, libs }) => mains.includes(id) || libs.includes(id)),
};

/** Upstream checks references to these itself, and leaves all other kinds to its database. */
const templates: readonly Kind[] = ['nodeGroupTemplates', 'clusterTemplates'];

/** As many as anybody reads: everything that a tenant has can use one record. */
const mostNamed = 10;

function checkUnused(store: Store, kind: Kind, { id }: Place): void {
  const names = users[kind]?.(store, id) ?? [];
  if (names.length === 0) return;
  const others = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  const why = `it is in use by ${names.slice(0, mostNamed).join(', ')}${others}`;
  const text = `cannot delete ${titles[kind]} ${id}: ${why}`;
  throw Refusal.by(templates.includes(kind) ? 'inUse' : 'undeletable', text);
}

export const removing =
  (kind: Exclude<Kind, 'images'>) =>
  ({ store }: { readonly store: Store }, at: Place): void => {
    need(store, kind, at);
    checkUnused(store, kind, at);
    store.remove(kind, at.tenant, at.id);
  };
