// When a key is reconciled again: all that the controller needs to know of a pass.
import { slowRetryMs } from './outcome.ts';
import type { PassResult } from './plan-input.ts';
import { msToDeadline, pastDeadline } from './status/standing.ts';
import type { StatusWrite } from './status/write-policy.ts';

/** All times in milliseconds. */
export type Requeue =
  /**
   * Both sides agree: poll again after `pollMs`, with jitter; failures are forgotten. `sharedPoll` names the LIST that many keys share:
   * each change in it wakes the keys that it concerns.
   */
  | { readonly next: 'settled'; readonly pollMs: number; readonly sharedPoll?: string }
  /** Something was done: reconcile again at once. */
  | { readonly next: 'again' }
  /**
   * The service is at work: poll the LIST of this name again, after a tenth of the time that it has taken so far. `withinMs`: not later, because something
   * is due then. `anew`: it has been told to do something else, such as to cancel a run, and the time counts from now.
   */
  | { readonly next: 'progress'; readonly sharedPoll: string; readonly withinMs?: number; readonly anew?: boolean }
  /** A change in Kubernetes wakes the key; the timer is a safety net. */
  | { readonly next: 'watch' }
  /** No permit to send: the budget wakes the key; the timer is a safety net. */
  | { readonly next: 'budget' }
  /**
   * A failure: exponential backoff with full jitter up to `maxMs`, never sooner than `afterMs`. `sharedPoll`: this LIST failed, and
   * nothing else.
   */
  | { readonly next: 'retry'; readonly afterMs?: number; readonly maxMs?: number; readonly sharedPoll?: string }
  /** At exactly this time: the end of a quarantine, a deadline. */
  | { readonly next: 'at'; readonly afterMs: number }
  /** The object is gone: forget everything about the key. */
  | { readonly next: 'gone' };

/** The version that another client wrote wakes the key when it arrives. A retry before that would fail again. */
const conflictMs = 10_000;
/** Until the next look at old revisions that the service is deleting, or still uses. */
const tidyingMs = 5_000;
/** Times in status are whole seconds. */
const deadlineSlackMs = 1_000;
/** Refusals that a change in the service can end are polled steadily. The others end with a change in Kubernetes. */
const observedRefusals: readonly string[] = [
  'NameConflict',
  'ExternalError',
  'ExternalDeleted',
  'OutcomeUnknown',
  'ScaleHasNoEffect',
  'UpdateHasNoEffect',
  'DriftNotFixable',
  'AdoptionMismatch',
  'ConnectionNotAllowed',
];

export interface RequeueInput {
  /** Steady poll interval of the kind on this Connection. */
  readonly steadyMs: number;
  /** The LIST of the kind on this Connection. */
  readonly sharedPoll: string;
  /** A write to the service was sent in this pass. */
  readonly hasSentWrite: boolean;
  readonly statusWrite: StatusWrite | undefined;
  /** The interval at which it is polled for its own load, which no change in the LIST reports, or for its deadline. Undefined: for neither. */
  readonly aloneMs: number | undefined;
}

/** Not later than a deadline of the lifecycle needs. */
export function requeueOf(result: PassResult, polling: RequeueInput): Requeue {
  const requeue = byOutcome(result, polling);
  const { nextInMs } = result.lifecycle ?? {};
  if (nextInMs === undefined) return requeue;
  const dueMs = Math.max(deadlineSlackMs, nextInMs);
  if (requeue.next === 'settled' && dueMs < requeue.pollMs) return { next: 'at', afterMs: dueMs };
  return requeue.next === 'watch' ? ended(dueMs) : requeue;
}

