// When a key is due and how urgently, and what two such wishes make together.
import { moreUrgent, type Priority } from './lanes.ts';

/** A wish for a run. */
export interface When {
  readonly priority: Priority;
  /** Milliseconds from now; at once where it is missing. */
  readonly delayMs?: number;
}

/** The same on the monotonic clock. */
export interface Due {
  readonly at: number;
  readonly priority: Priority;
}

export function dueAt(now: number, { priority, delayMs = 0 }: When): Due {
  return { at: now + Math.max(0, delayMs), priority };
}

/** The earlier time and the more urgent priority. */
export function soonest(a: Due | undefined, b: Due): Due {
  if (a === undefined) return b;
  return { at: Math.min(a.at, b.at), priority: moreUrgent(a.priority, b.priority) };
}
