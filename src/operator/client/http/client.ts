// Sends one request to the service, with its token, and returns a validated answer or a ServiceError. Repeats a read once with a new token
// after a 401.
import type { IncomingHttpHeaders } from 'node:http';
import { toWire } from '../../../wire/dialect.ts';
import {
  type Category,
  type Failure,
  type RequestLine,
  ServiceError,
  withoutText,
} from '../../../wire/errors/service-error.ts';
import { readErrorBody } from '../../../wire/errors/shapes.ts';
import { classify } from '../../../wire/errors/table.ts';
import { prefixOf } from '../../../wire/routes.ts';
import { Unreadable } from '../json/cursor.ts';
import { largestPiece, maxRequestBytes } from '../limits.ts';
import { tokenWithin } from '../service-credentials.ts';
import { type Address, isSegment, joinPath, parseEndpoint, templateOf } from './address.ts';
import { spellingsOf, withoutToken } from './answer.ts';
import { type Exchanged, exchange, freeBody, maxRefusalBytes } from './exchange.ts';
import { knownSecrets } from './known-secrets.ts';
import type { ClientOptions, OutgoingRequest } from './request.ts';

/**
 * Parses the body of a 2xx answer, which is freed afterwards. Throws Unreadable if the body does not match the interface. If a sink has
 * read the body, the reader gets only its beginning.
 */
export type Reader<T> = (body: Buffer) => T | Promise<T>;

export interface Client {
  /** Rejects with a ServiceError only. */
  request<T>(outgoing: OutgoingRequest, read: Reader<T>): Promise<T>;
  /** The error of a request that is not sent. */
  unsent(outgoing: OutgoingRequest, code: 'ABORTED' | 'NO_PERMIT'): ServiceError;
}

type Unsent = Failure & { readonly phase: 'unsent' };

/** However the login failed, the request itself was not sent. */
function noToken(error: unknown): Unsent {
  const inner = error instanceof ServiceError ? { category: error.category, text: error.why } : {};
  return { phase: 'unsent', code: 'NO_TOKEN', ...inner };
}

