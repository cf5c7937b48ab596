// A rate with a burst: tokens that fill up with time.
import type { Clock } from '../ports.ts';

/** Rounding must not make anybody wait for the last millionth of a token. */
const tolerance = 1e-6;

export interface Rate {
  readonly perSecond: number;
  /** How many tokens there may be at most. */
  readonly burst: number;
}

export class TokenBucket {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #rate: Rate;
  #tokens: number;
  #filledAt: number;

  /** Full at first. */
  constructor(clock: Pick<Clock, 'monotonic'>, rate: Rate) {
    this.#clock = clock;
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#filledAt = clock.monotonic();
  }

  /** What is in it stays, as far as it still fits. */
  configure(rate: Rate): void {
    this.#fill();
    this.#rate = rate;
    this.#tokens = Math.min(this.#tokens, rate.burst);
  }

  /** Whole tokens. */
  count(): number {
    this.#fill();
    return Math.floor(this.#tokens + tolerance);
  }

  take(): void {
    this.#tokens -= 1;
  }

  /** Milliseconds until there is one; 0 when there is. */
  waitMs(): number {
    return this.count() >= 1 ? 0 : ((1 - this.#tokens) / this.#rate.perSecond) * 1000;
  }

  #fill(): void {
    const now = this.#clock.monotonic();
    const fresh = ((now - this.#filledAt) / 1000) * this.#rate.perSecond;
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + fresh);
    this.#filledAt = now;
  }
}
