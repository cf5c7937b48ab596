// Starts of runs: one after the other, and ever more rarely while the service does not say what became of them.
import { expect, test } from 'vitest';
import { Starts } from '../../../../src/operator/client/throttle/starts.ts';
import { ManualClock } from '../../../support/clock.ts';

function open() {
  const clock = new ManualClock();
  const starts = new Starts(clock);
  const free: string[] = [];
  starts.onFree((user) => free.push(user));
  const take = (user: string, withinMs = 0) => starts.take({ user, withinMs });
  return { clock, starts, free, take };
}

test('a start has its turn when the one before has ended', async () => {
  const { take, free } = open();
  const first = await take('a');
  expect(first).toBeDefined();
  const waiting = take('b', 100);
  expect(await take('c')).toBeUndefined();
  first?.release();
  const second = await waiting;
  expect(second).toBeDefined();
  expect(free).toEqual([]);
  second?.release();
  expect(free).toEqual(['c']);
});

test('after one of unknown outcome none begins for a second, and longer each time until one is answered', async () => {
  const { take, starts, clock } = open();
  const pauses: number[] = [];
  for (let time = 1; time <= 8; time += 1) {
    const turn = await take('a');
    expect(turn).toBeDefined();
    starts.ended(false);
    turn?.release();
    expect(starts.doubtedAt).toBe(clock.monotonic());
    pauses.push(starts.pausedMs);
    expect(await take('b')).toBeUndefined();
    await clock.advance(starts.pausedMs - 1);
    expect(await take('b')).toBeUndefined();
    await clock.advance(1);
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1_000));
  const turn = await take('a');
  starts.ended(true);
  turn?.release();
  expect(starts.pausedMs).toBe(0);
  starts.ended(false);
  expect(starts.pausedMs).toBe(1_000);
});

test('whoever waits for its turn when the outcome is unknown does not get it', async () => {
  const { take, starts, clock } = open();
  const turn = await take('a');
  const waiting = take('b', 100);
  starts.ended(false);
  turn?.release();
  await clock.advance(100);
  expect(await waiting).toBeUndefined();
});
