// One service as the operator uses it: its inventory, its budget and its requests.
import type { Cluster, ClusterScale } from '../../wire/cluster.ts';
import type { Dialect } from '../../wire/dialect.ts';
import type { Image, ImageRegister, ImageTags } from '../../wire/image.ts';
import type { JobExecute, JobExecution } from '../../wire/jobs.ts';
import type { Plugin } from '../../wire/plugin.ts';
import { type Collection, type RowOf, routes } from '../../wire/routes.ts';
import { getObject, getRow, listPlugins, type Requests, readsOf, rowReader, send } from './collection.ts';
import { parseEndpoint } from './http/address.ts';
import { checkEmpty } from './http/answer.ts';
import { createClient, type Reader } from './http/client.ts';
import { knownSecrets } from './http/known-secrets.ts';
import { type Proxies, proxyFor } from './http/proxy.ts';
import type { ClientOptions, OutgoingRequest, Upload } from './http/request.ts';
import { createTransport, type ProxyRoute, type Tls, type Transport } from './http/service-transport.ts';
import { type Ceiling, mostOf } from './limits.ts';
import { Inventory } from './list/inventory.ts';
import { AdaptiveBudget, type BudgetListeners } from './throttle/adaptive-budget.ts';
import type { Budget, Permit } from './throttle/budget.ts';
import { Starts } from './throttle/starts.ts';

interface Writes {
  /** POST, with a body in the neutral dialect. Rejects if the answer has no row with an id. `secrets`: texts of the body that no error may repeat. */
  create<R extends Collection>(route: R, body: unknown, permit: Permit, secrets?: readonly string[]): Promise<RowOf<R>>;
  /** PUT of the bytes of a file under a new name. */
  upload(name: string, upload: Upload, permit: Permit): Promise<RowOf<typeof routes.jobBinaryInternals>>;
  /** DELETE. */
  remove(route: Collection, id: string, permit: Permit): Promise<void>;
  scaleCluster(id: string, body: ClusterScale, permit: Permit): Promise<Cluster>;
  /** Starts a run of the job. Every request starts another one. */
  execute(job: string, body: JobExecute, permit: Permit): Promise<JobExecution>;
  /** A GET with an effect, as the interface has it. */
  cancelExecution(id: string, permit: Permit): Promise<JobExecution>;
  /** Registers an image, or changes its registration. */
  registerImage(id: string, body: ImageRegister, permit: Permit): Promise<Image>;
  tagImage(id: string, body: ImageTags, permit: Permit): Promise<Image>;
  untagImage(id: string, body: ImageTags, permit: Permit): Promise<Image>;
}

/** In bytes. Every foreign text is searched for each secret that is remembered. */
const longestRemembered = 1024;

/** A longer file is more likely to be repeated in part, which nobody could recognize. */
function noted(upload: Upload): Upload {
  const { secret, bytes } = upload;
  if (secret && bytes.length <= longestRemembered) knownSecrets.note([bytes.toString().trim()]);
  return upload;
}

type RowWrite = Pick<OutgoingRequest, 'method' | 'segments' | 'body' | 'bytes'> & {
  /** The expected id of the row in the answer. */
  readonly id?: string;
  readonly permit: Permit;
};

type Permitted = OutgoingRequest & { readonly permit: Permit };

function writerOf(requests: Requests, inventory: Inventory) {
  return async <T>(message: Permitted, read: Reader<T>, enter: (answer: T) => void): Promise<T> => {
    const { permit, ...outgoing } = message;
    const { signal, isStillWanted } = permit;
    try {
      const answer = await send(requests, { ...outgoing, isWrite: true, signal, isStillWanted }, read);
      enter(answer);
      return answer;
    } finally {
      inventory.ended();
    }
  };
}

