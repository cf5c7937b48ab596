// The output of a run: in parts, of which the first and the last ones are kept. A part is a file whose name is the place of its first byte.
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { appendFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lowFiles } from '../../model/disk/volume.ts';
import type { LogPart, LogRange } from '../job-engine.ts';

/** How many parts are kept. */
const parts = 4;

/**
 * The program that writes its input to the folder, at most so many bytes, and none while the volume has less free space than the last argument: a line counts
 * what is missing. It goes on when it is told to end, because the program of the run may have more to say.
 */
export const outputWriter = `
const { closeSync, openSync, rmSync, statfsSync, writeSync } = require('node:fs');
const [folder, bytes, low] = process.argv.slice(1);
const most = Math.max(Math.floor(Number(bytes) / ${parts}), 1);
const last = [];
let [place, left, file] = [0, 0, undefined];
const next = () => {
  if (file !== undefined) closeSync(file);
  if (place > 0) last.push(place);
  if (last.length > ${parts - 1}) rmSync(folder + '/' + last.shift(), { force: true });
  file = openSync(folder + '/' + place, 'w', 0o600);
  left = most;
};
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {});
const write = (data) => {
  for (let at = 0; at < data.length; ) {
    if (left === 0) next();
    const written = writeSync(file, data, at, Math.min(left, data.length - at));
    [at, place, left] = [at + written, place + written, left - written];
  }
};
const isFull = () => {
  const { bavail, bsize, files, ffree } = statfsSync(folder);
  return bavail * bsize < Number(low) || (files > 0 && ffree < ${lowFiles});
};
let missing = 0;
const take = (data) => {
  try {
    if (Number(low) > 0 && isFull()) throw new Error('full');
    if (missing > 0) write(Buffer.from('\\n[' + missing + ' bytes are missing here: the volume was full]\\n'));
    missing = 0;
    write(data);
  } catch {
    // The program goes on.
    missing += data.length;
  }
};
process.stdin.on('data', take);
process.stdin.on('end', () => take(Buffer.alloc(0)));
`;

interface Part {
  readonly file: string;
  readonly from: number;
  readonly to: number;
}

/** The parts that there are, in order. */
function partsIn(folder: string): readonly Part[] {
  if (!existsSync(folder)) return [];
  const starts = readdirSync(folder)
    .map(Number)
    .toSorted((one, other) => one - other);
  return starts.flatMap((from) => {
    const file = join(folder, String(from));
    // A part can be removed meanwhile.
    const size = statSync(file, { throwIfNoEntry: false })?.size;
    return size === undefined ? [] : [{ file, from, to: from + size }];
  });
}

/** How much the program has printed, whether it is kept or not. */
export const outputBytes = (folder: string): number => partsIn(folder).at(-1)?.to ?? 0;

/** Appends to the output in the folder, as `outputWriter` does it for a program that is its child. Only one at a time can be used. */
export class OutputWriter {
  readonly #folder: string;
  readonly #partBytes: number;
  /** The places of the first bytes of the parts, in order. */
  readonly #starts: number[];
  #bytes: number;
  /** The end of the last part. What comes after it is left out. */
  #end: number;
  #isSkipping = false;

