// Connections to one service: direct, through a CONNECT tunnel (https), or forwarded by a proxy (http).
import { isIP } from 'node:net';
import { Agent, buildConnector, type Dispatcher, Pool } from 'undici';
import { codeOf } from '../../../lib/errors.ts';
import { lookup } from './lookup.ts';
import type { Proxy } from './proxy.ts';

/** The proxy failed, so nothing has reached the service. The message names the proxy but no credentials. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code = 'PROXY';

  constructor(proxy: Proxy, why: string, cause?: unknown) {
    super(`${proxy.host} ${why}`, { cause });
  }
}

export function refusalOf(proxy: Proxy, status: number): ProxyError {
  const hint = status === 407 ? ': check user and password in the URL of the proxy' : '';
  return new ProxyError(proxy, `refuses the connection to the service (${status})${hint}`);
}

/** A part of undici's Dispatcher. */
export interface Transport {
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean;
  close(): Promise<void>;
  destroy(): Promise<void>;
  /** A forwarding proxy, which may answer in place of the service. */
  readonly forwarder?: Proxy;
}

interface ProxiedOptions {
  readonly proxy: Proxy;
  readonly connections: Agent.Options & Pool.Options;
  /** TLS to the service. */
  readonly tls: buildConnector.BuildOptions;
  readonly timeoutMs: number;
}

/** Connects to the proxy itself. The system must trust its certificate. */
function connectorTo(proxy: Proxy, timeoutMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, keepAlive: true, allowH2: false, lookup });
  // SNI must be the name of the proxy, not of the service. It must be empty for an IP address.
  const { hostname } = new URL(proxy.origin);
  const servername = isIP(hostname) === 0 && !hostname.startsWith('[') ? hostname : '';
  return (options, callback) =>
    connect({ ...options, servername }, (...[error, socket]) => {
      if (error === null) callback(null, socket);
      else callback(new ProxyError(proxy, `cannot be reached (${codeOf(error)})`, error), null);
    });
}

function authorizationOf({ authorization }: Proxy): Record<string, string> {
  return authorization === undefined ? {} : { 'proxy-authorization': authorization };
}

/** For an http service. The proxy receives the whole URL. */
function forwardThrough({ proxy, connections, timeoutMs }: ProxiedOptions): Transport {
  const pool = new Pool(proxy.origin, { ...connections, connect: connectorTo(proxy, timeoutMs) });
  return {
    forwarder: proxy,
    dispatch({ origin = '', path, headers, ...rest }, handler) {
      const { host } = new URL(origin);
      const sent = { ...(headers as Record<string, string>), host, ...authorizationOf(proxy) };
      return pool.dispatch({ ...rest, origin: proxy.origin, path: `${String(origin)}${path}`, headers: sent }, handler);
    },
    close: () => pool.close(),
    destroy: () => pool.destroy(),
  };
}

/** For an https service. The proxy sees only the host. */
function tunnelThrough(options: ProxiedOptions): Transport {
  const { proxy, connections, tls, timeoutMs } = options;
  const pool = new Pool(proxy.origin, { connect: connectorTo(proxy, timeoutMs), headersTimeout: timeoutMs });
  const secure = buildConnector({ ...tls, allowH2: false });
  const agent = new Agent({
    ...connections,
    connect: (target, callback) => {
      const host = isIP(target.hostname) === 6 ? `[${target.hostname}]` : target.hostname;
      const path = `${host}:${target.port || '443'}`;
      const headers = { host: path, ...authorizationOf(proxy) };
      pool.connect({ path, headers }, (error: Error | null, data) => {
        if (error !== null) callback(brokenBy(proxy, error), null);
        else if (data.statusCode >= 200 && data.statusCode < 300)
          secure({ ...target, httpSocket: data.socket as NonNullable<typeof target.httpSocket> }, callback);
        else {
          data.socket.on('error', () => undefined).destroy();
          callback(refusalOf(proxy, data.statusCode), null);
        }
      });
    },
  });
  const both = async (end: (one: Agent | Pool) => Promise<void>): Promise<void> => {
    await end(agent);
    await end(pool);
  };
  return {
    dispatch: (sent, handler) => agent.dispatch(sent, handler),
    close: () => both((one) => one.close()),
    destroy: () => both((one) => one.destroy()),
  };
}

function brokenBy(proxy: Proxy, error: Error): Error {
  return error instanceof ProxyError ? error : new ProxyError(proxy, `broke the connection (${codeOf(error)})`, error);
}

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
