// The figures of controllers for Prometheus, under the names that dashboards for operators know already.
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client';
import type { Observer } from './controller.ts';
import type { QueueStatistics } from './queue.ts';

const WAIT_BUCKETS_SECONDS = [0.001, 0.01, 0.1, 0.5, 1, 5, 10, 30, 60];
const PASS_BUCKETS_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30, 60];

/** CPU, memory, event loop lag and garbage collection of the process. */
export function measureProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
}

export interface Measures {
  /** To be given to the controller of that name. */
  observer(name: string): Observer;
  /** Reads the queue of that controller whenever the metrics are fetched. */
  watch(name: string, statistics: () => QueueStatistics): void;
}

/** Once for each registry, for all its controllers. */
export function measureControllers(registry: Registry): Measures {
  const queues = new Map<string, () => QueueStatistics>();
  measureQueues(registry, queues);
  const observer = measurePasses(registry);
  return { observer, watch: (name, statistics) => void queues.set(name, statistics) };
}

function measurePasses(registry: Registry): (name: string) => Observer {
  const registers = [registry];
  const waits = new Histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'How long a key was due before its pass started.',
    labelNames: ['name'],
    buckets: WAIT_BUCKETS_SECONDS,
    registers,
  });
  const durations = new Histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'How long a pass took.',
    labelNames: ['controller'],
    buckets: PASS_BUCKETS_SECONDS,
    registers,
  });
  const outcomes = new Counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Passes by what they said about the next look.',
    labelNames: ['controller', 'result'],
    registers,
  });
  return (name) => ({
    started: (waitedMs) => waits.observe({ name }, waitedMs / 1_000),
    passed: ({ kind, outcome, durationMs }) => {
      const controller = kind.toLowerCase();
      durations.observe({ controller }, durationMs / 1_000);
      outcomes.inc({ controller, result: outcome });
    },
  });
}

type Figure = readonly [name: string, help: string, value: (statistics: QueueStatistics) => number];

const FIGURES: readonly Figure[] = [
  ['workqueue_depth', 'Keys that are due and wait for room.', ({ depth }) => depth],
  ['workqueue_delayed', 'Keys whose time has not come.', ({ delayed }) => delayed],
  [
    'workqueue_longest_running_processor_seconds',
    'Age of the oldest pass.',
    ({ longest }) => (longest?.ms ?? 0) / 1_000,
  ],
  ['controller_runtime_active_workers', 'Passes that run now.', ({ running }) => running],
];

function measureQueues(registry: Registry, queues: ReadonlyMap<string, () => QueueStatistics>): void {
  const common = { labelNames: ['name'] as const, registers: [registry] };
  for (const [metric, help, value] of FIGURES) {
    const collect = function (this: Gauge<'name'>) {
      for (const [name, statistics] of queues) this.set({ name }, value(statistics()));
    };
    new Gauge({ name: metric, help, ...common, collect });
  }
  const collect = function (this: Counter<'name'>) {
    this.reset();
    for (const [name, statistics] of queues) this.inc({ name }, statistics().adds);
  };
  new Counter({ name: 'workqueue_adds_total', help: 'Wishes for a pass.', ...common, collect });
}
