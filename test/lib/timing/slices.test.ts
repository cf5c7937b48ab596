// Long work comes in slices, between which others have their turn.
import { expect, test } from 'vitest';
import { slicesOf } from '../../../src/lib/timing/slices.ts';
import { turnsDuring } from '../../support/turns.ts';

async function collect(all: Iterable<number>) {
  const slices: (readonly number[])[] = [];
  const { turns } = await turnsDuring(async () => {
    for await (const slice of slicesOf(all)) slices.push(slice);
  });
  return { slices, turns };
}

test.each([0, 1, 63, 64, 65, 1_000])('%i things all come, in their order, a few at a time', async (count) => {
  const all = Array.from({ length: count }, (_, index) => index);
  const { slices, turns } = await collect(all);
  expect(slices.flat()).toEqual(all);
  expect(Math.max(0, ...slices.map(({ length }) => length))).toBeLessThanOrEqual(64);
  expect(slices.every(({ length }) => length > 0)).toBe(true);
  expect(turns).toBeGreaterThanOrEqual(Math.floor(count / 64));
});

test('what comes meanwhile does no harm', async () => {
  const all = new Map(Array.from({ length: 100 }, (_, index) => [index, index]));
  const seen: number[] = [];
  for await (const slice of slicesOf(all.values())) {
    seen.push(...slice);
    all.set(1_000, 1_000);
    all.delete(99);
  }
  expect(seen).toEqual([...Array.from({ length: 99 }, (_, index) => index), 1_000]);
});
