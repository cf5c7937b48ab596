// The services behind Connections: one inventory, budget and set of credentials each, kept as long as the Connection means the same service.

import type { Log } from '../../lib/ports.ts';
import { didYouMean } from '../../lib/similar.ts';
import { sharedConnectionKind } from '../api/shared-api.ts';
import type { RequestNote } from '../client/http/request.ts';
import type { Service, ServiceOptions } from '../client/service-client.ts';
import { type Key, nameText, type ServiceLookup, type Services } from '../reconcile/pass-ports.ts';
import { complete, LogIns, type LogInsOptions } from './connection-logins.ts';
import type { Broken, Judgement, LogIn, LoginRequest, Registry, Settings, Unlisted } from './pass/service-registry.ts';
import {
  aliasesIn,
  noteList,
  noteRequest,
  openEntry,
  type PoolEntry,
  replaceSettings,
  type ServicePlace,
  type Staleness,
  type StalenessOf,
  stalenessOf,
  unlistedOf,
} from './pool-entry.ts';

export interface ServicePoolOptions extends LogInsOptions, Pick<ServiceOptions, 'onPermit' | 'onLowered' | 'mayWrite'> {
  readonly log: Log;
  /** Objects of this service, by id or name, are new, changed or gone. */
  readonly changed: (key: Key, collection: string, idsAndNames: Iterable<string>) => void;
  /** A permit is available for a key that was refused one. */
  readonly free: (user: string) => void;
  /** The Connection exists in Kubernetes. */
  readonly exists: (key: Key) => boolean;
  /** All namespaces are watched. */
  readonly seesAll: boolean;
  /** Whether the service can be used has changed. Its status may not: after a restart it may report that already. */
  readonly judged: (key: Key) => void;
  /** The Connection should be checked: its service may be failing, or its objects have changed since they were counted. */
  check(key: Key): void;
  onRequest?(key: Key, note: RequestNote): void;
}

export class ServicePool implements Services, Registry {
  readonly #options: ServicePoolOptions;
  readonly #logIns: LogIns;
  readonly #entries = new Map<string, PoolEntry>();
  readonly #broken = new Map<string, Broken>();

  constructor(options: ServicePoolOptions) {
    this.#options = options;
    this.#logIns = new LogIns(options);
  }

  lookup(key: Key): ServiceLookup {
    const name = nameOf(key);
    const broken = this.#broken.get(name);
    if (broken) return { state: 'broken', ...broken };
    const entry = this.#entries.get(name);
    if (entry?.judgement === undefined) return this.#absent(key);
    const { service, settings, judgement } = entry;
    const { endpoint, formerEndpoints, tenant, dialect, pollSeconds } = settings;
    const endpoints = [endpoint, ...formerEndpoints];
    const at = { endpoint, endpoints, tenant, dialect };
    const accepted = entry.acceptance === 'accepted';
    const refused = entry.acceptance === 'refused' ? { refused: true } : {};
    return { state: 'usable', service, ...at, pollSeconds, accepted, ...judgement, ...refused };
  }

  /** All endpoints by which Connections know the service of this endpoint, for one tenant. */
  aliasesOf(place: ServicePlace): readonly string[] {
    return aliasesIn(this.#entries.values(), place);
  }

  /** Says it, and forgets it. */
  #once(key: Key, flag: 'suspected' | 'countDue'): boolean {
    const entry = this.#entries.get(nameOf(key));
    const was = entry?.[flag] ?? false;
    if (entry) entry[flag] = false;
    return was;
  }

