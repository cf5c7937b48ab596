// Waits for a state of objects that are observed.
import type { Observation, ObservationWait } from './informers.ts';

/** What was observed is read from the API server before it counts. If the two do not agree, they are compared again after this. */
export const recheckMs = 5_000;
/** A wait reads the state after this, in case a change was not observed. */
export const resyncMs = 10 * 60_000;

interface Condition {
  /** Whether it holds as far as it was observed. */
  readonly seems: () => boolean;
  /** Whether it holds as the API server has it now. */
  readonly holds: () => Promise<boolean>;
}

/** Resolves once the condition holds, and rejects with the reason of the signal when that aborts. It closes the observation. */
export async function untilHolds(observed: Observation, condition: Condition, wait: ObservationWait): Promise<void> {
  const { signal } = wait;
  try {
    for (let isDue = false; ; ) {
      await observed.current(wait);
      signal.throwIfAborted();
      const seems = condition.seems();
      if ((seems || isDue) && (await condition.holds())) return;
      const changed = await observed.next(seems ? recheckMs : resyncMs, signal);
      isDue = changed.size === 0;
    }
  } finally {
    observed.close();
  }
}
