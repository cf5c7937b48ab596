// The current connections and time limit of a service.

import { parseEndpoint } from './address.ts';
import type { Transport } from './proxied.ts';
import { proxyFor } from './proxy.ts';
import type { ServiceOptions, ServiceSettings } from './settings.ts';
import { createTransport, type ProxyRoute } from './transport.ts';

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
