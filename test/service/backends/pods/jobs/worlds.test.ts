// Whatever goes wrong, at each step of an execution in a pod: no program is started twice, none runs without a record that says so, and no record
// says that it has ended while its program may run. `worlds.long.test.ts` plays all pairs.
import { describe, expect, test } from 'vitest';
import { writeReport } from '../../../../support/reports.ts';
import { flaws } from './world/flaws.ts';
import { pairs, playAll, single } from './world/plots.ts';
import { play } from './world/world.ts';

/** A prime number, so that all mishaps and steps have their turn. */
const share = 331;

test('nothing goes wrong', async () => {
  const { broken, status, steps } = await play(new Map());
  expect([broken, status]).toEqual([undefined, 'SUCCEEDED']);
  expect(steps).toBeGreaterThan(20);
});

test('one thing goes wrong', async () => {
  const { passed, broken } = await playAll(single);
  expect(broken).toBeUndefined();
  writeReport('mishaps', { passed, all: single.length });
});

test(`two things go wrong: one of ${share} pairs`, async () => {
  expect((await playAll(pairs(share))).broken).toBeUndefined();
});

describe('is found:', () => {
  test.each(Object.entries(flaws))('%s', async (_name, flaw) => {
    const { broken = (await playAll(pairs(share), flaw)).broken } = await playAll(single, flaw);
    expect(broken).toBeDefined();
  });
});