function writesOf(requests: Requests, inventory: Inventory): Writes {
  const write = writerOf(requests, inventory);
  const writeRow = <R extends Collection>(route: R, { id, ...message }: RowWrite) =>
    write({ ...message, most: mostOf(route) }, rowReader(route, requests.dialect, id), (row) =>
      inventory.noteWritten(route, row),
    );
  const { images, clusters, jobs, jobExecutions, jobBinaryInternals: files } = routes;
  const postImage =
    (...verbs: readonly string[]) =>
    (id: string, body: unknown, permit: Permit) =>
      writeRow(images, { method: 'POST', segments: [images.path, id, ...verbs], id, body, permit });
  return {
    create(route, body, permit, secrets = []) {
      knownSecrets.note(secrets);
      return writeRow(route, { method: 'POST', segments: [route.path], body, permit });
    },
    upload: (name, bytes, permit) =>
      writeRow(files, { method: 'PUT', segments: [files.path, name], bytes: noted(bytes), permit }),
    remove: (route, id, permit) =>
      write({ method: 'DELETE', segments: [route.path, id], permit }, checkEmpty, () => inventory.forget(route, id)),
    scaleCluster: (id, body, permit) =>
      writeRow(clusters, { method: 'PUT', segments: [clusters.path, id], id, body, permit }),
    execute: (job, body, permit) =>
      writeRow(jobExecutions, { method: 'POST', segments: [jobs.path, job, 'execute'], body, permit }),
    cancelExecution: (id, permit) =>
      writeRow(jobExecutions, { method: 'GET', segments: [jobExecutions.path, id, 'cancel'], id, permit }),
    registerImage: postImage(),
    tagImage: postImage('tag'),
    untagImage: postImage('untag'),
  };
}

/** The options that can change while the service is in use. */
interface ServiceSettings {
  /** For each request, from obtaining the token to the last byte of the answer. A read also waits at most this long for its permit. */
  readonly timeoutMs: number;
  readonly limits: Ceiling;
  readonly tls?: Tls | undefined;
}

export interface ServiceOptions
  extends ServiceSettings,
    BudgetListeners,
    Omit<ClientOptions, 'link' | 'maxAnswerBytes'> {
  /** Larger answers are rejected. Defaults to 64 MiB. */
  readonly maxAnswerBytes?: number | undefined;
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
  /** Whose turn it is to start a run. */
  readonly starts: Starts;
  /** GET of one row. Rejects on a 404. */
  get<R extends Collection>(route: R, id: string, signal?: AbortSignal): Promise<RowOf<R>>;
  /** GET of one object with all its fields, in the neutral dialect. Nothing is known of their types. Rejects on a 404. */
  getObject(route: Collection, id: string, signal?: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
  plugins(signal?: AbortSignal): Promise<readonly Plugin[]>;
  /** Whether the service reported with the last list of plugins that its volume is full. */
  readonly isFull: boolean;
  /** Applies to new requests; requests in flight are not affected. */
  configure(settings: ServiceSettings): void;
  /** Ends requests in flight and closes the connections. */
  close(): Promise<void>;
}

const defaultMaxAnswerBytes = 64 * 1024 * 1024;

/** Sends nothing by itself. Throws a TypeError for an invalid endpoint, a RangeError for limits of 0. */
export function createService(options: ServiceOptions): Service {
  const { dialect, clock, maxAnswerBytes = defaultMaxAnswerBytes } = options;
  const link = new ServiceLink(options);
  const client = createClient({ ...options, link, maxAnswerBytes });
  const adaptive = new AdaptiveBudget(options.limits, clock, options);
  const budget = adaptive.permits;
  const starts = new Starts(clock);
  const requests: Requests = { client, budget, adaptive, dialect, link };
  const inventory = new Inventory(readsOf(requests), clock);
  let isFull = false;
  return {
    dialect,
    inventory,
    budget,
    starts,
    ...writesOf(requests, inventory),
    get: (route, id, signal) => getRow(requests, route, { id, signal }),
    getObject: (route, id, signal) => getObject(requests, route, { id, signal }),
    async plugins(signal) {
      const { plugins, ...reported } = await listPlugins(requests, signal);
      ({ isFull } = reported);
      return plugins;
    },
    get isFull() {
      return isFull;
    },
    configure(settings) {
      adaptive.configure(settings.limits);
      link.configure(settings);
    },
    async close() {
      budget.close();
      starts.close();
      await link.close();
    },
  };
}
