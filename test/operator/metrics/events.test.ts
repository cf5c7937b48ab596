// The figures of events as Prometheus sees them.
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { measureEvents } from '../../../src/operator/metrics/watch-metrics.ts';

test('events are counted by what became of them, and what never happened is there with 0', async () => {
  const registry = new Registry();
  let sent = 6;
  measureEvents(registry, () => ({ sent, dropped: 0, failed: 1 }));
  const lines = async () => (await registry.metrics()).split('\n').filter((line) => line.startsWith('dataprocessing'));
  const expected = (count: number) => [
    `dataprocessing_operator_events_total{result="sent"} ${count}`,
    'dataprocessing_operator_events_total{result="dropped"} 0',
    'dataprocessing_operator_events_total{result="failed"} 1',
  ];
  expect(await lines()).toEqual(expected(6));
  sent = 7;
  expect(await lines()).toEqual(expected(7));
});
