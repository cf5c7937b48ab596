// Whether a new status is worth a write now: conditions always, mere progress now and then. PURE.
import type { Condition } from '../../api/shared-api.ts';
import { currentClaim, ledgerIn } from '../ledger/ledger.ts';
import type { PassResult } from '../plan-input.ts';

/** Progress without a change of conditions is written at most this often. */
export const quietProgressMs = 10_000;
/** A new object that waits gets its first status after this time: most have an id by then. */
export const newbornMs = 2_000;

export type StatusWrite =
  | { readonly write: 'now' }
  | { readonly write: 'never' }
  | { readonly write: 'later'; readonly afterMs: number };

/** Whether the new status is worth a write: conditions always, mere progress now and then, the ledger's mirror by itself only where it cannot be read. */
export function statusWriteOf(result: PassResult, status: Readonly<Record<string, unknown>>): StatusWrite {
  const { facts, outcome, memory, now } = result;
  const before = (facts.resource.status ?? {}) as Record<string, unknown>;
  if (facts.observedGeneration === -1 && (outcome.result === 'waiting' || outcome.result === 'progressed')) {
    const age = ageOf(result);
    if (age < newbornMs && currentClaim(result.ledger)?.id === undefined)
      return { write: 'later', afterMs: newbornMs - age };
  }
  if (sameStatus(before, status)) return { write: isMirrorLost(before, status) ? 'now' : 'never' };
  if (!sameStatus(pick(before, judged), pick(status, judged))) return { write: 'now' };
  const since = now.monotonic - (memory.lastStatusWriteAt ?? Number.NEGATIVE_INFINITY);
  const isResting = ['settled', 'ended', 'expired', 'held'].includes(outcome.result);
  return isResting || since >= quietProgressMs
    ? { write: 'now' }
    : { write: 'later', afterMs: quietProgressMs - since };
}

/** Somebody wrote over the mirror: it could not stand in for a lost annotation. */
function isMirrorLost(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): boolean {
  const [ledger, mirror] = [before['ledger'], after['ledger']];
  return typeof ledger === 'string' && typeof mirror === 'string' && mirror !== ledger && !ledgerIn(ledger);
}

/** In ms, never negative. The creation time is of the API server's clock, which ours may be behind. */
function ageOf({ facts, memory, now }: PassResult): number {
  const known = now.monotonic - (memory.generationSeen?.at ?? now.monotonic);
  return Math.max(known, now.wall - facts.createdAt);
}

const judged = [
  'observedGeneration',
  'conditions',
  'id',
  'externalName',
  'blockedOn',
  'drift',
  'plan',
  // Deadlines count from there, also in the next process.
  'startTime',
  'completionTime',
  'firstReadyAt',
  'lastUsedAt',
  'lastHandledReconcileAt',
  'lastHandledRecreate',
];

function pick(status: Readonly<Record<string, unknown>>, fields: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(fields.map((field) => [field, status[field]]));
}

/** Nothing changed except perhaps the ledger's mirror. */
export function sameStatus(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): boolean {
  const { ledger: _before, ...one } = before;
  const { ledger: _after, ...other } = after;
  return sameJson(sorted(one), sorted(other));
}

type StatusFields = Readonly<Record<string, unknown>>;

/** A field that holds undefined counts as absent. */
function sameJson(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [before, after] = [one as StatusFields, other as StatusFields];
  return (
    Object.keys(before).every((name) => sameJson(before[name], after[name])) &&
    Object.keys(after).every((name) => Object.hasOwn(before, name) || after[name] === undefined)
  );
}

/** The API server keeps the entries of a list map in an order of its own. */
function sorted(status: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { conditions } = status;
  if (!Array.isArray(conditions)) return status;
  return { ...status, conditions: [...(conditions as Condition[])].sort((a, b) => (a.type < b.type ? -1 : 1)) };
}
