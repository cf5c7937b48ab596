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

test('after one of unknown outcome none begins for a second, after two for minutes, and longer each time until one is answered', async () => {
  const { take, starts, clock } = open();
  const pauses: number[] = [];
  for (let time = 1; time <= 7; time += 1) {
    const turn = await take('a');
    expect(turn).toBeDefined();
    starts.ended('open');
    turn?.release();
    expect([starts.doubtedAt, starts.doubts]).toEqual([clock.monotonic(), time]);
    expect(starts.pauseMs).toBe(starts.pausedMs);
    pauses.push(starts.pausedMs);
    expect(await take('b')).toBeUndefined();
    await clock.advance(starts.pausedMs - 1);
    expect(await take('b')).toBeUndefined();
    await clock.advance(1);
  }
  expect(pauses).toEqual([1, 60, 120, 240, 480, 900, 900].map((seconds) => seconds * 1_000));
  const turn = await take('a');
  starts.ended('answered');
  turn?.release();
  expect(starts.pausedMs).toBe(0);
  starts.ended('open');
  expect(starts.pausedMs).toBe(1_000);
});

test('whoever waits for its turn when the outcome is unknown does not get it', async () => {
  const { take, starts, clock } = open();
  const turn = await take('a');
  const waiting = take('b', 100);
  starts.ended('open');
  turn?.release();
  await clock.advance(100);
  expect(await waiting).toBeUndefined();
});

test('one that the service did not look at does not tell that it answers others', async () => {
  const { take, starts, clock } = open();
  for (const [certainty, paused] of [
    ['open', 1_000],
    ['definite', 0],
    ['open', 60_000],
  ] as const) {
    const turn = await take('a');
    expect(turn).toBeDefined();
    starts.ended(certainty);
    turn?.release();
    expect(starts.pausedMs).toBe(paused);
    await clock.advance(paused);
  }
});
