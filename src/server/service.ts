// What every route works with, and the few things that all kinds of resources do alike.
import type { Clock, Random } from '../ports.ts';
import type { Dialect } from '../wire/dialect.ts';
import { routes } from '../wire/routes.ts';
import type { Catalog } from './catalog.ts';
import { createId } from './identifiers.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Kind, Records } from './records.ts';
import type { Store } from './store.ts';
import { showRecord } from './view.ts';

export interface Service {
  readonly dialect: Dialect;
  readonly catalog: Catalog;
  readonly store: Store;
  readonly lifecycle: Lifecycle;
  readonly clock: Clock;
  readonly random: Random;
  /** Records are never changed in place, so the text of each is made once and lives as long as the record. */
  readonly texts: WeakMap<object, string>;
}

/** An identifier that no record of the tenant has: with a fixed seed and kept data the chance repeats itself. */
export function createFreshId(service: Service, kind: Kind, tenant: string): string {
  const id = createId(service.random);
  return service.store.get(kind, tenant, id) === undefined ? id : createFreshId(service, kind, tenant);
}

function renderRecord<K extends Kind>(
  service: Service,
  at: { readonly kind: K; readonly tenant: string },
  record: Records[K],
): string {
  const known = service.texts.get(record);
  if (known !== undefined) return known;
  const text = JSON.stringify(showRecord({ dialect: service.dialect, ...at }, record));
  service.texts.set(record, text);
  return text;
}

/** One resource in an object whose key is its singular name (section 2). */
export const renderOne = <K extends Kind>(
  service: Service,
  at: { readonly kind: K; readonly tenant: string },
  record: Records[K],
): string => `{"${routes[at.kind].single}":${renderRecord(service, at, record)}}`;

/** Resources in an object whose key is the plural name; all of the kind when not told which. */
export function renderList<K extends Kind>(
  service: Service,
  at: { readonly kind: K; readonly tenant: string },
  records: readonly Records[K][] = service.store.listed(at.kind, at.tenant),
): string {
  const rows = records.map((record) => renderRecord(service, at, record));
  return `{"${routes[at.kind].plural}":[${rows.join()}]}`;
}
