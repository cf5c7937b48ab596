// The figures of the process, of its readiness, of passes and of the queue for Prometheus.
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client';
import type { Observer } from '../controller/controller.ts';
import type { QueueStatistics } from '../controller/queue/queue.ts';
import { type Check, troubleOf } from '../process/health.ts';
import { closedLabel, prefix } from './labels.ts';

const WAIT_BUCKETS_SECONDS = [0.01, 0.1, 1, 5, 30, 120];
const PASS_BUCKETS_SECONDS = [0.005, 0.025, 0.1, 0.5, 2, 10, 60];
/** Verdicts after which a key is tried again because something went wrong. */
const RETRIED: readonly string[] = ['retry', 'thrown'];

/** CPU, memory, event loop lag and garbage collection of the process, under the names that every dashboard knows. */
export function measureProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
}

/** Whether the process does its work, by the checks of `/readyz`. */
export function measureReadiness(registry: Registry, checks: readonly Check[]): void {
  const collect = function (this: Gauge) {
    this.set(checks.every(({ trouble }) => troubleOf(trouble) === undefined) ? 1 : 0);
  };
  new Gauge({
    name: `${prefix}ready`,
    help: '1 if /readyz reports no trouble, else 0.',
    registers: [registry],
    collect,
  });
}

/** The observer for the controller, whose passes are of these kinds. */
export function measurePasses(registry: Registry, kinds: readonly string[]): Observer {
  const registers = [registry];
  const kindOf = closedLabel(kinds);
  const passes = new Counter({
    name: `${prefix}reconcile_total`,
    help: 'Reconciliations by kind and result. The results retry and thrown are failures.',
    labelNames: ['kind', 'result'],
    registers,
  });
  // Prometheus sees no increase in what begins with 1: the very first defect would alert nobody.
  for (const kind of kinds) passes.inc({ kind, result: 'thrown' }, 0);
  const durations = new Histogram({
    name: `${prefix}reconcile_duration_seconds`,
    help: 'Duration of reconciliations.',
    labelNames: ['kind'],
    buckets: PASS_BUCKETS_SECONDS,
    registers,
  });
  const waits = new Histogram({
    name: `${prefix}queue_wait_seconds`,
    help: 'Time that due keys waited for a worker.',
    buckets: WAIT_BUCKETS_SECONDS,
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
      if (RETRIED.includes(outcome)) retries.inc();
    },
  };
}

type Figure = readonly [name: string, help: string, value: (statistics: QueueStatistics) => number];

const FIGURES: readonly Figure[] = [
  ['queue_depth', 'Keys that are due and wait for a worker.', ({ depth }) => depth],
  ['queue_delayed', 'Keys that are requeued for later.', ({ delayed }) => delayed],
  [
    'queue_oldest_wait_seconds',
    'Time that the oldest due key has been waiting.',
    ({ oldestWaitMs }) => oldestWaitMs / 1_000,
  ],
  ['workers_busy', 'Reconciliations in progress.', ({ running }) => running],
  [
    'longest_pass_seconds',
    'Age of the oldest reconciliation in progress.',
    ({ longest }) => (longest?.ms ?? 0) / 1_000,
  ],
];

/** Reads the queue whenever the metrics are fetched. */
export function measureQueue(registry: Registry, statistics: () => QueueStatistics): void {
  const registers = [registry];
  for (const [name, help, value] of FIGURES) {
    const collect = function (this: Gauge) {
      this.set(value(statistics()));
    };
    new Gauge({ name: `${prefix}${name}`, help, registers, collect });
  }
  const collect = function (this: Counter) {
    this.reset();
    this.inc(statistics().adds);
  };
  new Counter({ name: `${prefix}queue_adds_total`, help: 'Keys added to the queue.', registers, collect });
}
