// Whatever goes wrong with a write, on either side: the end is the same as if nothing had. A selection, in virtual time; `npm run
// test:faults -- --simulated` runs all, and the long tests a larger selection on a real API server.
import { expect, test } from 'vitest';
import { writeReport } from '../../support/reports.ts';
import { figuresOf } from '../run.ts';
import { deedsAndFaults, grid, pairwise } from '../tables/cells.ts';
import { runSimulated } from './run.ts';

const longestMs = 15 * 60_000;

test('a fault at a write is overcome in a simulated world, too', { timeout: longestMs }, async () => {
  const { cells } = grid();
  const outcomes = await runSimulated(pairwise(cells, deedsAndFaults));
  writeReport('faults-simulated-selection', figuresOf(outcomes, cells.length));
  const failed = outcomes.flatMap(({ cell, failure }) => (failure === undefined ? [] : [`${cell.id}: ${failure}`]));
  expect(failed).toEqual([]);
});