function isHeaderValue(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

function pathOf({ dialect, tenant }: ClientOptions, { segments }: OutgoingRequest): string {
  return joinPath([prefixOf(dialect, segments[0]), tenant, ...segments]);
}

interface RequestAttempt {
  readonly exchanged: Exchanged;
  readonly token: string | undefined;
}

function unsent(failure: Unsent): RequestAttempt {
  return { exchanged: failure, token: undefined };
}

function isJson(body: Buffer): boolean {
  return !['text', 'empty'].includes(readErrorBody(401, body.toString(), []).shape);
}

/**
 * The token middleware answers 401 with a header or in JSON. The tenant filter answers 401 in plain text, and a new token of the same
 * project would not help.
 */
function isAboutToken(exchanged: Exchanged): boolean {
  return (
    exchanged.phase === 'answered' &&
    exchanged.status === 401 &&
    (exchanged.headers['www-authenticate'] !== undefined || isJson(exchanged.body))
  );
}

function isRead({ method, isWrite }: OutgoingRequest): boolean {
  return method === 'GET' && isWrite !== true;
}

/** Never repeats a write: the caller decides what a failed write means. */
async function attemptWithToken(
  options: ClientOptions,
  outgoing: OutgoingRequest,
  address: Address,
): Promise<RequestAttempt> {
  const first = await attempt(options, outgoing, address);
  const { exchanged, token } = first;
  if (token === undefined || !isAboutToken(exchanged) || !options.credentials.rejected(token)) return first;
  if (!isRead(outgoing) || outgoing.signal?.aborted === true) return first;
  freeBody(exchanged);
  const second = await attempt(options, outgoing, address);
  if (second.exchanged.phase === 'answered' && second.exchanged.status === 401 && second.token !== undefined) {
    options.credentials.rejected(second.token);
  }
  return second;
}

/** What forbids a write, asked when the token and the connection are there, which may take as long as the time limit. */
function obstacleOf({ mayWrite }: ClientOptions, { isStillWanted }: OutgoingRequest): string | undefined {
  if (mayWrite?.() === false) return 'NOT_LEADING';
  return isStillWanted?.() === false ? 'OUTDATED' : undefined;
}

function bodyOf({ dialect }: ClientOptions, { body, bytes }: OutgoingRequest): Buffer | undefined {
  if (bytes !== undefined) return bytes.bytes;
  return body === undefined ? undefined : Buffer.from(JSON.stringify(toWire(dialect, body)));
}

/** Never rejects: a failure before the request is sent is a result as well. */
async function attempt(options: ClientOptions, outgoing: OutgoingRequest, address: Address): Promise<RequestAttempt> {
  const { method, signal, onSend, most = largestPiece } = outgoing;
  if (![options.tenant, ...outgoing.segments].every(isSegment)) return unsent({ phase: 'unsent', code: 'BAD_REQUEST' });
  const body = bodyOf(options, outgoing);
  if (body !== undefined && body.byteLength > maxRequestBytes)
    return unsent({ phase: 'unsent', code: 'UPLOAD_TOO_LARGE' });
  let token: string | undefined;
  try {
    token = await tokenWithin(options.link.timeoutMs, options, signal);
  } catch (error) {
    return unsent(noToken(error));
  }
  if (token !== undefined && !isHeaderValue(token)) return unsent({ phase: 'unsent', code: 'BAD_TOKEN' });
  if (token !== undefined) knownSecrets.note([token]);
  const headers = {
    accept: 'application/json',
    ...(token !== undefined && { 'x-auth-token': token }),
    ...(body !== undefined && { 'content-type': outgoing.bytes ? 'application/octet-stream' : 'application/json' }),
  };
  const { clock, link, maxAnswerBytes } = options;
  const sink = outgoing.open?.(token);
  const maxBytes = sink === undefined ? Math.min(maxAnswerBytes, most.bytes) : maxAnswerBytes;
  onSend?.();
  const { origin, base } = address;
  const message = { origin, path: base + pathOf(options, outgoing), method, headers, body };
  const obstacle = isRead(outgoing) ? undefined : () => obstacleOf(options, outgoing);
  const bounds = { clock, timeoutMs: link.timeoutMs, maxBytes, signal, obstacle, sink };
  return { exchanged: await exchange(link.transport, message, bounds), token };
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

function failureOf(exchanged: Exchanged, problem?: string): Failure {
  if (exchanged.phase !== 'answered') return exchanged;
  const { status, headers, body } = exchanged;
  const { 'retry-after': retryAfter, date, location }: IncomingHttpHeaders = headers;
  return {
    phase: 'answered',
    status,
    body: body.subarray(0, maxRefusalBytes).toString(),
    retryAfter: single(retryAfter),
    date,
    location,
    problem,
  };
}

function lineOf(options: ClientOptions, outgoing: OutgoingRequest): RequestLine {
  return {
    method: outgoing.method,
    path: pathOf(options, outgoing),
    // An upload names what does not exist yet.
    collection: outgoing.segments.length === 1 || outgoing.bytes !== undefined,
  };
}

function hiding({ bytes }: OutgoingRequest, error: ServiceError): ServiceError {
  return bytes?.secret === true ? withoutText(error) : error;
}

async function readAnswer<T>(
  { exchanged, token }: RequestAttempt,
  read: Reader<T>,
  fail: (problem?: string) => ServiceError,
): Promise<T> {
  if (exchanged.phase !== 'answered' || exchanged.status < 200 || exchanged.status > 299) throw fail();
  try {
    return await read(withoutToken(exchanged.body, spellingsOf(token)));
  } catch (error) {
    if (error instanceof Unreadable) throw fail(error.message);
    if (error instanceof RangeError) throw fail('its body is nested too deeply');
    throw error;
  }
}

/** Throws a TypeError if the endpoint is invalid. The caller closes the connections. */
export function createClient(options: ClientOptions): Client {
  const address = parseEndpoint(options.endpoint);
  return {
    unsent: (outgoing, code) => classify(lineOf(options, outgoing), { phase: 'unsent', code }),
    async request(outgoing, read) {
      const { method, segments } = outgoing;
      const started = options.clock.monotonic();
      const attempted = await attemptWithToken(options, outgoing, address);
      const { exchanged, token } = attempted;
      const ms = options.clock.monotonic() - started;
      const status = exchanged.phase === 'answered' ? exchanged.status : undefined;
      const { secrets: ofProxy = [] } = options.link.transport.forwarder ?? {};
      const secrets = knownSecrets.and([...(token === undefined ? [] : [token]), ...ofProxy]);
      const fail = (problem?: string) =>
        hiding(outgoing, classify(lineOf(options, outgoing), failureOf(exchanged, problem), secrets));
      const note = (category: Category | undefined, why?: string) =>
        options.onRequest?.({
          method,
          route: segments[0],
          template: templateOf(segments),
          status,
          category,
          ...(why !== undefined && { why }),
          ms,
        });
      try {
        const value = await readAnswer(attempted, read, fail);
        note(undefined);
        return value;
      } catch (error) {
        if (error instanceof ServiceError) note(error.category, error.why);
        else note('malformed');
        throw error;
      } finally {
        freeBody(exchanged);
      }
    },
  };
}
