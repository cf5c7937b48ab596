// The owners of records, and who else can see them: public records can be read and referred to by all tenants.

import type { Kind, Records } from '../records/records.ts';
import type { Owned, Store } from '../store/store.ts';

export interface Place {
  readonly tenant: string;
  readonly id: string;
}

/** A job execution that is deleted for everybody, although its run has not been killed yet. */
export const isForgotten = (record: Records[Kind]): boolean => 'work' in record && record.work?.operation === 'forget';

/** The tenant's own record, or a public one of another tenant. */
export function findVisible<K extends Kind>(store: Store, kind: K, { tenant, id }: Place): Owned<K> | undefined {
  const record = store.get(kind, tenant, id);
  const seen = record === undefined ? store.shared(kind).get(id) : { tenant, record };
  return seen !== undefined && isForgotten(seen.record) ? undefined : seen;
}

/** The record, whatever its tenant: a record that was public when it was referred to can be private by now. */
export function find<K extends Kind>(store: Store, kind: K, at: Place): Owned<K> | undefined {
  const seen = findVisible(store, kind, at);
  if (seen !== undefined) return seen;
  for (const tenant of store.tenants()) {
    const record = store.get(kind, tenant, at.id);
    if (record !== undefined) return { tenant, record };
  }
  return undefined;
}

/** The records in a list: the tenant's own, then public ones of other tenants. */
export function listVisible<K extends Kind>(store: Store, kind: K, tenant: string): readonly Records[K][] {
  const foreign = [...store.shared(kind).values()].filter((each) => each.tenant !== tenant);
  const own = store.listed(kind, tenant);
  const all = foreign.length === 0 ? own : [...own, ...foreign.map(({ record }) => record)];
  return all.some(isForgotten) ? all.filter((record) => !isForgotten(record)) : all;
}

export const listAll = <K extends Kind>(store: Store, kind: K): readonly Owned<K>[] =>
  store.tenants().flatMap((tenant) => store.list(kind, tenant).map((record) => ({ tenant, record })));

/** The tenant that owns a record that is visible to this tenant. */
export function ownerOf<K extends Kind>(
  store: Store,
  at: { readonly kind: K; readonly tenant: string },
  record: Records[K],
) {
  const shared = store.shared(at.kind).get(record.id);
  return shared?.record === record ? shared.tenant : at.tenant;
}
