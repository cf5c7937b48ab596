// The volume that the service writes to: how full it is, and a reserve with which deletions and changes of state go on when it is full.
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  rmSync,
  type StatsFs,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock, Log } from '../../../lib/ports.ts';
import { isNoSpace } from './space.ts';
import { Transient } from './transient.ts';

/** What writers need to know of the volume that they write to. */
export interface Room {
  /** Whether nothing may be written that is not needed to make room, or to record what has happened. */
  readonly isFull: boolean;
  /** With less free space it is full, in bytes. */
  readonly lowBytes: number;
  /**
   * Calls `write`, whose files or rows are small. On a full volume it gets the room of the reserve, and what it leaves of that is reserved again. Throws what
   * `write` throws if that is not enough.
   */
  insist<T>(write: () => T): T;
  /** Notices whether the volume is full. */
  refresh(): void;
}

/**
 * Calls `write` with the room of the reserve, if it needs that. On a volume without a reserve, or with one that is too small, the paths are removed first: `write`
 * records that nobody needs them any more. Throws what `write` throws.
 */
export function insistWithout<T>(room: Room, paths: readonly string[], write: () => T): T {
  try {
    return room.insist(write);
  } catch (cause) {
    if (!isNoSpace(cause)) throw cause;
    for (const path of paths) rmSync(path, { recursive: true, force: true });
    return write();
  }
}

/** A volume about which nothing is known. */
export const anyRoom: Room = { isFull: false, lowBytes: 0, insist: (write) => write(), refresh() {} };

/** What users read while something waits for room. */
export const fullMessage =
  'the volume of the service is full: delete what is not needed, or ask its administrator for a larger volume';

/** What the system would say, before it does. */
export const noRoom = (): Error => Object.assign(new Error(fullMessage), { code: 'ENOSPC' });

/** Throws a Transient error if the volume is full. */
function needRoom({ isFull }: Room): void {
  if (isFull) throw new Transient(fullMessage);
}

/**
 * Throws a Transient error if the volume is full by now. Returns what rejects before more bytes are written, if the volume has become full or the quota of the
 * order is used up.
 */
export function admitOn(room: Room, order: { admit?(bytes: number): Promise<void> }): (bytes: number) => Promise<void> {
  room.refresh();
  needRoom(room);
  return async (bytes) => {
    await order.admit?.(bytes);
    needRoom(room);
  };
}

interface VolumeOptions {
  /** The file of the reserve, which is made if it is missing. Files without content are reserved in a folder beside it, whose name is longer by `-files`. */
  readonly reserve: string;
  readonly log: Log;
}

/** Enough to delete the largest row: its pages are overwritten, and the log of SQLite has all of them. */
const largestReserve = 8 * 1024 ** 2;
/** The reserve takes at most this part of a small volume. */
const reservePart = 8;
/** A volume with less free space than this part of the reserve is full. */
const lowPart = 4;
/** A volume on which fewer files can be made is full, however many bytes are free. */
export const lowFiles = 64;
/** How many files are reserved: more than a deletion makes before it removes any. A hard link can count as one. */
const reservedFiles = 16;
const pollMs = 1000;
/** A reserve that lacks so much is not complete. */
const lackBytes = 4096;
/** Not zeros, to which some file systems give no room. */
const block = Buffer.alloc(1024 ** 2, 'reserve');

const totalBytesOf = ({ blocks, bsize }: StatsFs): number => blocks * bsize;
const freeBytesOf = ({ bavail, bsize }: StatsFs): number => bavail * bsize;
/** File systems that do not limit their files have none. */
const totalFilesOf = ({ files }: StatsFs): number => files || Number.POSITIVE_INFINITY;
const freeFilesOf = ({ files, ffree }: StatsFs): number => (files === 0 ? Number.POSITIVE_INFINITY : ffree);
/** How large the whole reserve is, in bytes. */
const reserveOf = (found: StatsFs): number => Math.min(largestReserve, Math.floor(totalBytesOf(found) / reservePart));

const isLow = (found: StatsFs): boolean =>
  freeBytesOf(found) < reserveOf(found) / lowPart || freeFilesOf(found) < lowFiles;

/** Whether next to nothing can be written below the folder, on whatever volume it is. */
export const lacksRoom = (folder: string): boolean => isLow(statfsSync(folder));

export class Volume implements Room {
  readonly #options: VolumeOptions;
  readonly #folder: string;
  readonly #listeners = new Set<(isFull: boolean) => void>();
  readonly #lookers = new Set<(isFull: boolean) => void>();
  #wasFull = false;

  constructor(options: VolumeOptions) {
    this.#options = options;
    this.#folder = dirname(options.reserve);
    this.refresh();
  }

  /** Asked for each piece of output, so it looks at the file system once. */
  get isFull(): boolean {
    const found = this.#found;
    return this.#reserved < reserveOf(found) || !this.#hasFiles() || isLow(found);
  }

