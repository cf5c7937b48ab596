// The connections and the time limit that requests have at the moment.

import { parseEndpoint } from './address.ts';
import type { Transport } from './proxied.ts';
import { proxyFor } from './proxy.ts';
import type { ServiceOptions, ServiceSettings } from './settings.ts';
import { createTransport, type Way } from './transport.ts';

/** What requests are made with at the moment. */
export class ServiceLink {
  readonly #injected: Transport | undefined;
  readonly #way: Way;
  #own: Transport | undefined;
  #settings: ServiceSettings;

  constructor({ transport, endpoint, proxies, ...settings }: ServiceOptions) {
    const { origin } = parseEndpoint(endpoint);
    this.#settings = settings;
    this.#injected = transport;
    this.#way = { origin, proxy: proxies && proxyFor(origin, proxies) };
  }

  get timeoutMs(): number {
    return this.#settings.timeoutMs;
  }

  get transport(): Transport {
    if (this.#injected !== undefined) return this.#injected;
    this.#own ??= createTransport(this.#settings.tls, this.#way);
    return this.#own;
  }

  /** Other TLS settings need other connections; the old ones are closed when their last answer is there. */
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
