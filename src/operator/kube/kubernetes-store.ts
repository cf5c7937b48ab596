// The API server as the operator sees it: one cache per kind, with the operator's own writes overlaid.
import { ApiError } from '../../kube/api-error.ts';
import type { ApiCall } from '../../kube/http/call.ts';
import type { ApiTransport } from '../../kube/http/transport.ts';
import { placeOf, type ResourceKind, toResource } from '../../kube/resource.ts';
import type { IndexOf } from '../../kube/watch/cache-index.ts';
import type { SourceHealth } from '../../kube/watch/source-record.ts';
import { Cache, type Delta } from '../../kube/watch/watch-cache.ts';
import { WatchSource } from '../../kube/watch/watch-source.ts';
import type { CommonPorts, Random } from '../../lib/ports.ts';
import type { RawResource } from '../api/definition.ts';
import { finalizer } from '../api/shared-api.ts';
import {
  type ChangeSource,
  type Key,
  keyOf,
  keyText,
  type NewObject,
  type ResourceStore,
} from '../reconcile/pass-ports.ts';
import { accessOf, isSynced, type NamespaceAccess } from './access.ts';
import { ConfigMaps, configMaps, type FileUse } from './config-maps.ts';
import { readObject } from './read-object.ts';
import { type Handler, Subscribers } from './subscribers.ts';
import { type LateDeletion, waitForLateDeletion } from './write/late-deletion.ts';
import { createObject, removeObject } from './write/own-objects.ts';
import {
  annotateCall,
  type CountChange,
  claimCall,
  releaseCall,
  removeCall,
  requireStatus,
  scaleCall,
  statusCall,
} from './write/writes.ts';

export interface StoreOptions extends CommonPorts {
  readonly transport: ApiTransport;
  readonly resources: readonly ResourceKind[];
  /** Empty for all namespaces. */
  readonly namespaces: readonly string[];
  /** By kind, the text of the key of what an object belongs to: for `list`. */
  readonly indexes?: ReadonlyMap<string, IndexOf>;
  readonly random: Random;
  /** Interval of complete lists in spite of a healthy watch, in ms, with a jitter of 20 %. Defaults to 30 minutes. */
  readonly relistMs?: number;
  /** See late-deletion.ts; undefined in tests without deletions. */
  readonly lateDeletion: LateDeletion | undefined;
}

interface StoreHealth {
  /** The first list of every readable source has arrived and was published. */
  readonly synced: boolean;
  readonly sources: readonly SourceHealth[];
}

const defaultRelistMs = 30 * 60_000;

const ifForbidden =
  'the operator lacks the permission. It does not reconcile this namespace until the permission is granted; other namespaces are not affected';

interface KindStore {
  readonly kind: ResourceKind;
  readonly cache: Cache;
  readonly sources: readonly WatchSource[];
}

/**
 * `subscribe` reports every change that is not exactly the echo of an own write, so that a pass that writes a status does not wake
 * itself. A change by another client is reported even if an own write overwrote it before it was seen. During a write, changes of its
 * object are in the cache at once, and are reported when the write ends.
 */