  #absent(key: Key): ServiceLookup {
    const exists = this.#options.exists(key);
    const what = nameText(key);
    const message = exists ? `${what} is being checked` : `${what} does not exist${this.#remedy(key)}`;
    return { state: exists ? 'unchecked' : 'missing', message, credentials: false };
  }

  /** The names of SharedConnections are told to nobody who does not know them. */
  #remedy({ kind, namespace, name }: Key): string {
    if (kind === sharedConnectionKind)
      return this.#options.seesAll
        ? ': ask the administrator of the cluster for the right name'
        : ' for an operator that watches only some namespaces (--namespaces): use a Connection of this namespace';
    const guess = didYouMean(name, this.#names(namespace));
    const remedy = guess
      ? ' connectionRef is immutable: to correct it, delete this resource and apply it again'
      : ': create it, since those of other namespaces do not count';
    return ` in this namespace${guess}${remedy}`;
  }

  #names(namespace: string): readonly string[] {
    const known = [...this.#entries.keys(), ...this.#broken.keys()];
    return known.flatMap((name) => (name.startsWith(`${namespace}/`) ? [name.slice(namespace.length + 1)] : []));
  }

  async login(key: Key, wanted: LoginRequest): Promise<LogIn> {
    const name = nameOf(key);
    const opened = this.#logIns.open(name, wanted);
    if (typeof opened === 'string') return { state: 'unfit', message: opened };
    const entry = this.#entries.get(name);
    entry?.credentials.replace(opened.session.credentials(entry.settings.tenant));
    return complete(opened, wanted);
  }

  apply(key: Key, settings: Settings, accepted = false): Service {
    const name = nameOf(key);
    const mended = this.#broken.delete(name);
    const { uid, endpoint, tenant, dialect } = settings;
    const identity = JSON.stringify([uid, endpoint, tenant, dialect]);
    const known = this.#entries.get(name);
    if (known?.identity === identity) {
      const changed = replaceSettings(known, settings, this.#logIns.credentials(name, settings));
      if (changed) this.recount(key);
      if (mended || changed) this.#options.judged(key);
      return known.service;
    }
    if (known) this.#close(key, known);
    const entry = this.#open(key, settings, { identity, accepted });
    this.#entries.set(name, entry);
    return entry.service;
  }

  judge(key: Key, judgement: Judgement): void {
    const entry = this.#entries.get(nameOf(key));
    if (!entry) return;
    const before = entry.judgement?.mayCreate;
    entry.judgement = judgement;
    if (before !== judgement.mayCreate) this.#options.judged(key);
  }

  recovered(key: Key): void {
    this.#options.judged(key);
  }

  broken(key: Key, why: Broken): void {
    const before = this.#broken.get(nameOf(key));
    this.#broken.set(nameOf(key), why);
    if (before?.message !== why.message) this.#options.judged(key);
  }

  closed(key: Key, message: string, refused = false): void {
    if (!this.#entries.has(nameOf(key)))
      return this.broken(key, { message, credentials: false, ...(refused ? { refused } : {}) });
    // Nothing is missing any more: the known service counts again, as it was judged.
    if (this.#broken.delete(nameOf(key))) this.#options.judged(key);
  }

  suspected(key: Key): boolean {
    return this.#once(key, 'suspected');
  }

  unlisted(key: Key): readonly Unlisted[] {
    return unlistedOf(this.#entries.get(nameOf(key)));
  }

  countDue(key: Key): boolean {
    return this.#once(key, 'countDue');
  }

  forget(key: Key): void {
    const name = nameOf(key);
    this.#broken.delete(name);
    const entry = this.#entries.get(name);
    this.#entries.delete(name);
    if (entry) this.#close(key, entry);
    this.#logIns.forget(name);
  }

  async close(): Promise<void> {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    this.#logIns.close();
    for (const { count } of entries) count.close();
    await Promise.all(entries.map((entry) => entry.service.close()));
  }

  /** How many requests may be in flight now. */
  maxInFlightOf(key: Key): number | undefined {
    return this.#entries.get(nameOf(key))?.service.budget.limits.maxInFlight;
  }

  entries(): Iterable<PoolEntry> {
    return this.#entries.values();
  }

  reading(collection: StalenessOf): Staleness | undefined {
    return stalenessOf(this.#entries, collection, this.#options.clock.monotonic());
  }

  #open(key: Key, settings: Settings, as: { readonly identity: string; readonly accepted: boolean }): PoolEntry {
    const { clock, changed, free, onPermit, onLowered, proxies, transport, mayWrite } = this.#options;
    const ways = { clock, onPermit, onLowered, proxies, transport, mayWrite };
    const entry = openEntry({
      ...as,
      ...ways,
      settings,
      credentials: this.#logIns.credentials(nameOf(key), settings),
      countDue: () => this.#countDue(key),
      onRequest: (note) => this.#noteRequest(key, note),
    });
    entry.service.inventory.onChange((route, { ids, names }) => {
      changed(key, route.path, [...ids, ...names]);
      this.recount(key);
    });
    entry.service.budget.onFree(free);
    entry.service.starts.onFree(free);
    return entry;
  }

  /** Objects or claims have changed: they are counted once the changes are over. */
  recount(key: Key): void {
    this.#entries.get(nameOf(key))?.count.changed();
  }

  #countDue(key: Key): void {
    const entry = this.#entries.get(nameOf(key));
    if (entry) entry.countDue = true;
    this.#options.check(key);
  }

  #noteRequest(key: Key, note: RequestNote): void {
    this.#options.onRequest?.(key, note);
    const entry = this.#entries.get(nameOf(key));
    // The Connection's own check reports it in status; others then wait instead of failing one by one.
    if (!entry) return;
    const suspects = noteRequest(entry, note, this.#options.clock.monotonic());
    if (noteList(entry, note) || suspects) this.#options.check(key);
  }

  #close(key: Key, entry: PoolEntry): void {
    entry.count.close();
    entry.service.close().catch((error: unknown) => {
      const { kind, namespace, name } = key;
      this.#options.log.warn({ kind, namespace, name, err: error }, 'cannot close the connections to the service');
    });
  }
}

function nameOf(key: Key): string {
  return `${key.namespace}/${key.name}`;
}
