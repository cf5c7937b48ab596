// Sends one request to the service and returns a validated answer or a ServiceError.
import type { IncomingHttpHeaders } from 'node:http';
import {
  type Category,
  type Failure,
  type RequestLine,
  ServiceError,
  withoutText,
} from '../../../wire/errors/errors.ts';
import { classify } from '../../../wire/errors/table.ts';
import { Unreadable } from '../json/cursor.ts';
import { parseEndpoint, templateOf } from './address.ts';
import { spellingsOf, withoutToken } from './answer.ts';
import { attemptWithToken, pathOf, type RequestAttempt } from './authenticated-request.ts';
import { type Exchanged, freeBody, maxRefusalBytes } from './exchange.ts';
import { knownSecrets } from './known-secrets.ts';
import type { ClientOptions, Outgoing } from './request.ts';

/**
 * Parses the body of a 2xx answer, which is freed afterwards. Throws Unreadable if the body does not match the interface. If a sink has
 * read the body, the reader gets only its beginning.
 */
export type Reader<T> = (body: Buffer) => T | Promise<T>;

export interface Client {
  /** Rejects with a ServiceError only. */
  request<T>(outgoing: Outgoing, read: Reader<T>): Promise<T>;
  /** The error of a request that is not sent. */
  unsent(outgoing: Outgoing, code: 'ABORTED' | 'NO_PERMIT'): ServiceError;
}

const single = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

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

const lineOf = (options: ClientOptions, outgoing: Outgoing): RequestLine => ({
  method: outgoing.method,
  path: pathOf(options, outgoing),
  // An upload names what does not exist yet.
  collection: outgoing.segments.length === 1 || outgoing.bytes !== undefined,
});

const hiding = ({ bytes }: Outgoing, error: ServiceError): ServiceError =>
  bytes?.secret === true ? withoutText(error) : error;

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
