// What must hold at every step of every world, by the numbers of the protocol: each function answers what is broken, or nothing.
import { finalizer, recreateAnnotation } from '../../src/api/common.ts';
import { currentClaim, isRefused, type Ledger, openAttempts } from '../../src/reconcile/ledger.ts';
import type { ClusterRecord } from '../../src/server/records.ts';
import { collectionOf, type Facts, type Happening, isOurs, type Row, targetOf } from './facts.ts';
import type { Stored } from './fields.ts';
import { token } from './plan.ts';

type Invariant = (facts: Facts, happening: Happening) => string | undefined;
type Status = {
  readonly observedGeneration?: number;
  readonly id?: string;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly observedGeneration?: number;
  }[];
};

const isLeaving = ({ record }: Row): boolean => (record as Partial<ClusterRecord>).work?.operation === 'delete';
const statusOf = (object: Stored | undefined): Status => (object?.status ?? {}) as Status;
const readyOf = (object: Stored | undefined) => statusOf(object).conditions?.find(({ type }) => type === 'Ready');
const isHeld = (object: Stored | undefined): boolean => object?.metadata.finalizers?.includes(finalizer) ?? false;

/** The resource that a change on either side concerns. */
function concerned(facts: Facts, happening: Happening): string | undefined {
  if (happening.is === 'kubernetes changed') return happening.change.object.metadata.uid;
  if (happening.is !== 'service changed') return undefined;
  return facts.owners.get((happening.after ?? happening.before)?.id ?? '');
}

/** At most one live external object a claim; content-named ones may have a twin for a while. */
export const I1: Invariant = (facts, happening) => {
  if (happening.is !== 'service changed' || happening.kind !== 'clusters' || happening.after === undefined)
    return undefined;
  const uid = facts.owners.get(happening.after.id);
  if (uid === undefined || isLeaving({ kind: 'clusters', record: happening.after })) return undefined;
  const rows = facts.rowsOf(uid).filter((row) => row.kind === 'clusters' && !isLeaving(row));
  return rows.length > 1
    ? `${rows.map(({ record }) => record.id).join(' and ')} are both live objects of ${uid}`
    : undefined;
};

/** Every external object with our tag belongs to a claim, an open attempt or a recorded orphan. */
export const I2: Invariant = (facts, happening) => {
  const uid = concerned(facts, happening);
  if (uid === undefined) return undefined;
  const rows = facts.rowsOf(uid);
  if (rows.length === 0) return undefined;
  const ledger = facts.ledgerOf(facts.resourceOf(uid));
  const stray = rows.find((row) => !belongs(facts, row, ledger, rows));
  return stray && `${stray.kind} ${stray.record.id} (${stray.record.name}) belongs to no claim and to no open attempt`;
};

function belongs(facts: Facts, { kind, record }: Row, ledger: Ledger | undefined, rows: readonly Row[]): boolean {
  const { id, name } = record;
  if (facts.orphans.has(id) || facts.orphans.has(name)) return true;
  const claims = ledger?.claims.filter((one) => one.collection === collectionOf(kind)) ?? [];
  if (claims.some((claim) => claim.id === id)) return true;
  const claim = claims.find((one) => one.name === name);
  if (claim === undefined) return false;
  const twin = rows.some(({ record: other }) => other.id === claim.id && other.name === name);
  const left =
    isRefused(claim) && ((record as Partial<ClusterRecord>).status === 'Error' || isLeaving({ kind, record }));
  return openAttempts(claim) > 0 || twin || left;
}

/** No write on what we cannot prove ours. */
export const I3: Invariant = (facts, happening) => {
  if (happening.is !== 'service sent') return undefined;
  const { method, collection, id } = targetOf(happening.sent);
  if (method === 'GET' || id === undefined || collection === 'images') return undefined;
  return facts.owners.get(id) === undefined ? `${method} of ${collection} ${id}, which is not ours` : undefined;
};

