// One service as the rest of the operator sees it: its inventory, its budget and the requests of the interface.
import type { Clock } from '../ports.ts';
import type { Cluster, ClusterScale } from '../wire/cluster.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { Image, ImageRegister, ImageTags } from '../wire/image.ts';
import { type Plugin, type PluginDetail, pluginDetail } from '../wire/plugin.ts';
import { routes } from '../wire/routes.ts';
import { type Collection, check, type RowOf } from '../wire/rows.ts';
import { parseEndpoint } from './address.ts';
import { Budget, type Limits, type Permit, type PermitListener } from './budget.ts';
import { createClient, type RequestNote } from './client.ts';
import { deleteRow, getRow, type Requests, readsOf, sendRead, writeRow } from './collection.ts';
import type { Credentials } from './credentials.ts';
import { Inventory } from './inventory.ts';
import type { Transport } from './proxied.ts';
import { type Proxies, proxyFor } from './proxy.ts';
import { unwrap, valueOf } from './reading.ts';
import { createTransport, type Tls, type Way } from './transport.ts';

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
  readonly credentials: Credentials;
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

/**
 * Reads take their permits themselves and wait for them; a write is sent with a permit that the caller took before, and does not
 * release it. Nothing is ever sent twice. Everything rejects with a ServiceError only. Answers to writes enter the inventory.
 */
export interface Service {
  readonly dialect: Dialect;
  readonly inventory: Inventory;
  readonly budget: Budget;
  /** POST; the body in neutral words. Resolves with the row only when the answer has one with an id. */
  create<R extends Collection>(route: R, body: unknown, permit: Permit): Promise<RowOf<R>>;
  /** DELETE. */
  remove(route: Collection, id: string, permit: Permit): Promise<void>;
  /** GET of one row; a 404 rejects. */
  get<R extends Collection>(route: R, id: string, signal?: AbortSignal): Promise<RowOf<R>>;
  /** PUT (section 4.5). */
  scaleCluster(id: string, body: ClusterScale, permit: Permit): Promise<Cluster>;
  /** POST of section 4.2: registers, or changes the registration. */
  registerImage(id: string, body: ImageRegister, permit: Permit): Promise<Image>;
  tagImage(id: string, body: ImageTags, permit: Permit): Promise<Image>;
  untagImage(id: string, body: ImageTags, permit: Permit): Promise<Image>;
  plugins(signal?: AbortSignal): Promise<readonly Plugin[]>;
  plugin(name: string, version: string, signal?: AbortSignal): Promise<PluginDetail>;
  /** Counts for requests from now on; those under way end as they began. */
  configure(settings: ServiceSettings): void;
  /** Ends what is under way and closes the connections. */
  close(): Promise<void>;
}

const defaultMaxAnswerBytes = 64 * 1024 * 1024;

type Writes = Pick<Service, 'create' | 'remove' | 'scaleCluster' | 'registerImage' | 'tagImage' | 'untagImage'>;

function writesOf(requests: Requests, inventory: Inventory): Writes {
  const write = async <R extends Collection>(route: R, writing: Parameters<typeof writeRow>[2]): Promise<RowOf<R>> => {
    try {
      const row = await writeRow(requests, route, writing);
      inventory.entered(route, row);
      return row;
    } finally {
      inventory.ended();
    }
  };
  const postImage = (segments: readonly string[], body: unknown, permit: Permit) =>
    write(routes.images, { method: 'POST', segments, body, permit });
  return {
    create: (route, body, permit) => write(route, { method: 'POST', segments: [], body, permit }),
    async remove(route, id, permit) {
      try {
        await deleteRow(requests, route, { id, permit });
        inventory.removed(route, id);
      } finally {
        inventory.ended();
      }
    },
    scaleCluster: (id, body, permit) => write(routes.clusters, { method: 'PUT', segments: [id], body, permit }),
    registerImage: (id, body, permit) => postImage([id], body, permit),
    tagImage: (id, body, permit) => postImage([id, 'tag'], body, permit),
    untagImage: (id, body, permit) => postImage([id, 'untag'], body, permit),
  };
}

type Catalogue = Pick<Service, 'plugins' | 'plugin'>;

/** Section 4.1. */
function catalogueOf(requests: Requests): Catalogue {
  const { dialect } = requests;
  const { path, plural, single, answer } = routes.plugins;
  const line = { method: 'GET', route: path } as const;
  const readAll = (body: Buffer) => valueOf(check(answer.array(), unwrap(body, plural, dialect), plural));
  const readOne = (body: Buffer) => valueOf(check(pluginDetail, unwrap(body, single, dialect), single));
  return {
    plugins: (signal) => sendRead(requests, { ...line, segments: [path], signal }, readAll),
    plugin: (name, version, signal) => {
      const segments = [path, name, version];
      return sendRead(requests, { ...line, segments, signal }, readOne);
    },
  };
}

/** What requests are made with at the moment. */
class Link {
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

/** Throws a TypeError when the endpoint is no fit address, a RangeError for limits of 0. Sends nothing by itself. */
export function createService(options: ServiceOptions): Service {
  const { endpoint, tenant, dialect, credentials, clock, onRequest, mayWrite } = options;
  const { maxAnswerBytes = defaultMaxAnswerBytes } = options;
  const link = new Link(options);
  const where = { endpoint, tenant, dialect, credentials };
  const client = createClient({ ...where, clock, link, maxAnswerBytes, onRequest, mayWrite });
  const budget = new Budget(options.limits, clock, options.onPermit);
  const requests: Requests = { client, budget, dialect, link };
  const inventory = new Inventory(readsOf(requests), clock);
  return {
    dialect,
    inventory,
    budget,
    ...writesOf(requests, inventory),
    ...catalogueOf(requests),
    get: (route, id, signal) => getRow(requests, route, { id, signal }),
    configure(settings) {
      budget.configure(settings.limits);
      link.configure(settings);
    },
    async close() {
      budget.close();
      await link.close();
    },
  };
}
