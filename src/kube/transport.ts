// Requests to the API server over one shared pool of HTTP/1.1 connections; no retries here.
import type { Clock } from '../ports.ts';
import type { ClusterConfig } from './config.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Call {
  readonly method: Method;
  readonly path: string;
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Of the body; `application/json` without it. */
  readonly contentType?: string;
  readonly signal?: AbortSignal;
  /** From the start to the last byte of the answer; 30 000 without it. */
  readonly timeoutMs?: number;
}

export interface StreamCall {
  readonly path: string;
  readonly query?: Query;
  readonly signal: AbortSignal;
  /** The stream fails when this many ms pass without a byte. */
  readonly idleMs: number;
}

/** One finished request, for metrics; `status` is 0 when there was no answer. */
export interface RequestReport {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';
  readonly resource: string;
  readonly status: number;
  readonly ms: number;
}

export interface TransportOptions {
  readonly config: ClusterConfig;
  readonly clock: Clock;
  readonly onRequest?: (report: RequestReport) => void;
}

export interface Transport {
  /** The parsed answer. Rejects with an ApiError (a StoreError) for everything else. */
  request(call: Call): Promise<unknown>;
  /** Resolves when the answer has begun; then one parsed value a line. A clean end ends the iteration, all else throws ApiError. */
  stream(call: StreamCall): Promise<AsyncIterable<unknown>>;
  /** Closes every connection, those in use too. */
  close(): Promise<void>;
}
