// Whatever goes wrong, at each step of an execution in a pod: no program is started twice, none runs without a record that says so, and no record
// says that it has ended while its program may run. `worlds.long.test.ts` plays all pairs.
import { describe, expect, test } from 'vitest';
import { flaws } from './world/flaws.ts';
import { firstBroken, pairs, single } from './world/plots.ts';
import { play } from './world/world.ts';

/** A prime number, so that all mishaps and steps have their turn. */
const share = 331;

test('nothing goes wrong', async () => {
  const { broken, status, steps } = await play(new Map());
  expect([broken, status]).toEqual([undefined, 'SUCCEEDED']);
  expect(steps).toBeGreaterThan(20);
});

test('one thing goes wrong', async () => {
  expect(await firstBroken(single)).toBeUndefined();
});

test(`two things go wrong: one of ${share} pairs`, async () => {
  expect(await firstBroken(pairs(share))).toBeUndefined();
});

describe('is found:', () => {
  test.each(Object.entries(flaws))('%s', async (_name, flaw) => {
    const found = (await firstBroken(single, flaw)) ?? (await firstBroken(pairs(share), flaw));
    expect(found).toBeDefined();
  });
});
