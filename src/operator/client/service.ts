// One service as the operator uses it: its inventory, its budget and its requests.
import type { Clock } from '../../lib/ports.ts';
import type { Cluster, ClusterScale } from '../../wire/cluster.ts';
import type { Dialect } from '../../wire/dialect.ts';
import type { Image, ImageRegister, ImageTags } from '../../wire/image.ts';
import type { Plugin } from '../../wire/plugin.ts';
import { type Collection, type RowOf, routes } from '../../wire/routes.ts';
import {
  type CollectionWrite,
  deleteRow,
  getRow,
  listPlugins,
  type Requests,
  readsOf,
  writeRow,
} from './collection.ts';
import type { ServiceCredentials } from './credentials.ts';
import { parseEndpoint } from './http/address.ts';
import { createClient } from './http/client.ts';
import { type Proxies, proxyFor } from './http/proxy.ts';
import type { RequestNote } from './http/request.ts';
import { createTransport, type ProxyRoute, type Tls, type Transport } from './http/transport.ts';
import type { Limits } from './limits.ts';
import { Inventory } from './list/inventory.ts';
import { Budget, type Permit, type PermitListener } from './throttle/budget.ts';

interface Writes {
  /** POST, with a body in the neutral dialect. Rejects if the answer has no row with an id. */
  create<R extends Collection>(route: R, body: unknown, permit: Permit): Promise<RowOf<R>>;
  /** DELETE. */
  remove(route: Collection, id: string, permit: Permit): Promise<void>;
  scaleCluster(id: string, body: ClusterScale, permit: Permit): Promise<Cluster>;
  /** Registers an image, or changes its registration. */
  registerImage(id: string, body: ImageRegister, permit: Permit): Promise<Image>;
  tagImage(id: string, body: ImageTags, permit: Permit): Promise<Image>;
  untagImage(id: string, body: ImageTags, permit: Permit): Promise<Image>;
}

function writesOf(requests: Requests, inventory: Inventory): Writes {
  const write = async <R extends Collection>(route: R, writing: CollectionWrite): Promise<RowOf<R>> => {
    try {
      const row = await writeRow(requests, route, writing);
      inventory.entered(route, row);
      return row;
    } finally {
      inventory.ended();
    }
  };
  const { images, clusters } = routes;
  const postImage = (id: string, verbs: readonly string[], message: Pick<CollectionWrite, 'body' | 'permit'>) =>
    write(images, { method: 'POST', segments: [images.path, id, ...verbs], id, ...message });
  return {
    create: (route, body, permit) => write(route, { method: 'POST', segments: [route.path], body, permit }),
    async remove(route, id, permit) {
      try {
        await deleteRow(requests, route, { id, permit });
        inventory.removed(route, id);
      } finally {
        inventory.ended();
      }
    },
    scaleCluster: (id, body, permit) =>
      write(clusters, { method: 'PUT', segments: [clusters.path, id], id, body, permit }),
    registerImage: (id, body, permit) => postImage(id, [], { body, permit }),
    tagImage: (id, body, permit) => postImage(id, ['tag'], { body, permit }),
    untagImage: (id, body, permit) => postImage(id, ['untag'], { body, permit }),
  };
}

/** The options that can change while the service is in use. */
interface ServiceSettings {
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

class ServiceLink {
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

/**
 * A read takes its permit itself and waits for it. A write uses a permit that the caller takes before and releases afterwards. No write is
 * ever sent twice. Everything rejects with a ServiceError only. Answers to writes enter the inventory.
 */
export interface Service extends Writes {
  readonly dialect: Dialect;
  readonly inventory: Inventory;
  readonly budget: Budget;
  /** GET of one row. Rejects on a 404. */
  get<R extends Collection>(route: R, id: string, signal?: AbortSignal): Promise<RowOf<R>>;
  plugins(signal?: AbortSignal): Promise<readonly Plugin[]>;
  /** Applies to new requests; requests in flight are not affected. */
  configure(settings: ServiceSettings): void;
  /** Ends requests in flight and closes the connections. */
  close(): Promise<void>;
}

const defaultMaxAnswerBytes = 64 * 1024 * 1024;

/** Sends nothing by itself. Throws a TypeError for an invalid endpoint, a RangeError for limits of 0. */
export function createService(options: ServiceOptions): Service {
  const { endpoint, tenant, dialect, credentials, clock, onRequest, mayWrite } = options;
  const { maxAnswerBytes = defaultMaxAnswerBytes } = options;
  const link = new ServiceLink(options);
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
    get: (route, id, signal) => getRow(requests, route, { id, signal }),
    plugins: (signal) => listPlugins(requests, signal),
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
