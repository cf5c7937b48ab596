// What the runs of a tenant keep on the disk, as it grows in small pieces.
import { expect, test } from 'vitest';
import { systemRandom } from '../../../../src/lib/system.ts';
import { createSimulatedEngine } from '../../../../src/service/backends/job-engine.ts';
import type { JobExecutionRecord } from '../../../../src/service/model/records/records.ts';
import { createMemoryStore } from '../../../../src/service/model/store/store.ts';
import { RunUsage } from '../../../../src/service/resources/executions/run-usage.ts';
import { ManualClock } from '../../../support/clock.ts';

function open(quota: number) {
  const disk = { bytes: 0, measured: 0 };
  const store = createMemoryStore();
  store.put('jobExecutions', 't', { id: 'run', prepared: { mains: [], libs: [] } } as unknown as JobExecutionRecord);
  const measure = () => {
    disk.measured += 1;
    return disk.bytes;
  };
  const clock = new ManualClock();
  const engine = { ...createSimulatedEngine(systemRandom), bytes: measure };
  const usage = new RunUsage({ store, engine, clock, quota });
  /** Whether the bytes were admitted, and written. */
  const write = async (bytes: number, { tenant = 't', run = 'run' } = {}): Promise<boolean> => {
    try {
      await usage.admit(tenant, run, bytes);
    } catch {
      return false;
    }
    if (tenant === 't') disk.bytes += bytes;
    return true;
  };
  return { disk, clock, usage, write };
}

test('what is written in many pieces never exceeds the quota, and is measured once a second', async () => {
  const { disk, clock, write } = open(1000);
  for (let piece = 0; piece < 90; piece += 1) expect(await write(10)).toBe(true);
  expect(disk).toEqual({ bytes: 900, measured: 1 });
  for (let piece = 0; piece < 100; piece += 1) await write(10);
  expect(disk.bytes).toBe(1000);
  expect(await write(1)).toBe(false);
  expect(disk.measured).toBeLessThan(5);
  expect(await write(1000, { tenant: 'other' })).toBe(true);
  disk.bytes = 500;
  await clock.advance(1000);
  expect(await write(10)).toBe(true);
});

test('after a refusal, no smaller piece is admitted until less is used', async () => {
  const { disk, clock, write } = open(1000);
  expect([await write(900), await write(200), await write(50)]).toEqual([true, false, false]);
  await clock.advance(1000);
  expect(await write(1)).toBe(false);
  // What was being written when the piece was refused does not count as less.
  disk.bytes = 950;
  await clock.advance(1000);
  expect(await write(1)).toBe(false);
  disk.bytes = 920;
  await clock.advance(1000);
  expect([await write(50), await write(30), await write(1)]).toEqual([true, true, false]);
  expect(disk.bytes).toBe(1000);
});

test('a file that is larger than the quota fails its own run, and no other one', async () => {
  const { disk, clock, write } = open(1000);
  expect([await write(2000, { run: 'large' }), await write(1), await write(10, { run: 'large' })]).toEqual([
    false,
    true,
    false,
  ]);
  await clock.advance(60_000);
  expect([await write(500), await write(1, { run: 'large' })]).toEqual([true, false]);
  expect(disk.bytes).toBe(501);
});

test('what takes the place of something else does not count twice', async () => {
  const { disk, write } = open(1000);
  for (let piece = 0; piece < 1000; piece += 1) {
    expect(await write(100)).toBe(true);
    disk.bytes = Math.min(disk.bytes, 500);
  }
  expect(disk.measured).toBeLessThan(1000 / 4);
});

test('the refusal names the limit, the use and the remedy', async () => {
  const { usage } = open(5);
  await expect(usage.admit('t', 'run', 6)).rejects.toThrow(
    'cannot keep the files and outputs of more runs in tenant t: they have 0 of 5 bytes; delete what is not needed, or start the service with a larger --quota-run-bytes',
  );
});
