// Keeps LISTs from following each other at once: long ones would take all there is, and each serves the more the later it is sent.
import type { Clock } from '../../../lib/ports.ts';

/** A LIST that took so long is followed by a pause of this many times that. */
const restFactor = 4;
/** Nobody waits longer for a LIST to be sent. */
const longestRestMs = 1_000;
/** Not worth a timer. */
const shortestRestMs = 100;

export class ListThrottle {
  readonly #clock: Clock;
  #next = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sends the next LIST after a rest that is in proportion to the last one, or at once. */
  async send<T>(list: () => Promise<T>): Promise<T> {
    const restMs = this.#next - this.#clock.monotonic();
    if (restMs > 0) await new Promise<void>((resolve) => this.#clock.after(restMs, resolve));
    const begunAt = this.#clock.monotonic();
    try {
      return await list();
    } finally {
      this.#ended(begunAt);
    }
  }

  #ended(begunAt: number): void {
    const now = this.#clock.monotonic();
    const restMs = Math.min(restFactor * (now - begunAt), longestRestMs);
    this.#next = restMs < shortestRestMs ? 0 : now + restMs;
  }
}
