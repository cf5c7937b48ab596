// Reads the bodies of refused requests: whose shape each one has, and its text without what changes from one try to the next.
import { redact } from './redaction.ts';

/**
 * Who wrote the body. own: the three attributes of section 7, `error_code` equal to the status. framework: the service's HTTP
 * framework, for paths and methods it does not know. identity: the middleware that checks tokens. other: other JSON. text: no JSON, or
 * what a web library writes in place of a page for who takes JSON only.
 */
export type Shape = 'own' | 'framework' | 'identity' | 'other' | 'text' | 'empty';

export interface ErrorBody {
  readonly shape: Shape;
  /** `error_name` as text; real services write an integer there at times. */
  readonly errorName?: string;
  /** For people: one line, at most 500 characters. */
  readonly text: string;
}

const maxBody = 8192;
const maxText = 500;

type Json = Readonly<Record<string, unknown>>;
type Clean = (text: string) => string;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The body as JSON; undefined when it is none. A body that holds no JSON is an answer like any other, not a failure. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function plainText(body: string): string {
  if (!/^\s*</.test(body)) return body;
  const start = body.search(/<body\b/i);
  return (start < 0 ? body : body.slice(start)).replace(/<[^<>]*>/g, ' ');
}

// Error and request ids are new for each try; in a status or an event each of them would look like a change.
const changing = [
  /\(?\b(?:error|request)[ _-]?id\s*[:=]\s*[\w-]+\)?\.?/gi,
  /\breq-[0-9a-f]{8}[0-9a-f-]*/gi,
  /\bid\s+[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\s+of this request\b/gi,
];

// Services report the command that failed, or the address that it was to reach, with the credentials in it.
const credentials: readonly (readonly [RegExp, string])[] = [
  [/\b([a-z][a-z\d+.-]{0,30}:\/\/)[^\s/?#@]{1,512}@/gi, '$1***@'],
  [
    /((?:password|passwd|passphrase|passwort|secret|(?:secret|access|api|private)[_ -]?key|token)["']?\s{0,4}[=:]\s{0,4})("[^"]*"?|'[^']*'?|[^\s,;&"')\]}]+)/gi,
    '$1***',
  ],
];

function withoutCredentials(text: string): string {
  return credentials.reduce((rest, [pattern, shown]) => rest.replace(pattern, shown), text);
}

/**
 * One line of at most 500 characters, without secrets, error ids, request ids, control characters and markup. Secrets go first: once
 * a text was cleaned or cut nobody would know them again. And they go last, for what only cleaning joins. The texts of good answers
 * have none: they went when the answer was read.
 */
export function cleanText(text: string, secrets: readonly string[]): string {
  const safe = redact(text.slice(0, 2 * maxBody), secrets).slice(0, maxBody);
  const stable = changing.reduce((rest, pattern) => rest.replace(pattern, ''), withoutCredentials(plainText(safe)));
  const lines = stable.split(/[\r\n]+/).map((line) => line.replace(/[\p{Cc}\p{Zs}\p{Cf}]+/gu, ' ').trim());
  const line = lines
    .filter((part) => part !== '')
    .join('; ')
    .toWellFormed();
  return cutText(redact(line, secrets), maxText);
}

const longestWord = 255;

/** One word or name of the service for a status: no control characters, no credentials, of bounded length. */
export function cleanWord<Text extends string | undefined>(text: Text): Text | string;
export function cleanWord(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const word = text.slice(0, maxBody).replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cf}]+/gu, ' ');
  return cutText(withoutCredentials(word.toWellFormed()), longestWord);
}

/** The text of somebody else as a part of a sentence of ours, which goes on or ends by itself. */
export function quotable(text: string): string {
  return text.replace(/(?<=[^.])\.$/, '');
}

/** Where a redirect leads, without the query, which may hold anything. */
export function redirectTarget(location: string | undefined, secrets: readonly string[]): string {
  if (location === undefined) return 'another address';
  return cleanText(redact(location, secrets).replace(/[?#].*$/s, ''), secrets);
}

/** At most `limit` characters, an ellipsis last where something is missing; never cut within a character. */
export function cutText(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
}

function readOwn(json: Json, status: number, clean: Clean): ErrorBody | undefined {
  const { error_code: code, error_name: name, error_message: message } = json;
  const named = typeof name === 'string' || typeof name === 'number';
  if (code !== status || !named || typeof message !== 'string') return undefined;
  return { shape: 'own', errorName: clean(String(name)), text: clean(message) };
}

function readForeign(json: Json, clean: Clean): ErrorBody | undefined {
  const { error, error_message: message } = json;
  if (typeof error === 'number' && typeof message === 'string') return { shape: 'framework', text: clean(message) };
  if (isObject(error) && typeof error['message'] === 'string') {
    return { shape: 'identity', text: clean(error['message']) };
  }
  const { code, title, message: told } = json;
  if (typeof code === 'string' && typeof title === 'string' && typeof told === 'string' && /^\d{3} /.test(code))
    // As the beginning of a page, so that the markup in it goes.
    return { shape: 'text', text: clean(`<p>${code} ${told}`) };
  return undefined;
}

/** Reads the body of an answer whose status is `status`; no text of it has one of `secrets`. Never throws, whatever the body is. */
export function readErrorBody(status: number, body: string, secrets: readonly string[]): ErrorBody {
  if (body.trim() === '') return { shape: 'empty', text: '' };
  const clean: Clean = (text) => cleanText(text, secrets);
  const json = parseJson(body);
  if (json === undefined) return { shape: 'text', text: clean(body) };
  if (!isObject(json)) return { shape: 'other', text: clean(typeof json === 'string' ? json : body) };
  return readOwn(json, status, clean) ?? readForeign(json, clean) ?? { shape: 'other', text: clean(body) };
}
