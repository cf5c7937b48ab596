// Opens the connections to one service.
import { Agent } from 'undici';
import { lookup } from './lookup.ts';
import { forwardThrough, type Transport, tunnelThrough } from './proxied.ts';
import type { Proxy } from './proxy.ts';

export interface Tls {
  /** PEM. Replaces the CAs of the system. */
  readonly ca?: string | undefined;
  /** Accepts any certificate. Insecure. */
  readonly insecureSkipVerify?: boolean | undefined;
}

export interface ProxyRoute {
  /** The origin of the service. */
  readonly origin: string;
  readonly proxy: Proxy | undefined;
}

const connectTimeoutMs = 10_000;

/**
 * A server may close an idle connection just when a request is written to it. A POST that is lost this way may have taken effect. Idle
 * connections are therefore closed after a second, before any server does. Bursts share connections; polls open new ones.
 */
const idleMs = 1_000;

/** HTTP/1.1 only: a dead HTTP/2 session would fail all requests. The exchange has the time limits. */
const connections = {
  allowH2: false,
  pipelining: 1,
  keepAliveTimeout: idleMs,
  keepAliveMaxTimeout: idleMs,
  headersTimeout: 0,
  bodyTimeout: 0,
} as const;

export function createTransport({ ca, insecureSkipVerify }: Tls = {}, route?: ProxyRoute): Transport {
  const tls = {
    timeout: connectTimeoutMs,
    keepAlive: true,
    lookup,
    ...(ca !== undefined && { ca }),
    ...(insecureSkipVerify === true && { rejectUnauthorized: false }),
  };
  if (route?.proxy === undefined) return new Agent({ ...connections, connect: tls });
  const through = route.origin.startsWith('https:') ? tunnelThrough : forwardThrough;
  return through({ proxy: route.proxy, connections, tls, timeoutMs: connectTimeoutMs });
}
