// Caches an expensive value and shares one fetch among concurrent callers.
import type { Clock } from '../ports.ts';

interface SingleFlight<T> {
  get(): Promise<T>;
  /** The next `get` fetches again. A fetch in progress is not interrupted. */
  drop(): void;
}

/** A value is returned for `freshMs` after its fetch started. A failed fetch is not cached. */
export function singleFlight<T>(clock: Clock, freshMs: number, fetch: () => Promise<T>): SingleFlight<T> {
  let cached: { readonly value: Promise<T>; readonly until: number } | undefined;
  return {
    get(): Promise<T> {
      if (cached !== undefined && clock.monotonic() < cached.until) return cached.value;
      const entry = { value: fetch(), until: clock.monotonic() + freshMs };
      cached = entry;
      entry.value.catch(() => {
        if (cached === entry) cached = undefined;
      });
      return entry.value;
    },
    drop(): void {
      cached = undefined;
    },
  };
}
