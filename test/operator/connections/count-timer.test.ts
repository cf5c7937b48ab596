// When the objects of a service are counted anew: soon after the last change, and now and then while changes do not end.
import { expect, test } from 'vitest';
import { CountTimer } from '../../../src/operator/connections/count-timer.ts';
import { ManualClock } from '../../support/clock.ts';

function timing() {
  const clock = new ManualClock(0);
  const counts: number[] = [];
  const timer = new CountTimer(clock, () => void counts.push(clock.monotonic()));
  return {
    clock,
    counts,
    timer,
    changeEvery: async (ms: number, forMs: number) => {
      for (let passed = 0; passed < forMs; passed += ms) {
        timer.changed();
        await clock.advance(ms);
      }
    },
  };
}

test('nothing is counted before anything changes', async () => {
  const { clock, counts } = timing();
  await clock.advance(600_000);
  expect(counts).toEqual([]);
});

test('one change is counted once, five seconds later', async () => {
  const { clock, counts, timer } = timing();
  timer.changed();
  await clock.advance(600_000);
  expect(counts).toEqual([5_000]);
});

test('many changes are counted once, five seconds after the last', async () => {
  const { clock, counts, changeEvery } = timing();
  await changeEvery(1_000, 20_000);
  await clock.advance(600_000);
  expect(counts).toEqual([24_000]);
});

test('changes that do not end are counted once a minute', async () => {
  const { clock, counts, changeEvery } = timing();
  await changeEvery(1_000, 180_000);
  expect(counts).toEqual([60_000, 120_000, 180_000]);
  await clock.advance(600_000);
  expect(counts.slice(3)).toEqual([]);
  expect(clock.pending).toBe(0);
});

test('nothing is counted once the service is given up', async () => {
  const { clock, counts, timer } = timing();
  timer.changed();
  timer.close();
  expect(clock.pending).toBe(0);
  timer.changed();
  await clock.advance(600_000);
  expect(counts).toEqual([]);
});