  get lowBytes(): number {
    return reserveOf(this.#found) / lowPart;
  }

  /** Whether too few files can be made. */
  get lacksFiles(): boolean {
    return this.freeFiles < lowFiles;
  }

  /** How many files the service can still make, without the reserve. Infinity if the file system does not limit them. */
  get freeFiles(): number {
    return freeFilesOf(this.#found);
  }

  /** How many files there can be on the volume. Infinity if the file system does not limit them. */
  get totalFiles(): number {
    return totalFilesOf(this.#found);
  }

  /** What the service can still write, without the reserve. */
  get freeBytes(): number {
    return freeBytesOf(this.#found);
  }

  get totalBytes(): number {
    return totalBytesOf(this.#found);
  }

  insist<T>(write: () => T): T {
    try {
      return write();
    } catch (cause) {
      // SQLite has other words for a file that cannot be made.
      const lacksRoom = isNoSpace(cause) || this.freeFiles === 0;
      if (!lacksRoom || !this.#useReserve()) throw cause;
      try {
        return write();
      } finally {
        this.refresh();
      }
    }
  }

  /** The listener is called when it is noticed that the volume is full, and that there is room again. */
  onChange(listener: (isFull: boolean) => void): void {
    this.#listeners.add(listener);
  }

  /** The listener is called each time that somebody has looked at the volume, also to make the reserve again. It must not write to it before the next turn. */
  onLook(listener: (isFull: boolean) => void): void {
    this.#lookers.add(listener);
  }

  /** While the volume is full, notices every second whether there is room. Returns what ends that. */
  watch(clock: Clock): () => void {
    let cancel = (): void => undefined;
    const look = (): void => {
      cancel();
      if (this.isFull) cancel = clock.after(pollMs, look);
      this.refresh();
    };
    this.onChange((isFull) => isFull && look());
    look();
    return () => cancel();
  }

  /** Makes the reserve again as far as there is room, and notices whether the volume is full. Never throws. */
  refresh(): void {
    try {
      // In this order, because a file system can need a block for the folder.
      if (!this.#hasFiles()) this.#reserveFiles();
      this.#reserve();
      const { isFull } = this;
      this.#note(isFull);
      for (const looker of this.#lookers) looker(isFull);
    } catch (err) {
      this.#options.log.error({ action: 'check-volume', err }, `cannot check the volume of ${this.#folder}`);
    }
  }

  /** Returns whether there was a reserve. */
  #useReserve(): boolean {
    if (this.#reserved === 0 && !existsSync(this.#files)) return false;
    // Nobody is told yet: whoever hears it would make the reserve again before it was used.
    for (const path of [this.#options.reserve, this.#files]) rmSync(path, { recursive: true, force: true });
    return true;
  }

  get #found(): StatsFs {
    return statfsSync(this.#folder);
  }

  /** How much of the reserve there is, in bytes. */
  get #reserved(): number {
    return statSync(this.#options.reserve, { throwIfNoEntry: false })?.size ?? 0;
  }

  get #files(): string {
    return `${this.#options.reserve}-files`;
  }

  /** They are made in order and removed together. */
  #hasFiles(): boolean {
    return existsSync(join(this.#files, String(reservedFiles - 1)));
  }

  /** Takes what is free, too. */
  #reserveFiles(): void {
    try {
      mkdirSync(this.#files, { recursive: true, mode: 0o700 });
      const names = Array.from({ length: reservedFiles }, (_, index) => join(this.#files, String(index)));
      // The reserve of bytes is a file, too.
      for (const file of [this.#options.reserve, ...names]) closeSync(openSync(file, 'a', 0o600));
    } catch (cause) {
      if (!isNoSpace(cause)) throw cause;
    }
  }

  /**
   * Takes what is free: the room that a deletion has made is for the next one, and not for the output of runs. The reserve is complete only with room beside it.
   * Written and not only extended, because a file can be longer than the room that it takes.
   */
  #reserve(): void {
    const found = this.#found;
    const [whole, free] = [reserveOf(found), freeBytesOf(found)];
    const missing = whole - this.#reserved;
    const bytes = free >= missing + (2 * whole) / lowPart ? missing : Math.min(free, missing - lackBytes);
    if (bytes <= 0) return;
    let file: number | undefined;
    try {
      file = openSync(this.#options.reserve, 'a', 0o600);
      for (let left = bytes; left > 0; ) left -= writeSync(file, block, 0, Math.min(left, block.length));
    } catch (cause) {
      if (!isNoSpace(cause)) throw cause;
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }

  #note(isFull: boolean): void {
    const { log } = this.#options;
    if (isFull === this.#wasFull) return;
    this.#wasFull = isFull;
    const why = this.lacksFiles ? ': no more files can be made' : '';
    if (isFull) log.error({ action: 'check-volume', outcome: 'full' }, `the volume of ${this.#folder} is full${why}`);
    else log.info({ action: 'check-volume', outcome: 'room' }, `the volume of ${this.#folder} has room again`);
    for (const listener of this.#listeners) listener(isFull);
  }
}
