// A cursor over a JSON text that arrives in chunks. It splits the outermost structure into values.
import { Chunks } from './chunks.ts';
import { closeArray, closeObject, comma, Extent, exceeds, openArray, openObject, quote, type Size } from './extent.ts';

/** A 2xx answer whose body does not match the interface. The message names the field, not its value. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

export const colon = 0x3a;

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

export function notJson(): Unreadable {
  return new Unreadable('its body is not JSON');
}

/** A number, true, false or null ends at the next delimiter or with the body. */
function endOfWord(body: Buffer, from: number): number | undefined {
  for (let at = from; at < body.length; at++) {
    const byte = body[at];
    if (isSpace(byte) || byte === comma || byte === closeArray || byte === closeObject) return at;
  }
  return undefined;
}

type Walk = Pick<Extent, 'endIn' | 'values' | 'depth'>;
const word: Walk = { endIn: endOfWord, values: 1, depth: 0 };

function walkOf(first: number | undefined): Walk {
  return first === quote || first === openObject || first === openArray ? new Extent() : word;
}

/** Yields while it needs more bytes. The caller resumes it when they have arrived or the body has ended. */
export type AwaitedStructure<T> = Generator<undefined, T>;

/** Checks only the outermost structure. JSON.parse checks the values. */
export class Cursor {
  #body: Buffer = Buffer.of();
  #at = 0;
  /** Received bytes after `#body`. */
  readonly #waiting = new Chunks();
  #ended = false;
  /** Discarded bytes before `#body`. */
  #gone = 0;
  #values = 0;

  append(chunk: Buffer): void {
    this.#waiting.add(chunk);
  }

  end(): void {
    this.#ended = true;
  }

  /** The position in bytes. */
  get passed(): number {
    return this.#gone + this.#at;
  }

  /** The number of values in the last value that was read. */
  get values(): number {
    return this.#values;
  }

  *skipByteOrderMark(): AwaitedStructure<void> {
    yield* this.#more(3);
    if (this.#body[0] === 0xef && this.#body[1] === 0xbb && this.#body[2] === 0xbf) this.#at = 3;
  }

  /** The next byte that is not white space; undefined at the end. */
  *peek(): AwaitedStructure<number | undefined> {
    for (;;) {
      while (isSpace(this.#body[this.#at])) this.#at++;
      if (this.#at < this.#body.length || !(yield* this.#more(1))) return this.#body[this.#at];
    }
  }

  *take(byte: number): AwaitedStructure<boolean> {
    if ((yield* this.peek()) !== byte) return false;
    this.#at++;
    return true;
  }

  *expect(byte: number): AwaitedStructure<void> {
    if (!(yield* this.take(byte))) throw notJson();
  }

  /** The bytes of the next value. Undefined if it exceeds `most`; the cursor then stays in front of it. */
  *value(most: Size): AwaitedStructure<Buffer | undefined> {
    const walk = walkOf(yield* this.peek());
    for (let seen = 0; ; ) {
      const end = walk.endIn(this.#body, this.#at + seen);
      seen = (end ?? this.#body.length) - this.#at;
      this.#values = walk.values;
      if (exceeds({ bytes: seen, values: walk.values, depth: walk.depth }, most)) return undefined;
      if (end !== undefined) return this.#passTo(end);
      // Doubles the buffer, so that a long value is not copied again for each chunk.
      if (!(yield* this.#more(Math.min(seen, most.bytes - seen + 1)))) return this.#passLast(walk);
    }
  }

  /** Skips the next value without buffering it. */
  *skip(): AwaitedStructure<void> {
    const walk = walkOf(yield* this.peek());
    for (;;) {
      const end = walk.endIn(this.#body, this.#at);
      this.#at = end ?? this.#body.length;
      if (end !== undefined) return;
      if (yield* this.#more(1)) continue;
      if (walk !== word) throw notJson();
      return;
    }
  }

  /** Only a number, true, false or null may end with the body. */
  #passLast(walk: Walk): Buffer {
    if (walk !== word) throw notJson();
    return this.#passTo(this.#body.length);
  }

  #passTo(end: number): Buffer {
    if (end === this.#at) throw notJson();
    const bytes = this.#body.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  /** Waits for this many more bytes. False if the body has ended. */
  *#more(bytes: number): AwaitedStructure<boolean> {
    while (this.#waiting.bytes < bytes && !this.#ended) yield undefined;
    if (this.#waiting.bytes === 0) return false;
    const rest = this.#body.subarray(this.#at);
    const came = this.#waiting.take();
    const [first = rest] = came;
    this.#body = rest.length === 0 && came.length === 1 ? first : Buffer.concat([rest, ...came]);
    this.#gone += this.#at;
    this.#at = 0;
    return true;
  }
}
