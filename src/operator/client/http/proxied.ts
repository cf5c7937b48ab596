// Connections to a service through a proxy: a tunnel where the service speaks TLS, and plain forwarding where it does not.
import { isIP } from 'node:net';
import { Agent, buildConnector, type Dispatcher, Pool } from 'undici';
import { lookup } from './lookup.ts';
import type { Proxy } from './proxy.ts';

/** The proxy did not do its part: nothing has reached the service. Its message names the proxy, and no credentials. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code = 'PROXY';

  constructor(proxy: Proxy, why: string, cause?: unknown) {
    super(`${proxy.host} ${why}`, { cause });
  }
}

export function refusalOf(proxy: Proxy, status: number): ProxyError {
  const hint = status === 407 ? ': check the user and the password in the URL of the proxy' : '';
  return new ProxyError(proxy, `refuses to connect us to the service (${status})${hint}`);
}

/** What requests go out through; a Dispatcher of undici is one. */
export interface Transport {
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean;
  close(): Promise<void>;
  destroy(): Promise<void>;
  /** The proxy that sees requests and answers as they are, and may answer in the place of the service. */
  readonly forwarder?: Proxy;
}

export interface ProxiedOptions {
  readonly proxy: Proxy;
  /** Of the connections that requests use. */
  readonly connections: Agent.Options & Pool.Options;
  /** TLS between us and the service. */
  readonly tls: buildConnector.BuildOptions;
  readonly timeoutMs: number;
}

/** Makes connections to the proxy itself, whose certificate must be one that the system trusts. */
function connectorTo(proxy: Proxy, timeoutMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, keepAlive: true, allowH2: false, lookup });
  // The name in the certificate is that of the proxy, whatever the requests are for; an address is no such name.
  const { hostname } = new URL(proxy.origin);
  const servername = isIP(hostname) === 0 && !hostname.startsWith('[') ? hostname : '';
  return (options, callback) =>
    connect({ ...options, servername }, (...[error, socket]) => {
      if (error === null) callback(null, socket);
      else callback(new ProxyError(proxy, `cannot be reached (${codeOf(error)})`, error), null);
    });
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

const authorizationOf = ({ authorization }: Proxy): Record<string, string> =>
  authorization === undefined ? {} : { 'proxy-authorization': authorization };

/** For a service at http: the proxy gets the whole URL. */
export function forwardThrough({ proxy, connections, timeoutMs }: ProxiedOptions): Transport {
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

/** For a service at https: the proxy connects us, and sees no more than the host. */
export function tunnelThrough(options: ProxiedOptions): Transport {
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
