// One request to the service: address, tenant, token, time limit, and a checked answer or a ServiceError.
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../ports.ts';
import { apiPrefix, type Dialect, toWire } from '../wire/dialect.ts';
import { classify } from '../wire/error-table.ts';
import { type Category, type Failure, type Method, type RequestLine, ServiceError } from '../wire/errors.ts';
import { type Address, isSegment, joinPath, parseEndpoint } from './address.ts';
import { type Credentials, tokenWithin } from './credentials.ts';
import { type Exchanged, exchange, giveBack, maxRefusalBytes } from './exchange.ts';
import type { Transport } from './proxied.ts';
import { Unreadable, withoutToken } from './reading.ts';
import { templateOf } from './template.ts';

export interface Outgoing {
  readonly method: Method;
  /** The collection, for counting. */
  readonly route: string;
  /** The path after the tenant, not yet encoded. */
  readonly segments: readonly string[];
  /** In neutral words; it is sent in those of the dialect. */
  readonly body?: unknown;
  /** The answer holds a whole collection, and may be as long as that. */
  readonly long?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called when the request is handed to the connection: it is not sent earlier than this. */
  readonly onSend?: (() => void) | undefined;
}

/** One finished request, for metrics. */
export interface RequestNote {
  readonly method: Method;
  readonly route: string;
  /** The path after the tenant, with a placeholder for each identifier. */
  readonly template: string;
  readonly status: number | undefined;
  /** Undefined: it went well. */
  readonly category: Category | undefined;
  /** Until the last byte of the answer. */
  readonly ms: number;
}

/** What a request is sent with; asked anew for each of them. */
export interface Link {
  /** From the token to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly transport: Transport;
}

export interface ClientOptions {
  /** http or https, without user, query and fragment; it may have a path. */
  readonly endpoint: string;
  readonly tenant: string;
  readonly dialect: Dialect;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly link: Link;
  /** Of a whole collection; other answers are shorter. */
  readonly maxAnswerBytes: number;
  readonly onRequest?: ((note: RequestNote) => void) | undefined;
  /** Asked just before the first byte of each write; without it the answer is yes. */
  readonly mayWrite?: (() => boolean) | undefined;
}

/** Turns the body of a 2xx, which is gone afterwards, into a value; throws Unreadable when it is not what the interface says. */
export type Reader<T> = (body: Buffer) => T | Promise<T>;

export interface Client {
  /** Sends once. Rejects with a ServiceError and with nothing else. */
  request<T>(outgoing: Outgoing, read: Reader<T>): Promise<T>;
  /** The error of a request that is given up before it is sent; `code` is one of the adapter's own. */
  unsent(outgoing: Outgoing, code: 'ABORTED' | 'NO_PERMIT'): ServiceError;
}

const single = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

/** Of an answer that is about one object. */
const maxRowBytes = 8 * 1024 * 1024;

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

type Unsent = Failure & { readonly phase: 'unsent' };

/** The log-in has requests of its own; whatever became of them, ours was never sent. */
function noToken(error: unknown): Unsent {
  const inner = error instanceof ServiceError ? { category: error.category, text: error.why } : {};
  return { phase: 'unsent', code: 'NO_TOKEN', ...inner };
}

const isHeaderValue = (token: string): boolean => /^[\x21-\x7e]+$/.test(token);

/** A path of one segment is that of a collection. */
const lineOf = (options: ClientOptions, outgoing: Outgoing): RequestLine => ({
  method: outgoing.method,
  path: pathOf(options, outgoing),
  collection: outgoing.segments.length === 1,
});

const pathOf = ({ dialect, tenant }: ClientOptions, { segments }: Outgoing): string =>
  joinPath([apiPrefix(dialect), tenant, ...segments]);

interface Attempt {
  readonly exchanged: Exchanged;
  readonly token: string | undefined;
}

const unsent = (failure: Unsent): Attempt => ({ exchanged: failure, token: undefined });

/** Never rejects: what fails before the request is sent is an attempt, too. */
async function attempt(options: ClientOptions, outgoing: Outgoing, address: Address): Promise<Attempt> {
  const { method, body, signal, onSend } = outgoing;
  if (![options.tenant, ...outgoing.segments].every(isSegment)) return unsent({ phase: 'unsent', code: 'BAD_REQUEST' });
  let token: string | undefined;
  try {
    token = await tokenWithin(options.link.timeoutMs, options, signal);
  } catch (error) {
    return unsent(noToken(error));
  }
  if (token !== undefined && !isHeaderValue(token)) return unsent({ phase: 'unsent', code: 'BAD_TOKEN' });
  const headers = {
    accept: 'application/json',
    ...(token !== undefined && { 'x-auth-token': token }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(toWire(options.dialect, body)));
  const { clock, link, maxAnswerBytes, mayWrite } = options;
  const maxBytes = outgoing.long === true ? maxAnswerBytes : Math.min(maxAnswerBytes, maxRowBytes);
  onSend?.();
  const { origin, base } = address;
  const message = { origin, path: base + pathOf(options, outgoing), method, headers, body: bytes };
  const maySend = method === 'GET' ? undefined : mayWrite;
  const bounds = { clock, timeoutMs: link.timeoutMs, maxBytes, signal, maySend };
  return { exchanged: await exchange(link.transport, message, bounds), token };
}

async function readAnswer<T>(
  { exchanged, token }: Attempt,
  read: Reader<T>,
  fail: (problem?: string) => ServiceError,
): Promise<T> {
  if (exchanged.phase !== 'answered' || exchanged.status < 200 || exchanged.status > 299) throw fail();
  try {
    return await read(withoutToken(exchanged.body, token));
  } catch (error) {
    if (error instanceof Unreadable) throw fail(error.message);
    // What walks over the answer goes as deep as the answer does.
    if (error instanceof RangeError) throw fail('its body is nested too deeply');
    throw error;
  }
}

/** One for each service. Throws a TypeError when the endpoint is not fit; the connections stay the caller's to close. */
export function createClient(options: ClientOptions): Client {
  const address = parseEndpoint(options.endpoint);
  return {
    unsent: (outgoing, code) => classify(lineOf(options, outgoing), { phase: 'unsent', code }),
    async request(outgoing, read) {
      const { method, route, segments } = outgoing;
      const started = options.clock.monotonic();
      const attempted = await attempt(options, outgoing, address);
      const { exchanged, token } = attempted;
      const ms = options.clock.monotonic() - started;
      const status = exchanged.phase === 'answered' ? exchanged.status : undefined;
      if (status === 401 && token !== undefined) options.credentials.rejected(token);
      const secrets = [...(token === undefined ? [] : [token]), ...(options.link.transport.forwarder?.secrets ?? [])];
      const fail = (problem?: string) => classify(lineOf(options, outgoing), failureOf(exchanged, problem), secrets);
      const note = (category: Category | undefined) =>
        options.onRequest?.({ method, route, template: templateOf(segments), status, category, ms });
      try {
        const value = await readAnswer(attempted, read, fail);
        note(undefined);
        return value;
      } catch (error) {
        note(error instanceof ServiceError ? error.category : 'malformed');
        throw error;
      } finally {
        giveBack(exchanged);
      }
    },
  };
}
