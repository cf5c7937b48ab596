// Keeps LISTs apart: long ones would take all the capacity there is, and each serves more callers the later it is sent.
import type { Clock } from '../../../lib/ports.ts';

/** A LIST is followed by a pause of this many times its duration. */
const restFactor = 4;
/** Nobody waits longer than this for a LIST to be sent, in ms. */
const longestRestMs = 1_000;
/** Shorter pauses are not worth a timer. */
const shortestRestMs = 100;

export class ListThrottle {
  readonly #clock: Clock;
  #next = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sends the next LIST after a pause in proportion to the last one, or at once. */
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
