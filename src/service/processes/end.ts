// Ends everything below a folder of machines: what runs on clusters, and then the clusters.
import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../lib/ports.ts';
import { endAll, processesOf, processesOfRun } from './leftovers.ts';
import { readRecord } from './process-record.ts';

/** Where runs are, in the folder of machines. */
export const runsFolder = 'runs';

interface EndingOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const graceMs = 10_000;

const foldersIn = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
    : [];

/** Ends the processes of all clusters and runs. Their files stay, so the next service starts the clusters again. */
export async function stopMachines(machines: string, options: EndingOptions): Promise<void> {
  const runs = join(machines, runsFolder);
  const at = { ...options, graceMs };
  await Promise.all(
    foldersIn(runs).map((run) => endAll(() => processesOfRun(run, readRecord(join(runs, run, 'process'))), at)),
  );
  const ids = foldersIn(machines)
    .filter((name) => name !== runsFolder)
    .flatMap((cluster) => foldersIn(join(machines, cluster)));
  await Promise.all(ids.map((id) => endAll(() => processesOf(id), at)));
}

/** Ends the processes of all clusters and runs, and removes their files. Resolves to the number of clusters and of runs. */
export async function cleanMachines(
  machines: string,
  options: EndingOptions,
): Promise<{ readonly clusters: number; readonly runs: number }> {
  await stopMachines(machines, options);
  const folders = foldersIn(machines);
  const runs = foldersIn(join(machines, runsFolder)).length;
  for (const folder of folders) await rm(join(machines, folder), { recursive: true, force: true });
  return { clusters: folders.filter((name) => name !== runsFolder).length, runs };
}
