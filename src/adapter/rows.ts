// Finds the rows of a LIST in the bytes of its answer, one at a time, as they come: a long answer is never there as a whole.
import { Cursor, closeArray, closeObject, colon, comma, notJson, openArray, openObject, quote } from './cursor.ts';
import { Unreadable } from './reading.ts';

/** One row (`key` is the one asked for), or the value under another key of the answer. */
export interface Piece {
  readonly row: boolean;
  readonly key: string;
  readonly bytes: Buffer;
}

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

/** The rows of the array at which the cursor stands. */
function* items(cursor: Cursor, key: string): Pieces {
  yield* cursor.expect(openArray);
  if (yield* cursor.take(closeArray)) return;
  do yield { row: true, key, bytes: yield* cursor.value() };
  while (yield* cursor.take(comma));
  yield* cursor.expect(closeArray);
}

function* members(cursor: Cursor, plural: string): Pieces {
  let found = false;
  yield* cursor.expect(openObject);
  if (!(yield* cursor.take(closeObject))) {
    do {
      if ((yield* cursor.peek()) !== quote) throw notJson();
      const key = String(parsePiece(yield* cursor.value()));
      yield* cursor.expect(colon);
      const isList = key === plural && (yield* cursor.peek()) === openArray;
      found ||= isList;
      if (isList) yield* items(cursor, key);
      else yield { row: false, key, bytes: yield* cursor.value() };
    } while (yield* cursor.take(comma));
    yield* cursor.expect(closeObject);
  }
  if ((yield* cursor.peek()) !== undefined) throw notJson();
  if (!found) throw new Unreadable(`it has no array "${plural}"`);
}

function* walk(cursor: Cursor, plural: string): Pieces {
  yield* cursor.skipMark();
  if ((yield* cursor.peek()) !== openObject) throw new Unreadable(`it has no "${plural}"`);
  yield* members(cursor, plural);
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
