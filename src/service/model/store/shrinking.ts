// Gives the room of deleted rows back to the volume. With many free pages that takes long, so it is done in steps, with a turn of the event loop between them.
import type { DatabaseSync } from 'node:sqlite';
import type { Log } from '../../../lib/ports.ts';
import { turn } from '../../../lib/timing/slices.ts';
import { isNoSpace } from '../disk/space.ts';
import type { Volume } from '../disk/volume.ts';

interface ShrinkingOptions {
  readonly database: DatabaseSync;
  readonly volume: Volume;
  readonly log: Log;
}

/** How many pages a step takes: some 20 ms, and little more than 1 MiB of the log of SQLite, or 2 MiB if each page that moves has a parent of its own. */
export const stepPages = 256;
/** A step that finds no room for its log takes a quarter of the pages the next time, but no fewer than this. */
const fewestPages = 16;
/** With room on the volume, so many free pages are left for new rows. */
export const sparePages = 4 * stepPages;

/** A log that was written to the disk is cut, also that of a step that has failed. */
const empty = 'PRAGMA wal_checkpoint(TRUNCATE);';
const step = (pages: number): string => `${empty} PRAGMA incremental_vacuum(${pages}); ${empty}`;

/** Like `insist` of the volume. If the reserve is not enough, the log gives back what earlier changes have written there since the latest step. */
export function insistOn({ database, volume }: Pick<ShrinkingOptions, 'database' | 'volume'>, write: () => void): void {
  try {
    volume.insist(write);
  } catch (cause) {
    if (!isNoSpace(cause)) throw cause;
    volume.insist(() => {
      database.exec(empty);
      write();
    });
  }
}

export class Shrinking {
  readonly #options: ShrinkingOptions;
  #pages = stepPages;
  #isUnderWay = false;
  #isClosed = false;
  /** Logged once. */
  #hasFailed = false;

  constructor(options: ShrinkingOptions) {
    this.#options = options;
    // Whatever has ended it before: what is free is given back as soon as somebody needs it.
    options.volume.onLook((isFull) => isFull && this.begin());
  }

  /** Returns at once. On a full volume, the file gets as small as it can; else it takes one step, if there is much to give back. Never throws. */
  begin(): void {
    if (this.#isUnderWay || this.#isClosed) return;
    this.#isUnderWay = true;
    void this.#shrink();
  }

  close(): void {
    this.#isClosed = true;
  }

  async #shrink(): Promise<void> {
    const { volume, log } = this.#options;
    try {
      await turn();
      if (this.#isClosed) return;
      this.#pages = stepPages;
      const { isFull } = volume;
      if (!isFull && this.#freePages <= sparePages) return;
      // It goes on when there is just enough room: the next file would fill the volume again.
      while (this.#step() && isFull) {
        await turn();
        if (this.#isClosed) return;
      }
    } catch (err) {
      if (!this.#hasFailed) log.warn({ action: 'shrink', err }, 'cannot make the data file smaller; trying again');
      this.#hasFailed = true;
    } finally {
      this.#isUnderWay = false;
    }
  }

  /** Returns whether another step may free more. Throws if it cannot be done. */
  #step(): boolean {
    const { database, volume } = this.#options;
    const before = this.#freePages;
    try {
      volume.insist(() => database.exec(step(this.#pages)));
    } catch (cause) {
      if (!isNoSpace(cause) || this.#pages <= fewestPages) throw cause;
      this.#pages /= 4;
      return true;
    }
    this.#hasFailed = false;
    volume.refresh();
    if (!volume.isFull) this.#pages = stepPages;
    const left = this.#freePages;
    // A file that an earlier release has made does not become smaller.
    return left > 0 && left < before;
  }

  get #freePages(): number {
    return Number(this.#options.database.prepare('PRAGMA freelist_count').get()?.['freelist_count'] ?? 0);
  }
}
