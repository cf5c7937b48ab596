// The services behind Connections: one inventory, budget and set of credentials each, kept as long as the Connection means the same service.

import type { RequestNote } from './adapter/client.ts';
import { type Credentials, ExchangeableCredentials, fixedToken, noCredentials } from './adapter/credentials.ts';
import { createService, type Service } from './adapter/service.ts';
import type { Registry, Settings } from './kinds/connection/registry.ts';
import type { Clock, Log } from './ports.ts';
import type { Key, ServiceLookup, Services } from './reconcile/ports.ts';
import { routes } from './wire/routes.ts';

interface Entry {
  /** What the service stands and falls with. */
  readonly identity: string;
  readonly service: Service;
  readonly credentials: ExchangeableCredentials;
  settings: Settings;
  judgement: { readonly mayCreate: boolean; readonly message?: string };
  suspected: boolean;
  /** A count of the objects is due. */
  recounting: boolean;
  /** Monotonic ms of the last suspicion. */
  suspectedAt: number;
}

export interface ConnectionsOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The objects of this service, by id or name, are new, changed or gone. */
  readonly changed: (key: Key, collection: string, idsAndNames: Iterable<string>) => void;
  /** A permit is there for the one that was refused. */
  readonly free: (user: string) => void;
  /** The Connection itself should be looked at: its service seems out of reach, or has other objects than when they were counted. */
  look(key: Key): void;
  onRequest?(key: Key, note: RequestNote): void;
}

/** So often at most the failures of others lead to a look at the Connection, in ms. */
const suspicionMs = 30_000;
/** After a change of what is there; a little more than the Connection's pass waits between two counts. */
const recountMs = 61_000;
const suspicious: readonly string[] = ['unreachable', 'unauthorized'];

export class Connections implements Services, Registry {
  readonly #options: ConnectionsOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #broken = new Map<string, { readonly message: string; readonly credentials: boolean }>();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  lookup(namespace: string, connection: string): ServiceLookup {
    const name = `${namespace}/${connection}`;
    const broken = this.#broken.get(name);
    if (broken) return { state: 'broken', ...broken };
    const entry = this.#entries.get(name);
    if (!entry)
      return {
        state: 'missing',
        message: `Connection ${connection} does not exist in this namespace`,
        credentials: false,
      };
    const { endpoint, formerEndpoints, tenant, dialect, pollSeconds } = entry.settings;
    const endpoints = [endpoint, ...formerEndpoints];
    return {
      state: 'usable',
      service: entry.service,
      endpoint,
      endpoints,
      tenant,
      dialect,
      pollSeconds,
      ...entry.judgement,
    };
  }

  apply(key: Key, settings: Settings): Service {
    const name = nameOf(key);
    this.#broken.delete(name);
    const { uid, endpoint, tenant, dialect } = settings;
    const identity = JSON.stringify([uid, endpoint, tenant, dialect]);
    const known = this.#entries.get(name);
    if (known?.identity === identity) {
      this.#exchange(known, settings);
      return known.service;
    }
    if (known) this.#close(key, known);
    const entry = this.#open(key, settings, identity);
    this.#entries.set(name, entry);
    return entry.service;
  }

  judge(key: Key, judgement: Entry['judgement']): void {
    const entry = this.#entries.get(nameOf(key));
    if (entry) entry.judgement = judgement;
  }

  broken(key: Key, why: { readonly message: string; readonly credentials: boolean }): void {
    this.#broken.set(nameOf(key), why);
  }

  suspected(key: Key): boolean {
    const entry = this.#entries.get(nameOf(key));
    const was = entry?.suspected ?? false;
    if (entry) entry.suspected = false;
    return was;
  }

  forget(key: Key): void {
    const name = nameOf(key);
    this.#broken.delete(name);
    const entry = this.#entries.get(name);
    this.#entries.delete(name);
    if (entry) this.#close(key, entry);
  }

  async close(): Promise<void> {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    await Promise.all(entries.map((entry) => entry.service.close()));
  }

  #exchange(entry: Entry, settings: Settings): void {
    if (entry.settings.token !== settings.token) entry.credentials.replace(credentialsOf(settings));
    const before = tunable(entry.settings);
    const next = tunable(settings);
    if (JSON.stringify(before) !== JSON.stringify(next)) entry.service.configure(next);
    entry.settings = settings;
  }

  #open(key: Key, settings: Settings, identity: string): Entry {
    const { clock, changed, free } = this.#options;
    const credentials = new ExchangeableCredentials(credentialsOf(settings));
    const { endpoint, tenant, dialect } = settings;
    const onRequest = (note: RequestNote) => this.#heard(key, note);
    const service = createService({ endpoint, tenant, dialect, credentials, clock, onRequest, ...tunable(settings) });
    service.inventory.onChange((route, { ids, names }) => {
      changed(key, route.path, [...ids, ...names]);
      this.#recount(key);
    });
    service.budget.onFree(free);
    return {
      identity,
      service,
      credentials,
      settings,
      judgement: { mayCreate: false, message: `Connection ${key.name} was not checked yet` },
      suspected: false,
      recounting: false,
      suspectedAt: Number.NEGATIVE_INFINITY,
    };
  }

  /** However much changes, the objects are counted once a minute. */
  #recount(key: Key): void {
    const entry = this.#entries.get(nameOf(key));
    if (!entry || entry.recounting) return;
    entry.recounting = true;
    this.#options.clock.after(recountMs, () => {
      entry.recounting = false;
      if (this.#entries.get(nameOf(key)) === entry) this.#options.look(key);
    });
  }

  #heard(key: Key, note: RequestNote): void {
    this.#options.onRequest?.(key, note);
    const entry = this.#entries.get(nameOf(key));
    // The Connection's own look judges by itself.
    if (!entry || note.route === routes.plugins.path || !suspicious.includes(String(note.category))) return;
    const now = this.#options.clock.monotonic();
    if (now - entry.suspectedAt < suspicionMs) return;
    entry.suspectedAt = now;
    // The Connection's own look says it in its status, and others then wait instead of failing one by one.
    entry.suspected = true;
    this.#options.look(key);
  }

  #close(key: Key, entry: Entry): void {
    entry.service.close().catch((error: unknown) => {
      const { kind, namespace, name } = key;
      this.#options.log.warn({ kind, namespace, name, err: error }, 'cannot close the connections to the service');
    });
  }
}

/** What may change while everything that is known of the service stays. */
function tunable({ timeoutMs, limits, ca, insecureSkipVerify }: Settings) {
  return { timeoutMs, limits, tls: { ca, insecureSkipVerify } };
}

function credentialsOf(settings: Settings): Credentials {
  return settings.token === undefined ? noCredentials() : fixedToken(settings.token);
}

function nameOf(key: Key): string {
  return `${key.namespace}/${key.name}`;
}