/** DELETE only by a recorded or judged id, for a reason of the closed list. */
export const I4: Invariant = (facts, happening) => {
  if (happening.is !== 'service sent') return undefined;
  const { method, id, collection } = targetOf(happening.sent);
  if (method !== 'DELETE' || id === undefined || collection === 'images') return undefined;
  const resource = facts.resourceOf(facts.owners.get(id));
  const ledger = facts.ledgerOf(resource);
  const name = facts.nameOf(id);
  const claim = ledger?.claims.find((one) => one.id === id || one.name === name);
  if (claim === undefined) return `DELETE of ${id}, which no ledger names`;
  if (resource?.metadata.deletionTimestamp !== undefined) return undefined;
  if (resource?.metadata.annotations?.[recreateAnnotation] === id) return undefined;
  const row = facts.rowsOf(resource?.metadata.uid ?? '').find(({ record }) => record.id === id);
  if (isRefused(claim) && (row?.record as Partial<ClusterRecord> | undefined)?.status === 'Error') return undefined;
  const superseded = claim.role !== 'main' && claim !== currentClaim(ledger);
  const twin = collection !== 'clusters' && claim.id !== undefined && claim.id !== id;
  return superseded || twin ? undefined : `DELETE of ${collection} ${id}, which nobody asked for`;
};

/** No POST without a durable open intent. */
export const I5: Invariant = (facts, happening) => {
  if (happening.is !== 'service sent') return undefined;
  const { method, name, collection } = targetOf(happening.sent);
  if (method !== 'POST' || name === undefined) return undefined;
  const ledger = facts.ledgerOf(facts.resourceOf(facts.ownerOfName(name)));
  const open = openAttempts(ledger?.claims.find((one) => one.name === name && one.collection === collection));
  const sent = [...facts.posts.values()].filter((one) => one.name === name && one.collection === collection).length;
  return sent > open ? `${sent} POSTs of ${name} may take effect, and the ledger has ${open} open` : undefined;
};

/** Pins never change. */
export const I6: Invariant = (facts, happening) => {
  if (happening.is !== 'kubernetes changed' || happening.by === undefined || happening.change.type !== 'MODIFIED')
    return undefined;
  const { before, object, plural } = happening.change;
  const [was, is] = [facts.ledgerOf(before), facts.ledgerOf(object)];
  if (was === undefined) return undefined;
  if (is === undefined) return 'a ledger is gone';
  const pins = ({ v, endpoint, tenant, base, uid, installation }: Ledger) =>
    JSON.stringify([v, endpoint, tenant, base, uid, installation]);
  if (pins(was) !== pins(is)) return `the pins ${pins(was)} become ${pins(is)}`;
  const [one, other] = [currentClaim(was)?.name, currentClaim(is)?.name];
  return plural === 'clusters' && one !== undefined && other !== undefined && one !== other
    ? `the name ${one} becomes ${other}`
    : undefined;
};

