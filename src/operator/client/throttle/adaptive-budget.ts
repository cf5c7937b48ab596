// The budget of a service, which follows what the service can take.
import type { Clock } from '../../../lib/ports.ts';
import type { Ceiling } from '../limits.ts';
import { Budget, type PermitListener } from './budget.ts';
import { type Answer, type LoweredBy, Pace } from './pace.ts';

export interface BudgetListeners {
  readonly onPermit?: PermitListener | undefined;
  /** The service gets fewer requests than before, and why. Must not throw. */
  readonly onLowered?: ((cause: LoweredBy) => void) | undefined;
}

/** Throws a RangeError for limits that are not positive. */
export class AdaptiveBudget {
  readonly permits: Budget;
  readonly #clock: Clock;
  readonly #pace: Pace;
  readonly #onLowered: BudgetListeners['onLowered'];

  constructor(ceiling: Ceiling, clock: Clock, { onPermit, onLowered }: BudgetListeners = {}) {
    this.#clock = clock;
    this.#pace = new Pace(ceiling, clock.monotonic());
    this.#onLowered = onLowered;
    this.permits = new Budget(this.#pace.limits, clock, (waitedMs) => {
      if (waitedMs === undefined) this.#pace.missed();
      onPermit?.(waitedMs);
    });
  }

  /** A new ceiling applies from now on. */
  configure(ceiling: Ceiling): void {
    this.#pace.configure(ceiling);
    this.permits.configure(this.#pace.limits);
  }

  /** Such a request is sent now. Call the result with its outcome. */
  sending(of: string): (outcome: Answer['outcome']) => void {
    const sentAt = this.#clock.monotonic();
    this.#pace.sent();
    return (outcome) => {
      const cause = this.#pace.answered({ of, sentAt, outcome }, this.#clock.monotonic());
      const { limits } = this.#pace;
      if (limits.requestsPerSecond !== this.permits.limits.requestsPerSecond) this.permits.configure(limits);
      if (cause !== undefined) this.#onLowered?.(cause);
    };
  }
}
