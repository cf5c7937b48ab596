// Exponential backoff with full jitter.
import type { Random } from './ports.ts';

const firstMs = 800;
const mostMs = 30_000;

export class Backoff {
  readonly #random: Random;
  #failures = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Counts a failure. Returns ms, uniform between 0 and min(30 s, 0.8 s * 2^previous failures). */
  next(): number {
    const limit = Math.min(mostMs, firstMs * 2 ** Math.min(this.#failures, 16));
    this.#failures += 1;
    return this.#random.next() * limit;
  }

  reset(): void {
    this.#failures = 0;
  }
}
