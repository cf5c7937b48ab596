// Watches the objects of clusters and runs: one watch for each kind and namespace serves all who wait for a change.
import { isDeepStrictEqual } from 'node:util';
import type { ApiTransport } from '../../../../kube/http/transport.ts';
import type { RawResource } from '../../../../kube/resource.ts';
import { Cache, type Delta } from '../../../../kube/watch/watch-cache.ts';
import { WatchSource } from '../../../../kube/watch/watch-source.ts';
import type { Clock, CommonPorts, Random } from '../../../../lib/ports.ts';
import { sleep } from '../../../../lib/timing/wait.ts';
import { events, type KubeObject, type ObjectKind } from './api.ts';
import { grantRemedy, patienceMs } from './failures.ts';
import { watchedKind } from './watched-kinds.ts';

/** Which objects are observed. */
export interface ObservedScope {
  readonly namespace: string;
  readonly kinds: readonly ObjectKind[];
  readonly labels: Readonly<Record<string, string>>;
  /** Objects that have this label are left out. */
  readonly without?: string;
  /** The names of the objects whose events are observed. */
  readonly about?: ReadonlySet<string>;
}

export interface ObservationWait {
  readonly signal: AbortSignal;
  /** Gets the reason if the objects cannot be watched for a while, and learns when they can be again. */
  readonly report: (report: { readonly message: string }) => void;
}

/**
 * Objects as the API server has shown them last. They can be older than what a request has read or written, and an object that is not
 * among them may exist: read it before its absence, or the end of a wait, means anything.
 */
export interface Observation {
  /** Why the objects cannot be watched at the moment. Undefined if they can. */
  readonly problem: string | undefined;
  list<T extends KubeObject>(kind: ObjectKind): readonly T[];
  /**
   * Resolves once all watches work, or when the signal aborts; never rejects. The answer is whether it took so long that it was reported.
   */
  current(wait: ObservationWait): Promise<boolean>;
  /** Resolves to the kinds that have changed since the last call: at once if there are any, and to none after `ms` or when the signal aborts. */
  next(ms: number, signal: AbortSignal): Promise<ReadonlySet<string>>;
  close(): void;
}

export interface ObjectObserver {
  /** The observation lasts until it is closed. */
  observe(scope: ObservedScope): Observation;
}

interface InformersOptions extends CommonPorts {
  readonly transport: ApiTransport;
  readonly random: Random;
}

const relistMs = 30 * 60_000;
/** A watch that nobody needs is kept for as long. */
const idleMs = 60_000;
/** Shorter interruptions of a watch are not reported. */
const reportMs = 10_000;
const ifForbidden = `the service lacks the permission: ${grantRemedy}`;

export class Informers implements ObjectObserver {
  readonly #options: InformersOptions;
  readonly #informers = new Map<string, Informer>();

  constructor(options: InformersOptions) {
    this.#options = options;
  }

