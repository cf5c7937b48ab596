// Whose a record is, and who else sees it: what a tenant has made public can be read and referred to by all.

import type { Owned, Store } from '../store/store.ts';
import type { Kind, Records } from './records.ts';

/** A record of this identifier, as the tenant sees it. */
export interface Place {
  readonly tenant: string;
  readonly id: string;
}

/** What the tenant sees: its own record, or a public one of another. */
export function see<K extends Kind>(store: Store, kind: K, { tenant, id }: Place): Owned<K> | undefined {
  const record = store.get(kind, tenant, id);
  return record === undefined ? store.shared(kind).get(id) : { tenant, record };
}

/** The record, whoever has it: what was public when it was referred to may not be any more. */
export function find<K extends Kind>(store: Store, kind: K, at: Place): Owned<K> | undefined {
  const seen = see(store, kind, at);
  if (seen !== undefined) return seen;
  for (const tenant of store.tenants()) {
    const record = store.get(kind, tenant, at.id);
    if (record !== undefined) return { tenant, record };
  }
  return undefined;
}

/** What a list tells the tenant: its own records, then public ones of others. */
export function listSeen<K extends Kind>(store: Store, kind: K, tenant: string): readonly Records[K][] {
  const foreign = [...store.shared(kind).values()].filter((each) => each.tenant !== tenant);
  const own = store.listed(kind, tenant);
  return foreign.length === 0 ? own : [...own, ...foreign.map(({ record }) => record)];
}

/** The records of all tenants. */
export const listAll = <K extends Kind>(store: Store, kind: K): readonly Owned<K>[] =>
  store.tenants().flatMap((tenant) => store.list(kind, tenant).map((record) => ({ tenant, record })));

/** Whose a record is that the tenant sees. */
export function ownerOf<K extends Kind>(
  store: Store,
  at: { readonly kind: K; readonly tenant: string },
  record: Records[K],
) {
  const shared = store.shared(at.kind).get(record.id);
  return shared?.record === record ? shared.tenant : at.tenant;
}
