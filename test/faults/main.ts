// The whole grid on a real API server: `npm run test:faults`, or the cells with a part of their names: `-- --cell f3/create`.
import { parseArgs } from 'node:util';
import { startPlane } from '../../dev/plane/plane.ts';
import { writeReport } from '../support/reports.ts';
import { type Cell, grid, pairwise } from './cells.ts';
import { figuresOf, type Outcome, refer, runCells, strayed } from './run.ts';
import { Stand } from './stand.ts';

const { values } = parseArgs({
  options: {
    cell: { type: 'string', default: '' },
    selection: { type: 'boolean', default: false },
    lanes: { type: 'string', default: '24' },
  },
});

const { cells: all, voids } = grid();
const cells = (values.selection ? pairwise(all) : all).filter(({ id }) => id.includes(values.cell));

function tell({ cell, failure }: Outcome): void {
  done += 1;
  if (failure !== undefined) console.error(`FAILED ${cell.id}: ${cell.fault.words}\n${failure}\n`);
  else if (cells.length <= 20) console.info(`${cell.id}: ${cell.fault.words}`);
  if (done % 100 === 0) console.info(`${done} of ${cells.length}, ${seconds()} s`);
}

const begun = performance.now();
const seconds = (): number => Math.round((performance.now() - begun) / 1_000);
let done = 0;

async function run(wanted: readonly Cell[]): Promise<number> {
  const plane = await startPlane();
  try {
    await using stand = await Stand.open({ kubeconfig: plane.kubeconfig });
    const lanes = { shared: Number(values.lanes), alone: 3 };
    const workloads = [...new Set(wanted.map(({ workload }) => workload))];
    const references = await refer(stand, workloads, lanes);
    const outcomes = await runCells(stand, wanted, { references, lanes, ended: tell });
    const wrong = strayed(stand);
    for (const line of wrong) console.error(line);
    const figures = figuresOf(outcomes);
    if (wanted.length === all.length) writeReport('faults-all', figures);
    console.info(JSON.stringify(figures, undefined, 2));
    console.info(
      `${figures.passed} of ${wanted.length} cells passed in ${seconds()} s; ` +
        `there are ${all.length}, and ${voids.length} more that are void`,
    );
    return wanted.length - figures.passed + wrong.length;
  } finally {
    await plane.stop();
  }
}

if (cells.length === 0) throw new Error(`cannot run the cells of "${values.cell}": no cell is called so`);
process.exitCode = (await run(cells)) === 0 ? 0 : 1;
