// The files that runs wait with: one copy for each content, however many runs have it, and another one when it can have no more links. Nobody writes to a copy, and pods get what is in it over the network.
import { existsSync, linkSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasCode } from '../../../../lib/errors.ts';

export class Contents {
  readonly #folder: string;
  readonly #link: typeof linkSync;

  constructor(folder: string, link = linkSync) {
    this.#folder = folder;
    this.#link = link;
  }

  /** Moves a complete and durable file to its place in a run. `digest`: its SHA-256. A file with the same content gives its copy to both. */
  place(unfinished: string, digest: string, place: string): void {
    for (const folder of [this.#folder, dirname(place)]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    // An earlier submission of the run can have brought it.
    rmSync(place, { force: true });
    for (let full = 0; !this.#share(unfinished, full === 0 ? digest : `${digest}.${full}`, place); ) full += 1;
    rmSync(unfinished);
  }

  /** Returns false if the copy has as many links as its file system allows, such as 65,000 on ext4. */
  #share(unfinished: string, name: string, place: string): boolean {
    const copy = join(this.#folder, name);
    try {
      this.#link(unfinished, copy);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
    try {
      this.#link(copy, place);
      return true;
    } catch (error) {
      if (!hasCode(error, 'EMLINK')) throw error;
      return false;
    }
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