function byOutcome(result: PassResult, polling: RequeueInput): Requeue {
  const { outcome, kind } = result;
  switch (outcome.result) {
    case 'settled':
      if (outcome.tidying) return unhurried(byOutcome({ ...result, outcome: outcome.tidying }, polling));
      if (polling.aloneMs !== undefined) return { next: 'settled', pollMs: polling.aloneMs };
      return { next: 'settled', pollMs: polling.steadyMs, sharedPoll: polling.sharedPoll };
    case 'held':
      return { next: 'settled', pollMs: polling.steadyMs, sharedPoll: polling.sharedPoll };
    case 'expired':
      return putOffWrite(polling) ?? { next: 'watch' };
    case 'ended':
      return putOffWrite(polling) ?? ended(outcome.nextInMs);
    case 'progressed':
      // A template is complete at once; a cluster and a run take their time.
      return polling.hasSentWrite && (kind.identity === 'named' || kind.identity === 'once')
        ? { next: 'progress', sharedPoll: polling.sharedPoll, anew: true }
        : { next: 'again' };
    case 'refused': {
      const due = putOffWrite(polling);
      if (outcome.afterMs !== undefined)
        return { next: 'at', afterMs: Math.min(outcome.afterMs, due?.afterMs ?? outcome.afterMs) };
      const steadyMs = Math.min(polling.steadyMs, polling.aloneMs ?? Number.POSITIVE_INFINITY);
      const pollMs = observedRefusals.includes(outcome.reason) ? steadyMs : slowRetryMs;
      return due ?? { next: 'settled', pollMs };
    }
    case 'unpermitted':
      return { next: 'budget' };
    case 'conflict':
      return { next: 'retry', maxMs: conflictMs };
    case 'requeue':
      return outcome.afterMs === undefined ? { next: 'again' } : { next: 'at', afterMs: outcome.afterMs };
    case 'released':
      return { next: 'watch' };
    case 'failed':
      return retry(result, outcome, polling);
    case 'waiting':
      return waiting(result, outcome, polling);
  }
}

function retry(
  result: PassResult,
  outcome: Extract<PassResult['outcome'], { result: 'failed' }>,
  { sharedPoll }: RequeueInput,
): Requeue {
  const slow =
    pastDeadline(result) || outcome.reason === 'ExternalRejected' || outcome.reason === 'ExternalDeleteFailing';
  return {
    next: 'retry',
    ...(slow ? { maxMs: slowRetryMs } : {}),
    ...(outcome.retryAfterMs === undefined ? {} : { afterMs: outcome.retryAfterMs }),
    // What only this resource misses in the list is not a failure of the list.
    ...(outcome.observing === true && outcome.reason !== 'ObservationFailed' ? { sharedPoll } : {}),
  };
}

/** Longer timers would overflow, and the safety net of the controller wakes the key in the meantime. */
const longestTimerMs = 24 * 3_600_000;

function ended(nextInMs: number | undefined): Requeue {
  return nextInMs === undefined || nextInMs > longestTimerMs
    ? { next: 'watch' }
    : { next: 'at', afterMs: Math.max(deadlineSlackMs, nextInMs) };
}

/** Nothing waits for leftovers to be deleted, and each observation of them takes several requests. */
function unhurried(requeue: Requeue): Requeue {
  return requeue.next === 'progress' ? { next: 'at', afterMs: tidyingMs } : requeue;
}

/** When the status is due whose write was put off. Without it, the next pass would come too late for it. */
function putOffWrite({ statusWrite }: RequeueInput): Extract<Requeue, { next: 'at' }> | undefined {
  return statusWrite?.write === 'later' ? { next: 'at', afterMs: statusWrite.afterMs } : undefined;
}

function waiting(
  result: PassResult,
  outcome: Extract<PassResult['outcome'], { result: 'waiting' }>,
  polling: RequeueInput,
): Requeue {
  // The service does not work on a vanished object. It may come back, or a user accepts the loss.
  if (outcome.blockedOn?.some(({ reason }) => reason === 'ObjectsVanished'))
    return putOffWrite(polling) ?? { next: 'settled', pollMs: polling.steadyMs, sharedPoll: polling.sharedPoll };
  if (outcome.on === 'service') {
    const due = outcome.afterMs === undefined ? {} : { withinMs: Math.max(deadlineSlackMs, outcome.afterMs) };
    const anew = polling.hasSentWrite ? { anew: true } : {};
    return { next: 'progress', sharedPoll: polling.sharedPoll, ...due, ...anew };
  }
  if (outcome.on === 'time') return { next: 'at', afterMs: outcome.afterMs ?? 0 };
  const due = putOffWrite(polling);
  if (due) return due;
  const toDeadline = outcome.untimed === true ? Number.POSITIVE_INFINITY : msToDeadline(result);
  const left = Math.min(
    outcome.afterMs ?? Number.POSITIVE_INFINITY,
    toDeadline > 0 ? toDeadline : Number.POSITIVE_INFINITY,
  );
  return left < slowRetryMs ? { next: 'at', afterMs: Math.max(deadlineSlackMs, left) } : { next: 'watch' };
}
