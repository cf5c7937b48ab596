// What a request to the service consists of, and what it is sent with.

import type { Clock } from '../../../lib/ports.ts';
import type { Dialect } from '../../../wire/dialect.ts';
import type { Category, Method } from '../../../wire/errors/errors.ts';
import type { ServiceCredentials } from '../credentials.ts';
import type { Size } from '../json/extent.ts';
import type { Transport } from './proxied.ts';
import type { Sink } from './sink.ts';

export interface Outgoing {
  readonly method: Method;
  /** The collection, for counting. */
  readonly route: string;
  /** The path after the tenant, not yet encoded. */
  readonly segments: readonly string[];
  /** In neutral words; it is sent in those of the dialect. */
  readonly body?: unknown;
  /** Sent as they are, in the place of a body. */
  readonly bytes?: Uint8Array;
  /** The answer holds a whole collection, and may be as long as that: each attempt opens a sink that reads it as it comes. */
  readonly open?: ((token: string | undefined) => Sink) | undefined;
  /** The answer is no JSON: its bytes are read as they came. */
  readonly raw?: boolean;
  /** How large the answer may be; `largestPiece` where it is missing. */
  readonly most?: Size | undefined;
  /** It changes something although it is a GET. */
  readonly effect?: boolean;
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
  /** What was wrong, for people; missing: it went well. */
  readonly why?: string;
  /** Until the last byte of the answer. */
  readonly ms: number;
}

/** What a request is sent with; asked anew for each of them. */
export interface RequestLink {
  /** From the token to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly transport: Transport;
}

export interface ClientOptions {
  /** http or https, without user, query and fragment; it may have a path. */
  readonly endpoint: string;
  readonly tenant: string;
  readonly dialect: Dialect;
  readonly credentials: ServiceCredentials;
  readonly clock: Clock;
  readonly link: RequestLink;
  /** Of a whole collection; other answers are shorter. */
  readonly maxAnswerBytes: number;
  readonly onRequest?: ((note: RequestNote) => void) | undefined;
  /** Asked just before the first byte of each write; without it the answer is yes. */
  readonly mayWrite?: (() => boolean) | undefined;
}
