// One service as the rest of the operator sees it: its inventory, its budget and the requests of the interface.
import type { Clock } from '../ports.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { Collection, RowOf } from '../wire/rows.ts';
import { Budget, type Limits, type PermitListener } from './budget.ts';
import { type Catalogue, catalogueOf } from './catalogue.ts';
import { createClient, type RequestNote } from './client.ts';
import { getRow, type Requests, readsOf } from './collection.ts';
import type { Credentials } from './credentials.ts';
import { Inventory } from './inventory.ts';
import { type JobRequests, jobRequestsOf } from './jobs.ts';
import { Link } from './link.ts';
import type { Transport } from './proxied.ts';
import type { Proxies } from './proxy.ts';
import type { Tls } from './transport.ts';
import { type Writes, writesOf } from './writes.ts';

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
export interface Service extends Writes, Catalogue, JobRequests {
  readonly dialect: Dialect;
  readonly inventory: Inventory;
  readonly budget: Budget;
  /** GET of one row; a 404 rejects. */
  get<R extends Collection>(route: R, id: string, signal?: AbortSignal): Promise<RowOf<R>>;
  /** Counts for requests from now on; those under way end as they began. */
  configure(settings: ServiceSettings): void;
  /** Ends what is under way and closes the connections. */
  close(): Promise<void>;
}

const defaultMaxAnswerBytes = 64 * 1024 * 1024;

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
    ...catalogueOf(requests, inventory),
    ...jobRequestsOf(requests, inventory),
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