export class KubernetesStore implements ResourceStore, ChangeSource {
  readonly #options: StoreOptions;
  readonly #kinds: ReadonlyMap<string, KindStore>;
  readonly #changes: Subscribers;
  readonly #writes: Subscribers;
  readonly #configMaps: ConfigMaps;
  readonly #stop = new AbortController();
  #running: readonly Promise<void>[] = [];

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#changes = new Subscribers(options.log);
    this.#writes = new Subscribers(options.log);
    const publish = (changes: readonly Delta[]) => this.#changes.publish(changes);
    this.#configMaps = new ConfigMaps({ ...options, publish });
    this.#kinds = new Map(options.resources.map((kind) => [kind.kind, this.#open(kind, options)]));
  }

  #open(kind: ResourceKind, options: StoreOptions): KindStore {
    const cache = new Cache(options.indexes?.get(kind.kind));
    const namespaces = watchedOf(kind, options.namespaces);
    const follow = {
      ifForbidden,
      relistMs: options.relistMs ?? defaultRelistMs,
      publish: (changes: readonly Delta[]) => this.#changes.publish(changes),
      publishList: (changes: readonly Delta[], initial: boolean) =>
        this.#changes.publishList(changes, initial, this.#stop.signal),
    };
    const sources = namespaces.map((namespace) => new WatchSource({ ...options, ...follow, kind, namespace, cache }));
    return { kind, cache, sources };
  }

  /** Starts to list and watch. Call it once, after `subscribe`. */
  start(): void {
    const sources = [...this.#kinds.values()].flatMap((one) => one.sources);
    this.#running = sources.map((source) => source.run(this.#stop.signal));
  }

  /** Resolves when all watches have ended. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the store was stopped'));
    await Promise.all([...this.#running, this.#configMaps.stop()]);
  }

  health(): StoreHealth {
    const sources = [...this.#kinds.values()].flatMap((one) => one.sources.map((source) => source.health()));
    return { synced: isSynced(sources), sources };
  }

  /** Empty unless namespaces are watched by name. */
  namespaces(): readonly NamespaceAccess[] {
    return accessOf(this.health().sources);
  }

  subscribe(handler: Handler): void {
    this.#changes.add(handler);
  }

  /** Reports the changes by own writes, which `subscribe` omits, to those who depend on the status of other objects. */
  subscribeWrites(handler: Handler): void {
    this.#writes.add(handler);
  }

  /** Replaces the keys of ConfigMaps that a resource names. Only these ConfigMaps are watched. */
  useFiles(user: Key, uses: readonly FileUse[]): void {
    this.#configMaps.use(keyText(user), uses);
  }

  read(key: Key): RawResource | undefined {
    if (key.kind === configMaps.kind) return this.#configMaps.read(placeOf(key));
    return this.#of(key.kind).cache.get(placeOf(key));
  }

  list(kind: string, of?: Key): Iterable<RawResource> {
    const { cache } = this.#of(kind);
    return of !== undefined && this.#options.indexes?.has(kind) ? cache.indexed(keyText(of)) : cache.values();
  }

  synced(kind: string): boolean {
    const { sources } = this.#of(kind);
    return sources.length === 0 || isSynced(sources.map((source) => source.health()));
  }

  async claim(resource: RawResource, ledger: string | undefined): Promise<RawResource> {
    const store = this.#of(resource.kind);
    const { clock, lateDeletion: late } = this.#options;
    const sentAt = clock.monotonic();
    const claimed = await this.#write(store, resource, claimCall(store.kind, resource, ledger));
    // Connections and Secrets have no ledger, and nothing is created for them.
    const first = ledger !== undefined && !resource.metadata.finalizers?.includes(finalizer);
    if (!first || late === undefined) return claimed;
    const readFresh = () => this.readFresh(keyOf(claimed));
    const signal = this.#stop.signal;
    await waitForLateDeletion(claimed, { clock, late, sentAt, readFresh, signal });
    return claimed;
  }

  async release(resource: RawResource): Promise<void> {
    const store = this.#of(resource.kind);
    try {
      await this.#write(store, resource, releaseCall(store.kind, resource));
    } catch (error) {
      if (!(error instanceof ApiError && error.category === 'gone')) throw error;
    }
  }

  create(object: NewObject): Promise<'created' | 'exists'> {
    return createObject(this.#options.transport, this.#of(object.kind).kind, object);
  }

  removeExactly({ kind, ...object }: Key & { readonly uid: string }): Promise<void> {
    return removeObject(this.#options.transport, this.#of(kind).kind, object);
  }

  async remove(resource: RawResource): Promise<void> {
    const { kind } = this.#of(resource.kind);
    try {
      await this.#options.transport.request(removeCall(kind, resource));
    } catch (error) {
      if (!(error instanceof ApiError && error.category === 'gone')) throw error;
    }
  }

  /** Sets these annotations, with uid and resourceVersion, and leaves all others. */
  annotate(resource: RawResource, annotations: Readonly<Record<string, string>>): Promise<RawResource> {
    const store = this.#of(resource.kind);
    return this.#write(store, resource, annotateCall(store.kind, resource, annotations));
  }

  /** Changes counts in the spec, with annotations that say why, by one request. */
  writeCounts(resource: RawResource, change: CountChange): Promise<RawResource> {
    const store = this.#of(resource.kind);
    return this.#write(store, resource, scaleCall(store.kind, resource, change));
  }

  async writeStatus(resource: RawResource, status: object): Promise<RawResource> {
    const store = this.#of(resource.kind);
    const written = await this.#write(store, resource, statusCall(store.kind, resource, status));
    return requireStatus(store.kind, written, status);
  }

  readFresh(key: Key): Promise<RawResource | undefined> {
    const kind = key.kind === configMaps.kind ? configMaps : this.#of(key.kind).kind;
    return readObject(this.#options.transport, kind, key);
  }

  async #write({ kind, cache }: KindStore, base: RawResource, call: ApiCall): Promise<RawResource> {
    const place = placeOf(base.metadata);
    cache.beginWrite(place);
    let answer: RawResource | undefined;
    try {
      answer = sharingSpec(base, toResource(kind, await this.#options.transport.request(call)));
      return answer;
    } finally {
      const result = cache.endWrite(place, answer === undefined ? undefined : { base, answer });
      this.#changes.catchUp(keyOf(base));
      this.#changes.publish(result.changes);
      if (result.own !== undefined) this.#writes.publish([result.own]);
    }
  }

  #of(kind: string): KindStore {
    const store = this.#kinds.get(kind);
    if (store === undefined) throw new Error(`cannot use kind ${kind}: the store does not watch it`);
    return store;
  }
}

/** The spec of a generation never changes. As one object, it is parsed once: `specOf` remembers by identity. */
function sharingSpec(base: RawResource, answer: RawResource): RawResource {
  const { uid, generation } = base.metadata;
  const isSame = answer.metadata.uid === uid && answer.metadata.generation === generation;
  return isSame ? { ...answer, spec: base.spec } : answer;
}

/** Undefined: all namespaces. Who may read some namespaces may read nothing that is in none. */
function watchedOf(
  { clusterScoped = false }: ResourceKind,
  namespaces: readonly string[],
): readonly (string | undefined)[] {
  if (namespaces.length === 0) return [undefined];
  return clusterScoped ? [] : namespaces;
}
