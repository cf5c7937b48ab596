// A rate with a burst: tokens that fill up with time. It holds no clock; time comes in, in ms.

/** Rounding must not make anybody wait for the last millionth of a token. */
const tolerance = 1e-6;

export class Bucket {
  #perSecond: number;
  #size: number;
  #tokens: number;
  #filledAt: number;

  /** Full at first. */
  constructor(perSecond: number, size: number, now: number) {
    this.#perSecond = perSecond;
    this.#size = size;
    this.#tokens = size;
    this.#filledAt = now;
  }

  /** What is in it stays, as far as it still fits. */
  resize(perSecond: number, size: number, now: number): void {
    this.#fill(now);
    this.#perSecond = perSecond;
    this.#size = size;
    this.#tokens = Math.min(this.#tokens, size);
  }

  /** Whole tokens. */
  count(now: number): number {
    this.#fill(now);
    return Math.floor(this.#tokens + tolerance);
  }

  take(): void {
    this.#tokens -= 1;
  }

  /** Milliseconds until there is one; 0 when there is. */
  waitMs(now: number): number {
    this.#fill(now);
    return Math.max(((1 - this.#tokens) / this.#perSecond) * 1000, 0);
  }

  #fill(now: number): void {
    const fresh = ((now - this.#filledAt) / 1000) * this.#perSecond;
    this.#tokens = Math.min(this.#size, this.#tokens + fresh);
    this.#filledAt = now;
  }
}
