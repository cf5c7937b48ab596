// A rate limit with a burst, on the injected clock.
import type { Clock } from './ports.ts';

export class TokenBucket {
  readonly #clock: Clock;
  readonly #ratePerMs: number;
  readonly #burst: number;
  #tokens: number;
  #filledAt: number;

  constructor(clock: Clock, ratePerSecond: number, burst: number) {
    this.#clock = clock;
    this.#ratePerMs = ratePerSecond / 1000;
    this.#burst = burst;
    this.#tokens = burst;
    this.#filledAt = clock.monotonic();
  }

  /** Takes a token and returns 0, or returns after how many ms there will be one. */
  take(): number {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#filledAt) * this.#ratePerMs);
    this.#filledAt = now;
    if (this.#tokens >= 1) {
      this.#tokens -= 1;
      return 0;
    }
    return Math.ceil((1 - this.#tokens) / this.#ratePerMs);
  }
}
