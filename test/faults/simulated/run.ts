// Runs cells in simulated worlds, one after the other: each is alone with its virtual time.

import { type Outcome, type Run, refer, runCell } from '../run.ts';
import type { Cell } from '../tables/cells.ts';
import { SimulatedTrial } from './trial.ts';

export const inWorlds: Run = (workload, trouble, reference) => new SimulatedTrial(workload, trouble).run(reference);

export async function runSimulated(
  cells: readonly Cell[],
  ended?: (outcome: Outcome) => void,
): Promise<readonly Outcome[]> {
  const workloads = [...new Set(cells.map(({ workload }) => workload))];
  const references = refer(inWorlds, workloads, 1);
  await Promise.all(references.values());
  const outcomes: Outcome[] = [];
  for (const cell of cells)
    outcomes.push(await runCell(inWorlds, cell, { references, busy: false, ...(ended && { ended }) }));
  return outcomes;
}
