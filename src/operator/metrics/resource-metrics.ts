// The metrics of resources: their number, their conditions and their time to Ready.
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Clock } from '../../lib/ports.ts';
import { ConditionCounter, type ConditionLabels } from './condition-metrics.ts';
import { prefix, scrapedGauge } from './registry.ts';

const readyBucketsSeconds = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600];

interface ResourceMetricsOptions extends ConditionLabels {
  readonly clock: Clock;
  /** A standby reports nothing, because Prometheus would count every resource twice. */
  readonly leading: () => boolean;
}

/** Counts resources that are gone and may have left something in the service; the log names it. */
export function measureLeft(registry: Registry): (event: { readonly kind: string; readonly reason: string }) => void {
  const left = new Counter({
    name: `${prefix}left_in_service_total`,
    help: 'Resources that were deleted while objects of theirs stay in the service, by deletionPolicy Orphan or because the objects are not provably theirs. The log and the event name the objects.',
    labelNames: ['kind', 'reason'],
    registers: [registry],
  });
  return ({ kind, reason }) => {
    if (reason === 'Orphaned' || reason === 'Released') left.inc({ kind, reason });
  };
}

/** Counts what autoscaling of NodeGroups decided. */
export function measureScaled(registry: Registry): (event: { readonly kind: string; readonly reason: string }) => void {
  const scaled = new Counter({
    name: `${prefix}autoscaling_decisions_total`,
    help: 'Changes of the number of nodes that autoscaling of NodeGroups decided, by direction. The events name the NodeGroups.',
    labelNames: ['direction'],
    registers: [registry],
  });
  return ({ reason }) => {
    if (reason === 'ScaledUp' || reason === 'ScaledDown')
      scaled.inc({ direction: reason === 'ScaledUp' ? 'up' : 'down' });
  };
}

/** Counts Clusters that went by themselves, and those that wait because many went at once. */
export function measureExpired(
  registry: Registry,
): (event: { readonly kind: string; readonly reason: string }) => void {
  const expired = new Counter({
    name: `${prefix}lifecycle_expiries_total`,
    help: 'Clusters whose lifecycle ended, by result: expired, or held because many expired at once. The events name the Clusters.',
    labelNames: ['result'],
    registers: [registry],
  });
  return ({ reason }) => {
    if (reason === 'Expired' || reason === 'ExpiryHeld')
      expired.inc({ result: reason === 'Expired' ? 'expired' : 'held' });
  };
}

/** Counts scheduled times of JobSchedules for which no execution was created. */
export function measureMissed(registry: Registry): (count: number) => void {
  const missed = new Counter({
    name: `${prefix}schedule_missed_total`,
    help: 'Scheduled times of JobSchedules that passed without a JobExecution. The events name the JobSchedules.',
    registers: [registry],
  });
  return (count) => missed.inc(count);
}

/** The returned counter must receive every change of the cache. */
export function measureResources(
  registry: Registry,
  { leading, ...options }: ResourceMetricsOptions,
): ConditionCounter {
  const durations = new Histogram({
    name: `${prefix}time_to_ready_seconds`,
    help: 'Time from the creation of a resource, or the last change of its spec, until it is Ready.',
    labelNames: ['kind'],
    buckets: readyBucketsSeconds,
    registers: [registry],
  });
  const becameReady = (kind: string, ms: number) => {
    if (leading()) durations.observe({ kind }, ms / 1_000);
  };
  const counter = new ConditionCounter({ ...options, becameReady });
  scrapedGauge(registry, {
    name: 'resources',
    help: 'Resources in Kubernetes.',
    labelNames: ['kind'],
    samples: () => (leading() ? [...counter.resources()].map(([kind, { count }]) => [count, { kind }]) : []),
  });
  scrapedGauge(registry, {
    name: 'conditions',
    help: 'Resources by condition.',
    labelNames: ['kind', 'type', 'status', 'reason'],
    samples: () => (leading() ? [...counter.series()].map(({ labels, count }) => [count, labels]) : []),
  });
  return counter;
}
