// Where a key of the queue stands that has pending work.

import type { Appointment } from './delays.ts';
import type { Due } from './due.ts';
import type { Ticket } from './fair-queue.ts';

export type Waiting =
  | { readonly is: 'delayed'; readonly due: Due; readonly appointment: Appointment }
  | { readonly is: 'ready'; readonly due: Due; readonly ticket: Ticket<string> };
export type Stage = Waiting | { readonly is: 'running'; again: Due | undefined };

/** For how long the one that waits longest for room has been due at monotonic `now`, in ms; 0 where none waits. */
export function longestWaitMs(stages: Iterable<Stage>, now: number): number {
  let oldest = now;
  for (const stage of stages) if (stage.is === 'ready') oldest = Math.min(oldest, stage.due.at);
  return now - oldest;
}
