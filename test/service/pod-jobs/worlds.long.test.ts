// All pairs of mishaps, of which `worlds.test.ts` plays some.
import { expect, test } from 'vitest';
import { firstBroken, pairs } from './world/plots.ts';

test('two things go wrong', { timeout: 3_600_000 }, async () => {
  expect(await firstBroken(pairs())).toBeUndefined();
});
