// The figures that Prometheus reads.
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { measureControllers, measureProcess } from '../../src/controller/metrics.ts';
import { settle } from '../support/clock.ts';
import { Bench } from './bench.ts';

async function linesOf(registry: Registry, name: string): Promise<string[]> {
  const text = await registry.metrics();
  return text.split('\n').filter((line) => line.startsWith(name));
}

describe('of controllers', () => {
  test('passes are counted by kind and outcome, with their times', async () => {
    const registry = new Registry();
    const observer = measureControllers(registry).observer('resources');
    observer.started(250);
    observer.passed({ kind: 'Cluster', outcome: 'settled', durationMs: 40 });
    observer.passed({ kind: 'Cluster', outcome: 'settled', durationMs: 60 });
    observer.passed({ kind: 'Image', outcome: 'thrown', durationMs: 1 });
    expect(await linesOf(registry, 'controller_runtime_reconcile_total')).toEqual([
      'controller_runtime_reconcile_total{controller="cluster",result="settled"} 2',
      'controller_runtime_reconcile_total{controller="image",result="thrown"} 1',
    ]);
    expect(await linesOf(registry, 'controller_runtime_reconcile_time_seconds_sum{controller="cluster"}')).toEqual([
      'controller_runtime_reconcile_time_seconds_sum{controller="cluster"} 0.1',
    ]);
    expect(await linesOf(registry, 'workqueue_queue_duration_seconds_sum')).toEqual([
      'workqueue_queue_duration_seconds_sum{name="resources"} 0.25',
    ]);
  });

  test('queues are read when they are asked for, several side by side', async () => {
    const registry = new Registry();
    const measures = measureControllers(registry);
    const [one, two] = [new Bench({ concurrency: 1 }).begun(), new Bench()];
    measures.watch('one', () => one.queue.statistics());
    measures.watch('two', () => two.queue.statistics());
    for (const key of ['a', 'b', 'c']) one.queue.add(key, { priority: 'change' });
    one.queue.add('later', { priority: 'poll', delayMs: 5_000 });
    await settle();
    await one.clock.advance(1_500);
    const figures = [
      'workqueue_depth',
      'workqueue_delayed',
      'workqueue_longest',
      'controller_runtime_active',
      'workqueue_adds',
    ];
    const lines = await Promise.all(figures.map((name) => linesOf(registry, name)));
    expect(lines.flat()).toEqual([
      'workqueue_depth{name="one"} 2',
      'workqueue_depth{name="two"} 0',
      'workqueue_delayed{name="one"} 1',
      'workqueue_delayed{name="two"} 0',
      'workqueue_longest_running_processor_seconds{name="one"} 1.5',
      'workqueue_longest_running_processor_seconds{name="two"} 0',
      'controller_runtime_active_workers{name="one"} 1',
      'controller_runtime_active_workers{name="two"} 0',
      'workqueue_adds_total{name="one"} 4',
      'workqueue_adds_total{name="two"} 0',
    ]);
    one.queue.add('d', { priority: 'change' });
    expect(await linesOf(registry, 'workqueue_adds_total{name="one"}')).toEqual(['workqueue_adds_total{name="one"} 5']);
  });
});

test('the process is measured by the names that every dashboard knows', async () => {
  const registry = new Registry();
  measureProcess(registry);
  for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_eventloop_lag_seconds']) {
    expect((await linesOf(registry, `${name} `)).length, name).toBe(1);
  }
  registry.clear();
});
