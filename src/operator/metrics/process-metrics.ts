// The metrics of the process: its readiness, its reconciliations and its queue.
import { Counter, collectDefaultMetrics, Histogram, type Registry } from 'prom-client';
import type { Observer } from '../controller/controller.ts';
import type { QueueStatistics } from '../controller/queue/queue.ts';
import { type Check, troubleOf } from '../process/health-server.ts';
import { closedLabel, prefix, scrapedCounter, scrapedGauge } from './registry.ts';

const waitBucketsSeconds = [0.01, 0.1, 1, 5, 30, 120];
const passBucketsSeconds = [0.005, 0.025, 0.1, 0.5, 2, 10, 60];
/** Results after which a key is requeued because the reconciliation failed. */
const failedResults: readonly string[] = ['retry', 'thrown'];

/** The default metrics of the client library: CPU, memory, event loop lag and garbage collection. */
export function measureProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
}

/** `checks` are those of `/readyz`. */
export function measureReadiness(registry: Registry, checks: readonly Check[]): void {
  scrapedGauge(registry, {
    name: 'ready',
    help: '1 if /readyz reports no trouble, else 0.',
    samples: () => [[checks.every(({ trouble }) => troubleOf(trouble) === undefined) ? 1 : 0]],
  });
}

/** Returns the observer for the controller. `kinds` are the kinds of its keys. */
export function measurePasses(registry: Registry, kinds: readonly string[]): Observer {
  const registers = [registry];
  const kindOf = closedLabel(kinds);
  const passes = new Counter({
    name: `${prefix}reconcile_total`,
    help: 'Reconciliations by kind and result. The results retry and thrown are failures.',
    labelNames: ['kind', 'result'],
    registers,
  });
  // Prometheus sees no increase in a series that starts at 1, so the first defect would not raise the alert.
  for (const kind of kinds) passes.inc({ kind, result: 'thrown' }, 0);
  const durations = new Histogram({
    name: `${prefix}reconcile_duration_seconds`,
    help: 'Duration of reconciliations.',
    labelNames: ['kind'],
    buckets: passBucketsSeconds,
    registers,
  });
  const waits = new Histogram({
    name: `${prefix}queue_wait_seconds`,
    help: 'Time that objects waited to be reconciled after they became due, because of the limits of their Connection.',
    buckets: waitBucketsSeconds,
    registers,
  });
  const retries = new Counter({
    name: `${prefix}queue_retries_total`,
    help: 'Reconciliations that were requeued because they failed.',
    registers,
  });
  return {
    started: (waitedMs) => waits.observe(waitedMs / 1_000),
    passed: ({ kind: name, outcome, durationMs }) => {
      const kind = kindOf(name);
      durations.observe({ kind }, durationMs / 1_000);
      passes.inc({ kind, result: outcome });
      if (failedResults.includes(outcome)) retries.inc();
    },
  };
}

const queueGauges: readonly (readonly [name: string, help: string, value: (of: QueueStatistics) => number])[] = [
  ['queue_depth', 'Objects that are due and wait to be reconciled.', ({ depth }) => depth],
  ['queue_delayed', 'Objects that will be reconciled at a later time.', ({ delayed }) => delayed],
  [
    'queue_oldest_wait_seconds',
    'Time that the object which became due first has been waiting.',
    ({ oldestWaitMs }) => oldestWaitMs / 1_000,
  ],
  ['workers_busy', 'Reconciliations in progress.', ({ running }) => running],
  [
    'longest_pass_seconds',
    'Age of the oldest reconciliation in progress.',
    ({ longest }) => (longest?.ms ?? 0) / 1_000,
  ],
];

export function measureQueue(registry: Registry, statistics: () => QueueStatistics): void {
  for (const [name, help, value] of queueGauges)
    scrapedGauge(registry, { name, help, samples: () => [[value(statistics())]] });
  scrapedCounter(registry, {
    name: 'queue_adds_total',
    help: 'Objects that were added to the queue.',
    samples: () => [[statistics().adds]],
  });
}
