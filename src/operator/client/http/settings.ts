// The settings of one service: what can change while it is in use, and what cannot.
import type { Clock } from '../../../lib/ports.ts';
import type { Dialect } from '../../../wire/dialect.ts';
import type { ServiceCredentials } from '../credentials.ts';
import type { Limits, PermitListener } from '../throttle/budget.ts';
import type { Transport } from './proxied.ts';
import type { Proxies } from './proxy.ts';
import type { RequestNote } from './request.ts';
import type { Tls } from './transport.ts';

/** What can change while the service is in use. */
export interface ServiceSettings {
  /** For each request, from its token to the last byte of its answer; reads wait as long for their permit before. */
  readonly timeoutMs: number;
  readonly limits: Limits;
  readonly tls?: Tls | undefined;
}

export interface ServiceOptions extends ServiceSettings {
  /** `{base_url}` of the interface. */
  readonly endpoint: string;
  readonly tenant: string;
  readonly dialect: Dialect;
  readonly credentials: ServiceCredentials;
  readonly clock: Clock;
  /** Answers with larger bodies are refused. Default 64 MiB. */
  readonly maxAnswerBytes?: number | undefined;
  /** Told of each finished request; must not throw. */
  readonly onRequest?: ((note: RequestNote) => void) | undefined;
  readonly onPermit?: PermitListener | undefined;
  /** Asked just before the first byte of each write; a no makes it an unsent one. Default: yes. */
  readonly mayWrite?: (() => boolean) | undefined;
  /** Default: none. */
  readonly proxies?: Proxies | undefined;
  /** For tests; it stays the caller's to close. Default: connections of its own, closed with the service. */
  readonly transport?: Transport | undefined;
}
