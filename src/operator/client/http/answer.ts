// Turns the body of a good answer into a checked value in neutral words, or says what is wrong with it.
import { type Dialect, fromWire } from '../../../wire/dialect.ts';
import { redact } from '../../../wire/errors/redaction.ts';
import { type Checked, type Collection, check, type RowOf } from '../../../wire/rows.ts';
import { exceeds, type Size, sizeOf } from '../json/extent.ts';
import { outlineIn, parsePiece } from '../json/outline.ts';
import { Unreadable } from '../json/unreadable.ts';
import { largestOutline, largestPiece, tooLargeText } from '../limits.ts';
import { knownSecrets, shortestSecret } from './known-secrets.ts';

/** As it is, and as JSON is written: with no more escapes than it takes, with those of PHP, and with those of Go. Most tokens have one only. */
export function spellingsOf(token: string | undefined): readonly string[] {
  if (token === undefined || token.length < shortestSecret) return [];
  const json = JSON.stringify(token).slice(1, -1);
  const forPages = json.replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
  return [...new Set([token, json, json.replaceAll('/', '\\/'), forPages])];
}

/** A service that echoes the token in a good answer must not bring it into a status. */
export function withoutToken(body: Buffer, spellings: readonly string[]): Buffer {
  const written = spellings.filter((text) => body.includes(text));
  return written.length === 0 ? body : Buffer.from(written.reduce(hide, body.toString()));
}

/** Where a service speaks in its own words. Names and identifiers must stay as they are, whatever they look like. */
const spoken = ['status', 'status_description', 'info'] as const;

/** A row of which nothing that is told holds a secret, in whatever spelling, also one that was exchanged since. */
export function withoutSecrets<Row extends object>(row: Row): Row {
  const said = Object.fromEntries(spoken.flatMap((key) => (key in row ? [[key, Reflect.get(row, key)]] : [])));
  const text = JSON.stringify(said);
  const secrets = knownSecrets.all();
  return redact(text, secrets) === text ? row : { ...row, ...(cleaned(said, secrets) as Partial<Row>) };
}

function cleaned(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return redact(value, secrets);
  if (Array.isArray(value)) return value.map((one) => cleaned(one, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [redact(key, secrets), cleaned(one, secrets)]));
}

const hide = (text: string, secret: string): string => text.replaceAll(secret, '***');

/** JSON of a whole body. Throws Unreadable. */
export function parseBody(body: Buffer, most: Size = largestPiece): unknown {
  if (body.byteLength === 0) throw new Unreadable('its body is empty');
  if (exceeds(sizeOf(body), most)) throw new Unreadable(`its body is ${tooLargeText(body.byteLength, most)}`);
  try {
    return JSON.parse(body.toString().replace(/^\uFEFF/, ''));
  } catch {
    throw new Unreadable('its body is not JSON');
  }
}

/** However deep: nobody walks over it. */
const unread: Size = { ...largestPiece, depth: Number.POSITIVE_INFINITY };

/** Nothing should be said; an object is no harm, but a page of HTML is of somebody else. Throws Unreadable. */
export function checkEmpty(body: Buffer): void {
  if (body.byteLength > 0 && typeof parseBody(body, unread) !== 'object') throw new Unreadable('it is no object');
}

/** What stands under `key` in the body (section 2), in neutral words. Throws Unreadable. */
export function unwrap(body: Buffer, key: string, dialect: Dialect, most?: Size): unknown {
  const json = parseBody(body, most);
  if (typeof json !== 'object' || json === null || !Object.hasOwn(json, key))
    throw new Unreadable(`it has no "${key}"`);
  return fromWire(dialect, Reflect.get(json, key));
}

/** The value of a check that went well. Throws Unreadable for the others. */
export function valueOf<Value>(checked: Checked<Value>): Value {
  if (!checked.fits) throw new Unreadable(checked.problem);
  return checked.value;
}

/** What stands under the key of a row, or its outline where it is too large. */
function unwrapRow({ single, outline }: Collection, dialect: Dialect, body: Buffer): unknown {
  if (outline === undefined || !exceeds(sizeOf(body), largestPiece)) return unwrap(body, single, dialect);
  const outlined = outlineIn(body, single, outline);
  if (outlined === undefined) throw new Unreadable(`it has no "${single}"`);
  if (outlined.identityOnly) throw new Unreadable(`it is ${tooLargeText(body.byteLength, largestOutline)}`);
  return fromWire(dialect, parsePiece(outlined.bytes));
}

/** The one row of an answer. Throws Unreadable. */
export function readRow<R extends Collection>(route: R, dialect: Dialect, body: Buffer): RowOf<R> {
  const row = valueOf(check(route.answer, unwrapRow(route, dialect, body), route.single)) as RowOf<R>;
  if (row.id === '') throw new Unreadable('its id is empty');
  return withoutSecrets(row);
}
