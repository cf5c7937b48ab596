// Reads the outline of an object that is too large to parse: the members in the outline are kept, all others are skipped.
import { identifying, type Outline } from '../../../wire/common.ts';
import { largestOutline } from '../limits.ts';
import { type AwaitedStructure, Cursor, colon, notJson } from './cursor.ts';
import { closeArray, closeObject, comma, openArray, openObject, quote, type Size } from './extent.ts';

/** The maximum of a key, an id or a name. */
const longestWord: Size = { bytes: 1_024, values: 1, depth: 0 };
const largestPart: Size = { bytes: 32_768, values: 1_000, depth: 16 };

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

/** The remaining size. Below zero, the outline is too large. */
interface OutlineRoom {
  bytes: number;
  values: number;
}

const isSpent = ({ bytes, values }: OutlineRoom): boolean => bytes < 0 || values < 0;

interface Outlined {
  /** A JSON object. */
  readonly bytes: Buffer;
  readonly values: number;
  /** Contains only the identifying members, because there is no outline or the outline is too large as well. */
  readonly identityOnly: boolean;
}

const identityRoom: OutlineRoom = { bytes: 16_384, values: 100 };
const identityOf: Outline = Object.fromEntries(identifying.map((key) => [key, 'word']));

/** Reads the outline of the next value, whatever its size. */
export function* outline(cursor: Cursor, wanted: Outline | undefined): AwaitedStructure<Outlined> {
  const room = { ...largestOutline };
  // The identifying members have room of their own, so they are kept even if they come last.
  const own = { ...identityRoom };
  const roomFor = (key: string): OutlineRoom => (Object.hasOwn(identityOf, key) ? own : room);
  const kept = (yield* object(cursor, wanted ?? identityOf, roomFor)) ?? new Map<string, string>();
  const identityOnly = wanted === undefined || isSpent(room);
  const shown = identityOnly ? [...kept].filter(([key]) => Object.hasOwn(identityOf, key)) : [...kept];
  const values = identityOnly ? identifying.length : largestOutline.values - room.values;
  return { bytes: Buffer.from(textOf(shown)), values, identityOnly };
}

const textOf = (kept: Iterable<readonly [string, string]>): string =>
  `{${[...kept].map(([key, value]) => `"${key}":${value}`).join()}}`;

/** Undefined if the value is not an object. The last of duplicate keys wins, as in JSON.parse. */
function* object(
  cursor: Cursor,
  wanted: Outline,
  roomFor: (key: string) => OutlineRoom,
): AwaitedStructure<Map<string, string> | undefined> {
  if ((yield* cursor.peek()) !== openObject) {
    yield* cursor.skip();
    return undefined;
  }
  const kept = new Map<string, string>();
  yield* members(cursor, function* (key = ''): Generator<undefined, void> {
    const one = Object.hasOwn(wanted, key) ? wanted[key] : undefined;
    if (one === undefined) yield* cursor.skip();
    else if (typeof one === 'object') kept.set(key, yield* list(cursor, one, roomFor(key)));
    else kept.set(key, yield* small(cursor, one === 'word' ? longestWord : largestPart, roomFor(key)));
  });
  return kept;
}

function* small(cursor: Cursor, most: Size, room: OutlineRoom): AwaitedStructure<string> {
  const bytes = yield* cursor.value(most);
  if (bytes === undefined) yield* cursor.skip();
  return keep(bytes?.toString() ?? 'null', bytes === undefined ? 1 : cursor.values, room);
}

function keep(text: string, values: number, room: OutlineRoom): string {
  room.bytes -= text.length;
  room.values -= values;
  return isSpent(room) ? 'null' : text;
}

/** An item that is not an object becomes null, which no schema accepts. */
function* list(
  cursor: Cursor,
  { each, most }: Exclude<Outline[string], string>,
  room: OutlineRoom,
): AwaitedStructure<string> {
  if ((yield* cursor.peek()) !== openArray) return yield* small(cursor, largestPart, room);
  yield* cursor.expect(openArray);
  const kept: string[] = [];
  if (yield* cursor.take(closeArray)) return '[]';
  do {
    if (kept.length >= most) room.values = -1;
    if (isSpent(room)) yield* cursor.skip();
    else {
      const one = yield* object(cursor, each, () => room);
      kept.push(keep(one === undefined ? 'null' : textOf(one), 1, room));
    }
  } while (yield* cursor.take(comma));
  yield* cursor.expect(closeArray);
  return `[${kept.join()}]`;
}

/** The outline of the value under `key`; undefined if the body has no such key. Throws Unreadable. */
export function outlineIn(body: Buffer, key: string, wanted: Outline | undefined): Outlined | undefined {
  const cursor = new Cursor();
  cursor.append(body);
  cursor.end();
  let found: Outlined | undefined;
  const reading = members(cursor, function* (one): Generator<undefined, void> {
    if (one === key) found = yield* outline(cursor, wanted);
    else yield* cursor.skip();
  });
  // The body is complete, so this never waits.
  reading.next();
  return found;
}
