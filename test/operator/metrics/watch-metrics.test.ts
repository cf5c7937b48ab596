// The figures of watches as Prometheus sees them.
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { measureWatches } from '../../../src/operator/metrics/watch-metrics.ts';

test('relists are summed over causes and namespaces, and a kind without any is there with 0', async () => {
  const registry = new Registry();
  const sources = [
    { kind: 'Cluster', relists: { expired: 2, schedule: 1 } },
    { kind: 'Cluster', relists: { expired: 0, schedule: 4 } },
    { kind: 'Secret', relists: { expired: 0, schedule: 0 } },
  ];
  measureWatches(registry, () => sources);
  const lines = async () => (await registry.metrics()).split('\n').filter((line) => line.startsWith('dataprocessing'));
  const expected = [
    'dataprocessing_operator_watch_relists_total{kind="Cluster"} 7',
    'dataprocessing_operator_watch_relists_total{kind="Secret"} 0',
  ];
  expect(await lines()).toEqual(expected);
  expect(await lines()).toEqual(expected);
});
