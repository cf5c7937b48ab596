// The bundled service as one object that can be started and closed. Tests use it within their own process.
import type { FastifyInstance } from 'fastify';
import { usualLimits } from '../../lib/http/http-limits.ts';
import type { Log } from '../../lib/ports.ts';
import { type Gate, grantsGate, keystoneGate } from '../api/authentication/gate.ts';
import { validateAt } from '../api/authentication/validation.ts';
import { createApp, type HttpOptions } from '../api/http/http.ts';
import { type HostNames, isLoopback } from '../api/http/sites.ts';
import { assemble } from './assembly.ts';
import { type ServerOptions, usualCacheMs } from './options.ts';

export interface Server {
  readonly app: FastifyInstance;
  /** Base address without a trailing slash. Throws before `start`. */
  readonly url: string;
  /** Listens, resumes unfinished operations and resolves to the base address. Port 0 means any free port. */
  start(at?: { readonly port?: number; readonly host?: string }): Promise<string>;
  /**
   * Stops listening, answers the requests under way and waits, for a limited time, for calls of the provisioner and the engine. Unfinished operations and
   * runs are left as they are.
   */
  close(): Promise<void>;
}

/** How long an incomplete request can delay the end. */
const closingMs = 2000;
const silence: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Throws if tokens have to be validated by Keystone and there is none. */
function createGate(options: ServerOptions, own: () => string): Gate {
  const { clock, dialect = 'neutral', log = silence, grants = [], keystone, identity } = options;
  if (keystone === undefined) return grantsGate(grants, dialect);
  const { authUrl, cacheMs = usualCacheMs } = keystone;
  const validate = authUrl === undefined ? identity?.validate : validateAt(authUrl, clock);
  if (validate === undefined) throw new Error('cannot check tokens: there is neither an authUrl nor an identity');
  return keystoneGate({ validate, authUrl: () => authUrl ?? `${own()}/v3`, dialect, clock, log, cacheMs });
}

/** How callers authenticate. */
export const logInOf = ({ keystone, grants = [] }: Pick<ServerOptions, 'keystone' | 'grants'>): HttpOptions['logIn'] =>
  keystone === undefined ? (grants.length === 0 ? 'none' : 'tokens') : 'keystone';

/** Whether everybody who can reach the service can call it: without authentication, or with a documented password. */
function isOpen(options: ServerOptions): boolean {
  const { keystone, identity } = options;
  const isDemo = keystone?.authUrl === undefined && identity?.isDemo;
  return logInOf(options) === 'none' || (logInOf(options) === 'keystone' && isDemo === true);
}

/** With authentication, any name is allowed: a web page does not know a token, and the service does not know the name of its Ingress. */
const namesOf = (options: ServerOptions): HostNames => {
  const { allowedHosts: allowed = [] } = options;
  return { allowed, any: allowed.length === 0 && !isOpen(options) };
};

/** Throws if everybody in the network could call the service. */
function checkAddress(host: string, options: ServerOptions): void {
  if (isLoopback(host) || !isOpen(options)) return;
  const others = 'others can reach that address, and everybody may call';
  throw new Error(
    `cannot listen on ${host}: ${others}; ask for a --token, or for --auth keystone with an --auth-url, or listen on 127.0.0.1`,
  );
}

/** What the application gets where the options do not have it. */
const unset = {
  onRequest: () => {},
  latencyMs: 0,
  limits: usualLimits,
  identity: undefined,
  loopDelay: undefined,
  webPage: false,
};

export function createServer(options: ServerOptions): Server {
  const { clock, log = silence } = options;
  const service = assemble(options, log);
  const { lifecycle, executions, loads } = service;
  let url: string | undefined;
  let stopWatching: (() => void) | undefined;
  const gate = createGate(options, () => url ?? '');
  const [names, logIn] = [namesOf(options), logInOf(options)];
  const { hooks } = options;
  const interceptor = hooks && ((on: FastifyInstance) => hooks.mount(on, { service, log }));
  const app = createApp({ ...unset, ...options, service, gate, names, logIn, log, interceptor });
  return {
    app,
    get url() {
      if (url === undefined) throw new Error('cannot tell the address of the service: it is not started');
      return url;
    },
    async start({ port = 0, host = '127.0.0.1' } = {}) {
      checkAddress(host, options);
      url = await app.listen({ port, host });
      stopWatching = service.store.volume?.watch(clock);
      lifecycle.resume();
      executions.resume();
      return url;
    },
    async close() {
      stopWatching?.();
      loads.close();
      const ended = Promise.all([lifecycle.close(), executions.close()]);
      const cancel = clock.after(closingMs, () => app.server.closeAllConnections());
      await app.close();
      cancel();
      await ended;
    },
  };
}
