// Finds the rows of a LIST in the bytes of its answer, one at a time, so that a long answer is never parsed in one go.
import { Unreadable } from './reading.ts';

/** One row (`key` is the one asked for), or the value under another key of the answer. */
export interface Piece {
  readonly row: boolean;
  readonly key: string;
  readonly bytes: Buffer;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openArray = 0x5b;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const notJson = (): Unreadable => new Unreadable('its body is not JSON');

/** Walks over the outermost structure itself; what is inside a piece is for JSON.parse to judge. */
class Cursor {
  readonly #body: Buffer;
  #at: number;

  constructor(body: Buffer) {
    this.#body = body;
    this.#at = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0;
  }

  /** The next byte that is no space; undefined at the end. */
  peek(): number | undefined {
    while (isSpace(this.#body[this.#at])) this.#at++;
    return this.#body[this.#at];
  }

  take(byte: number): boolean {
    if (this.peek() !== byte) return false;
    this.#at++;
    return true;
  }

  expect(byte: number): void {
    if (!this.take(byte)) throw notJson();
  }

  /** The bytes of the next value. */
  value(): Buffer {
    const first = this.peek();
    const start = this.#at;
    if (first === quote) this.#skipText();
    else if (first === openObject || first === openArray) this.#skipNested();
    else this.#skipWord();
    if (this.#at === start) throw notJson();
    return this.#body.subarray(start, this.#at);
  }

  #skipText(): void {
    let end = this.#at;
    do {
      end = this.#body.indexOf(quote, end + 1);
      if (end < 0) throw notJson();
    } while (this.#isEscaped(end));
    this.#at = end + 1;
  }

  #isEscaped(end: number): boolean {
    let first = end;
    while (this.#body[first - 1] === backslash) first--;
    return (end - first) % 2 === 1;
  }

  #skipNested(): void {
    let depth = 0;
    do {
      const byte = this.#body[this.#at];
      if (byte === undefined) throw notJson();
      if (byte === quote) {
        this.#skipText();
        continue;
      }
      if (byte === openObject || byte === openArray) depth++;
      else if (byte === closeObject || byte === closeArray) depth--;
      this.#at++;
    } while (depth > 0);
  }

  #skipWord(): void {
    for (let byte = this.#body[this.#at]; byte !== undefined; byte = this.#body[++this.#at]) {
      if (isSpace(byte) || byte === comma || byte === closeArray || byte === closeObject) return;
    }
  }
}

/** JSON of one piece. Throws Unreadable. */
export function parsePiece(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw notJson();
  }
}

/** The rows of the array at which the cursor stands. */
function* items(cursor: Cursor, key: string): Generator<Piece> {
  cursor.expect(openArray);
  if (cursor.take(closeArray)) return;
  do yield { row: true, key, bytes: cursor.value() };
  while (cursor.take(comma));
  cursor.expect(closeArray);
}

/** The keys of the outermost object. Who gets one reads its value before he asks for the next. */
function* keys(cursor: Cursor): Generator<string> {
  cursor.expect(openObject);
  if (cursor.take(closeObject)) return;
  do {
    if (cursor.peek() !== quote) throw notJson();
    const key = String(parsePiece(cursor.value()));
    cursor.expect(colon);
    yield key;
  } while (cursor.take(comma));
  cursor.expect(closeObject);
}

/**
 * The rows under `plural` and the values under every other key, in the order of the body. Together with `parsePiece` on each of
 * them it accepts exactly what JSON.parse accepts, but for bodies without an array under `plural`: throws Unreadable.
 */
export function* pieces(body: Buffer, plural: string): Generator<Piece> {
  const cursor = new Cursor(body);
  let found = false;
  if (cursor.peek() !== openObject) throw new Unreadable(`it has no "${plural}"`);
  for (const key of keys(cursor)) {
    const isList = key === plural && cursor.peek() === openArray;
    found ||= isList;
    if (isList) yield* items(cursor, key);
    else yield { row: false, key, bytes: cursor.value() };
  }
  if (cursor.peek() !== undefined) throw notJson();
  if (!found) throw new Unreadable(`it has no array "${plural}"`);
}
