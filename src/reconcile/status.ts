// From the outcome of a pass to the whole status, and whether it is worth a write now. Pure.
import type { Condition, Reason } from '../api/common.ts';
import { conditionsOf, type Standing } from './conditions.ts';
import { conditionOf, type Facts, isReady } from './facts.ts';
import type { AnyKind, RemoteObject } from './kind.ts';
import { currentClaim, type Ledger, serialiseLedger } from './ledger.ts';
import { canonicalJson } from './naming.ts';
import type { Outcome } from './outcome.ts';
import type { Memory, Now } from './situation.ts';

/** An observation of a Ready object may fail so often, and for so long, before its conditions say so (status.md rule 9). */
export const missedPollsLimit = 3;
export const missedPollsMs = 5 * 60_000;
/** Progress without a change of conditions is written at most so often. */
export const quietProgressMs = 10_000;
/** A newborn object that waits gets its first status after so long: most have an id by then. */
export const newbornMs = 2_000;

export interface Concluded {
  readonly kind: AnyKind;
  readonly facts: Facts;
  readonly outcome: Outcome;
  readonly ledger: Ledger | undefined;
  readonly remote: RemoteObject | undefined;
  readonly memory: Readonly<Memory>;
  readonly now: Now;
}

/** What the conditions shall say; undefined: what they say already. */
export function standingOf(concluded: Concluded): Standing | undefined {
  const { outcome, facts } = concluded;
  switch (outcome.result) {
    case 'unpermitted':
    case 'conflict':
    case 'released':
      return undefined;
    case 'settled':
      return { state: 'ready', message: 'the service has what the spec asks for' };
    case 'refused':
      return { state: 'stalled', reason: outcome.reason, message: outcome.message };
    case 'progressed':
      return { state: 'progressing', reason: facts.deleting ? 'Deleting' : outcome.reason, message: outcome.message };
    case 'waiting':
    case 'failed':
      return unsettled(concluded, outcome);
  }
}

type Unsettled = Extract<Outcome, { result: 'waiting' | 'failed' }>;

function unsettled(concluded: Concluded, outcome: Unsettled): Standing | undefined {
  const { facts } = concluded;
  const unseen = outcome.result === 'failed' && outcome.observing;
  if (unseen && !facts.deleting && wasObserved(facts)) return unobserved(concluded, outcome);
  if (pastDeadline(concluded)) return overdue(facts, outcome);
  const reason = facts.deleting && outcome.result === 'waiting' ? deletingReason(outcome.reason) : outcome.reason;
  return { state: outcome.result === 'failed' ? 'retrying' : 'progressing', reason, message: outcome.message };
}

/** Ready for this generation, or not known to be so any more. */
function wasObserved(facts: Facts): boolean {
  return isReady(facts) || conditionOf(facts, 'Ready')?.reason === 'ObservationFailed';
}

function deletingReason(reason: Reason): Reason {
  return reason === 'CredentialsMissing' || reason === 'DependencyNotReady' ? reason : 'Deleting';
}

/** A blip of the service must not flap what was Ready. */
function unobserved({ facts, memory, now }: Concluded, outcome: Unsettled): Standing | undefined {
  const missed = memory.missedPolls;
  const grace = !missed || missed.count < missedPollsLimit || now.monotonic - missed.since < missedPollsMs;
  if (grace && isReady(facts)) return undefined;
  return { state: 'unobserved', message: `the service could not be looked at for a while: ${outcome.message}` };
}

function overdue(facts: Facts, outcome: Unsettled): Standing {
  if (facts.deleting) {
    const held = outcome.reason === 'CredentialsMissing' || outcome.reason === 'DependencyNotReady';
    return { state: 'stalled', reason: held ? outcome.reason : 'ExternalDeleteFailing', message: outcome.message };
  }
  const seconds = facts.progressDeadlineMs / 1000;
  const message = `not ready within ${seconds} s (spec.progressDeadlineSeconds); still trying, slowly. The last obstacle: ${outcome.message}`;
  return { state: 'stalled', reason: 'ProgressDeadlineExceeded', message };
}

