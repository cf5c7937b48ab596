// Whatever goes wrong with a write, on either side: the end is the same as if nothing had. A selection; `npm run test:faults` runs all.
import { describe, expect, inject, test } from 'vitest';
import { writeReport } from '../support/reports.ts';
import { grid, pairwise, writesAndDeeds } from './cells.ts';
import { figuresOf, onStand, refer, runCells } from './run.ts';
import { Stand } from './stand.ts';
import { workloads } from './workloads.ts';

const kubeconfig = inject('kubeconfig');
const lanes = { shared: 20, alone: 3 };
/** Far more than it takes: each wait within has a bound of its own, and says what it waited for. */
const longestMs = 30 * 60_000;

describe.skipIf(kubeconfig === '')('a fault at a write', () => {
  test('is overcome: a pairwise selection of writes, faults and workloads', { timeout: longestMs }, async () => {
    const { cells, voids } = grid();
    const selection = pairwise(cells, writesAndDeeds);
    await using stand = await Stand.open({ kubeconfig });
    const references = refer(onStand(stand), workloads, lanes.shared);
    const outcomes = await runCells(onStand(stand), selection, { references, lanes });
    const failed = outcomes.flatMap(({ cell, failure }) => (failure === undefined ? [] : [`${cell.id}: ${failure}`]));
    console.info(`${selection.length} of ${cells.length} cells; ${voids.length} more are void`);
    writeReport('faults', figuresOf(outcomes, cells.length));
    expect([...failed, ...(await stand.amiss())]).toEqual([]);
  });
});
