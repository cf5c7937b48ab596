// Which runs are over. Files tell it of nearly all of them, and one look at the processes of this computer of the others.
import { writeFileSync } from 'node:fs';
import { slicesOf } from '../../../../lib/timing/slices.ts';
import { isThere } from '../../../model/disk/atomic-files.ts';
import type { RunPaths } from '../../runs/run-files.ts';
import { readRecord } from '../clusters/process-record.ts';
import { look, lookNow, type Sight } from '../clusters/sight.ts';
import { readState } from './run-process.ts';

export type PathsOf = (run: string) => RunPaths;

/** Whether nothing of the run is there, and nothing of it starts later. Undefined if only a look at all processes that is taken afterwards can tell. */
function isOverByFiles(paths: RunPaths): boolean | undefined {
  const { is } = readState(paths);
  if (is === 'lost') return isThere(paths.ended) ? true : undefined;
  return is === 'over' || is === 'barred';
}

/** All processes of the run were ended, so that nobody has to look for them again. */
export function noteEnd(paths: RunPaths): void {
  try {
    // Without a record, it is not known which process was its first.
    if (readState(paths).is === 'lost' && readRecord(paths.decision) !== undefined)
      writeFileSync(paths.ended, '', { mode: 0o600 });
  } catch {
    // The run was removed, the volume is full, or too many files are open. It costs another look.
  }
}

class Ends {
  readonly over = new Set<string>();
  readonly #unclear: string[] = [];
  readonly #pathsOf: PathsOf;

  constructor(pathsOf: PathsOf) {
    this.#pathsOf = pathsOf;
  }

  get areUnclear(): boolean {
    return this.#unclear.length > 0;
  }

  read(run: string): void {
    const isOver = isOverByFiles(this.#pathsOf(run));
    if (isOver === true) this.over.add(run);
    if (isOver === undefined) this.#unclear.push(run);
  }

  /** `sight`: taken after all runs were read. An earlier one could lack a run that has begun since, and whose first process has ended since. */
  settle(sight: Sight): void {
    for (const run of this.#unclear)
      if (sight.ofRun(run, readRecord(this.#pathsOf(run).decision)).length === 0) this.over.add(run);
  }
}

/** Those of the runs of which nothing is there, and nothing starts later. */
export async function findOver(runs: Iterable<string>, pathsOf: PathsOf): Promise<ReadonlySet<string>> {
  const ends = new Ends(pathsOf);
  for await (const slice of slicesOf(runs)) for (const run of slice) ends.read(run);
  if (ends.areUnclear) ends.settle(await look());
  return ends.over;
}

/** The same, for a service that serves nobody yet. */
export function findOverNow(runs: Iterable<string>, pathsOf: PathsOf): ReadonlySet<string> {
  const ends = new Ends(pathsOf);
  for (const run of runs) ends.read(run);
  if (ends.areUnclear) ends.settle(lookNow());
  return ends.over;
}