/** Counted from when Ready was lost, or this process first saw the generation, whichever is later. */
export function pastDeadline({ facts, memory, now }: Concluded): boolean {
  const lost = Date.parse(conditionOf(facts, 'Ready')?.lastTransitionTime ?? '') || facts.createdAt;
  const seen = memory.generationSeen;
  const edited =
    seen && seen.generation === facts.generation && facts.generation > 1 ? now.wall - (now.monotonic - seen.at) : 0;
  return now.wall - Math.max(lost, edited) >= facts.progressDeadlineMs;
}

/** The whole status to write; undefined: nothing new is to be said. */
export function nextStatus(concluded: Concluded): Readonly<Record<string, unknown>> | undefined {
  const { facts, kind, ledger, remote, now } = concluded;
  const standing = standingOf(concluded);
  if (!standing) return undefined;
  const claim = currentClaim(ledger);
  const spec = facts.spec.ok ? facts.spec.value : undefined;
  const at = { generation: facts.generation, now: new Date(now.wall).toISOString().replace(/\.\d+Z$/, 'Z') };
  const blockedOn = 'blockedOn' in concluded.outcome ? concluded.outcome.blockedOn : undefined;
  return {
    ...(remote && ledger ? kind.report(remote, spec, ledger) : kept(facts.resource.status)),
    ...(claim ? { externalName: claim.name } : {}),
    ...(claim?.id === undefined ? {} : { id: claim.id }),
    ...(ledger ? mirrorOf(ledger) : {}),
    ...(blockedOn && blockedOn.length > 0 ? { blockedOn } : {}),
    observedGeneration: facts.generation,
    conditions: conditionsOf(standing, facts.conditions, at),
  };
}

/** A mirror that the schema of status would refuse would cost the whole status: the annotation counts anyway. */
const mirrorLimit = 16_000;

function mirrorOf(ledger: Ledger): { readonly ledger?: string } {
  const text = serialiseLedger(ledger);
  return text.length > mirrorLimit ? {} : { ledger: text };
}

/** What was last observed stays shown while the object cannot be looked at; what is computed anew each time does not. */
function kept(status: unknown): Readonly<Record<string, unknown>> {
  const {
    conditions: _conditions,
    blockedOn: _blockedOn,
    id: _id,
    externalName: _name,
    ledger: _ledger,
    ...rest
  } = (status ?? {}) as Record<string, unknown>;
  return rest;
}

export type Writing =
  | { readonly write: 'now' }
  | { readonly write: 'never' }
  | { readonly write: 'later'; readonly afterMs: number };

/** Whether the new status is worth a write: conditions always, mere progress now and then, the ledger's mirror never by itself. */
export function writing(concluded: Concluded, status: Readonly<Record<string, unknown>>): Writing {
  const { facts, outcome, memory, now } = concluded;
  const before = (facts.resource.status ?? {}) as Record<string, unknown>;
  if (facts.observedGeneration === -1 && outcome.result === 'waiting') {
    const age = now.wall - facts.createdAt;
    if (age < newbornMs && currentClaim(concluded.ledger)?.id === undefined)
      return { write: 'later', afterMs: newbornMs - Math.max(0, age) };
  }
  if (same(before, status)) return { write: 'never' };
  if (!same(pick(before, judged), pick(status, judged))) return { write: 'now' };
  const since = now.monotonic - (memory.lastStatusWriteAt ?? Number.NEGATIVE_INFINITY);
  return outcome.result === 'settled' || since >= quietProgressMs
    ? { write: 'now' }
    : { write: 'later', afterMs: quietProgressMs - since };
}

const judged = ['observedGeneration', 'conditions', 'id', 'externalName', 'blockedOn'];

function pick(status: Readonly<Record<string, unknown>>, fields: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(fields.map((field) => [field, status[field]]));
}

function same(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): boolean {
  const { ledger: _before, ...one } = before;
  const { ledger: _after, ...other } = after;
  return canonicalJson(sorted(one)) === canonicalJson(sorted(other));
}

/** The API server keeps a list map in the order of its own. */
function sorted(status: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { conditions } = status;
  if (!Array.isArray(conditions)) return status;
  return { ...status, conditions: [...(conditions as Condition[])].sort((a, b) => (a.type < b.type ? -1 : 1)) };
}
