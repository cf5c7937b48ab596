// A clock that stands still until the test moves it.
import type { Clock } from '../../src/lib/ports.ts';

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Monotonic time starts at `start` ms; the wall clock runs along with it from a fixed day. */
export class ManualClock implements Clock {
  #now: number;
  #order = 0;
  readonly #timers = new Set<Timer>();
  readonly #wallOffset = Date.UTC(2026, 0, 1);

  constructor(start = 1000) {
    this.#now = start;
  }

  wall(): number {
    return this.#wallOffset + this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { due: this.#now + Math.max(ms, 0), order: this.#order++, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** How many timers wait. */
  get pending(): number {
    return this.#timers.size;
  }

  /**
   * Moves time on by `ms`: each timer that falls due runs at its own time, in order, also those that are set on the way.
   * Promises are given a turn after each timer, so that what a timer starts can set the next one.
   */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.due);
      next.callback();
      await settle();
    }
    this.#now = end;
    await settle();
  }

  #next(end: number): Timer | undefined {
    return [...this.#timers]
      .filter((timer) => timer.due <= end)
      .toSorted((one, other) => one.due - other.due || one.order - other.order)[0];
  }
}

/** Lets everything run that waits for nothing but a promise. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
