// Lets no tenant keep the event loop from the others: requests and parts of long answers that are there at the same time are served in turns.
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../../lib/ports.ts';
import type { Payer } from './memory-budget.ts';

/** How long one turn of the event loop serves requests, in ms, before it looks for those of others. */
const sliceMs = 5;

/** Does the work of a request when it is its turn. */
export type TakeTurn = (request: FastifyRequest, work: () => void) => void;

export class Turns {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** By tenant, whose turn it is first. */
  readonly #waiting = new Map<Payer, (() => void)[]>();
  /** When this turn of the event loop began to serve. Undefined if it has not. */
  #begun: number | undefined;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Calls `work` at once if nobody waits and there is time left, and otherwise when it is the tenant's turn. */
  enter(tenant: Payer, work: () => void): void {
    if (this.#waiting.size === 0 && this.#hasTime()) return work();
    const queue = this.#waiting.get(tenant);
    if (queue === undefined) this.#waiting.set(tenant, [work]);
    else queue.push(work);
  }

  /** Resolves to what `work` returns. */
  run<T>(tenant: Payer, work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.enter(tenant, () => {
        try {
          resolve(work());
        } catch (error) {
          reject(error as Error);
        }
      });
    });
  }

  #hasTime(): boolean {
    const now = this.#clock.monotonic();
    if (this.#begun === undefined) {
      this.#begun = now;
      setImmediate(() => this.#turn());
    }
    return now - this.#begun < sliceMs;
  }

  #turn(): void {
    this.#begun = undefined;
    while (this.#waiting.size > 0 && this.#hasTime()) this.#serveNext();
  }

  #serveNext(): void {
    for (const [tenant, queue] of this.#waiting) {
      const work = queue.shift();
      this.#waiting.delete(tenant);
      if (queue.length > 0) this.#waiting.set(tenant, queue);
      return work?.();
    }
  }
}
