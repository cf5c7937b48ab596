// Splits the answer of a LIST into rows while it arrives, so that a long answer is never in memory as a whole.
import { identifying } from '../../../wire/common.ts';
import type { Route } from '../../../wire/routes.ts';
import { largestPiece, mostOf } from '../limits.ts';
import { type AwaitedStructure, Cursor, notJson, Unreadable } from './cursor.ts';
import { closeArray, comma, openArray, openObject, type Size } from './extent.ts';
import { identity, members } from './members.ts';

/** One row, or the value under another key of the answer. */
export interface Piece {
  readonly row: boolean;
  readonly key: string;
  /** If the piece is too large, an object of only its identifying members. */
  readonly bytes: Buffer;
  /** The number of values in it. */
  readonly values: number;
  /** Its size in bytes, if it is too large. */
  readonly tooLarge?: number;
}

type Rows = Pick<Route, 'plural' | 'large'>;

/** Yields undefined while it needs more bytes. */
type Pieces = Generator<Piece | undefined, void>;

/** The next value. */
function* piece(cursor: Cursor, row: boolean, key: string, most: Size): AwaitedStructure<Piece> {
  const bytes = yield* cursor.value(most);
  if (bytes !== undefined) return { row, key, bytes, values: cursor.values };
  const begin = cursor.passed;
  const known = yield* identity(cursor);
  return { row, key, bytes: known, values: identifying.length, tooLarge: cursor.passed - begin };
}

/** The rows of the next array. */
function* items(cursor: Cursor, rows: Rows): Pieces {
  yield* cursor.expect(openArray);
  if (yield* cursor.take(closeArray)) return;
  do yield yield* piece(cursor, true, rows.plural, mostOf(rows));
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
    else yield yield* piece(cursor, false, key, largestPiece);
  });
  if ((yield* cursor.peek()) !== undefined) throw notJson();
  if (!found) throw new Unreadable(`it has no array "${plural}"`);
}

function* walk(cursor: Cursor, rows: Rows): Pieces {
  yield* cursor.skipByteOrderMark();
  if ((yield* cursor.peek()) !== openObject) throw new Unreadable(`it has no "${rows.plural}"`);
  yield* pieces(cursor, rows);
}

/**
 * Yields the rows under `plural` and the values of all other keys, in the order of the body. With `parsePiece` on each of them, it accepts
 * exactly what JSON.parse accepts, except for bodies without an array under `plural`.
 */
export class Splitter {
  readonly #cursor = new Cursor();
  readonly #pieces: Pieces;

  constructor(rows: Rows) {
    this.#pieces = walk(this.#cursor, rows);
  }

  /** The pieces that this chunk completes. Pass undefined at the end of the body. Throws Unreadable. */
  *split(chunk: Buffer | undefined): Generator<Piece> {
    if (chunk === undefined) this.#cursor.end();
    else this.#cursor.append(chunk);
    for (let next = this.#pieces.next(); !next.done && next.value !== undefined; next = this.#pieces.next()) {
      yield next.value;
    }
  }
}
