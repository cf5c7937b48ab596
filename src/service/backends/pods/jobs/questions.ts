// Bounds how many runs are asked for their progress at a time. Their pods may be hostile: each answer can be long, or come late.
import type { Clock } from '../../../../lib/ports.ts';
import { TenantPlaces } from '../../../../lib/timing/places.ts';

/** At a time, of all runs. One tenant gets half of them. */
export const mostQuestions = 4;
/** Besides these: of runs whose last answer took long, so that they do not keep those of other tenants waiting. */
export const mostSlowQuestions = 2;
const slowMs = 1000;

export class Questions {
  readonly #clock: Clock;
  readonly #quick = new TenantPlaces(mostQuestions);
  readonly #slow = new TenantPlaces(mostSlowQuestions);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the function that asks one run, when it is the turn of its tenant. Once the signal has aborted, that does not ask any more, and rejects. */
  of(tenant: string, signal: AbortSignal): <T>(ask: () => Promise<T>) => Promise<T> {
    let wasSlow = false;
    return (ask) =>
      (wasSlow ? this.#slow : this.#quick).run(tenant, signal, async () => {
        const from = this.#clock.monotonic();
        try {
          return await ask();
        } finally {
          wasSlow = this.#clock.monotonic() - from >= slowMs;
        }
      });
  }
}
