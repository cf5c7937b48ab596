// How many tasks begin in one turn of the event loop. Nothing here depends on the time.
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Scheduler } from '../../../../src/service/resources/stages/scheduler.ts';
import { ManualClock } from '../../../support/clock.ts';

/** How many begin in a turn. */
const mostBegun = 16;

function scene() {
  const clock = new ManualClock();
  const scheduler = new Scheduler(clock, () => undefined);
  const begun: string[] = [];
  const schedule = (id: string) =>
    scheduler.schedule(id, 100, async () => {
      begun.push(id);
      return () => undefined;
    });
  return { clock, scheduler, begun, schedule };
}

test('tasks that are due at the same time begin in slices, in their order', async () => {
  const { clock, begun, schedule } = scene();
  const ids = Array.from({ length: 3 * mostBegun + 1 }, (_, number) => `${number}`);
  for (const id of ids) schedule(id);
  clock.leap(100);
  const counts = [begun.length];
  for (let turn = 0; turn < 4; turn += 1) {
    await setImmediate();
    counts.push(begun.length);
  }
  expect(counts.every((count, turn) => count <= (turn + 1) * mostBegun)).toBe(true);
  expect(counts[0]).toBe(mostBegun);
  expect(begun).toEqual(ids);
});

test('a task that is due, and waits for its turn, is dropped at once by another operation and by the end of the service', async () => {
  const { clock, scheduler, begun, schedule } = scene();
  const ids = Array.from({ length: mostBegun + 3 }, (_, number) => `${number}`);
  for (const id of ids) schedule(id);
  clock.leap(100);
  scheduler.cancel(`${mostBegun}`);
  await setImmediate();
  expect(begun).toEqual(ids.filter((id) => id !== `${mostBegun}`));
  for (const id of ids) schedule(id);
  clock.leap(100);
  const before = begun.length;
  await scheduler.close();
  await setImmediate();
  expect(begun).toHaveLength(before);
});

test('tasks that are all to be repeated at once begin in slices, too', async () => {
  const clock = new ManualClock();
  const scheduler = new Scheduler(clock, () => undefined);
  let begun = 0;
  for (let id = 0; id < 3 * mostBegun; id += 1)
    scheduler.schedule(`${id}`, 0, async () => {
      begun += 1;
      throw new Error('the disk is full');
    });
  await clock.advance(0);
  await setImmediate();
  await setImmediate();
  const before = begun;
  scheduler.retryAll();
  expect([before, begun - before]).toEqual([3 * mostBegun, mostBegun]);
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
  expect(begun - before).toBe(3 * mostBegun);
});
