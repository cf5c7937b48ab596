// What one replica has seen of the lease, and when by its own clock, which alone tells how long it still belongs to somebody.
import type { Clock } from '../../../lib/ports.ts';
import type { Lease } from './lease.ts';

export interface LeaseTrouble {
  /** For how long it has lasted. */
  readonly ms: number;
  readonly why: string;
}

export class LeaseObservation {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** For a Lease that names no duration. */
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

  /** The time counts from now only if the lease was renewed, and not if something else about it was changed. */
  see(lease: Lease): void {
    const at = this.#last?.lease.stamp === lease.stamp ? this.#last.at : this.#clock.monotonic();
    this.#last = { lease, at };
  }

  /** For how many ms the lease still belongs to its holder, if it is not renewed; 0 when it may be taken. */
  heldMs(): number {
    if (this.#last === undefined || this.#last.lease.holder === '') return 0;
    const durationMs = this.#last.lease.durationMs || this.#durationMs;
    return Math.max(0, this.#last.at + durationMs - this.#clock.monotonic());
  }

  /** The lease could be read or written. */
  worked(): void {
    this.#failing = undefined;
  }

  /** The lease could not be read or written. True for the first of several failures in a row. */
  failed(why: string): boolean {
    const first = this.#failing === undefined;
    this.#failing = { since: this.#failing?.since ?? this.#clock.monotonic(), why };
    return first;
  }

  /** Undefined while it works. */
  trouble(): LeaseTrouble | undefined {
    if (this.#failing === undefined) return undefined;
    return { ms: this.#clock.monotonic() - this.#failing.since, why: this.#failing.why };
  }
}
