// What must hold of every object of either side after each change, by the numbers of the protocol: each function answers what is broken, or nothing.
import { finalizer } from '../../../src/operator/api/shared-api.ts';
import { type Claim, currentClaim, type Ledger } from '../../../src/operator/reconcile/ledger/ledger.ts';
import type { ClusterRecord } from '../../../src/service/model/records/records.ts';
import { belongs, readyTooSoon, reowned, repinned, wentBack } from '../../support/invariants.ts';
import type { Stored } from '../api/fields.ts';
import { installation } from '../plan/plan.ts';
import { collectionOf, type Facts, type Invariant, isOurs, type Row } from './facts.ts';
import { type Happening, targetOf } from './happening.ts';
import { completeTooSoon } from './invariants-runs.ts';
import { type Entry, entriesOf } from './node-groups.ts';

type Status = {
  readonly observedGeneration?: number;
  readonly id?: string;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly observedGeneration?: number;
  }[];
};

/** Also where its deletion has got stuck: nothing but another DELETE leads on from there. */
const isLeaving = ({ record }: Row): boolean => {
  const { status, work } = record as Partial<ClusterRecord>;
  return status === 'Deleting' || work?.operation === 'delete';
};
const statusOf = (object: Stored | undefined): Status => (object?.status ?? {}) as Status;
const readyOf = (object: Stored | undefined) => statusOf(object).conditions?.find(({ type }) => type === 'Ready');
const isHeld = (object: Stored | undefined): boolean => object?.metadata.finalizers?.includes(finalizer) ?? false;

/** The resource that a change on either side concerns. */
function concerned(facts: Facts, happening: Happening): string | undefined {
  if (happening.is === 'kubernetes changed') return happening.change.object.metadata.uid;
  if (happening.is !== 'service changed') return undefined;
  return facts.ownerOf((happening.after ?? happening.before)?.id ?? '');
}

/** At most one live external object a claim; content-named ones may have a twin for a while. */
export const I1: Invariant = (facts, happening) => {
  if (happening.is !== 'service changed' || happening.kind !== 'clusters' || happening.after === undefined)
    return undefined;
  const uid = facts.ownerOf(happening.after.id);
  if (uid === undefined || isLeaving({ kind: 'clusters', record: happening.after as ClusterRecord })) return undefined;
  const rows = facts.rowsOf(uid).filter((row) => row.kind === 'clusters' && !isLeaving(row));
  return rows.length > 1
    ? `${rows.map(({ record }) => record.id).join(' and ')} are both live objects of ${uid}`
    : undefined;
};

/** Every external object with our tag belongs to a claim, an open attempt or a recorded orphan. */
export const I2: Invariant = (facts, happening) => {
  const uid = concerned(facts, happening);
  if (uid === undefined || facts.ownership.isBeingReplaced(uid)) return undefined;
  const rows = facts.rowsOf(uid);
  if (rows.length === 0) return undefined;
  const ledger = facts.ledgerOf(facts.resourceOf(uid));
  const stray = rows.find((row) => !isAccountedFor(facts, row, ledger, rows));
  return stray && `${stray.kind} ${stray.record.id} (${stray.record.name}) belongs to no claim and to no open attempt`;
};

function isAccountedFor(
  facts: Facts,
  { kind, record }: Row,
  ledger: Ledger | undefined,
  rows: readonly Row[],
): boolean {
  const { id, name } = record;
  if (facts.orphans.has(id) || facts.orphans.has(name)) return true;
  const claims = ledger?.claims.filter((one) => one.collection === collectionOf(kind)) ?? [];
  if (claims.some((claim) => claim.id === id)) return true;
  const failed = (record as Partial<ClusterRecord>).status === 'Error' || isLeaving({ kind, record });
  return belongs(
    { id, name, failed },
    claims,
    rows.map((row) => row.record),
  );
}

/** Pins never change. */
export const I6: Invariant = (facts, happening) => {
  if (happening.is !== 'kubernetes changed' || happening.by === undefined || happening.change.type !== 'MODIFIED')
    return undefined;
  const { before, object, plural } = happening.change;
  const [was, is] = [facts.ledgerOf(before), facts.ledgerOf(object)];
  if (was === undefined) return undefined;
  if (is === undefined) return 'a ledger is gone';
  // What was restored, or is taken over with the user's word, is made its own.
  const isOwn = is.uid === object.metadata.uid && is.installation === installation;
  const broken = repinned(was, is) ?? (isOwn ? undefined : reowned(was, is));
  if (broken !== undefined) return broken;
  const [one, other] = [currentClaim(was), currentClaim(is)];
  if (plural !== 'clusters' || one === undefined || other === undefined || one.name === other.name) return undefined;
  return isGone(facts, object, one) ? undefined : `the name ${one.name} becomes ${other.name}`;
};

/** Its object was there, is not any more, and cannot come back: what was restored gets the next one under its own name. */
function isGone(facts: Facts, { metadata }: Stored, { name, id, attempts }: Claim): boolean {
  const isThere = facts.rowsOf(metadata.uid).some(({ record }) => record.name === name);
  return id !== undefined && attempts === undefined && !isThere;
}

