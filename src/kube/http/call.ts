// Requests to the API server, as data.
import { targetOf } from '../target.ts';

export type ApiMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type ApiQuery = Readonly<Record<string, string | number | boolean | undefined>>;

export interface ApiCall {
  readonly method: ApiMethod;
  readonly path: string;
  readonly query?: ApiQuery;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Defaults to `application/json`. */
  readonly contentType?: string;
  /** For what the API server passes on, such as the proxy of a Service does. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** From the start to the last byte of the answer, and for one that is opened, between two of its bytes. Defaults to 30 000. */
  readonly timeoutMs?: number;
}

export interface StreamCall {
  readonly path: string;
  readonly query?: ApiQuery;
  readonly signal: AbortSignal;
  /** The stream fails after this many ms without a byte. */
  readonly idleMs: number;
}

/** A finished request, for metrics. `status` is 0 without an answer. */
export interface RequestReport {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';
  readonly resource: string;
  readonly status: number;
  readonly ms: number;
}

export function queryText(query: ApiQuery | undefined): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, `${value}`]],
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

export function verbOf({ method, path }: Pick<ApiCall, 'method' | 'path'>): RequestReport['verb'] {
  switch (method) {
    case 'GET':
      return targetOf(path).name === undefined ? 'list' : 'get';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return 'delete';
  }
}
