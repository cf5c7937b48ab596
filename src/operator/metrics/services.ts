// The figures of the services behind Connections, over all of them: send permits, and how old what is known of them is.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { prefix } from './labels.ts';

const PERMIT_BUCKETS_SECONDS = [0.001, 0.01, 0.1, 1, 10];

export interface ServiceFigures {
  /** Requests that wait for a permit, and permits that are out. */
  load(): { readonly waiting: number; readonly inFlight: number };
  readonly routes: readonly string[];
  /** Of the service where each is longest; undefined: there is nothing in this collection that anybody should look at. */
  reading(route: string): { readonly ageMs: number; readonly overdueMs: number } | undefined;
}

/** Reads the services whenever the metrics are fetched. */
export function measureServices(registry: Registry, figures: ServiceFigures): void {
  const registers = [registry];
  new Gauge({
    name: `${prefix}budget_waiting`,
    help: 'Requests to services that are waiting for a send permit.',
    registers,
    collect() {
      this.set(figures.load().waiting);
    },
  });
  new Gauge({
    name: `${prefix}budget_in_flight`,
    help: 'Send permits in use.',
    registers,
    collect() {
      this.set(figures.load().inFlight);
    },
  });
  measureReadings(registry, figures);
}

function measureReadings(registry: Registry, figures: ServiceFigures): void {
  const gauges = [
    [
      'list_age_seconds',
      'Time since a collection that contains managed objects was last read. The maximum over all Connections.',
      'ageMs',
    ],
    [
      'list_overdue_seconds',
      'Time by which the next read of such a collection is overdue, according to pollSeconds of the Connection or the interval of the kind. The maximum over all Connections; 0 when all reads are on time.',
      'overdueMs',
    ],
  ] as const;
  for (const [name, help, what] of gauges) {
    const collect = function (this: Gauge) {
      this.reset();
      for (const route of figures.routes) {
        const read = figures.reading(route);
        if (read !== undefined) this.set({ route: `/${route}` }, read[what] / 1_000);
      }
    };
    new Gauge({ name: `${prefix}${name}`, help, labelNames: ['route'], registers: [registry], collect });
  }
}

/** The function hears of every wish for a send permit: how long it waited in ms, or undefined when it went away without. */
export function measurePermits(registry: Registry): (waitedMs: number | undefined) => void {
  const registers = [registry];
  const waits = new Histogram({
    name: `${prefix}budget_wait_seconds`,
    help: 'Time that requests waited for a send permit.',
    buckets: PERMIT_BUCKETS_SECONDS,
    registers,
  });
  const refusals = new Counter({
    name: `${prefix}budget_refusals_total`,
    help: 'Requests that got no send permit in time.',
    registers,
  });
  return (waitedMs) => {
    if (waitedMs === undefined) refusals.inc();
    else waits.observe(waitedMs / 1_000);
  };
}
