// One route as data: method, path below the tenant, and what answers; what it gets to see, and the answers there are.
import type { FastifyRequest } from 'fastify';
import type { Service } from './service.ts';

/** What a handler gets to see of a request. */
export interface Call {
  readonly tenant: string;
  /** The variable parts of the path below the tenant; missing ones are empty. */
  readonly id: string;
  readonly version: string;
  readonly name: string;
  /** The JSON of the body, or its text where the endpoint reads that. */
  readonly body: unknown;
  /** Parameters of the query; one that is repeated has all its values. */
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface Answer {
  readonly status: 200 | 202 | 204;
  readonly text: string;
}

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** When absent: JSON. `text`: whatever was sent, of any type but a form. */
  readonly reads?: 'text';
  readonly handle: (service: Service, call: Call) => Answer;
}

export const ok = (text: string): Answer => ({ status: 200, text });
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
