// Counts the tries of a change: sent without effect, repeated, or announced and perhaps never sent. PURE.
import { changeText } from '../key-memory.ts';
import type { Kind } from '../kind/kind.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type Outcome, slowRetryMs } from '../outcome.ts';
import type { PlanInput } from '../plan-input.ts';
import { conditionOf } from '../resource/read-conditions.ts';
import type { ChangeReason } from './next-step.ts';

export const triesBeforeStalled = 2;
/** A change of a given object that lasted this long was not undone by another client. */
const heldMs = 30 * 60_000;
/** Where each process ends before it knows that it sent the request, later ones wait. */
const doubtsBeforeSlow = 3;

type ChangeTry = NonNullable<Ledger['change']>;
type ChangeTarget = ChangeTry['target'];

/** The next request of a change, as the ledger counts it. */
export interface Try {
  /** Its number. */
  readonly tries: number;
  /** How many requests of this number were announced before without anyone knowing whether they were sent. */
  readonly doubts?: number;
  /** The same request was sent before and may still take effect. */
  readonly repeats?: true;
}

export interface TryInput {
  readonly ledger: Ledger;
  readonly target: ChangeTarget;
  readonly reason: ChangeReason;
}

export function nextTry(input: PlanInput, trying: TryInput): Try {
  const { kind, memory } = input;
  const { change } = trying.ledger;
  const isSame = kind.identity === 'given' ? isRepeated : sameTarget;
  // What became of the same request before is not known: this one replaces it and counts as the same try.
  if (change && memory.unansweredChange && isSame(change.target, trying.target)) {
    const { tries, doubts } = change;
    return { tries, repeats: true, ...(doubts === undefined ? {} : { doubts }) };
  }
  return (kind.identity === 'given' ? contestedTry : vainTry)(input, trying);
}

/** A change that is still wanted after it was carried out had no effect. */
function vainTry(input: PlanInput, { ledger: { change }, target }: TryInput): Try {
  if (!change || !sameTarget(change.target, target)) return { tries: 1 };
  return doubted(input, change) ?? { tries: change.tries + 1 };
}

/** The same for an object that other clients change, too: a difference after it matched was caused by one of them. A change of the spec is not a correction. */
function contestedTry(input: PlanInput, { ledger, target, reason }: TryInput): Try {
  const { facts, now } = input;
  const { change } = ledger;
  if (!change || change.generation !== facts.generation || now.wall - sentAt(ledger) >= heldMs)
    return { tries: reason === 'CorrectingDrift' ? 1 : 0 };
  if (wasRight(input)) return { tries: change.tries + 1 };
  // The previous request had its effect: the next one toward the same aim need not wait as if it had none.
  if (!isRepeated(change.target, target)) return { tries: Math.min(change.tries, triesBeforeStalled) };
  return doubted(input, change) ?? { tries: Math.max(change.tries, 1) + 1 };
}

/** The process that announced the last request may have ended before sending it: then it is the same try again. */
function doubted({ memory, facts, kind }: PlanInput, change: ChangeTry): Try | undefined {
  if (memory.sentChange === changeText(change)) return undefined;
  const isReported = conditionOf(facts, 'Ready')?.reason === noEffectOf(kind);
  if (isReported && facts.observedGeneration === facts.generation) return undefined;
  return { tries: change.tries, doubts: (change.doubts ?? 0) + 1 };
}

/** Tried without effect so often that the next try comes later: a freed quota may let it succeed then. */
export function isStalled({ now }: PlanInput, ledger: Ledger, { tries }: Try): boolean {
  return tries > triesBeforeStalled && now.wall - sentAt(ledger) < slowRetryMs;
}

/** Announced so often, perhaps without being sent, that the next try comes later. */
export function waitAfterUncertainTries(
  { now }: PlanInput,
  { ledger, reason }: TryInput,
  { doubts = 0 }: Try,
): Outcome | undefined {
  const at = sentAt(ledger) + slowRetryMs;
  if (doubts <= doubtsBeforeSlow || now.wall >= at) return undefined;
  const when = `${new Date(at).toISOString().slice(11, 16)} UTC`;
  const message = `the operator restarted ${doubts} times before it recorded whether it sent the request. It retries at ${when}; check why it restarts (kubectl logs --previous)`;
  return { result: 'waiting', on: 'time', reason, message, afterMs: at - now.wall };
}

function sentAt({ change }: Ledger): number {
  return Date.parse(change?.sentAt ?? '') || 0;
}

/** Since our last effect, as far as this process observed it; else by the status. */
function wasRight({ facts, kind, memory }: PlanInput): boolean {
  const { settledAt, lastEffectAt } = memory;
  if (settledAt !== undefined) return settledAt >= (lastEffectAt ?? 0);
  const ready = conditionOf(facts, 'Ready');
  return lastEffectAt === undefined && (ready?.status === 'True' || ready?.reason === noEffectOf(kind));
}

function noEffectOf(kind: Kind): string | undefined {
  return 'changeWords' in kind ? kind.changeWords.noEffect : undefined;
}

/** The same aim, and not a further request toward it. */
function isRepeated(one: ChangeTarget, other: ChangeTarget): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => (one[name] ?? -1) >= (other[name] ?? Number.POSITIVE_INFINITY));
}

export function sameTarget(one: ChangeTarget, other: ChangeTarget): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => one[name] === other[name]);
}
