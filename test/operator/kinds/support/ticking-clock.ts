// A clock that the test moves; each look at it moves it on a little, so that what happens later also counts as later.
import type { Clock } from '../../../../src/lib/ports.ts';

/** Far below any time limit, and exact in binary. */
const tickMs = 1 / 64;

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** No timer ever fires by itself. The wall clock begins at the real time, with which the API server marks its objects. */
export class TickingClock implements Clock {
  #now = 1_000_000;
  readonly #offset = Date.now() - this.#now;
  readonly #timers = new Set<Timer>();

  wall(): number {
    return Math.floor(this.#offset + this.#now);
  }

  monotonic(): number {
    this.#now += tickMs;
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { due: this.#now + Math.max(ms, 0), callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Moves time on by `ms` and calls what falls due, in order. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.due);
      next.callback();
    }
    this.#now = Math.max(this.#now, end);
  }

  #next(end: number): Timer | undefined {
    return [...this.#timers].filter((timer) => timer.due <= end).toSorted((one, other) => one.due - other.due)[0];
  }
}
