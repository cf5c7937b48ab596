// A value that is expensive to get: fetched once for all who ask, and again when it is old or was dropped.
import type { Clock } from './ports.ts';

export interface SingleFlight<T> {
  get(): Promise<T>;
  /** The next `get` fetches anew; one that is under way is not disturbed. */
  drop(): void;
}

/** `freshMs`: how long a value may be handed out. A failed fetch is not kept. */
export function singleFlight<T>(clock: Clock, freshMs: number, fetch: () => Promise<T>): SingleFlight<T> {
  let held: { readonly value: Promise<T>; readonly until: number } | undefined;
  return {
    get(): Promise<T> {
      if (held !== undefined && clock.monotonic() < held.until) return held.value;
      const entry = { value: fetch(), until: clock.monotonic() + freshMs };
      held = entry;
      entry.value.catch(() => {
        // The caller gets the rejection; here it only must not be handed to the next one.
        if (held === entry) held = undefined;
      });
      return entry.value;
    },
    drop(): void {
      held = undefined;
    },
  };
}
