// Reads the bodies of refused requests: whose shape each one has, and its text without what changes from one try to the next.

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

/** One line of at most 500 characters, without error ids, request ids, control characters and markup. */
export function cleanText(text: string): string {
  const stable = changing.reduce((rest, pattern) => rest.replace(pattern, ''), plainText(text.slice(0, maxBody)));
  const lines = stable.split(/[\r\n]+/).map((line) => line.replace(/[\p{Cc}\p{Zs}\p{Cf}]+/gu, ' ').trim());
  const line = lines
    .filter((part) => part !== '')
    .join('; ')
    .toWellFormed();
  return cutText(line, maxText);
}

/** At most `limit` characters, an ellipsis last where something is missing; never cut within a character. */
export function cutText(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
}

function readOwn(json: Json, status: number): ErrorBody | undefined {
  const { error_code: code, error_name: name, error_message: message } = json;
  const named = typeof name === 'string' || typeof name === 'number';
  if (code !== status || !named || typeof message !== 'string') return undefined;
  return { shape: 'own', errorName: cleanText(String(name)), text: cleanText(message) };
}

function readForeign(json: Json): ErrorBody | undefined {
  const { error, error_message: message } = json;
  if (typeof error === 'number' && typeof message === 'string') return { shape: 'framework', text: cleanText(message) };
  if (isObject(error) && typeof error['message'] === 'string') {
    return { shape: 'identity', text: cleanText(error['message']) };
  }
  const { code, title, message: told } = json;
  if (typeof code === 'string' && typeof title === 'string' && typeof told === 'string' && /^\d{3} /.test(code))
    return { shape: 'text', text: cleanText(`${code} ${told}`.replace(/<[^<>]*>/g, ' ')) };
  return undefined;
}

/** Reads the body of an answer whose status is `status`. Never throws, whatever the body is. */
export function readErrorBody(status: number, body: string): ErrorBody {
  if (body.trim() === '') return { shape: 'empty', text: '' };
  const json = parseJson(body);
  if (json === undefined) return { shape: 'text', text: cleanText(body) };
  if (!isObject(json)) return { shape: 'other', text: cleanText(typeof json === 'string' ? json : body) };
  return readOwn(json, status) ?? readForeign(json) ?? { shape: 'other', text: cleanText(body) };
}

/** Puts `***` where one of the secrets, or a long beginning of it, stands: a server may echo what it was sent. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => {
    if (secret === '') return rest;
    const encoded = encodeURIComponent(secret.toWellFormed());
    const whole = rest.replaceAll(secret, '***').replaceAll(encoded, '***');
    return secret.length < 24 ? whole : redactBeginning(whole, secret.slice(0, 12));
  }, text);
}

function redactBeginning(text: string, beginning: string): string {
  const [first = '', ...others] = text.split(beginning);
  return [first, ...others.map((rest) => rest.replace(/^\S*/, ''))].join('***');
}
