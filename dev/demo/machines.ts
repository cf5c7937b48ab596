// What real clusters have on this computer: the processes and folders of their machines and runs.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runsFolder } from '../../src/service/processes/end.ts';
import { processesOf, processesOfRun } from '../../src/service/processes/leftovers.ts';

/** What a folder of machines has: identifiers, each with the processes that belong to it. */
function contentsOf(folder: string) {
  const list = (path: string): readonly string[] => {
    const entries = existsSync(path) ? readdirSync(path, { withFileTypes: true }) : [];
    // The files of a run that was removed go a moment after it.
    const there = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
    return there.map(({ name }) => name);
  };
  const runs = list(join(folder, runsFolder)).map((id) => ({ id, find: () => processesOfRun(id, undefined) }));
  const clusters = list(folder).filter((name) => name !== runsFolder);
  const machines = clusters.flatMap((cluster) =>
    list(join(folder, cluster)).map((id) => ({ id, find: () => processesOf(id) })),
  );
  return [...runs, ...machines];
}

/** The identifiers and the processes of the machines in the folder. */
export function machinesIn(folder: string) {
  return contentsOf(folder).map(({ id, find }) => ({ id, processes: find().map(({ pid }) => pid), find }));
}