  /** `most`: how many bytes are kept. */
  constructor(folder: string, most: number) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const all = partsIn(folder);
    this.#folder = folder;
    this.#partBytes = Math.max(Math.floor(most / parts), 1);
    this.#starts = all.map(({ from }) => from);
    this.#bytes = all.at(-1)?.to ?? 0;
    this.#end = this.#bytes;
  }

  /** How many bytes were ever appended. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the last bytes were left out, and the output says so. */
  get isSkipping(): boolean {
    return this.#isSkipping;
  }

  /** After a rejection, a part of the bytes may be there. Then this writer must not be used any more. */
  async append(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      let from = this.#starts.at(-1);
      const isLast = from !== undefined && this.#bytes === this.#end && this.#bytes - from < this.#partBytes;
      if (from === undefined || !isLast) from = await this.#next();
      const piece = bytes.subarray(at, at + this.#partBytes - (this.#bytes - from));
      await appendFile(join(this.#folder, String(from)), piece, { mode: 0o600 });
      this.#bytes += piece.length;
      this.#end = this.#bytes;
      this.#isSkipping = false;
      at += piece.length;
    }
  }

  /** Leaves out so many bytes. The line stands in their place as soon as they are longer, unless an earlier writer has ended with it. */
  async skip(bytes: number, line: string): Promise<void> {
    this.#bytes += bytes;
    const length = Buffer.byteLength(line);
    if (this.#isSkipping || this.#bytes - this.#end < length) return;
    this.#isSkipping = true;
    const tail = readOutput(this.#folder, { from: Math.max(this.#end - length, 0), limit: length });
    if (tail.text === line) return;
    const from = this.#starts.at(-1) ?? (await this.#next(0));
    await appendFile(join(this.#folder, String(from)), line, { mode: 0o600 });
    this.#end += length;
  }

  /** Begins a part. The first one stays, and those before the last ones go. */
  async #next(from = this.#bytes): Promise<number> {
    const old = this.#starts.splice(1, Math.max(this.#starts.length - parts + 1, 0));
    for (const place of old) await rm(join(this.#folder, String(place)), { force: true });
    this.#starts.push(from);
    return from;
  }
}

/** The bytes of the part, from a place on. Empty if the part was removed meanwhile. */
function read({ file, from, to }: Part, start: number, limit: number): Buffer {
  if (!existsSync(file)) return Buffer.alloc(0);
  const opened = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(Math.min(to - start, limit));
    return buffer.subarray(0, readSync(opened, buffer, 0, buffer.length, start - from));
  } finally {
    closeSync(opened);
  }
}

/** How many bytes at the end are the beginning of a character that goes on. */
function brokenEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

/** How many bytes at the beginning are the end of a character whose beginning is missing. */
function brokenStart(bytes: Buffer): number {
  const first = bytes.subarray(0, 3).findIndex((byte) => byte < 0x80 || byte >= 0xc0);
  return first === -1 ? Math.min(3, bytes.length) : first;
}

/** Bytes that are not kept any more are replaced by a line that counts them. */
export function readOutput(folder: string, { from, limit }: LogRange): LogPart {
  const all = partsIn(folder);
  const total = all.at(-1)?.to ?? 0;
  const pieces: Buffer[] = [];
  let [next, left] = [Math.min(from, total), limit];
  for (const part of all) {
    if (part.to <= next || left <= 0) continue;
    const bytes = read(part, Math.max(next, part.from), left);
    const isGap = part.from > next;
    if (isGap) {
      const before = pieces.pop() ?? Buffer.alloc(0);
      pieces.push(before.subarray(0, before.length - brokenEnd(before)));
      pieces.push(Buffer.from(`\n[${part.from - next} bytes are not kept]\n`));
    }
    next = Math.max(next, part.from) + bytes.length;
    left -= bytes.length;
    pieces.push(isGap ? bytes.subarray(brokenStart(bytes)) : bytes);
  }
  const bytes = Buffer.concat(pieces);
  const broken = bytes.length > 4 ? brokenEnd(bytes) : 0;
  return { text: bytes.subarray(0, bytes.length - broken).toString('utf8'), next: next - broken, total };
}

const tailBytes = 16_000;
const messageLength = 300;
const noise = /^\s*at |^\s*\.\.\. \d+ more|^\s*$|^\[output (is not kept|may be missing)|\b(INFO|DEBUG|TRACE)\b/;
const failure = /\b(ERROR|FATAL)\b|Error:|\berror:|Exception\b|\bSQLSTATE\b|\bcannot\b|\bnot found\b/;

/** Why the program has failed that ended with the exit code. `secrets`: see `lastWords`. */
export const failureIn = (folder: string, code: number, secrets: readonly string[]): string =>
  lastWords(folder, secrets) ?? `the program ended with exit code ${code}`;

/** The line that most likely says why a program ended. Undefined if it has written none. `secrets`: texts that are blotted out. */
export function lastWords(folder: string, secrets: readonly string[]): string | undefined {
  const { total } = readOutput(folder, { from: 0, limit: 0 });
  const { text } = readOutput(folder, { from: Math.max(total - tailBytes, 0), limit: tailBytes });
  // The first one is cut.
  const whole = text.split('\n').slice(total > tailBytes ? 1 : 0);
  const lines = whole.filter((line) => !noise.test(line));
  const line = lines.findLast((each) => failure.test(each)) ?? lines.at(-1);
  const clean = secrets
    .filter((secret) => secret !== '')
    .reduce((left, each) => left.replaceAll(each, '***'), line ?? '');
  return clean === '' ? undefined : clean.trim().slice(0, messageLength);
}
