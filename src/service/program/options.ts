// The options of the bundled service.

import type { FastifyInstance } from 'fastify';
import type { HttpLimits } from '../../lib/http/http-limits.ts';
import type { Clock, Log, Random } from '../../lib/ports.ts';
import type { Dialect } from '../../wire/dialect.ts';
import type { Grant } from '../api/authentication/authentication.ts';
import type { LocalIdentity } from '../api/authentication/validation.ts';
import type { JobEngine } from '../backends/job-engine.ts';
import type { Provisioner } from '../backends/provisioner.ts';
import type { Catalog } from '../model/catalog/catalog.ts';
import type { ClusterLoad, ClusterRecord } from '../model/records/records.ts';
import type { Store } from '../model/store/store.ts';
import type { Service } from '../resources/service.ts';
import type { StageHooks } from '../resources/stages/stage-runner.ts';
import type { Fields } from '../resources/views/job-view.ts';

/** How long a valid token is not validated again. */
export const usualCacheMs = 300_000;

/** Where a wrapper intervenes, such as the one in `dev/personality`, which injects faults. The product has no other place for that. */
export interface ServerHooks extends StageHooks {
  /** The store that requests and stages use in place of the given one. */
  wrapStore(store: Store): Store;
  /** Changes how an execution is answered. Undefined if it stays as it is at the moment. */
  readonly misdates: ((execution: Fields) => Fields) | undefined;
  /** What the work on the cluster seems to need. Undefined if nothing is made up. */
  loadOf(cluster: ClusterRecord): ClusterLoad | undefined;
  /** Called between the authentication and the routes. Each answer is sent as a whole then, so that hooks of Fastify can change it. */
  mount(app: FastifyInstance, at: { readonly service: Service; readonly log: Log }): void;
}

export interface ServerOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** When absent: `neutral`. */
  readonly dialect?: Dialect;
  /** When absent: nothing is logged. */
  readonly log?: Log;
  /** When absent: a new store in memory. The server does not close it. */
  readonly store?: Store;
  /** When absent: machines are simulated. */
  readonly provisioner?: Provisioner;
  /** When absent: jobs are simulated. */
  readonly engine?: JobEngine;
  /** How many clusters are made, and how many jobs run, at a time. When absent: any number. */
  readonly maxConcurrent?: number | undefined;
  /** When absent or empty: no authentication, unless `keystone` is set. */
  readonly grants?: readonly Grant[];
  /** Validates tokens with Keystone. */
  readonly keystone?: KeystoneOptions | undefined;
  /** Issues tokens in this process. When absent, the service issues none. */
  readonly identity?: LocalIdentity | undefined;
  /**
   * Names in the Host header that are accepted besides loopback and the own address. When absent or empty: only those, or any name if callers
   * authenticate.
   */
  readonly allowedHosts?: readonly string[];
  /** When absent: one minute for a request, and 4000 connections. */
  readonly limits?: HttpLimits;
  /** Changes to the bundled catalog. */
  readonly catalog?: Partial<Catalog>;
  /** How long clusters and job executions stay in each status, in ms: one number for all, or a function of the status. When absent: 0. */
  readonly stageMs?: number | ((status: string) => number);
  /** Whether /page shows clusters and runs in a browser. When absent: not. */
  readonly webPage?: boolean;
  /** Additional delay of each answer, in ms. When absent: 0. */
  readonly latencyMs?: number;
  /** When absent, the service behaves as documented. */
  readonly hooks?: ServerHooks | undefined;
  /** Longest delay of the event loop since the last call, in seconds, for the metrics. When absent, they do not have it. */
  readonly loopDelay?: (() => number) | undefined;
  /** Called after each answer, with the path as routed (without `.json`) and its query. */
  readonly onRequest?: (method: string, path: string, status: number) => void;
}

interface KeystoneOptions {
  /** Ends with `/v3`. When absent: `identity`. */
  readonly authUrl?: string | undefined;
  /** How long a valid token is not validated again. When absent: `usualCacheMs`. */
  readonly cacheMs?: number | undefined;
}
