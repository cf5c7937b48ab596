// Parses and validates the body of a successful answer, in the neutral dialect.
import { type Dialect, fromWire } from '../../../wire/dialect.ts';
import { redact } from '../../../wire/errors/redaction.ts';
import { type Checked, type Collection, check, type RowOf } from '../../../wire/routes.ts';
import { Unreadable } from '../json/cursor.ts';
import { exceeds, type Size, sizeOf } from '../json/extent.ts';
import { largestPiece, mostOf, tooLargeText } from '../limits.ts';
import { knownSecrets, shortestSecret } from './known-secrets.ts';

/** The token as plain text and as JSON, escaped minimally, as PHP does and as Go does. Most tokens have only one spelling. */
export function spellingsOf(token: string | undefined): readonly string[] {
  if (token === undefined || token.length < shortestSecret) return [];
  const json = JSON.stringify(token).slice(1, -1);
  const forPages = json.replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
  return [...new Set([token, json, json.replaceAll('/', '\\/'), forPages])];
}

/** Prevents a service that echoes the token from bringing it into a status. */
export function withoutToken(body: Buffer, spellings: readonly string[]): Buffer {
  const written = spellings.filter((text) => body.includes(text));
  return written.length === 0
    ? body
    : Buffer.from(written.reduce((text, secret) => text.replaceAll(secret, '***'), body.toString()));
}

/** Fields with free text of the service. Names and identifiers are never redacted. */
const freeText = ['status', 'status_description', 'info'] as const;

/** Redacts all known secrets from the free text of a row. */
export function withoutSecrets<Row extends object>(row: Row): Row {
  const texts = Object.fromEntries(freeText.flatMap((key) => (key in row ? [[key, Reflect.get(row, key)]] : [])));
  const text = JSON.stringify(texts);
  const secrets = knownSecrets.all();
  return redact(text, secrets) === text ? row : { ...row, ...(redacted(texts, secrets) as Partial<Row>) };
}

function redacted(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return redact(value, secrets);
  if (Array.isArray(value)) return value.map((one) => redacted(one, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [redact(key, secrets), redacted(one, secrets)]));
}

/** Throws Unreadable. */
export function parseBody(body: Buffer, most: Size = largestPiece): unknown {
  if (body.byteLength === 0) throw new Unreadable('its body is empty');
  if (exceeds(sizeOf(body), most)) throw new Unreadable(`its body is ${tooLargeText(body.byteLength, most)}`);
  try {
    return JSON.parse(body.toString().replace(/^\uFEFF/, ''));
  } catch {
    throw new Unreadable('its body is not JSON');
  }
}

/** Any depth, because the value is not used. */
const unusedBody: Size = { ...largestPiece, values: 3 * largestPiece.values, depth: Number.POSITIVE_INFINITY };

/** The body should be empty. A JSON object is accepted, but HTML comes from something else than the service. Throws Unreadable. */
export function checkEmpty(body: Buffer): void {
  if (body.byteLength > 0 && typeof parseBody(body, unusedBody) !== 'object')
    throw new Unreadable('it is not an object');
}

/** The value under `key` of the body, in the neutral dialect. Throws Unreadable. */
export function unwrap(body: Buffer, key: string, dialect: Dialect, most?: Size): unknown {
  const json = parseBody(body, most);
  if (typeof json !== 'object' || json === null || !Object.hasOwn(json, key))
    throw new Unreadable(`it has no "${key}"`);
  return fromWire(dialect, Reflect.get(json, key));
}

/** Whether the answer has this member, and it is true. Throws Unreadable if the answer is no JSON. */
export function isSet(body: Buffer, key: string): boolean {
  const json = parseBody(body);
  return typeof json === 'object' && json !== null && Object.hasOwn(json, key) && Reflect.get(json, key) === true;
}

/** Throws Unreadable if the check failed. */
export function valueOf<Value>(checked: Checked<Value>): Value {
  if (!checked.fits) throw new Unreadable(checked.problem);
  return checked.value;
}

/** The one row of an answer. Throws Unreadable. */
export function readRow<R extends Collection>(route: R, dialect: Dialect, body: Buffer): RowOf<R> {
  const row = valueOf(
    check(route.answer, unwrap(body, route.single, dialect, mostOf(route)), route.single),
  ) as RowOf<R>;
  if (row.id === '') throw new Unreadable('its id is empty');
  return withoutSecrets(row);
}
