// The bundled service as one object: put together, started on a port, closed again. Usable inside a test's process.
import type { FastifyInstance } from 'fastify';
import type { Clock, Log, Random } from '../ports.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { Grant } from './authentication.ts';
import type { Catalog } from './catalog.ts';
import { createApp } from './http.ts';
import type { Injector } from './injector.ts';
import { createLaggingStore } from './lagging-store.ts';
import { Lifecycle } from './lifecycle.ts';
import { bundledPlugins } from './plugins.ts';
import { createSimulatedProvisioner, type Provisioner } from './provisioner.ts';
import { createMemoryStore, type Store } from './store.ts';

export interface ServerOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** When absent: `neutral`. */
  readonly dialect?: Dialect;
  /** When absent: nothing is logged. */
  readonly log?: Log;
  /** When absent: a new one in memory. The server does not close it. */
  readonly store?: Store;
  /** When absent: machines are simulated. */
  readonly provisioner?: Provisioner;
  /** When absent or empty: no authentication. */
  readonly grants?: readonly Grant[];
  /** What differs from the bundled catalog. */
  readonly catalog?: Partial<Catalog>;
  /** How long clusters stay in each status, in ms: one number for all, or by status. When absent: 0. */
  readonly stageMs?: number | ((status: string) => number);
  /** How much longer each answer takes, in ms. When absent: 0. */
  readonly latencyMs?: number;
  /** Holds the personality; when absent, the service behaves. */
  readonly injector?: Injector | undefined;
  /** Called after each answer, with the path as routed (no `.json`) and its query. */
  readonly onRequest?: (method: string, path: string, status: number) => void;
}

export interface Server {
  readonly app: FastifyInstance;
  /** Base address without a trailing slash. Throws before `start`. */
  readonly url: string;
  /** Goes on with unfinished operations, listens, and resolves to the base address. Port 0: any free one. */
  start(at?: { readonly port?: number; readonly host?: string }): Promise<string>;
  /** Stops listening, answers what is under way, and leaves unfinished operations of clusters as they are. */
  close(): Promise<void>;
}

/** How long a request that is not yet complete may hold up the end. */
const closingMs = 2000;
const silence: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** A server that is not started yet. */
export function createServer(options: ServerOptions): Server {
  const { clock, random, dialect = 'neutral', log = silence, stageMs = 0, injector } = options;
  const {
    store: records = createMemoryStore(),
    provisioner = createSimulatedProvisioner(random),
    onRequest = () => {},
    grants = [],
    latencyMs = 0,
  } = options;
  const catalog = { plugins: bundledPlugins, flavors: undefined, images: undefined, quota: 10_000, ...options.catalog };
  const duration = typeof stageMs === 'number' ? () => stageMs : stageMs;
  const store = injector === undefined ? records : createLaggingStore(records, injector, clock);
  const machinery = { dialect, store, clock, random, log };
  const lifecycle = new Lifecycle({ ...machinery, provisioner, stageMs: duration, habits: injector });
  const service = { dialect, catalog, store, lifecycle, clock, random, texts: new WeakMap<object, string>() };
  const app = createApp({ service, grants, log, onRequest, latencyMs, injector });
  let url: string | undefined;
  return {
    app,
    get url() {
      if (url === undefined) throw new Error('cannot tell the address of the service: it is not started');
      return url;
    },
    async start({ port = 0, host = '127.0.0.1' } = {}) {
      url = await app.listen({ port, host });
      lifecycle.resume();
      return url;
    },
    async close() {
      lifecycle.close();
      const cancel = clock.after(closingMs, () => app.server.closeAllConnections());
      await app.close();
      cancel();
    },
  };
}
