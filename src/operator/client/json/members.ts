// Reads the members of a JSON object one by one, of which too large ones are skipped.
import { identifying } from '../../../wire/common.ts';
import { type AwaitedStructure, type Cursor, colon, notJson } from './cursor.ts';
import { closeObject, comma, openObject, quote, type Size } from './extent.ts';

/** The maximum of a key, an id or a name. */
const longestWord: Size = { bytes: 1_024, values: 1, depth: 0 };

/** Throws Unreadable. */
export function parsePiece(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw notJson();
  }
}

/** Calls `take` at each value of the next object. A key that is too long is undefined. */
export function* members<T>(
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

/**
 * Skips the next value, whatever its size, except for the members that identify an object: returns a JSON object of these. One that is
 * too long is null. The last of duplicate keys wins, as in JSON.parse.
 */
export function* identity(cursor: Cursor): AwaitedStructure<Buffer> {
  const kept = new Map<string, string>();
  if ((yield* cursor.peek()) === openObject)
    yield* members(cursor, function* (key = ''): Generator<undefined, void> {
      const isWanted = identifying.some((one) => one === key);
      const bytes = isWanted ? yield* cursor.value(longestWord) : undefined;
      if (isWanted) kept.set(key, bytes?.toString() ?? 'null');
      if (bytes === undefined) yield* cursor.skip();
    });
  else yield* cursor.skip();
  return Buffer.from(`{${[...kept].map(([key, value]) => `"${key}":${value}`).join()}}`);
}
