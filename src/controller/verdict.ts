// What a pass is to this folder: a function of a key whose answer says only when to look at the key again.
import type { Key } from '../reconcile/ports.ts';

/** What a pass says about when to look again; all times in milliseconds. */
export type Verdict =
  /** Both sides agree: look again after `pollMs`, jittered; failures are forgotten. */
  | { readonly next: 'settled'; readonly pollMs: number }
  /** Something was done: look again at once. */
  | { readonly next: 'again' }
  /** The service is at work: look again after 1, 2, 5, 10, 10 ... s. */
  | { readonly next: 'progress' }
  /** A change in Kubernetes will wake the key; the timer is only a net. */
  | { readonly next: 'watch' }
  /** No send permit: the budget wakes the key; the timer is only a net. */
  | { readonly next: 'budget' }
  /** A failure: exponential backoff with full jitter up to `maxMs`, never sooner than `afterMs`. */
  | { readonly next: 'retry'; readonly afterMs?: number; readonly maxMs?: number }
  /** Exactly then: the end of a quarantine, a deadline. */
  | { readonly next: 'at'; readonly afterMs: number }
  /** The object is gone: forget all about the key. */
  | { readonly next: 'gone' };

export interface PassContext {
  /** Aborted when the process stops and the time for a graceful end is over. */
  readonly signal: AbortSignal;
  /** How old an observation may be for this pass, in ms: the delay that the key last polled with, else one second. */
  readonly pollMs: number;
}

export type Pass = (key: Key, context: PassContext) => Promise<Verdict>;
