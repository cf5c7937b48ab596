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
const dash = 0x2d;
const capitalT = 0x54;
const none = Buffer.alloc(0);

/** Stands in the output where lines may be missing. */
export const gapLine = '[output may be missing here: the node removed lines before they were copied]\n';

/** In ns. Undefined if the text is no time. */
function instantOf(text: string): bigint | undefined {
  const [, seconds, fraction = '', zone] = timePattern.exec(text) ?? [];
  if (seconds === undefined) return undefined;
  return BigInt(Date.parse(`${seconds}${zone}`)) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

/** From when on the kubelet has to send lines: it compares whole seconds. */
export const sinceTime = ({ time }: LogPosition): string =>
  new Date(Number(BigInt(time) / 1_000_000_000n) * 1000).toISOString();

/** The place of the space after the time of the line that begins here. -1 if there is none where a time can end. */
function endOfTime(data: Buffer, at: number): number {
  const last = Math.min(at + longestTime, data.length - 1);
  for (let place = at; place <= last; place += 1) if (data[place] === space) return place;
  return -1;
}

/** Whether the line begins as a time does. Programs cannot change that, because the kubelet writes it, so two of its characters are enough. */
const isTime = (data: Buffer, at: number): boolean => data[at + 4] === dash && data[at + 10] === capitalT;

export class LogReader {
  readonly #known: bigint | undefined;
  /** The last known line has not come again yet. */
  #isBehind: boolean;
  #again = 0;
  /** Bytes after the last known line that are kept already: of a line that was cut, or whose position was not stored. */
  #twice: number;
  /** The time of the last whole line, as its text, and how many lines had this very time. Not read as a number, which would take most of the time. */
  #last = '';
  #lines: number;
  #total: number;
  #isMoved = false;
  /** The beginning of a line, up to its time. */
  #start: Buffer = none;
  /** The line that has begun: its time, which is empty if it is not new, and how much of it there was. */
  #line: string | undefined;
  #bytes = 0;

  /** `from`: where an earlier reader was. `kept`: how many bytes of output there are. */
  constructor(from: LogPosition | undefined, kept: number) {
    this.#known = from && BigInt(from.time);
    this.#isBehind = from !== undefined;
    this.#lines = from?.lines ?? 0;
    // Less can be kept than the position says, if the computer crashed.
    this.#total = Math.min(from?.total ?? 0, kept);
    this.#twice = kept - this.#total;
  }

  /** After the last whole line. Undefined if no new one was read. */
  get position(): LogPosition | undefined {
    const time = this.#isMoved ? instantOf(this.#last) : undefined;
    return time === undefined ? undefined : { time: String(time), lines: this.#lines, total: this.#total };
  }

  /** What the program has printed, as far as it is new: of a line that goes on, too. Where lines may be missing, there is `gapLine`. */
  read(chunk: Uint8Array): Buffer {
    const data = Buffer.concat([this.#start, chunk]);
    this.#start = none;
    const text = Buffer.allocUnsafe(data.length);
    let [length, gap]: [number, Buffer] = [0, none];
    for (let at = 0; at < data.length; ) {
      if (this.#line === undefined) {
        const wasBehind = this.#isBehind;
        const begin = this.#begin(data, at);
        if (begin === undefined) break;
        if (wasBehind && !this.#isBehind) gap = this.#gap();
        at = begin;
      }
      const place = data.indexOf(newline, at);
      const end = place === -1 ? data.length : place + 1;
      if (this.#line !== '') length += data.copy(text, length, at, end);
      this.#pass(end - at, place !== -1);
      at = end;
    }
    const skipped = Math.min(this.#twice, length);
    this.#twice -= skipped;
    const news = text.subarray(skipped, length);
    return gap.length === 0 ? news : Buffer.concat([gap, news]);
  }

  /** Returns where the text of the line begins. Undefined if its time is not complete. */
  #begin(data: Buffer, at: number): number | undefined {
    const end = endOfTime(data, at);
    if (end === -1 && data.length - at < longestTime && !data.includes(newline, at)) {
      this.#start = Buffer.from(data.subarray(at));
      return undefined;
    }
    const time = end !== -1 && isTime(data, at) ? data.toString('latin1', at, end) : '';
    // A line without a time is none of the program: the kubelet reports something, or sends the end of a line that is known.
    this.#line = time !== '' && this.#isNew(time) ? time : '';
    this.#bytes = 0;
    return time === '' ? at : end + 1;
  }

  #isNew(text: string): boolean {
    if (!this.#isBehind || this.#known === undefined) return true;
    const time = instantOf(text) ?? 0n;
    if (time === this.#known) {
      this.#again += 1;
      this.#last = text;
    }
    this.#isBehind = time < this.#known || (time === this.#known && this.#again <= this.#lines);
    return !this.#isBehind;
  }

  /** The first new line has come. If the last known one did not come before, the kubelet does not have it any more, nor perhaps others after it. */
  #gap(): Buffer {
    if (this.#again >= this.#lines) return none;
    const gap = Buffer.from(this.#twice > 0 ? `\n${gapLine}` : gapLine);
    this.#total += this.#twice + gap.length;
    this.#twice = 0;
    return gap;
  }

  #pass(bytes: number, isEnd: boolean): void {
    const time = this.#line;
    this.#bytes += bytes;
    if (!isEnd) return;
    this.#line = undefined;
    if (time === undefined || time === '') return;
    this.#lines = time === this.#last ? this.#lines + 1 : 1;
    this.#last = time;
    this.#total += this.#bytes;
    this.#isMoved = true;
  }
}
