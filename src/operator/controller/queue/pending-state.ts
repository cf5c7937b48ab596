// Where a key of the queue stands that has pending work.

import type { Delay } from './delays.ts';
import type { Due } from './due.ts';
import type { Ticket } from './fair-queue.ts';

export type WaitingState =
  | { readonly is: 'delayed'; readonly due: Due; readonly appointment: Delay }
  | { readonly is: 'ready'; readonly due: Due; readonly ticket: Ticket<string> };
export type PendingState = WaitingState | { readonly is: 'running'; again: Due | undefined };

/** For how long the one that waits longest for room has been due at monotonic `now`, in ms; 0 where none waits. */
export function longestWaitMs(stages: Iterable<PendingState>, now: number): number {
  let oldest = now;
  for (const stage of stages) if (stage.is === 'ready') oldest = Math.min(oldest, stage.due.at);
  return now - oldest;
}
