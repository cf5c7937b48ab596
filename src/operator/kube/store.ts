// Kubernetes as the rest of the operator sees it: caches fed by sources, own writes laid over them.

import type { Clock, Log, Random } from '../../lib/ports.ts';
import { finalizer } from '../api/common.ts';
import type { RawResource } from '../api/definition.ts';
import { type ChangeSource, type Key, keyOf, type ResourceStore } from '../reconcile/ports.ts';
import { ApiError } from './api-error.ts';
import { readObject } from './fresh.ts';
import type { ApiCall } from './http/call.ts';
import type { ApiTransport } from './http/transport.ts';
import { placeOf, sharing, toResource } from './resource.ts';
import type { ResourceKind } from './resource-kind.ts';
import { Cache, type Delta } from './watch/cache.ts';
import { accessOf, isSynced, type NamespaceAccess } from './watch/namespace-watches.ts';
import { WatchSource } from './watch/source.ts';
import type { SourceHealth } from './watch/source-record.ts';
import { type Handler, Subscribers } from './watch/subscribers.ts';
import { type LateDeletion, outlastDeletion } from './write/late-deletion.ts';
import { claimCall, releaseCall, requireStatus, statusCall } from './write/writes.ts';

export interface StoreOptions {
  readonly transport: ApiTransport;
  readonly resources: readonly ResourceKind[];
  /** Empty: all namespaces. */
  readonly namespaces: readonly string[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** How often everything is listed anew in spite of a healthy watch, in ms, give or take a fifth; 30 minutes without it. */
  readonly relistMs?: number;
  /** Of deletions that began before a finalizer was put on; undefined: nobody deletes. */
  readonly lateDeletion: LateDeletion | undefined;
}

export interface StoreHealth {
  /** Every source that may be read has had its first list, and all of it was handed on. */
  readonly synced: boolean;
  readonly sources: readonly SourceHealth[];
}

/**
 * What `subscribe` reports: every change that is not exactly the echo of a write of ours, so that a pass that writes a
 * status does not wake itself. A change by somebody else is reported even when our write came on top of it before it
 * was seen. While a write is under way, changes of its object are in the cache at once and reported when it ends.
 */
export interface KubernetesStore extends ResourceStore, ChangeSource {
  /** Begins to list and watch; once. Subscribe before. */
  start(): void;
  /** Resolves when nothing runs any more. */
  stop(): Promise<void>;
  health(): StoreHealth;
  /** Of the namespaces that are watched by name; none where all are. */
  namespaces(): readonly NamespaceAccess[];
  /** Changes that our own writes made, which `subscribe` leaves out: for those who depend on another object's status. */
  subscribeWrites(handler: Handler): void;
}

const defaultRelistMs = 30 * 60_000;

export function createStore(options: StoreOptions): KubernetesStore {
  return new Store(options);
}

interface KindStore {
  readonly kind: ResourceKind;
  readonly cache: Cache;
  readonly sources: readonly WatchSource[];
}

class Store implements KubernetesStore {
  readonly #options: StoreOptions;
  readonly #shelves: ReadonlyMap<string, KindStore>;
  readonly #changes: Subscribers;
  readonly #writes: Subscribers;
  readonly #stop = new AbortController();
  #running: readonly Promise<void>[] = [];

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#changes = new Subscribers(options.log);
    this.#writes = new Subscribers(options.log);
    this.#shelves = new Map(options.resources.map((kind) => [kind.kind, this.#shelf(kind, options)]));
  }

  #shelf(kind: ResourceKind, options: StoreOptions): KindStore {
    const cache = new Cache();
    const namespaces = options.namespaces.length === 0 ? [undefined] : options.namespaces;
    const follow = {
      relistMs: options.relistMs ?? defaultRelistMs,
      publish: (changes: readonly Delta[]) => this.#changes.publish(changes),
      publishList: (changes: readonly Delta[], initial: boolean) =>
        this.#changes.publishList(changes, initial, this.#stop.signal),
    };
    const sources = namespaces.map((namespace) => new WatchSource({ ...options, ...follow, kind, namespace, cache }));
    return { kind, cache, sources };
  }

  start(): void {
    const sources = [...this.#shelves.values()].flatMap((shelf) => shelf.sources);
    this.#running = sources.map((source) => source.run(this.#stop.signal));
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('the store is stopped'));
    await Promise.all(this.#running);
  }

  health(): StoreHealth {
    const sources = [...this.#shelves.values()].flatMap((shelf) => shelf.sources.map((source) => source.health()));
    return { synced: isSynced(sources), sources };
  }

  namespaces(): readonly NamespaceAccess[] {
    return accessOf(this.health().sources);
  }

  subscribe(handler: Handler): void {
    this.#changes.add(handler);
  }

  subscribeWrites(handler: Handler): void {
    this.#writes.add(handler);
  }

  read(key: Key): RawResource | undefined {
    return this.#of(key.kind).cache.get(placeOf(key));
  }

  list(kind: string): Iterable<RawResource> {
    return this.#of(kind).cache.values();
  }

  synced(kind: string): boolean {
    return isSynced(this.#of(kind).sources.map((source) => source.health()));
  }

  async claim(resource: RawResource, ledger: string | undefined): Promise<RawResource> {
    const shelf = this.#of(resource.kind);
    const { clock, lateDeletion: late } = this.#options;
    const sentAt = clock.monotonic();
    const claimed = await this.#write(shelf, resource, claimCall(shelf.kind, resource, ledger));
    // Without a ledger nothing is made for it, and it may be of a kind that must not be read alone.
    const first = ledger !== undefined && !resource.metadata.finalizers?.includes(finalizer);
    if (!first || late === undefined) return claimed;
    const readFresh = () => this.readFresh(keyOf(claimed));
    const signal = this.#stop.signal;
    await outlastDeletion(claimed, { cache: shelf.cache, clock, late, sentAt, readFresh, signal });
    return claimed;
  }

  async release(resource: RawResource): Promise<void> {
    const shelf = this.#of(resource.kind);
    try {
      await this.#write(shelf, resource, releaseCall(shelf.kind, resource));
    } catch (error) {
      if (!(error instanceof ApiError && error.category === 'gone')) throw error;
    }
  }

  async writeStatus(resource: RawResource, status: object): Promise<RawResource> {
    const shelf = this.#of(resource.kind);
    const written = await this.#write(shelf, resource, statusCall(shelf.kind, resource, status));
    return requireStatus(shelf.kind, written, status);
  }

  readFresh(key: Key): Promise<RawResource | undefined> {
    return readObject(this.#options.transport, this.#of(key.kind).kind, key);
  }

  async #write({ kind, cache }: KindStore, base: RawResource, call: ApiCall): Promise<RawResource> {
    const place = placeOf(base.metadata);
    // Not what it was made from: the answer to the end of an object has its old version.
    const known = (): RawResource | undefined => {
      const cached = cache.get(place);
      return cached?.metadata.resourceVersion === base.metadata.resourceVersion ? undefined : cached;
    };
    cache.beginWrite(place);
    let answer: RawResource | undefined;
    try {
      answer = sharing(toResource(kind, await this.#options.transport.request(call), known), base);
      return answer;
    } finally {
      const result = cache.endWrite(place, answer === undefined ? undefined : { base, answer });
      this.#changes.catchUp(keyOf(base));
      this.#changes.publish(result.changes);
      if (result.own !== undefined) this.#writes.publish([result.own]);
    }
  }

  #of(kind: string): KindStore {
    const shelf = this.#shelves.get(kind);
    if (shelf === undefined) throw new Error(`cannot use kind ${kind}: the store does not hold it`);
    return shelf;
  }
}