/** Finalizer before the first external write, removed only after gone or Orphan. */
export const I7: Invariant = (facts, happening) => {
  if (happening.is === 'service sent') {
    const { method, name } = targetOf(happening.sent);
    if (method !== 'POST' || name === undefined) return undefined;
    return isHeld(facts.resourceOf(facts.ownerOfName(name))) ? undefined : `POST of ${name} before the finalizer`;
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
  const { observedGeneration, id = '' } = statusOf(object);
  if (observedGeneration !== generation || ready.observedGeneration !== generation)
    return `${object.kind} ${object.metadata.name} is Ready for generation ${observedGeneration} of ${generation}`;
  if (object.kind !== 'Cluster') return undefined;
  const wanted = wantedOf(object, facts.ledgerOf(object));
  const seen = facts.since(id).some((row) => row.status === 'Active' && hasCounts(row, wanted));
  return seen
    ? undefined
    : `Cluster ${object.metadata.name} is Ready, and ${id} has not been ${JSON.stringify(wanted)} since our last write`;
};

/** The counts that the spec asks for; groups that it does not name are to be empty. */
export function wantedOf({ spec }: Stored, ledger: Ledger | undefined): Readonly<Record<string, number>> {
  const { nodeGroups = [] } = spec as {
    readonly nodeGroups?: readonly { readonly name: string; readonly count: number }[];
  };
  return Object.fromEntries([...(ledger?.baseline ?? []), ...nodeGroups].map(({ name, count }) => [name, count]));
}

export function hasCounts({ node_groups }: ClusterRecord, wanted: Readonly<Record<string, number>>): boolean {
  const names = new Set([...Object.keys(wanted), ...node_groups.map(({ name }) => name)]);
  return [...names].every((name) => (node_groups.find((one) => one.name === name)?.count ?? 0) === (wanted[name] ?? 0));
}

/** observedGeneration never goes back. */
export const I9: Invariant = (_, happening) => {
  if (happening.is !== 'kubernetes changed' || happening.change.type !== 'MODIFIED') return undefined;
  const [was = -1, is = -1] = [happening.change.before, happening.change.object].map(
    (one) => statusOf(one).observedGeneration,
  );
  return is < was
    ? `observedGeneration of ${happening.change.object.metadata.name} goes from ${was} to ${is}`
    : undefined;
};

/** At most one open scale, only after an Active observation, never an older target after a newer. */
export const I10: Invariant = (facts, happening) => {
  if (happening.is !== 'service sent') return undefined;
  const { method, id = '' } = targetOf(happening.sent);
  if (method !== 'PUT') return undefined;
  const change = facts.ledgerOf(facts.resourceOf(facts.owners.get(id)))?.change;
  if (change === undefined) return `PUT of ${id}, and the ledger has no change open`;
  const newest = facts.scaled.get(id) ?? 0;
  if (change.generation < newest) return `PUT of ${id} for generation ${change.generation} after ${newest}`;
  facts.scaled.set(id, change.generation);
  const active = facts.since(id).some(({ status }) => status === 'Active');
  return active ? undefined : `PUT of ${id}, which has not been Active since our last write`;
};

/** No secret in logs, status, events. */
export const I11: Invariant = (_, happening) => {
  const text =
    happening.is === 'kubernetes sent'
      ? (JSON.stringify(happening.by.call.body) ?? '')
      : happening.is === 'said'
        ? happening.text
        : '';
  return text.includes(token) ? `the token is in: ${text.slice(0, 200)}` : undefined;
};

/** No write after the lease is lost. */
export const I12: Invariant = (facts, happening) => {
  if (!facts.options.election) return undefined;
  if (happening.is !== 'kubernetes sent' && happening.is !== 'service sent') return undefined;
  const { replica } = happening.is === 'service sent' ? happening.sent : happening.by;
  const [method, path] =
    happening.is === 'service sent'
      ? [happening.sent.request.method, happening.sent.request.path]
      : [happening.by.call.method, happening.by.call.path];
  if (method === 'GET' || path.includes('/leases')) return undefined;
  const [lease] = facts.options.server.list('leases');
  const { holderIdentity = '' } = (lease?.spec ?? {}) as { readonly holderIdentity?: string };
  return holderIdentity.startsWith(`${replica.name}_`)
    ? undefined
    : `${method} ${path} by ${replica.name}, and ${holderIdentity || 'nobody'} has the lease`;
};

/** No resource, no external write. */
export const I13: Invariant = (facts, happening) => {
  if (happening.is !== 'service sent') return undefined;
  const { method, id, name, collection } = targetOf(happening.sent);
  if (method === 'GET' || collection === 'images') return undefined;
  const uid = name === undefined ? facts.owners.get(id ?? '') : facts.ownerOfName(name);
  return facts.resourceOf(uid) === undefined
    ? `${method} of ${collection} ${id ?? name} without a resource`
    : undefined;
};

/** No unhandled rejection and no bug that was caught. */
export const I14: Invariant = (_, happening) =>
  happening.is === 'said' && happening.bug ? `an error of ours: ${happening.text}` : undefined;

export const invariants: Readonly<Record<string, Invariant>> = {
  I1,
  I2,
  I3,
  I4,
  I5,
  I6,
  I7,
  I8,
  I9,
  I10,
  I11,
  I12,
  I13,
  I14,
};
