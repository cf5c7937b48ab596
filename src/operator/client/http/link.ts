// The options of one service, and its current connections and time limit.
import type { Clock } from '../../../lib/ports.ts';
import type { Dialect } from '../../../wire/dialect.ts';
import type { ServiceCredentials } from '../credentials.ts';
import type { Limits, PermitListener } from '../throttle/budget.ts';
import { parseEndpoint } from './address.ts';
import type { Transport } from './proxied.ts';
import { type Proxies, proxyFor } from './proxy.ts';
import type { RequestNote } from './request.ts';
import { createTransport, type ProxyRoute, type Tls } from './transport.ts';

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

export class ServiceLink {
  readonly #injected: Transport | undefined;
  readonly #route: ProxyRoute;
  #own: Transport | undefined;
  #settings: ServiceSettings;

  constructor({ transport, endpoint, proxies, ...settings }: ServiceOptions) {
    const { origin } = parseEndpoint(endpoint);
    this.#settings = settings;
    this.#injected = transport;
    this.#route = { origin, proxy: proxies && proxyFor(origin, proxies) };
  }

  get timeoutMs(): number {
    return this.#settings.timeoutMs;
  }

  get transport(): Transport {
    if (this.#injected !== undefined) return this.#injected;
    this.#own ??= createTransport(this.#settings.tls, this.#route);
    return this.#own;
  }

  /** New TLS settings need new connections. The old ones are closed after their last answer. */
  configure(settings: ServiceSettings): void {
    const { tls } = this.#settings;
    this.#settings = settings;
    if (tls?.ca === settings.tls?.ca && tls?.insecureSkipVerify === settings.tls?.insecureSkipVerify) return;
    this.#own?.close().catch(() => undefined);
    this.#own = undefined;
  }

  async close(): Promise<void> {
    await this.#own?.destroy();
  }
}