/** Nothing is sent for one whose ledger was written for another object: what is sent then was on its way before a user replaced that. */
function isRestored(facts: Facts, object: Stored | undefined): boolean {
  const ledger = facts.ledgerOf(object);
  return ledger !== undefined && ledger.uid !== object?.metadata.uid;
}

/** Finalizer before the first external write, removed only after gone or Orphan. */
export const I7: Invariant = (facts, happening) => {
  if (happening.is === 'service sent') {
    const { method, name } = targetOf(happening.sent);
    if (method !== 'POST' || name === undefined) return undefined;
    const owner = facts.resourceOf(facts.ownerOfName(name));
    return isHeld(owner) || isRestored(facts, owner) ? undefined : `POST of ${name} before the finalizer`;
  }
  if (happening.is !== 'kubernetes changed' || happening.by === undefined) return undefined;
  const { before, object, type } = happening.change;
  if (!isHeld(before) || (type !== 'DELETED' && isHeld(object)) || !isOurs(object)) return undefined;
  const { uid } = object.metadata;
  const left = facts.rowsOf(uid).find(({ record }) => !facts.orphans.has(record.id) && !facts.orphans.has(record.name));
  if (left !== undefined) return `the finalizer of ${object.metadata.name} goes while ${left.record.id} is there`;
  const late = [...facts.posts.values()].find(
    ({ name = '' }) => facts.ownerOfName(name) === uid && !facts.orphans.has(name),
  );
  return late && `the finalizer of ${object.metadata.name} goes while a POST of ${late.name} may take effect`;
};

/** Ready only with the generation observed, and an observation younger than its last effect. */
export const I8: Invariant = (facts, happening) => {
  if (happening.is !== 'kubernetes changed' || happening.by === undefined) return undefined;
  const { object, before } = happening.change;
  const ready = readyOf(object);
  if (ready?.status !== 'True' || JSON.stringify(object.status) === JSON.stringify(before?.status)) return undefined;
  const { generation } = object.metadata;
  const { id = '' } = statusOf(object);
  const soon = readyTooSoon(statusOf(object), generation ?? 0);
  if (soon !== undefined) return `${object.kind} ${object.metadata.name} ${soon}`;
  if (object.kind === 'JobExecution') {
    const early = completeTooSoon(facts.runs.of(object.metadata.uid).map((run) => run.status));
    return early && `JobExecution ${object.metadata.name} ${early}`;
  }
  if (object.kind !== 'Cluster') return undefined;
  const wanted = wantedOf(facts, object);
  // What is only observed is reported as it is.
  const isObserved = (object.spec as { readonly policy?: unknown }).policy === 'Observe';
  const seen = facts.since(id).some((row) => row.status === 'Active' && (isObserved || hasCounts(row, wanted)));
  return seen
    ? undefined
    : `Cluster ${object.metadata.name} is Ready, and ${id} has not been ${JSON.stringify(wanted)} since our last write`;
};

interface Reported {
  readonly nodeGroups?: readonly { readonly name: string; readonly desired: number; readonly scaledBy?: string }[];
}

/**
 * The counts that the spec asks for, or those of NodeGroups that the status says to go by; groups that neither names are to be empty.
 */
function wantedOf(facts: Facts, object: Stored): Readonly<Record<string, number>> {
  const { nodeGroups: reported = [] } = (object.status ?? {}) as Reported;
  const isEmptied = (entry: Entry): boolean =>
    !reported.some(({ name }) => name === entry.name) &&
    facts.nodeGroups.countsLately(object.metadata.name, entry, facts.options).includes(0);
  // The status does not list a group without nodes, nor that a NodeGroup asks for none.
  const entries = entriesOf(object).map((entry) => (isEmptied(entry) ? { ...entry, count: 0 } : entry));
  const scaled = reported.flatMap(({ name, desired, scaledBy }) =>
    scaledBy === undefined ? [] : [{ name, count: desired }],
  );
  const groups = [...(facts.ledgerOf(object)?.baseline ?? []), ...entries, ...scaled];
  return Object.fromEntries(groups.map(({ name, count }) => [name, count]));
}

export function hasCounts({ node_groups }: ClusterRecord, wanted: Readonly<Record<string, number>>): boolean {
  const names = new Set([...Object.keys(wanted), ...node_groups.map(({ name }) => name)]);
  return [...names].every((name) => (node_groups.find((one) => one.name === name)?.count ?? 0) === (wanted[name] ?? 0));
}

/** observedGeneration never goes back. */
export const I9: Invariant = (_, happening) => {
  if (happening.is !== 'kubernetes changed' || happening.change.type !== 'MODIFIED') return undefined;
  const { before, object } = happening.change;
  const back = wentBack(statusOf(before).observedGeneration, statusOf(object).observedGeneration);
  return back && `observedGeneration of ${object.metadata.name} ${back}`;
};
