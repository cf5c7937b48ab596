// Walks over the outermost structure of a JSON text whose bytes come little by little.
import { Unreadable } from './reading.ts';

export const quote = 0x22;
const backslash = 0x5c;
export const comma = 0x2c;
export const colon = 0x3a;
export const openArray = 0x5b;
export const closeArray = 0x5d;
export const openObject = 0x7b;
export const closeObject = 0x7d;

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

export const notJson = (): Unreadable => new Unreadable('its body is not JSON');

/** Where a value of `body` ends that begins at `at`; undefined when it may go on in what is still to come. */
type Ending = (body: Buffer, at: number) => number | undefined;

const endOfText: Ending = (body, at) => {
  for (let end = body.indexOf(quote, at + 1); end >= 0; end = body.indexOf(quote, end + 1)) {
    let first = end;
    while (body[first - 1] === backslash) first--;
    if ((end - first) % 2 === 0) return end + 1;
  }
  return undefined;
};

const endOfNested: Ending = (body, begin) => {
  let depth = 0;
  for (let at = begin; at < body.length; ) {
    const byte = body[at];
    if (byte === quote) {
      const end = endOfText(body, at);
      if (end === undefined) return undefined;
      at = end;
      continue;
    }
    if (byte === openObject || byte === openArray) depth++;
    else if (byte === closeObject || byte === closeArray) depth--;
    at++;
    if (depth === 0) return at;
  }
  return undefined;
};

const endOfWord: Ending = (body, begin) => {
  for (let at = begin; at < body.length; at++) {
    const byte = body[at];
    if (isSpace(byte) || byte === comma || byte === closeArray || byte === closeObject) return at;
  }
  return undefined;
};

function endingOf(first: number | undefined): Ending {
  if (first === quote) return endOfText;
  return first === openObject || first === openArray ? endOfNested : endOfWord;
}

/** Waits for more bytes: whoever runs this goes on when there are some, or the body has ended. */
type Waiting<T> = Generator<undefined, T>;

/** Walks over the outermost structure itself; what is inside a piece is for JSON.parse to judge. */
export class Cursor {
  #body: Buffer = Buffer.of();
  #at = 0;
  /** What came after it. */
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #ended = false;

  append(chunk: Buffer): void {
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.byteLength;
  }

  end(): void {
    this.#ended = true;
  }

  *skipMark(): Waiting<void> {
    yield* this.#more(3);
    if (this.#body[0] === 0xef && this.#body[1] === 0xbb && this.#body[2] === 0xbf) this.#at = 3;
  }

  /** The next byte that is no space; undefined at the end. */
  *peek(): Waiting<number | undefined> {
    for (;;) {
      while (isSpace(this.#body[this.#at])) this.#at++;
      if (this.#at < this.#body.length || !(yield* this.#more(1))) return this.#body[this.#at];
    }
  }

  *take(byte: number): Waiting<boolean> {
    if ((yield* this.peek()) !== byte) return false;
    this.#at++;
    return true;
  }

  *expect(byte: number): Waiting<void> {
    if (!(yield* this.take(byte))) throw notJson();
  }

  /** The bytes of the next value. */
  *value(): Waiting<Buffer> {
    const endOf = endingOf(yield* this.peek());
    for (;;) {
      const end = endOf(this.#body, this.#at);
      if (end !== undefined) return this.#passTo(end);
      // As many as there are, so that a long value is not walked over again for each chunk of it.
      if (!(yield* this.#more(this.#body.length - this.#at))) return this.#lastWord(endOf);
    }
  }

  #lastWord(endOf: Ending): Buffer {
    if (endOf !== endOfWord) throw notJson();
    return this.#passTo(this.#body.length);
  }

  #passTo(end: number): Buffer {
    if (end === this.#at) throw notJson();
    const bytes = this.#body.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  /** Waits for so many bytes beyond those that there are; false: not one is to come. */
  *#more(bytes: number): Waiting<boolean> {
    while (this.#waitingBytes < bytes && !this.#ended) yield undefined;
    if (this.#waitingBytes === 0) return false;
    const rest = this.#body.subarray(this.#at);
    const [first = rest] = this.#waiting;
    this.#body = rest.length === 0 && this.#waiting.length === 1 ? first : Buffer.concat([rest, ...this.#waiting]);
    this.#at = 0;
    this.#waiting = [];
    this.#waitingBytes = 0;
    return true;
  }
}
