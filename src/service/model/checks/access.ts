// Who can change a record in late releases: only the tenant that created it, and nobody while it is protected.
import { isDeepStrictEqual } from 'node:util';
import type { Access, Kind, Records, RowKind } from '../records/records.ts';
import { Refusal } from '../refusal.ts';
import type { Store } from '../store/store.ts';
import { need, titles } from './checks.ts';
import type { Place } from './owners.ts';

const errorNames = { delete: 'DELETION_FAILED', update: 'UPDATE_FAILED', cancel: 'CANCELING_FAILED' } as const;
type AccessedAction = keyof typeof errorNames;
type OwnKind = Exclude<RowKind, 'images'>;

/** Refuses an action on a record. */
export const failed = (action: AccessedAction, kind: Kind, id: string, why: string): Refusal =>
  new Refusal([400, errorNames[action]], `cannot ${action} ${titles[kind]} ${id}: ${why}`);

/** A tenant can see public records of other tenants, but not change them. */
export function checkOwn(store: Store, action: AccessedAction, kind: OwnKind, at: Place): void {
  if (store.get(kind, at.tenant, at.id) === undefined) throw failed(action, kind, at.id, 'another tenant made it');
}

/** Throws unless the tenant can end the record in the path. */
export function checkEnd(store: Store, action: 'delete' | 'cancel', kind: OwnKind, at: Place): void {
  checkOwn(store, action, kind, at);
  const { is_protected }: Access = need(store, kind, at);
  if (is_protected === true) throw failed(action, kind, at.id, 'it is protected; set is_protected to false before');
}

/** A protected record can be made public or private. Any other change requires that the protection ends before or with it. */
function isLetThrough(record: Access, change: object): boolean {
  if (record.is_protected !== true) return true;
  const fields = new Map(Object.entries(change));
  if (fields.has('is_protected') && fields.get('is_protected') !== true) return true;
  const present = new Map(Object.entries(record));
  const same = ([name, value]: readonly [string, unknown]) =>
    name === 'is_public' || isDeepStrictEqual(present.get(name), value);
  return fields.has('is_public') && [...fields].every(same);
}

/** Throws unless the tenant can make the change. Returns the record as it is. */
export function checkChange<K extends OwnKind>(store: Store, kind: K, at: Place, change: object): Records[K] {
  checkOwn(store, 'update', kind, at);
  const record = need(store, kind, at);
  if (!isLetThrough(record, change))
    throw failed('update', kind, at.id, 'it is protected; set is_protected to false, before or in the same request');
  return record;
}
