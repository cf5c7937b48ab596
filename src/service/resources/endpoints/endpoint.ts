// The type of a route: method, path below the tenant, documentation and handler, with the request and answers of handlers.
import type { FastifyRequest } from 'fastify';
import type { Service } from '../service.ts';
import type { About } from './about.ts';

/** The part of a request that a handler gets. */
export interface Call {
  readonly tenant: string;
  /** The variable parts of the path below the tenant. Missing ones are empty. */
  readonly id: string;
  readonly version: string;
  readonly name: string;
  /** The body as JSON, or as text or bytes if the endpoint reads those. */
  readonly body: unknown;
  /** The parameters of the query. A repeated one has all its values. */
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** A long text. Each part of it is rendered when it is asked for, so that other requests are served in between. */
export interface Parts {
  readonly texts: Iterable<string>;
  /** About how many bytes of memory it takes while it is sent. */
  readonly heldBytes: number;
}

export interface Answer {
  readonly status: 200 | 202 | 204;
  readonly text: string;
  /** The same text in parts, if it is long. */
  readonly parts?: Parts;
  /** Sent instead of the text: uploaded bytes and their media type. */
  readonly file?: { readonly bytes: Uint8Array; readonly type: string };
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent instead of the text as it comes, with the media type. */
  readonly stream?: AsyncIterable<string>;
  readonly type?: string;
  /** The real answer, which takes a while. It can reject with a refusal. Its stream has to end soon after `gone` has aborted: its client has gone then. */
  readonly later?: (gone: AbortSignal) => Promise<Answer>;
}

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** The only version that has the route. When absent: all. */
  readonly version?: 'v1.1' | undefined;
  /** When absent: JSON. `text`: any media type except forms. `bytes`: any media type, and a form counts as empty. */
  readonly reads?: 'text' | 'bytes';
  readonly about: About;
  readonly handle: (service: Service, call: Call) => Answer;
}

export const ok = (text: string): Answer => ({ status: 200, text });
export const accepted = (text: string): Answer => ({ status: 202, text });
export const nothing: Answer = { status: 204, text: '' };

type Params = Readonly<Record<string, string | undefined>>;

export const paramsOf = (request: FastifyRequest): Params => request.params as Params;

/** The endpoint that a request was routed to. Undefined if there is none. */
export const endpointOf = (request: FastifyRequest): Endpoint | undefined =>
  (request.routeOptions.config as { readonly endpoint?: Endpoint }).endpoint;

/** The part of this request that a handler gets. */
export function callOf(request: FastifyRequest): Call {
  const { tenant = '', id = '', version = '', name = '' } = paramsOf(request);
  return { tenant, id, version, name, query: request.query as Call['query'], body: request.body };
}
