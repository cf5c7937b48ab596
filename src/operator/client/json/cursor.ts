// Walks over the outermost structure of a JSON text whose bytes come little by little.
import { Chunks } from './chunks.ts';
import { closeArray, closeObject, comma, Extent, exceeds, openArray, openObject, quote, type Size } from './extent.ts';
import { Unreadable } from './unreadable.ts';

export const colon = 0x3a;

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

export const notJson = (): Unreadable => new Unreadable('its body is not JSON');

/** A value that is no text or structure ends where something else begins, or with the body. */
function endOfWord(body: Buffer, from: number): number | undefined {
  for (let at = from; at < body.length; at++) {
    const byte = body[at];
    if (isSpace(byte) || byte === comma || byte === closeArray || byte === closeObject) return at;
  }
  return undefined;
}

type Walk = Pick<Extent, 'endIn' | 'values' | 'depth'>;
const word: Walk = { endIn: endOfWord, values: 1, depth: 0 };

const walkOf = (first: number | undefined): Walk =>
  first === quote || first === openObject || first === openArray ? new Extent() : word;

/** Waits for more bytes: whoever runs this goes on when there are some, or the body has ended. */
export type AwaitedStructure<T> = Generator<undefined, T>;

/** Walks over the outermost structure itself; what is inside a piece is for JSON.parse to judge. */
export class Cursor {
  #body: Buffer = Buffer.of();
  #at = 0;
  /** What came after it. */
  readonly #waiting = new Chunks();
  #ended = false;
  /** Bytes before those of `#body`. */
  #gone = 0;
  #values = 0;

  append(chunk: Buffer): void {
    this.#waiting.add(chunk);
  }

  end(): void {
    this.#ended = true;
  }

  /** How many bytes it has passed. */
  get passed(): number {
    return this.#gone + this.#at;
  }

  /** How many values there are in the one that was read last. */
  get values(): number {
    return this.#values;
  }

  *skipMark(): AwaitedStructure<void> {
    yield* this.#more(3);
    if (this.#body[0] === 0xef && this.#body[1] === 0xbb && this.#body[2] === 0xbf) this.#at = 3;
  }

  /** The next byte that is no space; undefined at the end. */
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

  /** The bytes of the next value, and undefined when it is larger than `most`: then nothing of it is passed. */
  *value(most: Size): AwaitedStructure<Buffer | undefined> {
    const walk = walkOf(yield* this.peek());
    for (let seen = 0; ; ) {
      const end = walk.endIn(this.#body, this.#at + seen);
      seen = (end ?? this.#body.length) - this.#at;
      this.#values = walk.values;
      if (exceeds({ bytes: seen, values: walk.values, depth: walk.depth }, most)) return undefined;
      if (end !== undefined) return this.#passTo(end);
      // As many as there are, so that a long value is not copied over again for each chunk of it.
      if (!(yield* this.#more(Math.min(seen, most.bytes - seen + 1)))) return this.#passLast(walk);
    }
  }

  /** Passes the next value, of which no more is kept than has come at once. */
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

  /** Only a word may end with the body. */
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

  /** Waits for so many bytes beyond those that there are; false: not one is to come. */
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
