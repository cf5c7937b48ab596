// Lists of late upstream releases: filtered, sorted and paged. PURE.

import type { Kind } from '../../model/records/records.ts';
import { Refusal } from '../../model/refusal.ts';
import type { Parameter } from './about.ts';

type Cell = string | number | boolean | null | undefined;
/** The columns of a row as it is answered. Other fields are not columns. */
export type ListedRow = Readonly<Record<string, Cell>>;
type Query = Readonly<Record<string, string | readonly string[] | undefined>>;
export type ListedKind = Exclude<Kind, 'images'>;

/** `prev` and `next`: the markers of the neighboring pages, null at the ends. */
export interface Page<Of> {
  readonly rows: readonly Of[];
  readonly markers?: { readonly prev: string | null; readonly next: string | null };
}

const common = ['id', 'tenant_id', 'created_at', 'updated_at', 'is_public', 'is_protected'];
const described = [...common, 'name', 'description'];
const installed = [...described, 'plugin_name', 'hadoop_version'];

/** The fields that a list can be filtered and sorted by. */
const columns: Readonly<
  Record<ListedKind, { readonly filters: readonly string[]; readonly sorts: readonly string[] }>
> = {
  clusters: {
    filters: [
      ...installed,
      'status',
      'status_description',
      'cluster_template_id',
      'default_image_id',
      'user_keypair_id',
      'neutron_management_network',
      'is_transient',
      'trust_id',
      'anti_affinity_ratio',
      'use_autoconfig',
      'domain_name',
    ],
    sorts: ['id', 'name', 'plugin_name', 'hadoop_version', 'status'],
  },
  clusterTemplates: {
    filters: [
      ...installed,
      'default_image_id',
      'neutron_management_network',
      'use_autoconfig',
      'domain_name',
      'is_default',
    ],
    sorts: ['id', 'name', 'plugin_name', 'hadoop_version', 'created_at', 'updated_at'],
  },
  nodeGroupTemplates: {
    filters: [
      ...installed,
      'flavor_id',
      'image_id',
      'floating_ip_pool',
      'volumes_per_node',
      'volumes_size',
      'volume_mount_prefix',
      'volume_type',
      'volumes_availability_zone',
      'volume_local_to_instance',
      'availability_zone',
      'auto_security_group',
      'is_proxy_gateway',
      'use_autoconfig',
      'is_default',
    ],
    sorts: ['id', 'name', 'plugin_name', 'hadoop_version', 'created_at', 'updated_at'],
  },
  dataSources: { filters: [...described, 'type', 'url'], sorts: ['id', 'name', 'type', 'created_at', 'updated_at'] },
  jobBinaries: { filters: [...described, 'url'], sorts: ['id', 'name', 'created_at', 'updated_at'] },
  jobBinaryInternals: { filters: [...common, 'name', 'datasize'], sorts: ['id', 'name', 'created_at', 'updated_at'] },
  jobs: { filters: [...described, 'type'], sorts: ['id', 'name', 'type', 'created_at', 'updated_at'] },
  jobExecutions: {
    filters: [
      ...common,
      'job_id',
      'cluster_id',
      'input_id',
      'output_id',
      'engine_job_id',
      'start_time',
      'end_time',
      'return_code',
      'status',
      'cluster.name',
      'job.name',
    ],
    sorts: ['id'],
  },
};

/** The query parameters of a list. */
export const listParameters = (kind: ListedKind): readonly Parameter[] => [
  { name: 'limit', description: 'At most so many; a positive number' },
  { name: 'marker', description: 'Identifier of the last one of the page before' },
  {
    name: 'sort_by',
    description: 'The field to sort by; downwards after a hyphen',
    choice: columns[kind].sorts.flatMap((field) => [field, `-${field}`]),
  },
  ...columns[kind].filters.map((name) => ({ name, description: `Only those with this ${name}` })),
];

// Upstream uses a number as the name of this error.
const badParameter = (text: string) => new Refusal([400, 400], text);

