// A request to the service, and the options with which it is sent.
import type { Clock } from '../../../lib/ports.ts';
import type { Dialect } from '../../../wire/dialect.ts';
import type { Category, Method } from '../../../wire/errors/service-error.ts';
import type { Size } from '../json/extent.ts';
import type { ServiceCredentials } from '../service-credentials.ts';
import type { Sink } from './exchange.ts';
import type { Transport } from './service-transport.ts';

/** The bytes of a file. `secret`: no error may repeat a part of them. */
export interface Upload {
  readonly bytes: Buffer;
  readonly secret: boolean;
}

export interface OutgoingRequest {
  readonly method: Method;
  /** The path after the tenant, not yet encoded. */
  readonly segments: readonly [collection: string, ...below: string[]];
  /** In the neutral dialect. */
  readonly body?: unknown;
  /** In place of `body`: sent as they are. */
  readonly bytes?: Upload | undefined;
  /** For the answer of a LIST, which is read as it arrives. Each attempt opens a new sink. */
  readonly open?: ((token: string | undefined) => Sink) | undefined;
  /** The maximum size of the answer. Defaults to `largestPiece`. */
  readonly most?: Size | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whatever its method: the interface has a GET that cancels a run. */
  readonly isWrite?: true;
  /** Called just before the first byte of a write. If false, it is not sent. Defaults to true. */
  readonly isStillWanted?: (() => boolean) | undefined;
  /** Called before the request is handed to the connection. */
  readonly onSend?: (() => void) | undefined;
}

/** A finished request, for metrics. */
export interface RequestNote {
  readonly method: Method;
  /** The collection. */
  readonly route: string;
  /** The path after the tenant, with a placeholder for each identifier. */
  readonly template: string;
  readonly status: number | undefined;
  /** Undefined if the request succeeded. */
  readonly category: Category | undefined;
  /** Why the request failed. */
  readonly why?: string;
  /** Until the last byte of the answer. */
  readonly ms: number;
}

/** Read again for each request. */
export interface RequestLink {
  /** From the token to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly transport: Transport;
}

export interface ClientOptions {
  /** An http or https URL without user, query and fragment. It may have a path. */
  readonly endpoint: string;
  readonly tenant: string;
  readonly dialect: Dialect;
  readonly credentials: ServiceCredentials;
  readonly clock: Clock;
  readonly link: RequestLink;
  /** The maximum body of a LIST. */
  readonly maxAnswerBytes: number;
  /** Called after each request. Must not throw. */
  readonly onRequest?: ((note: RequestNote) => void) | undefined;
  /** Called just before the first byte of each write. If false, the write is not sent. Defaults to true. */
  readonly mayWrite?: (() => boolean) | undefined;
}
