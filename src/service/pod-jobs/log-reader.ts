// Reads the log of a container as the kubelet sends it: each line with its time, by which a later request goes on after the last line that is known.

/** The last whole line that is kept. */
export interface LogPosition {
  /** In ns since 1970. */
  readonly time: string;
  /** How many lines of this very time are kept. */
  readonly lines: number;
  /** How many bytes the program has printed up to here. */
  readonly total: number;
}

const timePattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;
const longestTime = 40;
const newline = 0x0a;
const space = 0x20;

/** In ns. Undefined if the text is no time. */
function instantOf(text: string): bigint | undefined {
  const [, seconds, fraction = '', zone] = timePattern.exec(text) ?? [];
  if (seconds === undefined) return undefined;
  return BigInt(Date.parse(`${seconds}${zone}`)) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

/** From when on the kubelet has to send lines: it compares whole seconds. */
export const sinceTime = ({ time }: LogPosition): string =>
  new Date(Number(BigInt(time) / 1_000_000_000n) * 1000).toISOString();

export class LogReader {
  #position: LogPosition | undefined;
  /** The last known line has not come again yet. */
  #isBehind: boolean;
  #again = 0;
  /** The beginning of a line, up to its time. */
  #start = Buffer.alloc(0);
  /** The line that has begun, and how much of it there was. */
  #line: { readonly time: bigint | undefined; readonly isNew: boolean; bytes: number } | undefined;

  /** `from`: where an earlier reader was. */
  constructor(from: LogPosition | undefined) {
    this.#position = from;
    this.#isBehind = from !== undefined;
  }

  get position(): LogPosition | undefined {
    return this.#position;
  }

  /** What the program has printed, as far as it is new: of a line that goes on, too. */
  read(chunk: Uint8Array): Buffer {
    const data = Buffer.concat([this.#start, chunk]);
    this.#start = Buffer.alloc(0);
    const pieces: Buffer[] = [];
    for (let at = 0; at < data.length; ) {
      if (this.#line === undefined) {
        const text = this.#begin(data, at);
        if (text === undefined) break;
        at = text;
      }
      const end = data.indexOf(newline, at);
      const piece = data.subarray(at, end === -1 ? data.length : end + 1);
      if (this.#line?.isNew === true) pieces.push(piece);
      this.#pass(piece.length, end !== -1);
      at += piece.length;
    }
    return Buffer.concat(pieces);
  }

  /** Returns where the text of the line begins. Undefined if its time is not complete. */
  #begin(data: Buffer, at: number): number | undefined {
    const end = data.indexOf(space, at);
    const isCut = end === -1 && data.length - at < longestTime && !data.includes(newline, at);
    if (isCut) {
      this.#start = Buffer.from(data.subarray(at));
      return undefined;
    }
    const time = end === -1 || end - at > longestTime ? undefined : instantOf(data.toString('latin1', at, end));
    // A line without a time is none of the program: the kubelet says something, or sends the end of a line that is known.
    this.#line = { time, isNew: time !== undefined && this.#isNew(time), bytes: 0 };
    return time === undefined ? at : end + 1;
  }

  #isNew(time: bigint): boolean {
    if (!this.#isBehind || this.#position === undefined) return true;
    const known = BigInt(this.#position.time);
    if (time === known) this.#again += 1;
    this.#isBehind = time < known || (time === known && this.#again <= this.#position.lines);
    return !this.#isBehind;
  }

  #pass(bytes: number, isEnd: boolean): void {
    const line = this.#line;
    if (line === undefined) return;
    line.bytes += bytes;
    if (!isEnd) return;
    this.#line = undefined;
    if (!line.isNew || line.time === undefined) return;
    const time = String(line.time);
    const { lines, total } = this.#position ?? { lines: 0, total: 0 };
    const isSame = this.#position?.time === time;
    this.#position = { time, lines: isSame ? lines + 1 : 1, total: total + line.bytes };
  }
}
