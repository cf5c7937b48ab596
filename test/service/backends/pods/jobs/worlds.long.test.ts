// All pairs of mishaps, of which `worlds.test.ts` plays some.
import { expect, test } from 'vitest';
import { writeReport } from '../../../../support/reports.ts';
import { pairs, playAll } from './world/plots.ts';

test('two things go wrong', { timeout: 3_600_000 }, async () => {
  const all = [...pairs()];
  const { passed, broken } = await playAll(all);
  expect(broken).toBeUndefined();
  writeReport('mishaps-pairs', { passed, all: all.length });
});
