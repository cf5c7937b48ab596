// A selection of the grid on a stand of its own, by the shared API server.
import { describe, expect, inject, test } from 'vitest';
import { Stand } from './plane/stand.ts';
import { type Outcome, onStand, refer, runCells } from './run.ts';
import { type Cell, grid, type Pairs, pairwise } from './tables/cells.ts';
import { workloads } from './tables/workloads.ts';

const kubeconfig = inject('kubeconfig');
const lanes = { shared: 20, alone: 3 };
/** Far more than it takes: each wait within has a bound of its own, and says what it waited for. */
const longestMs = 30 * 60_000;

/** `tell` hears of how each cell ended. */
export function overcomes(
  name: string,
  pairsOf: Pairs,
  tell: (outcomes: readonly Outcome[], cells: readonly Cell[]) => void = () => undefined,
): void {
  describe.skipIf(kubeconfig === '')('a fault at a write', () => {
    test(`is overcome: ${name}`, { timeout: longestMs }, async () => {
      const { cells, voids } = grid();
      const selection = pairwise(cells, pairsOf);
      const used = workloads.filter((workload) => selection.some((cell) => cell.workload === workload));
      await using stand = await Stand.open({ kubeconfig });
      const references = refer(onStand(stand), used, lanes.shared);
      const outcomes = await runCells(onStand(stand), selection, { references, lanes });
      const failed = outcomes.flatMap(({ cell, failure }) => (failure === undefined ? [] : [`${cell.id}: ${failure}`]));
      console.info(`${selection.length} of ${cells.length} cells; ${voids.length} more are void`);
      tell(outcomes, cells);
      expect([...failed, ...(await stand.amiss())].join('\n')).toBe('');
    });
  });
}
