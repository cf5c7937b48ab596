// All pairs of mishaps, of which `worlds.test.ts` plays some.
import { expect, test } from 'vitest';
import { testLimitMs } from '../../../../support/patience.ts';
import { writeReport } from '../../../../support/reports.ts';
import { pairs, playAll } from './world/plots.ts';

test('two things go wrong', { timeout: 2 * testLimitMs }, async () => {
  const all = [...pairs()];
  const { passed, broken } = await playAll(all);
  expect(broken).toBeUndefined();
  writeReport('mishaps-pairs', { passed, all: all.length });
});