const first = (value: Query[string]): string | undefined => (typeof value === 'string' ? value : value?.[0]);

export interface ListRequest {
  readonly limit: number | undefined;
  readonly marker: string | undefined;
  readonly sort: { readonly field: string; readonly descends: boolean };
  readonly filters: readonly (readonly [field: string, value: string])[];
}

function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text) || Number(text) === 0)
    throw badParameter('cannot list: limit must be a positive integer');
  return Number(text);
}

function readSort(kind: ListedKind, text: string | undefined): ListRequest['sort'] {
  if (text === undefined) return { field: 'id', descends: false };
  const field = text.replace(/^-/, '');
  const { sorts } = columns[kind];
  if (!sorts.includes(field)) throw badParameter(`cannot list: sort_by must be one of ${sorts.join(', ')}`);
  return { field, descends: text.startsWith('-') };
}

/** Only the status of executions is compared without case. It is upper case here and in the rows. */
function wantedText(kind: ListedKind, field: string, value: Query[string]): string {
  const text = first(value) ?? '';
  return kind === 'jobExecutions' && field === 'status' ? text.toUpperCase() : text;
}

/**
 * Throws the refusal of upstream for wrong parameters. Unknown filters, an empty field to sort by and some fields of executions cause a 500 in
 * upstream. Here they are refused like other mistakes.
 */
export function readRequest(kind: ListedKind, query: Query): ListRequest {
  const { limit, marker, sort_by, ...others } = query;
  const request = { limit: readLimit(first(limit)), marker: first(marker), sort: readSort(kind, first(sort_by)) };
  const filters = Object.entries(others).map(([field, value]) => [field, wantedText(kind, field, value)] as const);
  const { filters: filterable } = columns[kind];
  const unknown = filters.find(([field]) => !filterable.includes(field));
  if (unknown !== undefined)
    throw badParameter(`cannot list: unknown filter ${unknown[0]}; known are ${filterable.join(', ')}`);
  return { ...request, filters };
}

const same = (found: Cell, wanted: string): boolean =>
  typeof found === 'boolean' ? String(found) === wanted.toLowerCase() : (found ?? undefined)?.toString() === wanted;

const ordered = (one: Cell, other: Cell): number => {
  const [left, right] = [String(one ?? ''), String(other ?? '')];
  return left < right ? -1 : Number(left > right);
};

const markerOf = <Of>(entry: Entry<Of> | undefined): string | null =>
  entry === undefined ? null : String(entry.row['id']);

/** A record with its answered row. `row` can have more fields to filter by. */
interface Entry<Of> {
  readonly of: Of;
  readonly row: ListedRow;
}

/** The page after the marker. A page of executions begins with the marker. The page after the last one can be empty. */
export function paginate<Of>(kind: ListedKind, entries: readonly Entry<Of>[], request: ListRequest): Page<Of> {
  const { limit, marker, sort, filters } = request;
  const compare = (one: Entry<Of>, other: Entry<Of>) =>
    ordered(one.row[sort.field], other.row[sort.field]) || ordered(one.row['id'], other.row['id']);
  const kept = entries
    .filter(({ row }) => filters.every(([field, value]) => same(row[field], value)))
    .toSorted((one, other) => (sort.descends ? compare(other, one) : compare(one, other)));
  const at = kept.findIndex(({ row }) => row['id'] === marker);
  const begin = kind === 'jobExecutions' ? Math.max(at, 0) : at + 1;
  const rows = kept.slice(begin, limit === undefined ? undefined : begin + limit).map(({ of }) => of);
  // Without a marker, the last page has no next one.
  const goesOn = limit !== undefined && (at < 0 ? limit : at + limit) < kept.length;
  const next = goesOn ? markerOf(kept[at + limit]) : null;
  const prev = limit === undefined || at < 0 ? null : markerOf(kept[at - limit]);
  const markers = { prev, next };
  return next === null && prev === null && marker === undefined ? { rows } : { rows, markers };
}
