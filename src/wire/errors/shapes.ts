// Reads the bodies of refused requests: their form, and their text without parts that change between attempts.
import { isRecord } from '../common.ts';
import { redact, withoutCredentials } from './redaction.ts';

/**
 * The origin of a body. own: the three attributes of section 7, with `error_code` equal to the status. framework: the HTTP framework of the service,
 * for unknown paths and methods. identity: the token middleware. other: other JSON. text: not JSON, or the JSON that a web library writes in place of
 * a page.
 */
type Shape = 'own' | 'framework' | 'identity' | 'other' | 'text' | 'empty';

export interface ErrorBody {
  readonly shape: Shape;
  /** `error_name` as text, of the own shape only. Real services sometimes write an integer. */
  readonly errorName?: string;
  /** One line of at most 500 characters for users. */
  readonly text: string;
}

const maxBody = 8192;
const maxText = 500;

type Json = Readonly<Record<string, unknown>>;
type Clean = (text: string) => string;

/** The body as JSON. Undefined if it is not JSON, which is an answer like any other. */
export const parseJson = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

const plainText = (body: string): string => {
  if (!/^\s*</.test(body)) return body;
  return body.slice(Math.max(body.search(/<body\b/i), 0)).replace(/<[^<>]*>/g, ' ');
};

// Error and request ids differ between attempts, so in a status or an event each of them would look like a change.
const changing = [
  /\(?\b(?:error|request)[ _-]?id\s*[:=]\s*[\w-]+\)?\.?/gi,
  /\breq-[0-9a-f]{8}[0-9a-f-]*/gi,
  /\bid\s+[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\s+of this request\b/gi,
];

/**
 * One line of at most 500 characters, without secrets, error ids, request ids, control characters and markup. Secrets are removed first, because they
 * are not recognizable after cleaning or truncation, and last, because cleaning can join the parts of one. Texts of successful answers contain no
 * secrets: they were removed when the answer was read.
 */
export const cleanText = (text: string, secrets: readonly string[]): string => {
  const safe = redact(text.slice(0, 2 * maxBody), secrets).slice(0, maxBody);
  const stable = changing.reduce((rest, pattern) => rest.replace(pattern, ''), withoutCredentials(plainText(safe)));
  const lines = stable.split(/[\r\n]/).map((line) => line.replace(/[\p{Cc}\p{Zs}\p{Cf}]+/gu, ' ').trim());
  const line = lines
    .filter((part) => part !== '')
    .join('; ')
    .toWellFormed();
  return cutText(redact(line, secrets), maxText);
};

const longestWord = 255;

/** One word or name of the service for a status, without control characters and credentials, of bounded length. */
export function cleanWord<Text extends string | undefined>(text: Text): Text | string;
export function cleanWord(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const word = text.slice(0, maxBody).replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cf}]+/gu, ' ');
  return cutText(withoutCredentials(word.toWellFormed()), longestWord);
}

/** A foreign text as part of our own sentence, without its final period. */
export const quotable = (text: string): string => text.replace(/(?<=[^.])\.$/, '');

/** The target of a redirect without its query, which can contain anything. */
export const redirectTarget = (location: string | undefined, secrets: readonly string[]): string => {
  if (location === undefined) return 'another address';
  return cleanText(redact(location, secrets).replace(/[?#].*/s, ''), secrets);
};

/** At most `limit` characters, with a final ellipsis if something was removed. Never cuts within a character. */
export const cutText = (text: string, limit: number): string =>
  text.length > limit ? `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : text;

const readOwn = (json: Json, status: number, clean: Clean): ErrorBody | undefined => {
  const { error_code: code, error_name: name, error_message: message } = json;
  const named = typeof name === 'string' || typeof name === 'number';
  if (code !== status || !named || typeof message !== 'string') return undefined;
  return { shape: 'own', errorName: clean(String(name)), text: clean(message) };
};

const readForeign = (json: Json, clean: Clean): ErrorBody | undefined => {
  const { error, error_message: message } = json;
  if (typeof error === 'number' && typeof message === 'string') return { shape: 'framework', text: clean(message) };
  if (isRecord(error) && typeof error['message'] === 'string') {
    return { shape: 'identity', text: clean(error['message']) };
  }
  const { code, title, message: text } = json;
  if (typeof code === 'string' && typeof title === 'string' && typeof text === 'string' && /^\d{3} /.test(code))
    // As the beginning of an HTML page, so that its markup is removed.
    return { shape: 'text', text: clean(`<p>${code} ${text}`) };
  return undefined;
};

/** Reads the body of an answer with this status. No text in the result contains one of `secrets`. Never throws, whatever the body is. */
export const readErrorBody = (status: number, body: string, secrets: readonly string[]): ErrorBody => {
  if (body.trim() === '') return { shape: 'empty', text: '' };
  const clean: Clean = (text) => cleanText(text, secrets);
  const json = parseJson(body);
  if (json === undefined) return { shape: 'text', text: clean(body) };
  if (!isRecord(json)) return { shape: 'other', text: clean(typeof json === 'string' ? json : body) };
  return readOwn(json, status, clean) ?? readForeign(json, clean) ?? { shape: 'other', text: clean(body) };
};
