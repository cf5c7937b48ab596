// Who refers to a record: deleting is refused as long as somebody does.
import { need, titles } from './checks.ts';
import type { GroupRecord, Kind } from './records.ts';
import { Refusal } from './refusal.ts';
import type { Service } from './service.ts';
import type { Store } from './store.ts';

interface Place {
  readonly tenant: string;
  readonly id: string;
}

const areOf = (groups: readonly GroupRecord[], template: string) =>
  groups.some((group) => group.node_group_template_id === template);

const executions = (store: Store, tenant: string, matches: (ids: readonly (string | undefined)[]) => boolean) =>
  store
    .list('jobExecutions', tenant)
    .filter(({ job_id, input_id, output_id, data_source_urls }) =>
      matches([job_id, input_id, output_id, ...Object.keys(data_source_urls)]),
    )
    .map(({ id }) => `job execution ${id}`);

/** The users of a record as people know them. Kinds that are not here are deleted whoever refers to them. */
const users: { readonly [K in Kind]?: (store: Store, at: Place) => readonly string[] } = {
  nodeGroupTemplates: (store, { tenant, id }) =>
    [...store.list('clusterTemplates', tenant), ...store.list('clusters', tenant)]
      .filter((owner) => areOf(owner.node_groups, id))
      .map(({ name }) => name),
  clusterTemplates: (store, { tenant, id }) =>
    store
      .list('clusters', tenant)
      .filter((cluster) => cluster.cluster_template_id === id)
      .map(({ name }) => name),
  dataSources: (store, { tenant, id }) => executions(store, tenant, (ids) => ids.includes(id)),
  jobs: (store, { tenant, id }) => executions(store, tenant, (ids) => ids.includes(id)),
  jobBinaries: (store, { tenant, id }) =>
    store
      .list('jobs', tenant)
      .filter(({ mains, libs }) => mains.includes(id) || libs.includes(id))
      .map(({ name }) => name),
};

const templates: readonly Kind[] = ['nodeGroupTemplates', 'clusterTemplates'];

/** Upstream asks about templates before it tries, and has the database say no to all else. */
export const removing =
  (kind: Kind) =>
  ({ store }: Service, at: Place): void => {
    need(store, kind, at);
    const names = users[kind]?.(store, at) ?? [];
    if (names.length > 0) {
      const errorName = templates.includes(kind) ? 'INVALID_REFERENCE' : 'DELETION_FAILED';
      const text = `cannot delete ${titles[kind]} ${at.id}: it is in use by ${names.join(', ')}`;
      throw new Refusal([400, errorName], text);
    }
    store.remove(kind, at.tenant, at.id);
  };
