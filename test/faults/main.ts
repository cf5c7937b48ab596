// The whole grid: `npm run test:faults` on a real API server, with `-- --simulated` in virtual time; with `--cell f3/create` what is called so.
import { parseArgs } from 'node:util';
import { startPlane } from '../../dev/plane/plane.ts';
import { readProgress, writeProgress, writeReport } from '../support/reports.ts';
import { Stand } from './plane/stand.ts';
import { type Figures, figuresOf, type Outcome, onStand, refer, runCells } from './run.ts';
import { runSimulated } from './simulated/run.ts';
import { allPairs, type Cell, grid, pairwise, writesAndDeeds } from './tables/cells.ts';

const { values } = parseArgs({
  options: {
    cell: { type: 'string', default: '' },
    selection: { type: 'boolean', default: false },
    simulated: { type: 'boolean', default: false },
    /** Leaves out what has passed since the last run without this. */
    continue: { type: 'boolean', default: false },
    lanes: { type: 'string', default: '24' },
  },
});

const suite = values.simulated ? 'faults-simulated' : 'faults-all';
const { cells: all, voids } = grid();
const before = values.continue ? outcomesOf(readProgress(suite)) : [];
const passed = new Set(before.map(({ cell }) => cell));
const named = (values.selection ? pairwise(all, values.simulated ? allPairs : writesAndDeeds) : all).filter(({ id }) =>
  id.includes(values.cell),
);
const wanted = named.filter((cell) => !passed.has(cell));

const begun = performance.now();
const seconds = (): number => Math.round((performance.now() - begun) / 1_000);
let done = 0;
const outcomes: Outcome[] = [];

/** What passed then, and is still a cell. */
function outcomesOf(lines: readonly string[]): readonly Outcome[] {
  const cells = new Map(all.map((cell) => [cell.id, cell]));
  return lines.flatMap((line) => {
    const { id, recoverySeconds } = JSON.parse(line) as { readonly id: string; readonly recoverySeconds: number };
    const cell = cells.get(id);
    return cell === undefined ? [] : [{ cell, failure: undefined, recoverySeconds }];
  });
}

function ended(outcome: Outcome): void {
  const { cell, failure, recoverySeconds } = outcome;
  done += 1;
  outcomes.push(outcome);
  if (failure !== undefined) console.error(`FAILED ${cell.id}: ${cell.fault.words}\n${failure}\n`);
  else writeProgress(suite, JSON.stringify({ id: cell.id, recoverySeconds }));
  if (failure === undefined && wanted.length <= 20) console.info(`${cell.id}: ${cell.fault.words}`);
  if (done % 100 !== 0) return;
  console.info(`${done} of ${wanted.length}, ${seconds()} s`);
  report();
}

/** So far: who ends it early has figures, too. */
function report(): Figures {
  const figures = figuresOf([...before, ...outcomes], all.length);
  writeReport(suite, figures);
  return figures;
}

/** What is wrong with the run as a whole. */
async function runOnPlane(cells: readonly Cell[]): Promise<readonly string[]> {
  const plane = await startPlane();
  try {
    await using stand = await Stand.open({ kubeconfig: plane.kubeconfig });
    const lanes = { shared: Number(values.lanes), alone: 3 };
    const workloads = [...new Set(cells.map(({ workload }) => workload))];
    const references = refer(onStand(stand), workloads, lanes.shared);
    await runCells(onStand(stand), cells, { references, lanes, ended });
    return await stand.amiss();
  } finally {
    await plane.stop();
  }
}

if (named.length === 0) throw new Error(`cannot run the cells of "${values.cell}": no cell is called so`);
if (!values.continue) writeProgress(suite, undefined);
const wrong = await (values.simulated ? runSimulated(wanted, ended).then(() => []) : runOnPlane(wanted));
for (const line of wrong) console.error(line);
console.info(JSON.stringify(report(), undefined, 2));
const failed = outcomes.filter(({ failure }) => failure !== undefined).length + wrong.length;
console.info(
  `${outcomes.length - failed} of ${wanted.length} cells passed in ${seconds()} s, ${before.length} had passed before; ` +
    `there are ${all.length}, and ${voids.length} more that are void`,
);
console.info(`\n${outcomes.length - failed} passed, ${failed} failed, ${before.length} skipped`);
process.exitCode = failed === 0 ? 0 : 1;
