// Bugs that are planted in the operator, one at a time: the grid finds each, or it would find no other either.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, inject, test } from 'vitest';
import { limitMs, testLimitMs } from '../support/patience.ts';
import { bugs } from './bugs.ts';
import { Stand } from './plane/stand.ts';
import { onStand, refer, runCells } from './run.ts';
import { grid } from './tables/cells.ts';

const kubeconfig = inject('kubeconfig');
const lanes = { shared: 2, alone: 1 };
const plant = pathToFileURL(join(import.meta.dirname, 'plant.ts')).href;

describe.skipIf(kubeconfig === '')('a planted bug is found', () => {
  test.concurrent.for(bugs)('$name', { timeout: testLimitMs }, async ({ name, cell: id, found }, { expect }) => {
    const cell = grid().cells.find((one) => one.id === id);
    if (cell === undefined) throw new Error(`cannot run ${id}: there is no such cell`);
    await using stand = await Stand.open({
      kubeconfig,
      planted: `${plant}?bug=${encodeURIComponent(name)}`,
    });
    const findings = async (): Promise<readonly (string | undefined)[]> => {
      const references = refer(onStand(stand), [cell.workload], lanes.shared);
      const outcomes = await runCells(onStand(stand), [cell], { references, lanes });
      return outcomes.map(({ failure }) => failure);
    };
    const text = await findings().catch((error: Error) => [error.message]);
    // Nobody waits for some of what breaks, such as the answer to an event.
    await expect.poll(async () => [...text, ...(await stand.amiss())].join('\n'), { timeout: limitMs }).toMatch(found);
  });
});
