// Refusals (section 7), and how each dialect writes them.
import { STATUS_CODES } from 'node:http';
import type { Dialect } from '../../wire/dialect.ts';
import { type CauseKey, causes, type Origin } from './causes.ts';
import { isNoSpace } from './disk/space.ts';
import { fullMessage } from './disk/volume.ts';
import { NotStored } from './store/store.ts';

/** How many characters of a message are told: others may be waiting in memory until somebody reads them. */
const mostTold = 16 * 1024;
const told = (message: string): string =>
  message.length > mostTold ? `${message.slice(0, mostTold - 1).toWellFormed()}…` : message;

/** Thrown by checks and routes, and turned into an answer in one place. */
export class Refusal extends Error {
  readonly status: number;
  /** Upstream uses a number for some errors. */
  readonly errorName: string | number;
  readonly origin: Origin;
  /** Where to get a token. */
  readonly authUrl: string;

  constructor(
    [status, errorName]: readonly [status: number, errorName: string | number],
    message: string,
    origin: Origin = 'service',
    authUrl = 'identity',
  ) {
    super(told(message));
    this.status = status;
    this.errorName = errorName;
    this.origin = origin;
    this.authUrl = authUrl;
  }

  /** Status, name and origin are those of the cause. */
  static by(cause: CauseKey, message: string, authUrl?: string): Refusal {
    const { status, name, origin } = causes[cause];
    return new Refusal([status, name], message, origin, authUrl);
  }
}

/** The object in the path is missing. */
export const missing = (what: string, id: string) => Refusal.by('missing', `cannot find ${what} ${id}`);

export interface RenderedRefusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const json = { 'content-type': 'application/json' };
export const phraseOf = (status: number): string => STATUS_CODES[status] ?? 'Unknown';
/** `BAD_REQUEST` for 400. */
export const nameOf = (status: number): string =>
  phraseOf(status)
    .toUpperCase()
    .replaceAll(/[^A-Z]+/g, '_');
/** Upstream adds an error id to refusals of its own checks, but not to failures. */
const withId = (status: number, message: string, errorId: string): string =>
  status < 500 ? `${message}\nError ID: ${errorId}` : message;

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** An HTML page, like those of components that do not know the interface. */
function page(status: number, message: string): string {
  const title = `${status} ${phraseOf(status)}`;
  const text = message.replaceAll(/[&<>"]/g, (mark) => marks[mark] ?? mark);
  return `<html><head><title>${title}</title></head><body><h1>${title}</h1>${text}</body></html>\n`;
}

/** The answer of the service itself. */
const ownAnswer = (
  { status, errorName }: Refusal,
  error_message: string,
  headers: RenderedRefusal['headers'],
): RenderedRefusal => ({
  status,
  headers,
  body: JSON.stringify({ error_code: status, error_name: errorName, error_message }),
});

const challenge = ({ authUrl }: Refusal) => ({ 'www-authenticate': `Keystone uri="${authUrl}"` });

/** The answer of upstream, in the form of the refusing component. */
export function renderUpstream(refusal: Refusal, errorId: string): RenderedRefusal {
  const { status, message, origin } = refusal;
  switch (origin) {
    case 'service':
      return ownAnswer(refusal, withId(status, message, errorId), json);
    case 'framework':
      return { status, headers: json, body: JSON.stringify({ error: status, error_message: message }) };
    case 'identity': {
      const body = JSON.stringify({ error: { code: status, title: phraseOf(status), message } });
      return { status, headers: { ...json, ...challenge(refusal) }, body };
    }
    case 'tenant':
      return {
        status,
        headers: { 'content-type': 'text/plain; charset=UTF-8' },
        body: `${status} ${phraseOf(status)}\n\n${message}\n`,
      };
    case 'proxy':
      return { status, headers: { 'content-type': 'text/html' }, body: page(status, message) };
  }
}

/** The answer to a refused request. `errorId`: what upstream appends to its messages. */
export function renderRefusal(dialect: Dialect, refusal: Refusal, errorId: () => string): RenderedRefusal {
  if (dialect !== 'neutral') return renderUpstream(refusal, errorId());
  const headers = refusal.origin === 'identity' ? { ...json, ...challenge(refusal) } : json;
  return ownAnswer(refusal, refusal.message, headers);
}

/** Turns any error into a refusal. An unexpected error is a 500 that reveals nothing about the inside. */
export function toRefusal(error: Error): Refusal {
  if (error instanceof Refusal) return error;
  if ('code' in error && error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return Refusal.by('noType', 'cannot read body: Content-Type is not the name of a type');
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
  if (status === 413) return Refusal.by('tooLarge', 'cannot read body: it is too large');
  if (status < 500) return new Refusal([status, nameOf(status)], error.message, 'framework');
  const message = error instanceof NotStored ? error.message : 'Internal Server Error';
  // It passes, unlike what is wrong with the service itself.
  if (isNoSpace(error)) return Refusal.by('noRoom', error instanceof NotStored ? message : fullMessage);
  return new Refusal([500, 'INTERNAL_SERVER_ERROR'], message);
}
