// What this replica has observed of the Lease. Only its own clock decides when the Lease expires.
import type { Clock } from '../../../lib/ports.ts';
import type { Lease } from './lease.ts';

interface LeaseFailure {
  /** Since the first failure in a row. */
  readonly ms: number;
  readonly why: string;
}

export class LeaseObservation {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** For a Lease without a duration. */
  readonly #durationMs: number;
  #last: { readonly lease: Lease; readonly at: number } | undefined;
  #failing: { readonly since: number; readonly why: string } | undefined;

  constructor(clock: Pick<Clock, 'monotonic'>, durationMs: number) {
    this.#clock = clock;
    this.#durationMs = durationMs;
  }

  get lease(): Lease | undefined {
    return this.#last?.lease;
  }

  /** The duration starts again only if the Lease was renewed, not if something else in it changed. */
  see(lease: Lease): void {
    const at = this.#last?.lease.stamp === lease.stamp ? this.#last.at : this.#clock.monotonic();
    this.#last = { lease, at };
  }

  /** Ms until the Lease expires without another renewal; 0 if it is free. */
  remainingMs(): number {
    if (this.#last === undefined || this.#last.lease.holder === '') return 0;
    const durationMs = this.#last.lease.durationMs || this.#durationMs;
    return Math.max(0, this.#last.at + durationMs - this.#clock.monotonic());
  }

  /** The lease could be read or written. */
  worked(): void {
    this.#failing = undefined;
  }

  /** The lease could not be read or written. Returns true for the first failure in a row. */
  failed(why: string): boolean {
    const first = this.#failing === undefined;
    this.#failing = { since: this.#failing?.since ?? this.#clock.monotonic(), why };
    return first;
  }

  trouble(): LeaseFailure | undefined {
    if (this.#failing === undefined) return undefined;
    return { ms: this.#clock.monotonic() - this.#failing.since, why: this.#failing.why };
  }
}
