// When a key is to be looked at again: all that the controller needs to know of a pass.

import { slowRetryMs } from './outcome.ts';
import { msToDeadline, pastDeadline } from './status/status.ts';
import type { PassResult } from './status/types.ts';
import type { StatusWrite } from './status/write-policy.ts';

/** All times in milliseconds. */
export type Requeue =
  /**
   * Both sides agree: look again after `pollMs`, jittered; failures are forgotten. `look` names what many look at together, where
   * every change wakes the keys that it concerns.
   */
  | { readonly next: 'settled'; readonly pollMs: number; readonly sharedPoll?: string }
  /** Something was done: look again at once. */
  | { readonly next: 'again' }
  /** The service is at work: look again after 1, 2, 5, 10, 10 ... s. */
  | { readonly next: 'progress' }
  /** A change in Kubernetes will wake the key; the timer is only a net. */
  | { readonly next: 'watch' }
  /** No send permit: the budget wakes the key; the timer is only a net. */
  | { readonly next: 'budget' }
  /**
   * A failure: exponential backoff with full jitter up to `maxMs`, never sooner than `afterMs`. `look`: it was this look that failed,
   * and nothing else.
   */
  | { readonly next: 'retry'; readonly afterMs?: number; readonly maxMs?: number; readonly sharedPoll?: string }
  /** Exactly then: the end of a quarantine, a deadline. */
  | { readonly next: 'at'; readonly afterMs: number }
  /** The object is gone: forget all about the key. */
  | { readonly next: 'gone' };

/** The version that somebody else wrote wakes the key when it comes. Where it takes long, trying again is in vain. */
const conflictMs = 10_000;
/** Times in status are whole seconds. */
const deadlineSlackMs = 1_000;
/** Refusals that a change in the service ends: worth a steady look. The others end with a change in Kubernetes. */
const observedRefusals: readonly string[] = [
  'NameConflict',
  'ExternalError',
  'ExternalDeleted',
  'ScaleHasNoEffect',
  'UpdateHasNoEffect',
  'DriftNotFixable',
];

export interface Polling {
  /** Steady poll of the kind on this connection. */
  readonly steadyMs: number;
  /** The LIST of the kind on this connection. */
  readonly sharedPoll: string;
  /** A write of the service was sent in this pass. */
  readonly hasSentWrite: boolean;
  readonly statusWrite: StatusWrite | undefined;
}

export function requeueOf(result: PassResult, polling: Polling): Requeue {
  const { outcome, kind } = result;
  switch (outcome.result) {
    case 'settled':
      if (outcome.tidying) return requeueOf({ ...result, outcome: outcome.tidying }, polling);
      return { next: 'settled', pollMs: polling.steadyMs, sharedPoll: polling.sharedPoll };
    case 'progressed':
      // A template is what it is at once; a cluster takes its time.
      return polling.hasSentWrite && kind.identity === 'named' ? { next: 'progress' } : { next: 'again' };
    case 'refused':
      return { next: 'settled', pollMs: observedRefusals.includes(outcome.reason) ? polling.steadyMs : slowRetryMs };
    case 'unpermitted':
      return { next: 'budget' };
    case 'conflict':
      return { next: 'retry', maxMs: conflictMs };
    case 'requeue':
      return outcome.afterMs === undefined ? { next: 'again' } : { next: 'at', afterMs: outcome.afterMs };
    case 'released':
      return { next: 'watch' };
    case 'failed': {
      const slow =
        pastDeadline(result) || outcome.reason === 'ExternalRejected' || outcome.reason === 'ExternalDeleteFailing';
      return {
        next: 'retry',
        ...(slow ? { maxMs: slowRetryMs } : {}),
        ...(outcome.retryAfterMs === undefined ? {} : { afterMs: outcome.retryAfterMs }),
        // What only this resource misses in the list is no trouble of the others.
        ...(outcome.observing === true && outcome.reason !== 'ObservationFailed'
          ? { sharedPoll: polling.sharedPoll }
          : {}),
      };
    }
    case 'waiting':
      return waiting(result, outcome, polling.statusWrite);
  }
}

function waiting(
  result: PassResult,
  outcome: Extract<PassResult['outcome'], { result: 'waiting' }>,
  writing: StatusWrite | undefined,
): Requeue {
  if (outcome.on === 'service') return { next: 'progress' };
  if (outcome.on === 'time') return { next: 'at', afterMs: outcome.afterMs ?? 0 };
  if (writing?.write === 'later') return { next: 'at', afterMs: writing.afterMs };
  const left = msToDeadline(result);
  return left > 0 && left < slowRetryMs ? { next: 'at', afterMs: Math.max(deadlineSlackMs, left) } : { next: 'watch' };
}
