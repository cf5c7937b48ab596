// What every route works with, and how records are rendered as answers.
import type { Clock, Random } from '../../lib/ports.ts';
import type { Dialect } from '../../wire/dialect.ts';
import { routes } from '../../wire/routes.ts';
import type { JobEngine } from '../backends/job-engine.ts';
import type { Provisioner } from '../backends/provisioner.ts';
import type { Catalog } from '../model/catalog/catalog.ts';
import { checkRows } from '../model/checks/quotas.ts';
import { createId } from '../model/records/identifiers.ts';
import type { ClusterLoad, ClusterRecord, Kind, Records } from '../model/records/records.ts';
import type { Store } from '../model/store/store.ts';
import type { Lifecycle } from './clusters/lifecycle.ts';
import type { Executions } from './executions/executions.ts';
import type { Fields } from './views/job-view.ts';
import { showRecord } from './views/record-view.ts';

export interface Service {
  readonly dialect: Dialect;
  readonly catalog: Catalog;
  readonly store: Store;
  readonly lifecycle: Lifecycle;
  readonly executions: Executions;
  readonly engine: JobEngine;
  readonly provisioner: Provisioner;
  readonly clock: Clock;
  readonly random: Random;
  /** The identifier of the next record. When absent, a random one is used. */
  readonly givenId?: string | undefined;
  /** A hook of a wrapper: changes how an execution is answered. Undefined if there is none at the moment. */
  readonly misdates?: (() => ((execution: Fields) => Fields) | undefined) | undefined;
  /** What the work on the cluster needs. Undefined if that is not known. When absent: it is not known of any cluster. */
  readonly loadOf?: ((tenant: string, cluster: ClusterRecord) => ClusterLoad | undefined) | undefined;
  /** Records are never changed in place, so the JSON of each one is cached for as long as the record exists. */
  readonly texts: WeakMap<object, string>;
}

/**
 * A new identifier that no record of the tenant has. With a fixed seed and kept data, random identifiers repeat. Throws when the tenant has reached
 * its quota of rows.
 */
export function createFreshId(service: Service, kind: Kind, tenant: string): string {
  checkRows(service, tenant);
  if (service.givenId !== undefined) return service.givenId;
  const id = createId(service.random);
  return service.store.get(kind, tenant, id) === undefined ? id : createFreshId(service, kind, tenant);
}

/** What a list or an answer is about. */
export interface Subject<K extends Kind> {
  readonly kind: K;
  readonly tenant: string;
}

type Retouch = (shown: Fields) => Fields;

/** How the answer differs from the record at this moment. Undefined if it does not. */
function changeOf<K extends Kind>(
  { misdates, loadOf }: Service,
  at: Subject<K>,
  record: Records[K],
): Retouch | undefined {
  if (at.kind === 'jobExecutions') return misdates?.();
  const load = at.kind === 'clusters' ? loadOf?.(at.tenant, record as ClusterRecord) : undefined;
  return load && (({ info, ...shown }) => ({ ...shown, info: { ...(info as Fields), Load: load } }));
}

function showOne<K extends Kind>(
  service: Service,
  at: Subject<K>,
  record: Records[K],
  change = changeOf(service, at, record),
): Fields {
  const { dialect, store } = service;
  const binaryOf = (id: string) => store.get('jobBinaries', at.tenant, id);
  const shown = showRecord({ ...at, dialect, binaryOf }, record);
  return change?.(shown) ?? shown;
}

export function renderRecord<K extends Kind>(service: Service, at: Subject<K>, record: Records[K]): string {
  const { texts } = service;
  const change = changeOf(service, at, record);
  const known = change === undefined ? texts.get(record) : undefined;
  if (known !== undefined) return known;
  const text = JSON.stringify(showOne(service, at, record, change));
  // The answer for a job contains its binaries, which can change.
  if (at.kind !== 'jobs' && change === undefined) texts.set(record, text);
  return text;
}

/** One resource in an object whose key is its singular name (section 2). */
export const renderOne = <K extends Kind>(service: Service, at: Subject<K>, record: Records[K]): string =>
  `{"${routes[at.kind].single}":${renderRecord(service, at, record)}}`;

/** Fields that upstream omits from the answer to a create if they were not given. */
const unsetAtFirst: { readonly [K in Kind]?: readonly string[] } = {
  nodeGroupTemplates: ['description', 'image_id', 'shares', 'updated_at'],
  dataSources: ['description', 'updated_at'],
  jobBinaries: ['description', 'extra', 'updated_at'],
  jobs: ['description', 'updated_at'],
};
const unsetOfExecutions = ['data_source_urls', 'end_time', 'return_code', 'start_time', 'updated_at'];
// Late upstream uses the other name for the same identifier.
const unsetOfRun: Readonly<Record<Dialect, readonly string[]>> = {
  neutral: [],
  sahara: [...unsetOfExecutions, 'engine_job_id'],
  savanna: [...unsetOfExecutions, 'oozie_job_id', 'progress'],
};

/** A record as the answer to its creation. */
export function renderCreated<K extends Kind>(service: Service, at: Subject<K>, record: Records[K]): string {
  const names = at.kind === 'jobExecutions' ? unsetOfRun[service.dialect] : unsetAtFirst[at.kind];
  if (names === undefined) return renderOne(service, at, record);
  const nulls = ('nulls' in record ? record.nulls : undefined) ?? [];
  const fields = Object.entries(showOne(service, at, record));
  const isUnset = (name: string) => names.includes(name) && !nulls.includes(name);
  const shown = Object.fromEntries(fields.filter(([name, value]) => value !== null || !isUnset(name)));
  return JSON.stringify({ [routes[at.kind].single]: shown });
}
