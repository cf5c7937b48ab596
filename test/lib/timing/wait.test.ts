// Waiting with a limit.
import { describe, expect, test } from 'vitest';
import { messageOf } from '../../../src/lib/errors.ts';
import { until, within } from '../../../src/lib/timing/wait.ts';
import { ManualClock } from '../../support/clock.ts';

describe('within', () => {
  const limited = (clock: ManualClock) => ({ clock, ms: 1_000, late: 'too late' });

  test('hands on the answer and the failure of the task, and leaves no timer', async () => {
    const clock = new ManualClock();
    expect(await within(limited(clock), async () => 42)).toBe(42);
    await expect(within(limited(clock), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(clock.pending).toBe(0);
  });

  test('gives up after the time, and a later failure disturbs nobody', async () => {
    const clock = new ManualClock();
    const task = Promise.withResolvers<void>();
    const outcome = within(limited(clock), () => task.promise).then(
      () => 'done',
      (error: unknown) => messageOf(error),
    );
    await clock.advance(999);
    const early = await Promise.race([outcome, Promise.resolve('open')]);
    await clock.advance(1);
    expect([early, await outcome]).toEqual(['open', 'too late']);
    task.reject(new Error('much later'));
    await clock.advance(1);
  });
});

describe('until', () => {
  test('looks again and again, and at once at first', async () => {
    const clock = new ManualClock();
    const { signal } = new AbortController();
    let looks = 0;
    await until(() => true, { clock, everyMs: 100, signal });
    const waited = until(() => ++looks === 4, { clock, everyMs: 100, signal });
    await clock.advance(299);
    expect(looks).toBe(3);
    await clock.advance(1);
    await waited;
    expect([looks, clock.pending]).toEqual([4, 0]);
  });

  test('ends when it is aborted, before or meanwhile', async () => {
    const clock = new ManualClock();
    const abort = new AbortController();
    const waited = until(() => false, { clock, everyMs: 100, signal: abort.signal });
    await clock.advance(1_000);
    abort.abort();
    await waited;
    await until(() => false, { clock, everyMs: 100, signal: abort.signal });
    expect(clock.pending).toBe(0);
  });
});

test('whatever was thrown has a text', () => {
  expect([messageOf(new Error('why')), messageOf('plain'), messageOf(undefined)]).toEqual([
    'why',
    'plain',
    'undefined',
  ]);
});
