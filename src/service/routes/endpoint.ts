// One route as data: method, path below the tenant, and what answers; what it gets to see, and the answers there are.
import type { FastifyRequest } from 'fastify';
import type { Dialect } from '../../wire/dialect.ts';
import type { About } from '../openapi/about.ts';
import type { Service } from '../service.ts';

/** What a handler gets to see of a request. */
export interface Call {
  readonly tenant: string;
  /** The variable parts of the path below the tenant; missing ones are empty. */
  readonly id: string;
  readonly version: string;
  readonly name: string;
  /** The JSON of the body, or its text or bytes where the endpoint reads that. */
  readonly body: unknown;
  /** Parameters of the query; one that is repeated has all its values. */
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface Answer {
  readonly status: 200 | 202 | 204;
  readonly text: string;
  /** The same text where it is long: each part is made when it is asked for, so that others have their turn in between. */
  readonly parts?: readonly (() => string)[];
  /** Sent instead of the text: what somebody has uploaded, and what it is labelled as. */
  readonly file?: { readonly bytes: Uint8Array; readonly type: string };
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** The only version that has it; when absent, all have. */
  readonly version?: 'v1.1' | undefined;
  /** The only dialect that has it; when absent, all have. */
  readonly dialect?: Dialect | undefined;
  /** When absent: JSON. `text`: whatever was sent, of any type but a form. `bytes`: the same, and a form counts as empty. */
  readonly reads?: 'text' | 'bytes';
  readonly about: About;
  readonly handle: (service: Service, call: Call) => Answer;
}

export const ok = (text: string): Answer => ({ status: 200, text });
/** What the parts are made of must not change any more. One that is alone is sent in one piece. */
export function okInParts(parts: readonly (() => string)[]): Answer {
  const [first, ...others] = parts;
  if (others.length === 0) return ok(first?.() ?? '');
  return {
    status: 200,
    parts,
    get text() {
      return parts.map((make) => make()).join('');
    },
  };
}
export const accepted = (text: string): Answer => ({ status: 202, text });
export const nothing: Answer = { status: 204, text: '' };

type Params = Readonly<Record<string, string | undefined>>;

export const paramsOf = (request: FastifyRequest): Params => request.params as Params;

/** The endpoint that a request has been routed to; undefined where there is none. */
export const endpointOf = (request: FastifyRequest): Endpoint | undefined =>
  (request.routeOptions.config as { readonly endpoint?: Endpoint }).endpoint;

/** What a handler gets to see of this request. */
export function callOf(request: FastifyRequest): Call {
  const { tenant = '', id = '', version = '', name = '' } = paramsOf(request);
  return { tenant, id, version, name, query: request.query as Call['query'], body: request.body };
}
