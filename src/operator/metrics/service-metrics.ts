// The metrics of the services behind all Connections: send permits and the age of lists.
import { Counter, Histogram, type Registry } from 'prom-client';
import { prefix, scrapedGauge } from './registry.ts';

const permitBucketsSeconds = [0.001, 0.01, 0.1, 1, 10];

interface ServiceSource {
  /** Requests that wait for a permit, and permits in use. */
  load(): {
    readonly waiting: number;
    readonly inFlight: number;
    /** Of each service. */
    readonly limits: readonly { readonly requestsPerSecond: number; readonly maxInFlight: number }[];
  };
  readonly routes: readonly string[];
  /** The maximum over all services; undefined when no service has managed objects in this collection. */
  reading(route: string): { readonly ageMs: number; readonly overdueMs: number } | undefined;
}

export function measureServices(registry: Registry, source: ServiceSource): void {
  scrapedGauge(registry, {
    name: 'budget_waiting',
    help: 'Requests to services that wait because the limits of their Connections are reached.',
    samples: () => [[source.load().waiting]],
  });
  scrapedGauge(registry, {
    name: 'budget_in_flight',
    help: 'Requests to services in progress.',
    samples: () => [[source.load().inFlight]],
  });
  measureLimits(registry, source);
  const perRoute = (what: 'ageMs' | 'overdueMs') => () =>
    source.routes.flatMap((route) => {
      const read = source.reading(route);
      return read === undefined ? [] : [[read[what] / 1_000, { route: `/${route}` }] as const];
    });
  scrapedGauge(registry, {
    name: 'list_age_seconds',
    help: 'Time since a collection that contains managed objects was last read. The maximum over all Connections.',
    labelNames: ['route'],
    samples: perRoute('ageMs'),
  });
  scrapedGauge(registry, {
    name: 'list_overdue_seconds',
    help: 'Time by which the next read of such a collection is overdue, according to pollSeconds of the Connection or the interval of the kind. The maximum over all Connections; 0 when all reads are on time.',
    labelNames: ['route'],
    samples: perRoute('overdueMs'),
  });
}

function measureLimits(registry: Registry, source: Pick<ServiceSource, 'load'>): void {
  const smallest = (what: 'requestsPerSecond' | 'maxInFlight') => () => {
    const values = source.load().limits.map((limits) => limits[what]);
    return values.length === 0 ? [] : [[Math.min(...values)] as const];
  };
  scrapedGauge(registry, {
    name: 'budget_rate_limit',
    help: 'Requests a second that a service gets at most now. The minimum over all Connections.',
    samples: smallest('requestsPerSecond'),
  });
  scrapedGauge(registry, {
    name: 'budget_in_flight_limit',
    help: 'Requests to a service that may be in progress now. The minimum over all Connections.',
    samples: smallest('maxInFlight'),
  });
}

/** Returns a listener for permit requests: how long one waited in ms, or undefined when it got no permit. */
export function measurePermits(registry: Registry): (waitedMs: number | undefined) => void {
  const registers = [registry];
  const waits = new Histogram({
    name: `${prefix}budget_wait_seconds`,
    help: 'Time that requests waited because of the limits of their Connection.',
    buckets: permitBucketsSeconds,
    registers,
  });
  const refusals = new Counter({
    name: `${prefix}budget_refusals_total`,
    help: 'Requests that were given up because the limits of their Connection delayed them for too long.',
    registers,
  });
  return (waitedMs) => {
    if (waitedMs === undefined) refusals.inc();
    else waits.observe(waitedMs / 1_000);
  };
}

/** Returns a listener for decreases of the rate of a service. */
export function measureLowered(registry: Registry): (cause: 'refused' | 'slow') => void {
  const lowered = new Counter({
    name: `${prefix}budget_lowered_total`,
    help: 'Times that a service began to get half as many requests, because it refused some (429, 503) or became slow.',
    labelNames: ['cause'],
    registers: [registry],
  });
  for (const cause of ['refused', 'slow']) lowered.inc({ cause }, 0);
  return (cause) => lowered.inc({ cause });
}
