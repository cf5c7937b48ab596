// What many runs of a tenant keep on the disk is measured in slices.
import { expect, test } from 'vitest';
import { systemRandom } from '../../../../src/lib/system.ts';
import { createSimulatedEngine } from '../../../../src/service/backends/job-engine.ts';
import type { JobExecutionRecord } from '../../../../src/service/model/records/records.ts';
import { createMemoryStore } from '../../../../src/service/model/store/store.ts';
import { KeptBytes, sliceSize } from '../../../../src/service/resources/executions/kept-bytes.ts';
import { RunUsage } from '../../../../src/service/resources/executions/run-usage.ts';
import { ManualClock } from '../../../support/clock.ts';

const runs = 2000;
const ended = '2026-01-01T00:00:00Z';

/** Ended runs of 10 bytes each, and one of 1000 bytes that goes on. `turned`: what happens in each turn of the event loop, with what was measured in it. */
function open(turned: (turn: number) => void = () => {}) {
  const store = createMemoryStore();
  const put = (tenant: string, id: string, end_time?: string) =>
    store.put('jobExecutions', tenant, { id, end_time, prepared: { mains: [], libs: [] } } as never);
  for (const tenant of ['t', 'other']) for (let run = 0; run < runs; run += 1) put(tenant, `${tenant}-${run}`, ended);
  put('t', 'live');
  const seen = { slices: [] as number[], ids: [] as string[], live: 1000, isWatched: true };
  let slice = 0;
  const engine = {
    ...createSimulatedEngine(systemRandom),
    bytes: ({ execution: { id } }: { readonly execution: Pick<JobExecutionRecord, 'id'> }) => {
      slice += 1;
      seen.ids.push(id);
      return id === 'live' ? seen.live : 10;
    },
  };
  const look = () => {
    if (slice > 0) seen.slices.push(slice);
    slice = 0;
    turned(seen.slices.length);
    if (seen.isWatched) setImmediate(look);
  };
  setImmediate(look);
  return { store, engine, put, seen };
}

test('no turn of the event loop measures many runs, of however many tenants', async () => {
  const { store, engine, seen } = open();
  const kept = new KeptBytes({ store, engine });
  const measured = kept.measured('t');
  expect(kept.measured('t')).toBe(measured);
  await Promise.all([measured, kept.measured('other')]);
  seen.isWatched = false;
  expect(Math.max(...seen.slices)).toBe(sliceSize);
  expect(seen.ids.length).toBeGreaterThanOrEqual(2 * (runs - sliceSize));
  expect([kept.measured('t'), kept.of('t'), kept.of('other')]).toEqual([undefined, 10 * runs + 1000, 10 * runs]);
  expect(seen.ids).toHaveLength(2 * runs + 1);
  kept.of('t');
  expect(seen.ids.slice(2 * runs + 1)).toEqual(['live']);
});

test('runs that are deleted, end or begin meanwhile count once or not at all', async () => {
  const { store, engine, put, seen } = open((turn) => {
    if (turn !== 100) return;
    store.remove('jobExecutions', 't', 't-0');
    store.remove('jobExecutions', 't', `t-${runs - 1}`);
    put('t', 'live', ended);
    for (let run = 0; run < 3 * sliceSize; run += 1) put('t', `new-${run}`, ended);
  });
  const kept = new KeptBytes({ store, engine });
  await kept.measured('t');
  seen.isWatched = false;
  expect(Math.max(...seen.slices)).toBe(sliceSize);
  expect(kept.of('t')).toBe(10 * (runs - 2 + 3 * sliceSize) + 1000);
  expect(new Set(seen.ids).size).toBe(seen.ids.length);
  expect(seen.ids).not.toContain(`t-${runs - 1}`);
});

test('pieces that come while runs are measured wait for that, and do not exceed the quota together', async () => {
  const { store, engine, seen } = open();
  const quota = 10 * runs + 1000 + 50;
  const usage = new RunUsage({ store, engine, clock: new ManualClock(), quota });
  const write = async () => {
    await usage.admit('t', 'live', 10);
    seen.live += 10;
  };
  const settled = await Promise.allSettled(Array.from({ length: 10 }, write));
  seen.isWatched = false;
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  expect(seen.live).toBe(1050);
  expect(Math.max(...seen.slices)).toBeLessThanOrEqual(sliceSize + 1);
});

test('runs that were not prepared yet keep nothing, and are not looked for on the disk', () => {
  const { store, engine, seen } = open();
  seen.isWatched = false;
  for (let run = 0; run < runs; run += 1)
    store.put('jobExecutions', 'waits', { id: `waits-${run}` } as JobExecutionRecord);
  const kept = new KeptBytes({ store, engine });
  expect([kept.measured('waits'), kept.of('waits'), seen.ids]).toEqual([undefined, 0, []]);
});

test('many runs that go on are measured in slices each time, and what is admitted meanwhile counts', async () => {
  const { store, engine, put, seen } = open();
  for (let run = 0; run < 100; run += 1) put('live', `live-${run}`);
  const usage = new RunUsage({ store, engine, clock: new ManualClock(), quota: 1000 + 50 });
  const write = () => usage.admit('live', 'live', 10);
  const settled = await Promise.allSettled(Array.from({ length: 10 }, write));
  seen.isWatched = false;
  // Nothing of it is on the disk yet.
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  expect(Math.max(...seen.slices)).toBe(sliceSize);
  expect(seen.ids.length).toBeLessThan(5 * 100);
});

test('a few runs that go on are measured without a turn of the event loop', async () => {
  const { store, engine, put, seen } = open();
  seen.isWatched = false;
  for (let run = 0; run < sliceSize; run += 1) put('few', `few-${run}`);
  const kept = new KeptBytes({ store, engine });
  expect([kept.measured('few'), kept.of('few')]).toEqual([undefined, 10 * sliceSize]);
  put('few', 'one-more');
  const measured = kept.measured('few');
  await Promise.resolve();
  expect(seen.ids).toHaveLength(2 * sliceSize);
  await measured;
  expect(kept.of('few')).toBe(10 * (sliceSize + 1));
  expect(seen.ids).toHaveLength(2 * sliceSize + 1);
});

test('without a quota, nothing is measured', async () => {
  const { store, engine, seen } = open();
  seen.isWatched = false;
  const usage = new RunUsage({ store, engine, clock: new ManualClock(), quota: undefined });
  await usage.admit('t', 'live', 10);
  expect([usage.measured('t'), seen.ids]).toEqual([undefined, []]);
});
