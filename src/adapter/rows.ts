// Finds the rows of a LIST in the bytes of its answer, one at a time, as they come: a long answer is never there as a whole.
import { Cursor, colon, notJson, type Waiting } from './cursor.ts';
import { closeArray, closeObject, comma, openArray, openObject, quote, type Size } from './extent.ts';
import { largestPiece } from './limits.ts';
import { Unreadable } from './reading.ts';

/** One row (`key` is the one asked for), or the value under another key of the answer. */
export interface Piece {
  readonly row: boolean;
  readonly key: string;
  /** Of a piece that is too large an object of the members that identify it. */
  readonly bytes: Buffer;
  /** How many there are in it. */
  readonly values: number;
  /** In bytes, where it is too large. */
  readonly tooLarge?: number;
}

/** A key, an id or a name that is longer is none that anybody asks for. */
const longestWord: Size = { bytes: 1_024, values: 1 };
const identifying = ['id', 'name'] as const;

/** JSON of one piece. Throws Unreadable. */
export function parsePiece(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw notJson();
  }
}

/** A piece, or undefined: nothing more without more bytes. */
type Pieces = Generator<Piece | undefined, void>;

/** Runs `take` at each value of the object at which the cursor stands; a long key is undefined. */
function* members<T>(
  cursor: Cursor,
  take: (key: string | undefined) => Generator<T | undefined, void>,
): Generator<T | undefined, void> {
  yield* cursor.expect(openObject);
  if (yield* cursor.take(closeObject)) return;
  do {
    if ((yield* cursor.peek()) !== quote) throw notJson();
    const key = yield* cursor.value(longestWord);
    if (key === undefined) yield* cursor.skip();
    yield* cursor.expect(colon);
    yield* take(key && String(parsePiece(key)));
  } while (yield* cursor.take(comma));
  yield* cursor.expect(closeObject);
}

/** Passes a value of any size; of an object it keeps what identifies it. */
function* outline(cursor: Cursor): Waiting<Buffer> {
  const kept = new Map<string, string>();
  if ((yield* cursor.peek()) !== openObject) yield* cursor.skip();
  else
    yield* members(cursor, function* (key) {
      const told = identifying.find((one) => one === key);
      const bytes = told && (yield* cursor.value(longestWord));
      if (bytes === undefined) yield* cursor.skip();
      // The last one counts, as it does for JSON.parse.
      if (told !== undefined) kept.set(told, bytes?.toString() ?? 'null');
    });
  return Buffer.from(`{${[...kept].map(([key, value]) => `"${key}":${value}`).join()}}`);
}

/** The value at which the cursor stands. */
function* piece(cursor: Cursor, row: boolean, key: string): Waiting<Piece> {
  const bytes = yield* cursor.value(largestPiece);
  if (bytes !== undefined) return { row, key, bytes, values: cursor.values };
  const begin = cursor.passed;
  const outlined = yield* outline(cursor);
  return { row, key, bytes: outlined, values: identifying.length, tooLarge: cursor.passed - begin };
}

/** The rows of the array at which the cursor stands. */
function* items(cursor: Cursor, key: string): Pieces {
  yield* cursor.expect(openArray);
  if (yield* cursor.take(closeArray)) return;
  do yield yield* piece(cursor, true, key);
  while (yield* cursor.take(comma));
  yield* cursor.expect(closeArray);
}

function* pieces(cursor: Cursor, plural: string): Pieces {
  let found = false;
  yield* members(cursor, function* (key = ''): Pieces {
    const isList = key === plural && (yield* cursor.peek()) === openArray;
    found ||= isList;
    if (isList) yield* items(cursor, key);
    else yield yield* piece(cursor, false, key);
  });
  if ((yield* cursor.peek()) !== undefined) throw notJson();
  if (!found) throw new Unreadable(`it has no array "${plural}"`);
}

function* walk(cursor: Cursor, plural: string): Pieces {
  yield* cursor.skipMark();
  if ((yield* cursor.peek()) !== openObject) throw new Unreadable(`it has no "${plural}"`);
  yield* pieces(cursor, plural);
}

/**
 * The rows under `plural` and the values under every other key, in the order of the body, as its bytes come. Together with
 * `parsePiece` on each of them it accepts exactly what JSON.parse accepts, but for bodies without an array under `plural`.
 */
export class Splitter {
  readonly #cursor = new Cursor();
  readonly #pieces: Pieces;

  constructor(plural: string) {
    this.#pieces = walk(this.#cursor, plural);
  }

  /** What is whole with these bytes; undefined: these were the last ones. Throws Unreadable. */
  *split(chunk: Buffer | undefined): Generator<Piece> {
    if (chunk === undefined) this.#cursor.end();
    else this.#cursor.append(chunk);
    for (let next = this.#pieces.next(); !next.done && next.value !== undefined; next = this.#pieces.next()) {
      yield next.value;
    }
  }
}
