// What the page shows of clusters and runs: the newest ones, with the addresses that a browser can open.
import { readInfo, readLinks } from '../../../wire/cluster-info.ts';
import { cutText } from '../../../wire/errors/shapes.ts';
import type { ClusterRecord, JobExecutionRecord } from '../../model/records/records.ts';
import type { Store } from '../../model/store/store.ts';

const mostRows = 200;
const longest = 1_024;

interface PageLink {
  readonly name: string;
  readonly url: string;
}

export interface ClusterRow {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly plugin: string;
  /** Machines that there are, of those that are wanted. */
  readonly machines: string;
  readonly created: string;
  readonly links: readonly PageLink[];
}

export interface RunRow {
  readonly id: string;
  readonly job: string;
  readonly cluster: string;
  readonly status: string;
  readonly message: string;
  readonly started: string;
  readonly ended: string;
  readonly links: readonly PageLink[];
}

interface PageRows<Row> {
  readonly rows: readonly Row[];
  /** How many there are besides. */
  readonly more: number;
}

/** Records are in order of creation. */
function newest<Entry, Row>(all: readonly Entry[], show: (entry: Entry) => Row): PageRows<Row> {
  const rows = all.slice(-mostRows).toReversed().map(show);
  return { rows, more: all.length - rows.length };
}

const cut = (text = ''): string => cutText(text, longest);

export function clusterRows(store: Store, tenant: string): PageRows<ClusterRow> {
  return newest(store.listed('clusters', tenant), (cluster) => {
    const sum = (count: (group: ClusterRecord['node_groups'][number]) => number): number =>
      cluster.node_groups.reduce((before, group) => before + count(group), 0);
    return {
      name: cluster.name,
      status: cluster.status,
      message: cut(cluster.status_description),
      plugin: `${cluster.plugin_name} ${cluster.bigdata_version}`,
      machines: `${sum(({ instances }) => instances.length)}/${sum(({ count }) => count)}`,
      created: cluster.created_at,
      links: infoLinks(cluster.info),
    };
  });
}

export function runRows(store: Store, tenant: string): PageRows<RunRow> {
  return newest(store.listed('jobExecutions', tenant), (run: JobExecutionRecord) => ({
    id: run.id,
    job: store.get('jobs', tenant, run.job_id)?.name ?? run.job_id,
    cluster: (run.cluster_id && store.get('clusters', tenant, run.cluster_id)?.name) ?? '',
    status: run.info.status,
    message: cut(run.info.message),
    started: run.start_time ?? '',
    ended: run.end_time ?? '',
    links: runLinks(run.urls),
  }));
}

const isPage = ({ url }: PageLink): boolean => /^https?:/i.test(url);

function infoLinks(info: ClusterRecord['info']): readonly PageLink[] {
  return Object.entries(readInfo(info))
    .flatMap(([target, labels]) => Object.entries(labels).map(([label, url]) => ({ name: `${target} ${label}`, url })))
    .filter(isPage);
}

/** Without those below the address of the service, which need a token in a header. */
function runLinks(urls: JobExecutionRecord['urls']): readonly PageLink[] {
  return Object.entries(readLinks(urls ?? {}, ''))
    .map(([name, url]) => ({ name, url }))
    .filter(isPage);
}
