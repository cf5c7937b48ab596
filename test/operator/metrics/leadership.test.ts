// The figures of leadership as Prometheus sees them.
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { measureLeadership } from '../../../src/operator/metrics/watch-metrics.ts';
import { linesOf } from './figures.ts';

test('who leads and how often that changed is read anew each time', async () => {
  const registry = new Registry();
  const led = { leads: false, changes: 3 };
  measureLeadership(registry, { leading: () => led.leads, transitions: () => led.changes });
  const lines = async () => [...(await linesOf(registry, 'leader')), ...(await linesOf(registry, 'lease'))];
  expect(await lines()).toEqual(['leader 0', 'lease_transitions_total 3']);
  led.leads = true;
  led.changes = 4;
  expect(await lines()).toEqual(['leader 1', 'lease_transitions_total 4']);
});

test('of a lease that was not seen yet there is no figure, rather than one that jumps', async () => {
  const registry = new Registry();
  const seen: number[] = [];
  measureLeadership(registry, { leading: () => false, transitions: () => seen[0] });
  expect(await linesOf(registry, 'lease')).toEqual([]);
  seen.push(50);
  expect(await linesOf(registry, 'lease')).toEqual(['lease_transitions_total 50']);
});
