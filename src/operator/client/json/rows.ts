// Finds the rows of a LIST in the bytes of its answer, one at a time, as they come: a long answer is never there as a whole.
import type { Outline } from '../../../wire/outline.ts';
import type { Route } from '../../../wire/routes.ts';
import { largestPiece } from '../limits.ts';
import { type AwaitedStructure, Cursor, notJson } from './cursor.ts';
import { closeArray, comma, openArray, openObject } from './extent.ts';
import { members, outline } from './outline.ts';
import { Unreadable } from './unreadable.ts';

/** One row (`key` is the one asked for), or the value under another key of the answer. */
export interface Piece {
  readonly row: boolean;
  readonly key: string;
  /** Of a piece that is too large its outline, and where that is too large as well what identifies it. */
  readonly bytes: Buffer;
  /** How many there are in it. */
  readonly values: number;
  /** In bytes, where it is too large. */
  readonly tooLarge?: number;
}

/** What rows stand under, and what is read of one that is too large. */
type Rows = Pick<Route, 'plural' | 'outline'>;

/** A piece, or undefined: nothing more without more bytes. */
type Pieces = Generator<Piece | undefined, void>;

/** The value at which the cursor stands. */
function* piece(cursor: Cursor, row: boolean, key: string, wanted?: Outline): AwaitedStructure<Piece> {
  const bytes = yield* cursor.value(largestPiece);
  if (bytes !== undefined) return { row, key, bytes, values: cursor.values };
  const begin = cursor.passed;
  const { identityOnly, ...outlined } = yield* outline(cursor, wanted);
  return { row, key, ...outlined, ...(identityOnly && { tooLarge: cursor.passed - begin }) };
}

/** The rows of the array at which the cursor stands. */
function* items(cursor: Cursor, { plural, outline: wanted }: Rows): Pieces {
  yield* cursor.expect(openArray);
  if (yield* cursor.take(closeArray)) return;
  do yield yield* piece(cursor, true, plural, wanted);
  while (yield* cursor.take(comma));
  yield* cursor.expect(closeArray);
}

function* pieces(cursor: Cursor, rows: Rows): Pieces {
  const { plural } = rows;
  let found = false;
  yield* members(cursor, function* (key = ''): Pieces {
    const isList = key === plural && (yield* cursor.peek()) === openArray;
    found ||= isList;
    if (isList) yield* items(cursor, rows);
    else yield yield* piece(cursor, false, key);
  });
  if ((yield* cursor.peek()) !== undefined) throw notJson();
  if (!found) throw new Unreadable(`it has no array "${plural}"`);
}

function* walk(cursor: Cursor, rows: Rows): Pieces {
  yield* cursor.skipMark();
  if ((yield* cursor.peek()) !== openObject) throw new Unreadable(`it has no "${rows.plural}"`);
  yield* pieces(cursor, rows);
}

/**
 * The rows under `plural` and the values under every other key, in the order of the body, as its bytes come. Together with
 * `parsePiece` on each of them it accepts exactly what JSON.parse accepts, but for bodies without an array under `plural`.
 */
export class Splitter {
  readonly #cursor = new Cursor();
  readonly #pieces: Pieces;

  constructor(rows: Rows) {
    this.#pieces = walk(this.#cursor, rows);
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
