// The clock of the tests: it stands still until the test moves it. `fast-clock.ts` runs by itself, beside an API server in real time.
import type { Clock } from '../../src/lib/ports.ts';

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

export interface ManualClockOptions {
  readonly start?: number;
  /** What the wall clock shows at first; a fixed day without it. Objects of a real API server bear the real time. */
  readonly wall?: number;
  /** Each look at the monotonic clock moves it on by this, so that what happens later also counts as later. */
  readonly tickMs?: number;
  /** Gives a turn to whatever a timer starts. By default: to whatever waits for nothing but a promise. */
  readonly settle?: () => Promise<void>;
}

/** Monotonic time starts at `start` ms, and the wall clock runs along with it. */
export class ManualClock implements Clock {
  #now: number;
  #order = 0;
  readonly #timers = new Set<Timer>();
  readonly #wallOffset: number;
  readonly #tickMs: number;
  readonly #settle: () => Promise<void>;

  constructor(options: ManualClockOptions | number = {}) {
    const {
      start = 1000,
      wall,
      tickMs = 0,
      settle: settleAll = settle,
    } = typeof options === 'number' ? { start: options } : options;
    this.#now = start;
    this.#wallOffset = wall === undefined ? Date.UTC(2026, 0, 1) : wall - start;
    this.#tickMs = tickMs;
    this.#settle = settleAll;
  }

  wall(): number {
    return Math.floor(this.#wallOffset + this.#now);
  }

  monotonic(): number {
    this.#now += this.#tickMs;
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
    await this.#settle();
    while (this.#fireNext(end)) await this.#settle();
    this.#now = end;
    await this.#settle();
  }

  /** The same at once: nothing but the timers has a turn. */
  leap(ms: number): void {
    const end = this.#now + ms;
    while (this.#fireNext(end));
    this.#now = Math.max(this.#now, end);
  }

  /** Every timer that waits now runs, whenever it is due; time stands still. */
  fire(): void {
    const waiting = [...this.#timers];
    this.#timers.clear();
    for (const { callback } of waiting) callback();
  }

  #fireNext(end: number): boolean {
    const next = this.#next(end);
    if (next === undefined) return false;
    this.#timers.delete(next);
    this.#now = Math.max(this.#now, next.due);
    next.callback();
    return true;
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
