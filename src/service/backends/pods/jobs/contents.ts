// The files that runs wait with: one copy for each content, however many runs have it. Nobody writes to a copy, and pods get what is in it over the network.
import { existsSync, linkSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasCode } from '../../../../lib/errors.ts';

export class Contents {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Moves a complete and durable file to its place in a run. `digest`: its SHA-256. A file with the same content gives its copy to both. */
  place(unfinished: string, digest: string, place: string): void {
    const copy = join(this.#folder, digest);
    for (const folder of [this.#folder, dirname(place)]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    try {
      linkSync(unfinished, copy);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
    // An earlier submission of the run can have brought it.
    rmSync(place, { force: true });
    linkSync(copy, place);
    rmSync(unfinished);
  }

  /** Removes the copies that no run has. */
  collect(): void {
    if (!existsSync(this.#folder)) return;
    for (const digest of readdirSync(this.#folder)) {
      const copy = join(this.#folder, digest);
      if (statSync(copy).nlink === 1) rmSync(copy);
    }
  }
}
