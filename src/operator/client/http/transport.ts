// The connections to one service.
import { Agent } from 'undici';
import { lookup } from './lookup.ts';
import { forwardThrough, type Transport, tunnelThrough } from './proxied.ts';
import type { Proxy } from './proxy.ts';

export interface Tls {
  /** PEM; replaces the roots that the system trusts. */
  readonly ca?: string | undefined;
  /** Any certificate will do: only for tests and for services whose owner accepts the danger. */
  readonly insecureSkipVerify?: boolean | undefined;
}

export interface Way {
  /** That of the service. */
  readonly origin: string;
  readonly proxy: Proxy | undefined;
}

const connectTimeoutMs = 10_000;

/**
 * A server may close an idle connection in the very moment in which we write to it, and a POST that is lost so counts as
 * possibly done. Idle connections are therefore dropped after a second, well before any server tires of them: bursts share
 * connections, polls open new ones.
 */
const idleMs = 1_000;

/** HTTP/1.1 only: one dead HTTP/2 session would take every request with it. Time limits are those of the exchange. */
const connections = {
  allowH2: false,
  pipelining: 1,
  keepAliveTimeout: idleMs,
  keepAliveMaxTimeout: idleMs,
  headersTimeout: 0,
  bodyTimeout: 0,
} as const;

export function createTransport({ ca, insecureSkipVerify }: Tls = {}, way?: Way): Transport {
  const tls = {
    timeout: connectTimeoutMs,
    keepAlive: true,
    lookup,
    ...(ca !== undefined && { ca }),
    ...(insecureSkipVerify === true && { rejectUnauthorized: false }),
  };
  if (way?.proxy === undefined) return new Agent({ ...connections, connect: tls });
  const through = way.origin.startsWith('https:') ? tunnelThrough : forwardThrough;
  return through({ proxy: way.proxy, connections, tls, timeoutMs: connectTimeoutMs });
}
