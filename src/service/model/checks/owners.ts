// Finding records: those that a tenant sees, which are its own, and any by its identifier.

import type { Kind, Records } from '../records/records.ts';
import type { Owned, Store } from '../store/store.ts';

export interface Place {
  readonly tenant: string;
  readonly id: string;
}

/** A job execution that is deleted for everybody, although its run has not been killed yet. */
export const isForgotten = (record: Records[Kind]): boolean => 'work' in record && record.work?.operation === 'forget';

/** The record of the tenant, unless it is deleted for everybody. */
export function findVisible<K extends Kind>(store: Store, kind: K, { tenant, id }: Place): Records[K] | undefined {
  const record = store.get(kind, tenant, id);
  return record !== undefined && isForgotten(record) ? undefined : record;
}

/** The record, whatever its tenant. Several tenants can have their runs in one namespace, and records of earlier releases can refer to each other. */
export function find<K extends Kind>(store: Store, kind: K, at: Place): Owned<K> | undefined {
  for (const tenant of [at.tenant, ...store.tenants()]) {
    const record = store.get(kind, tenant, at.id);
    if (record !== undefined) return { tenant, record };
  }
  return undefined;
}

/** The records in a list. */
export function listVisible<K extends Kind>(store: Store, kind: K, tenant: string): readonly Records[K][] {
  const all = store.listed(kind, tenant);
  return all.some(isForgotten) ? all.filter((record) => !isForgotten(record)) : all;
}

export const listAll = <K extends Kind>(store: Store, kind: K): readonly Owned<K>[] =>
  store.tenants().flatMap((tenant) => store.list(kind, tenant).map((record) => ({ tenant, record })));
