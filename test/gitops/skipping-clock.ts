// A clock that runs as the real one does, and can be put forward: an hour of waiting is over at once.
import type { Clock } from '../../src/lib/ports.ts';

interface Timer {
  readonly due: number;
  readonly fire: () => void;
}

export class SkippingClock implements Clock {
  #skippedMs = 0;
  readonly #timers = new Set<Timer>();

  wall(): number {
    return Date.now() + this.#skippedMs;
  }

  monotonic(): number {
    return performance.now() + this.#skippedMs;
  }

  after(ms: number, callback: () => void): () => void {
    const cancel = (): void => {
      clearTimeout(handle);
      this.#timers.delete(timer);
    };
    const fire = (): void => {
      cancel();
      callback();
    };
    const handle = setTimeout(fire, ms);
    handle.unref();
    const timer = { due: this.monotonic() + ms, fire };
    this.#timers.add(timer);
    return cancel;
  }

  /** What falls due on the way happens now, in order. */
  skip(ms: number): void {
    this.#skippedMs += ms;
    const due = [...this.#timers].filter((timer) => timer.due <= this.monotonic());
    for (const timer of due.toSorted((one, other) => one.due - other.due)) if (this.#timers.has(timer)) timer.fire();
  }
}
