// One service as the rest of the operator sees it: its inventory, its budget and the requests of the interface.

import type { Dialect } from '../../wire/dialect.ts';
import type { Collection, RowOf } from '../../wire/rows.ts';
import { getRow, type Requests, readsOf } from './collection.ts';
import { createClient } from './http/client.ts';
import { ServiceLink } from './http/link.ts';
import type { ServiceOptions, ServiceSettings } from './http/settings.ts';
import { type JobRequests, jobRequestsOf } from './jobs.ts';
import { Inventory } from './list/inventory.ts';
import { type Catalogue, catalogueOf } from './plugins.ts';
import { Budget } from './throttle/budget.ts';
import { type Writes, writesOf } from './writes.ts';

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
