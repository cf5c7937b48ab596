// The figures that Prometheus reads of the process, of passes and of the queue.
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import {
  measurePasses,
  measureProcess,
  measureQueue,
  measureReadiness,
} from '../../../src/operator/metrics/process-metrics.ts';
import { settle } from '../../support/clock.ts';
import { Bench } from '../controller/bench.ts';
import { linesOf } from './figures.ts';

const kinds = ['Cluster', 'Image'];

describe('passes', () => {
  test('are counted by kind and outcome, with their times', async () => {
    const registry = new Registry();
    const observer = measurePasses(registry, kinds);
    expect(await linesOf(registry, 'reconcile_total')).toEqual([
      'reconcile_total{kind="Cluster",result="thrown"} 0',
      'reconcile_total{kind="Image",result="thrown"} 0',
    ]);
    observer.started(250);
    observer.passed({ kind: 'Cluster', outcome: 'settled', durationMs: 40 });
    observer.passed({ kind: 'Cluster', outcome: 'settled', durationMs: 60 });
    observer.passed({ kind: 'Image', outcome: 'thrown', durationMs: 1 });
    observer.passed({ kind: 'Novelty', outcome: 'retry', durationMs: 1 });
    expect(await linesOf(registry, 'reconcile_total')).toEqual([
      'reconcile_total{kind="Cluster",result="thrown"} 0',
      'reconcile_total{kind="Image",result="thrown"} 1',
      'reconcile_total{kind="Cluster",result="settled"} 2',
      'reconcile_total{kind="other",result="retry"} 1',
    ]);
    expect(await linesOf(registry, 'reconcile_duration_seconds_sum{kind="Cluster"}')).toEqual([
      'reconcile_duration_seconds_sum{kind="Cluster"} 0.1',
    ]);
    expect(await linesOf(registry, 'queue_wait_seconds_sum')).toEqual(['queue_wait_seconds_sum 0.25']);
    expect(await linesOf(registry, 'queue_retries_total')).toEqual(['queue_retries_total 2']);
  });
});

describe('the queue', () => {
  test('is read when it is asked for', async () => {
    const registry = new Registry();
    const bench = new Bench({ limitOf: () => 1 }).begun();
    measureQueue(registry, () => bench.queue.statistics());
    for (const key of ['a', 'b']) bench.queue.add(key, { priority: 'change' });
    bench.queue.add('later', { priority: 'poll', delayMs: 5_000 });
    await settle();
    await bench.clock.advance(1_000);
    bench.queue.add('c', { priority: 'change' });
    await bench.clock.advance(500);
    expect([...(await linesOf(registry, 'queue_')), ...(await linesOf(registry, 'workers_busy'))]).toEqual([
      'queue_depth 2',
      'queue_delayed 1',
      'queue_oldest_wait_seconds 1.5',
      'queue_adds_total 4',
      'workers_busy 1',
    ]);
    expect(await linesOf(registry, 'longest_pass_seconds')).toEqual(['longest_pass_seconds 1.5']);
    bench.queue.add('d', { priority: 'change' });
    expect(await linesOf(registry, 'queue_adds_total')).toEqual(['queue_adds_total 5']);
  });

  test('in which nobody waits has no oldest wait', async () => {
    const registry = new Registry();
    const bench = new Bench({ limitOf: () => 1 }).begun();
    measureQueue(registry, () => bench.queue.statistics());
    bench.queue.add('later', { priority: 'poll', delayMs: 5_000 });
    await bench.clock.advance(1_000);
    expect(await linesOf(registry, 'queue_oldest_wait_seconds')).toEqual(['queue_oldest_wait_seconds 0']);
  });
});

test('readiness is that of the checks, whenever it is asked for', async () => {
  const registry = new Registry();
  const troubles: string[] = [];
  measureReadiness(registry, [
    { name: 'fine', trouble: () => undefined },
    { name: 'other', trouble: () => troubles[0] },
  ]);
  expect(await linesOf(registry, 'ready')).toEqual(['ready 1']);
  troubles.push('no list');
  expect(await linesOf(registry, 'ready')).toEqual(['ready 0']);
});

test('the process is measured by the names that every dashboard knows', async () => {
  const registry = new Registry();
  measureProcess(registry);
  const text = await registry.metrics();
  for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_eventloop_lag_max_seconds'])
    expect(text).toMatch(new RegExp(`^${name} `, 'm'));
  registry.clear();
});
