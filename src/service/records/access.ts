// Who may change a record of late releases: only the tenant that made it, and nobody as long as it is protected.

import { isDeepStrictEqual } from 'node:util';
import { Refusal } from '../http/refusal.ts';
import type { Store } from '../store/store.ts';
import type { Access } from './access-fields.ts';
import { need, titles } from './checks.ts';
import type { Place } from './owners.ts';
import type { Kind, Records, RowKind } from './records.ts';

const errorNames = { delete: 'DELETION_FAILED', update: 'UPDATE_FAILED', cancel: 'CANCELING_FAILED' } as const;
type AccessedAction = keyof typeof errorNames;
type OwnKind = Exclude<RowKind, 'images'>;

/** What cannot be done with a record, and why. */
export const failed = (deed: AccessedAction, kind: Kind, id: string, why: string): Refusal =>
  new Refusal([400, errorNames[deed]], `cannot ${deed} ${titles[kind]} ${id}: ${why}`);

/** Whoever sees a record need not be who made it. */
export function checkOwn(store: Store, deed: AccessedAction, kind: OwnKind, at: Place): void {
  if (store.get(kind, at.tenant, at.id) === undefined) throw failed(deed, kind, at.id, 'another tenant made it');
}

/** Whether the record in the path, which the tenant sees, may be ended. */
export function checkEnd(store: Store, deed: 'delete' | 'cancel', kind: OwnKind, at: Place): void {
  checkOwn(store, deed, kind, at);
  const { is_protected }: Access = need(store, kind, at);
  if (is_protected === true) throw failed(deed, kind, at.id, 'it is protected; set is_protected to false before');
}

/** A protected record may be made public or private; all else has to wait until, or come with, the end of its protection. */
function isLetThrough(record: Access, change: object): boolean {
  if (record.is_protected !== true) return true;
  const fields = new Map(Object.entries(change));
  if (fields.has('is_protected') && fields.get('is_protected') !== true) return true;
  const present = new Map(Object.entries(record));
  const same = ([name, value]: readonly [string, unknown]) =>
    name === 'is_public' || isDeepStrictEqual(present.get(name), value);
  return fields.has('is_public') && [...fields].every(same);
}

/** The same for a change. Answers with the record as it is. */
export function checkChange<K extends OwnKind>(store: Store, kind: K, at: Place, change: object): Records[K] {
  checkOwn(store, 'update', kind, at);
  const record = need(store, kind, at);
  if (!isLetThrough(record, change))
    throw failed('update', kind, at.id, 'it is protected; set is_protected to false, before or in the same request');
  return record;
}
