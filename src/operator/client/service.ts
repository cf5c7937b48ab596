// One service as the operator uses it: its inventory, its budget and its requests.

import type { Dialect } from '../../wire/dialect.ts';
import type { Plugin } from '../../wire/plugin.ts';
import type { Collection, RowOf } from '../../wire/rows.ts';
import { getRow, listPlugins, type Requests, readsOf } from './collection.ts';
import { createClient } from './http/client.ts';
import { ServiceLink, type ServiceOptions, type ServiceSettings } from './http/link.ts';
import { Inventory } from './list/inventory.ts';
import { Budget } from './throttle/budget.ts';
import { type Writes, writesOf } from './writes.ts';

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
