// Starts of runs at one service: one after the other, and none in quick succession while the service does not say what becomes of them.

import type { Clock } from '../../../lib/ports.ts';
import { backoffLimitMs } from '../../../lib/timing/backoff.ts';
import { Budget, type Permit, type PermitRequest } from './budget.ts';

/** Nothing but the number in flight limits. */
const oneAtATime = { requestsPerSecond: 1_000, burst: 1_000, maxInFlight: 1 } as const;

/** Longer than a pass waits for its turn: those that wait now look at the service again before they start anything. */
const firstPauseMs = 1_000;
/**
 * From the second one in a row on, the lists alone tell nothing: a gateway can answer the starts while the service answers the lists, and each start would
 * leave another run in doubt.
 */
const longPauseMs = 60_000;
const longestPauseMs = 15 * 60_000;

/** What is known of a start that ended: that the service did not look at it, what became of it, or nothing. As of the errors of requests. */
type StartCertainty = 'definite' | 'answered' | 'open';

/**
 * A start that nobody can tell the outcome of is a matter for the user. Where each begins only after the one before was answered, a process
 * that is killed leaves one of them at most, and so does a service that begins to fail.
 */
export class Starts {
  readonly #turns: Budget;
  readonly #clock: Clock;
  #doubts = 0;
  #doubtedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#turns = new Budget(oneAtATime, clock);
  }

  /** As of a Budget. The turn lasts until it is released. */
  take(request: PermitRequest): Promise<Permit | undefined> {
    return this.#turns.take(request);
  }

  /** See Budget. */
  onFree(listener: (user: string) => void): void {
    this.#turns.onFree(listener);
  }

  /** When the last start ended that nobody knows the outcome of, in monotonic ms. The next one needs a list that began later. */
  get doubtedAt(): number {
    return this.#doubtedAt;
  }

  /** How many starts nobody knows the outcome of, in a row. */
  get doubts(): number {
    return this.#doubts;
  }

  /** How long no start begins after the last of them, in ms. */
  get pauseMs(): number {
    if (this.#doubts <= 1) return this.#doubts * firstPauseMs;
    return backoffLimitMs({ failures: this.#doubts - 1, firstMs: longPauseMs, maxMs: longestPauseMs });
  }

  /** How long no start begins from now on, in ms, because the service did not say what became of the last ones. */
  get pausedMs(): number {
    return this.#doubts === 0 ? 0 : Math.max(0, this.#doubtedAt + this.pauseMs - this.#clock.monotonic());
  }

  /** A start ended. One that the service did not look at, `definite`, does not tell whether it answers others. */
  ended(certainty: StartCertainty): void {
    if (certainty === 'answered') this.#doubts = 0;
    if (certainty !== 'open') return;
    this.#doubts += 1;
    this.#doubtedAt = this.#clock.monotonic();
    this.#turns.pauseFor(this.pauseMs);
  }

  close(): void {
    this.#turns.close();
  }
}
