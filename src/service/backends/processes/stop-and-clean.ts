// Stops everything below a folder of machines, what runs on clusters and then the clusters, and removes it for the command `clean`.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../lib/ports.ts';
import { foldersIn } from '../../model/disk/atomic-files.ts';
import { endProcessesOfRun } from './clusters/leftovers.ts';
import { endMachines } from './clusters/machine.ts';
import { type ProcessRecord, readRecord } from './clusters/process-record.ts';
import { stopGraceMs } from './grace-periods.ts';
import { RunFolders } from './jobs/run-folders.ts';

/** Where runs are, in the folder of machines. */
export const runsFolder = 'runs';

interface EndingOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What is in a folder of machines, by identifier. */
export function contentsOf(machines: string) {
  const clusters = foldersIn(machines).filter((name) => name !== runsFolder);
  return {
    clusters,
    machines: clusters.flatMap((cluster) => foldersIn(join(machines, cluster))),
    runs: foldersIn(join(machines, runsFolder)),
  };
}

/** The first process of a run. Undefined if none was recorded. */
const recordOf = (machines: string, run: string): ProcessRecord | undefined =>
  readRecord(new RunFolders(join(machines, runsFolder)).paths(run).decision);

/** Ends the processes of all clusters and runs. Their files stay, so the next service starts the clusters again. */
export async function stopMachines(folder: string, options: EndingOptions): Promise<void> {
  const { machines, runs } = contentsOf(folder);
  const end = (run: string) => endProcessesOfRun(run, recordOf(folder, run), { ...options, graceMs: stopGraceMs });
  await Promise.all(runs.map(end));
  await endMachines(machines, options);
}

/** Ends the processes of all clusters and runs, and removes their files. Resolves to the number of clusters and of runs. */
export async function cleanMachines(
  folder: string,
  options: EndingOptions,
): Promise<{ readonly clusters: number; readonly runs: number }> {
  await stopMachines(folder, options);
  const { clusters, runs } = contentsOf(folder);
  for (const name of [...clusters, runsFolder]) await rm(join(folder, name), { recursive: true, force: true });
  return { clusters: clusters.length, runs: runs.length };
}
