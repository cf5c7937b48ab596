// Judges how the watches of one source fare: when to try again, and when to stop trusting the version.

import { Backoff } from '../../../lib/backoff.ts';
import type { Clock, Random } from '../../../lib/ports.ts';

/** A watch that lived this long was a good one: the next failure starts from the shortest backoff. */
const goodMs = 5_000;
/** A watch that ended within this time and brought nothing was fruitless. */
const fruitlessMs = 1_000;
const mostFruitless = 5;
/**
 * The server sends a bookmark a minute. A watch that was open for this long and brought nothing hangs in a dead connection,
 * or begins at a version that this server has yet to reach, as after a restored backup: then it would miss all until there.
 */
const silentMs = 120_000;
const longestRetryAfterMs = 300_000;

/** `begin`, then `opened` and `event` as they come, then `end` and an answer in ms. */
export class WatchAttempts {
  readonly #clock: Clock;
  readonly #backoff: Backoff;
  #openedAt: number | undefined;
  #events = 0;
  #fruitless = 0;
  #expired = false;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#backoff = new Backoff(random);
  }

  begin(): void {
    this.#openedAt = undefined;
    this.#events = 0;
  }

  opened(): void {
    this.#openedAt = this.#clock.monotonic();
  }

  event(): void {
    this.#events += 1;
  }

  /** True while the server at least accepted the watch of this attempt. */
  get accepted(): boolean {
    return this.#openedAt !== undefined;
  }

  /**
   * True when the version leads nowhere: this watch was silent, or it is the fifth in a row that ended at once, as some
   * servers do with a version that they do not know instead of saying so.
   */
  end(): boolean {
    if (this.#lived() >= goodMs) {
      this.#backoff.reset();
      this.#expired = false;
    }
    this.#fruitless = this.accepted && this.#events === 0 && this.#lived() < fruitlessMs ? this.#fruitless + 1 : 0;
    const silent = this.accepted && this.#events === 0 && this.#lived() >= silentMs;
    if (!silent && this.#fruitless < mostFruitless) return false;
    this.#fruitless = 0;
    return true;
  }

  /** After an end in good order: at once, unless the server ends everything at once. */
  afterClose(): number {
    return this.#lived() >= goodMs ? 0 : this.#backoff.next();
  }

  afterFailure(retryAfterMs = 0): number {
    return this.#backoff.next() + Math.min(retryAfterMs, longestRetryAfterMs);
  }

  /** Versions are forgotten in everyday life: the first time since a good watch is no failure and needs no wait. */
  forgiveExpiry(): boolean {
    const forgiven = !this.#expired;
    this.#expired = true;
    return forgiven;
  }

  #lived(): number {
    return this.#openedAt === undefined ? 0 : this.#clock.monotonic() - this.#openedAt;
  }
}
