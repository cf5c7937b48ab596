// The figures of the resources: how many there are, their conditions, and how long they take to get Ready.
import { Gauge, Histogram, type Registry } from 'prom-client';
import type { Clock } from '../../lib/ports.ts';
import { type StandingLists, Standings } from './conditions.ts';
import { prefix } from './labels.ts';

const READY_BUCKETS_SECONDS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600];

export interface ResourceFigures extends StandingLists {
  readonly clock: Clock;
  /** Whether this replica leads: the figures of one that does not would count everything twice. */
  readonly leading: () => boolean;
}

/** The answer is to be told of every change of the cache. */
export function measureResources(registry: Registry, { leading, ...figures }: ResourceFigures): Standings {
  const registers = [registry];
  const durations = new Histogram({
    name: `${prefix}time_to_ready_seconds`,
    help: 'Time from the creation of a resource, or the last change of its spec, until it is Ready.',
    labelNames: ['kind'],
    buckets: READY_BUCKETS_SECONDS,
    registers,
  });
  const becameReady = (kind: string, ms: number) => {
    if (leading()) durations.observe({ kind }, ms / 1_000);
  };
  const standings = new Standings({ ...figures, becameReady });
  new Gauge({
    name: `${prefix}resources`,
    help: 'Resources in Kubernetes.',
    labelNames: ['kind'],
    registers,
    collect() {
      this.reset();
      if (leading()) for (const [kind, { count }] of standings.resources()) this.set({ kind }, count);
    },
  });
  new Gauge({
    name: `${prefix}conditions`,
    help: 'Resources by condition.',
    labelNames: ['kind', 'type', 'status', 'reason'],
    registers,
    collect() {
      this.reset();
      if (leading()) for (const { labels, count } of standings.standings()) this.set(labels, count);
    },
  });
  return standings;
}
