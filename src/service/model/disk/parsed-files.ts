// What was made of files that have not changed since: who asks for one entry after the other does not have the whole file parsed each time.
import { statSync } from 'node:fs';

interface Kept<T> {
  /** Another file has another one, also if it is as long. */
  readonly version: string;
  readonly bytes: number;
  readonly value: T;
}

export class ParsedFiles<T> {
  readonly #parse: (file: string) => T;
  readonly #mostBytes: number;
  /** Those that were asked for last are at the end. */
  readonly #kept = new Map<string, Kept<T>>();
  #bytes = 0;

  /** `mostBytes`: of the files of which something is kept, but for one that is larger. */
  constructor(parse: (file: string) => T, mostBytes: number) {
    this.#parse = parse;
    this.#mostBytes = mostBytes;
  }

  /** Undefined if the file is missing. */
  get(file: string): T | undefined {
    const known = this.#kept.get(file);
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    this.#drop(file);
    if (found === undefined) return undefined;
    const { ino, size, mtimeNs } = found;
    const version = `${ino} ${size} ${mtimeNs}`;
    const kept = known?.version === version ? known : { version, bytes: Number(size), value: this.#parse(file) };
    this.#keep(file, kept);
    return kept.value;
  }

  #keep(file: string, kept: Kept<T>): void {
    this.#kept.set(file, kept);
    this.#bytes += kept.bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#mostBytes || this.#kept.size === 1) return;
      this.#drop(oldest);
    }
  }

  #drop(file: string): void {
    this.#bytes -= this.#kept.get(file)?.bytes ?? 0;
    this.#kept.delete(file);
  }
}
