// Decides when a source retries its watch, and when it must list again instead of trusting its resource version.

import type { Clock, Random } from '../../lib/ports.ts';
import { backoffMs } from '../../lib/timing/backoff.ts';

/** A watch that lasted this long resets the backoff. */
const goodMs = 5_000;
/** A watch that ended within this time without an event was fruitless. */
const fruitlessMs = 1_000;
const mostFruitless = 5;
/** Those of client-go. */
const backoff = { firstMs: 800, maxMs: 30_000 };
/**
 * The server sends a bookmark every minute. A watch without an event for this long hangs in a dead connection, or starts at a version
 * that the server has not reached yet, as after a restored backup. Then it would miss all changes up to that version.
 */
const silentMs = 120_000;
const longestRetryAfterMs = 300_000;

/** Call `begin`, `opened`, `event` for each event, then `end`, and one of the methods that return a delay in ms. */
export class WatchAttempts {
  readonly #clock: Clock;
  readonly #random: Random;
  #failures = 0;
  #openedAt: number | undefined;
  #events = 0;
  #fruitless = 0;
  #expired = false;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
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

  /** The server accepted the watch. */
  get accepted(): boolean {
    return this.#openedAt !== undefined;
  }

  /**
   * True if the version is useless: this watch was silent, or it is the fifth in a row that ended at once. Some servers do that with
   * an unknown version instead of answering 410.
   */
  end(): boolean {
    if (this.#lived() >= goodMs) {
      this.#failures = 0;
      this.#expired = false;
    }
    this.#fruitless = this.accepted && this.#events === 0 && this.#lived() < fruitlessMs ? this.#fruitless + 1 : 0;
    const silent = this.accepted && this.#events === 0 && this.#lived() >= silentMs;
    if (!silent && this.#fruitless < mostFruitless) return false;
    this.#fruitless = 0;
    return true;
  }

  /** After a regular end: no delay, unless the server ends every watch at once. */
  afterClose(): number {
    return this.#lived() >= goodMs ? 0 : this.#backoffMs();
  }

  afterFailure(retryAfterMs = 0): number {
    return this.#backoffMs() + Math.min(retryAfterMs, longestRetryAfterMs);
  }

  /** Versions expire regularly, so the first expiry after a good watch is not a failure and needs no delay. */
  forgiveExpiry(): boolean {
    const forgiven = !this.#expired;
    this.#expired = true;
    return forgiven;
  }

  #backoffMs(): number {
    this.#failures += 1;
    return backoffMs({ failures: this.#failures, ...backoff }, this.#random.next());
  }

  #lived(): number {
    return this.#openedAt === undefined ? 0 : this.#clock.monotonic() - this.#openedAt;
  }
}