  observe(scope: ObservedScope): Observation {
    const informers = scope.kinds.map((kind) => this.#informerOf(kind, scope.namespace));
    return new SharedObservation(scope, informers, this.#options.clock);
  }

  /** All objects of the kind that are watched for anybody, as the API server has shown them last. */
  list<T extends KubeObject>(kind: ObjectKind): readonly T[] {
    const informers = [...this.#informers.values()].filter((each) => each.kind.kind === kind.kind);
    return informers.flatMap(({ cache }) => [...cache.values()]) as unknown as readonly T[];
  }

  /** Ends all watches. Resolves when nothing is read any more. */
  async close(): Promise<void> {
    await Promise.all([...this.#informers.values()].map((informer) => informer.stop()));
  }

  #informerOf(kind: ObjectKind, namespace: string): Informer {
    const key = `${kind.kind} ${namespace}`;
    const known = this.#informers.get(key);
    if (known !== undefined) return known;
    const informer = new Informer(kind, namespace, {
      ...this.#options,
      forget: () => void this.#informers.delete(key),
    });
    this.#informers.set(key, informer);
    return informer;
  }
}

class Informer {
  readonly kind: ObjectKind;
  readonly cache = new Cache();
  readonly #namespace: string;
  readonly #options: InformersOptions & { readonly forget: () => void };
  readonly #source: WatchSource;
  readonly #observers = new Set<SharedObservation>();
  readonly #controller = new AbortController();
  readonly #running: Promise<void>;
  #cancelStop: () => void = () => {};

  constructor(kind: ObjectKind, namespace: string, options: InformersOptions & { readonly forget: () => void }) {
    this.kind = kind;
    this.#namespace = namespace;
    this.#options = options;
    this.#source = new WatchSource({
      ...options,
      kind: watchedKind(kind),
      namespace,
      cache: this.cache,
      relistMs,
      ifForbidden,
      publish: (changes) => this.#publish(changes),
      publishList: async (changes) => {
        this.#publish(changes);
        return true;
      },
      healthChanged: () => this.#each((observer) => observer.wake()),
    });
    this.#running = this.#source.run(this.#controller.signal);
  }

  add(observer: SharedObservation): void {
    this.#cancelStop();
    this.#observers.add(observer);
  }

  remove(observer: SharedObservation): void {
    if (!this.#observers.delete(observer) || this.#observers.size > 0) return;
    this.#cancelStop = this.#options.clock.after(idleMs, () => void this.stop());
  }

  async stop(): Promise<void> {
    this.#cancelStop();
    this.#options.forget();
    this.#controller.abort(new Error('nobody needs the watch any more'));
    await this.#running;
  }

  /** Why the cache is not current. Undefined if it is. */
  get problem(): string | undefined {
    const { synced, failing, forbidden } = this.#source.health();
    if (synced && failing === undefined) return undefined;
    const reason = failing ?? 'the API server has not listed them yet';
    const remedy = forbidden ? `: ${grantRemedy}` : '';
    return `cannot watch ${this.kind.plural} in namespace ${this.#namespace}: ${reason}${remedy}`;
  }

  /** The API server does not allow the watch. */
  get isRefused(): boolean {
    return this.#source.health().forbidden;
  }

  #publish(changes: readonly Delta[]): void {
    const visible = changes.filter(isVisible);
    if (visible.length > 0) this.#each((observer) => observer.take(this.kind, visible));
  }

  #each(work: (observer: SharedObservation) => void): void {
    for (const observer of this.#observers) work(observer);
  }
}

/** Something that is kept has changed, besides the version. */
function isVisible({ previous, current }: Delta): boolean {
  if (previous === undefined || current === undefined) return true;
  const at = { metadata: { ...previous.metadata, resourceVersion: current.metadata.resourceVersion } };
  return !isDeepStrictEqual({ ...previous, ...at }, current);
}

class SharedObservation implements Observation {
  readonly #scope: ObservedScope;
  readonly #informers: readonly Informer[];
  readonly #clock: Clock;
  #changed = new Set<string>();
  #wake: () => void = () => {};

  constructor(scope: ObservedScope, informers: readonly Informer[], clock: Clock) {
    this.#scope = scope;
    this.#informers = informers;
    this.#clock = clock;
    for (const informer of informers) informer.add(this);
  }

  list<T extends KubeObject>(kind: ObjectKind): readonly T[] {
    const informer = this.#informers.find((each) => each.kind.kind === kind.kind);
    const all = informer === undefined ? [] : [...informer.cache.values()];
    return all.filter((object) => this.#has(kind, object)) as unknown as readonly T[];
  }

  async current({ signal, report }: ObservationWait): Promise<boolean> {
    const since = this.#clock.monotonic();
    let told: string | undefined;
    for (let problem = this.problem; problem !== undefined && !signal.aborted; problem = this.problem) {
      const ms = this.#clock.monotonic() - since;
      const left = reportMs - ms;
      const message = this.#isRefused && ms >= patienceMs ? `cannot look: ${problem}` : `${problem}: trying again`;
      if (left <= 0 && message !== told) report({ message });
      if (left <= 0) told = message;
      await this.#sleep(Math.max(left, 0) || reportMs, signal);
    }
    if (told !== undefined && !signal.aborted) report({ message: 'the objects in Kubernetes can be watched again' });
    return told !== undefined;
  }

  async next(ms: number, signal: AbortSignal): Promise<ReadonlySet<string>> {
    if (this.#changed.size === 0 && this.problem === undefined) await this.#sleep(ms, signal);
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  close(): void {
    for (const informer of this.#informers) informer.remove(this);
  }

  take(kind: ObjectKind, changes: readonly Delta[]): void {
    const isOurs = ({ previous, current }: Delta): boolean =>
      [previous, current].some((object) => object !== undefined && this.#has(kind, object));
    if (!changes.some(isOurs)) return;
    this.#changed.add(kind.kind);
    this.wake();
  }

  wake(): void {
    this.#wake();
  }

  get problem(): string | undefined {
    return this.#informers.map(({ problem }) => problem).find((each) => each !== undefined);
  }

  /** What the problem is about is refused, as a request can be. */
  get #isRefused(): boolean {
    return this.#informers.find(({ problem }) => problem !== undefined)?.isRefused === true;
  }

  #has({ kind }: ObjectKind, object: RawResource): boolean {
    const { labels, without, about } = this.#scope;
    if (kind === events.kind) {
      const { involvedObject } = object as { readonly involvedObject?: { readonly name?: string } };
      return about?.has(involvedObject?.name ?? '') === true;
    }
    const own = object.metadata.labels ?? {};
    if (without !== undefined && without in own) return false;
    return Object.entries(labels).every(([name, value]) => own[name] === value);
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    const controller = new AbortController();
    this.#wake = () => controller.abort();
    await sleep(this.#clock, ms, AbortSignal.any([controller.signal, signal]));
    this.#wake = () => {};
  }
}
