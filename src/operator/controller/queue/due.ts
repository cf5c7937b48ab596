// When a key is due and how urgently, and how two such requests combine.

/** change: by a user or a dependency. poll: a periodic observation, or what the service reports. */
export type Priority = 'change' | 'poll';

/** A request for a run. */
export interface When {
  readonly priority: Priority;
  /** Milliseconds from now; at once where undefined. */
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

/** A longer timer would fire at once. */
const longestTimerMs = 2_147_483_647;

/** For a timer, which may then fire too early; 0 or less: it is due. */
export function msUntil({ at }: Due, now: number): number {
  return Math.min(Math.ceil(at - now), longestTimerMs);
}

/** The earlier time and the more urgent priority. */
export function soonest(a: Due | undefined, b: Due): Due {
  if (a === undefined) return b;
  return { at: Math.min(a.at, b.at), priority: a.priority === 'poll' ? b.priority : a.priority };
}
