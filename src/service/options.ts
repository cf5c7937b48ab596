// What the bundled service can be started with.

import type { Clock, Log, Random } from '../lib/ports.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { Grant } from './authentication/authentication.ts';
import type { Provisioner } from './clusters/provisioner.ts';
import type { JobEngine } from './executions/job-engine.ts';
import type { Injector } from './faults/injector.ts';
import type { Limits } from './http/limits.ts';
import type { Accounts } from './identity/accounts.ts';
import type { Catalog } from './plugins/catalog.ts';
import type { Store } from './store/store.ts';

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
  /** When absent: jobs are simulated. */
  readonly engine?: JobEngine;
  /** When absent or empty: no authentication, or that of `keystone`. */
  readonly grants?: readonly Grant[];
  /** Tokens are checked with a Keystone. */
  readonly keystone?: KeystoneOptions | undefined;
  /** Log-ins that are served here. `tokenMs`: how long their tokens live, an hour when absent. */
  readonly identity?: { readonly accounts: Accounts; readonly tokenMs?: number | undefined } | undefined;
  /** Names in Host that are taken besides loopback and the address. When absent or empty: those alone, or with a log-in any. */
  readonly allowedHosts?: readonly string[];
  /** When absent: a minute for a request, 4000 connections. */
  readonly limits?: Limits;
  /** What differs from the bundled catalog. */
  readonly catalog?: Partial<Catalog>;
  /** How long clusters and job executions stay in each status, in ms: one number for all, or by status. When absent: 0. */
  readonly stageMs?: number | ((status: string) => number);
  /** How much longer each answer takes, in ms. When absent: 0. */
  readonly latencyMs?: number;
  /** Holds the personality; when absent, the service behaves. */
  readonly injector?: Injector | undefined;
  /** Called after each answer, with the path as routed (no `.json`) and its query. */
  readonly onRequest?: (method: string, path: string, status: number) => void;
}

export interface KeystoneOptions {
  /** Ends with `/v3`. When absent: the identity that is served here. */
  readonly authUrl?: string | undefined;
  /** How long a token that was good is not asked about again. When absent: five minutes. */
  readonly cacheMs?: number | undefined;
}
