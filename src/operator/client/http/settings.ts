// The options of one service.
import type { Clock } from '../../../lib/ports.ts';
import type { Dialect } from '../../../wire/dialect.ts';
import type { ServiceCredentials } from '../credentials.ts';
import type { Limits, PermitListener } from '../throttle/budget.ts';
import type { Transport } from './proxied.ts';
import type { Proxies } from './proxy.ts';
import type { RequestNote } from './request.ts';
import type { Tls } from './transport.ts';

/** The options that can change while the service is in use. */
export interface ServiceSettings {
  /** For each request, from obtaining the token to the last byte of the answer. A read also waits at most this long for its permit. */
  readonly timeoutMs: number;
  readonly limits: Limits;
  readonly tls?: Tls | undefined;
}

export interface ServiceOptions extends ServiceSettings {
  readonly endpoint: string;
  readonly tenant: string;
  readonly dialect: Dialect;
  readonly credentials: ServiceCredentials;
  readonly clock: Clock;
  /** Larger answers are rejected. Defaults to 64 MiB. */
  readonly maxAnswerBytes?: number | undefined;
  /** Called after each request. Must not throw. */
  readonly onRequest?: ((note: RequestNote) => void) | undefined;
  readonly onPermit?: PermitListener | undefined;
  /** Called just before the first byte of each write. If false, the write is not sent. Defaults to true. */
  readonly mayWrite?: (() => boolean) | undefined;
  readonly proxies?: Proxies | undefined;
  /** For tests, which must close it. By default the service opens and closes its own connections. */
  readonly transport?: Transport | undefined;
}
