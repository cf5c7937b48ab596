// Reads the outline of an object that is too large to be parsed as a whole, while its bytes come: what nobody asks for is passed over.
import { identifying, type Outline } from '../../../wire/outline.ts';
import { largestOutline } from '../limits.ts';
import { type AwaitedStructure, Cursor, colon, notJson } from './cursor.ts';
import { closeArray, closeObject, comma, openArray, openObject, quote, type Size } from './extent.ts';

/** A key, an id or a name that is longer is none that anybody asks for. */
const longestWord: Size = { bytes: 1_024, values: 1, depth: 0 };
const largestPart: Size = { bytes: 32_768, values: 1_000, depth: 16 };

/** JSON of one piece. Throws Unreadable. */
export function parsePiece(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw notJson();
  }
}

/** Runs `take` at each value of the object at which the cursor stands; a long key is undefined. */
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

/** What may still be kept; below zero: there was more. */
interface OutlineRoom {
  bytes: number;
  values: number;
}

const isSpent = ({ bytes, values }: OutlineRoom): boolean => bytes < 0 || values < 0;

export interface Outlined {
  /** JSON of an object. */
  readonly bytes: Buffer;
  readonly values: number;
  /** Only what identifies it is there: it has no outline, or one that is too large, too. */
  readonly identityOnly: boolean;
}

const identityRoom: OutlineRoom = { bytes: 16_384, values: 100 };
const identityOf: Outline = Object.fromEntries(identifying.map((key) => [key, 'word']));

/** Passes the value at which the cursor stands, whatever its size. */
export function* outline(cursor: Cursor, wanted: Outline | undefined): AwaitedStructure<Outlined> {
  const room = { ...largestOutline };
  // What identifies it has room of its own, and is read wherever it stands.
  const own = { ...identityRoom };
  const roomFor = (key: string): OutlineRoom => (Object.hasOwn(identityOf, key) ? own : room);
  const kept = (yield* object(cursor, wanted ?? identityOf, roomFor)) ?? new Map<string, string>();
  const identityOnly = wanted === undefined || isSpent(room);
  const told = identityOnly ? [...kept].filter(([key]) => Object.hasOwn(identityOf, key)) : [...kept];
  const values = identityOnly ? identifying.length : largestOutline.values - room.values;
  return { bytes: Buffer.from(textOf(told)), values, identityOnly };
}

const textOf = (kept: Iterable<readonly [string, string]>): string =>
  `{${[...kept].map(([key, value]) => `"${key}":${value}`).join()}}`;

/** Undefined: it is no object. The last one of a key counts, as it does for JSON.parse. */
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

/** What is no object in it is read as null, which no schema takes for one. */
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

/** The outline of what stands under `key` in a body; undefined: nothing does. Throws Unreadable. */
export function outlineIn(body: Buffer, key: string, wanted: Outline | undefined): Outlined | undefined {
  const cursor = new Cursor();
  cursor.append(body);
  cursor.end();
  let found: Outlined | undefined;
  const reading = members(cursor, function* (one): Generator<undefined, void> {
    if (one === key) found = yield* outline(cursor, wanted);
    else yield* cursor.skip();
  });
  // All bytes are there: it never waits.
  reading.next();
  return found;
}
