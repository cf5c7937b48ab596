// Watches the objects of clusters and runs: one watch for each kind and namespace serves all who wait for a change.
import { isDeepStrictEqual } from 'node:util';
import type { ApiTransport } from '../../../../kube/http/transport.ts';
import { Cache, type Delta } from '../../../../kube/watch/watch-cache.ts';
import { WatchSource } from '../../../../kube/watch/watch-source.ts';
import type { Clock, CommonPorts, Random } from '../../../../lib/ports.ts';
import { slicesOf } from '../../../../lib/timing/slices.ts';
import { sleep } from '../../../../lib/timing/wait.ts';
import { events, type KubeObject, type ObjectKind } from './api.ts';
import { grantRemedy, patienceMs } from './failures.ts';
import { Observers, WakeQueue } from './observers.ts';
import { type OwnedScope, ownerOf, ownersIn, subjectOf } from './owners.ts';
import { watchedKind } from './watched-kinds.ts';

/** Which objects are observed. */
export interface ObservedScope extends OwnedScope {
  readonly namespace: string;
  readonly kinds: readonly ObjectKind[];
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
  /** Of all watches together: the API server is lost for all of them at once. */
  readonly #wakes = new WakeQueue();

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
      wakes: this.#wakes,
      forget: () => void this.#informers.delete(key),
    });
    this.#informers.set(key, informer);
    return informer;
  }
}

interface InformerOptions extends InformersOptions {
  readonly wakes: WakeQueue;
  readonly forget: () => void;
}

class Informer {
  readonly kind: ObjectKind;
  readonly cache: Cache;
  readonly #namespace: string;
  readonly #options: InformerOptions;
  readonly #source: WatchSource;
  readonly #observers: Observers<SharedObservation>;
  readonly #controller = new AbortController();
  readonly #running: Promise<void>;
  #cancelStop: () => void = () => {};

  constructor(kind: ObjectKind, namespace: string, options: InformerOptions) {
    this.kind = kind;
    this.cache = new Cache(ownerOf(kind));
    this.#observers = new Observers(ownerOf(kind));
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
        for await (const slice of slicesOf(changes)) this.#publish(slice);
        return true;
      },
      healthChanged: () => options.wakes.add(this.#observers.all),
    });
    this.#running = this.#source.run(this.#controller.signal);
  }

  add(observer: SharedObservation, owners: ReadonlySet<string>): void {
    this.#cancelStop();
    this.#observers.add(observer, owners);
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
    const taken = this.#observers.of(visible).filter(([observer, change]) => observer.take(this.kind, change));
    this.#options.wakes.add(taken.map(([observer]) => observer));
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
  /** That at the beginning of its sleep. */
  #knownProblem: string | undefined;

  constructor(scope: ObservedScope, informers: readonly Informer[], clock: Clock) {
    this.#scope = scope;
    this.#informers = informers;
    this.#clock = clock;
    for (const informer of informers) informer.add(this, ownersIn(informer.kind, scope));
  }

  list<T extends KubeObject>(kind: ObjectKind): readonly T[] {
    const informer = this.#informers.find((each) => each.kind.kind === kind.kind);
    const owned = informer?.cache.indexed(...ownersIn(kind, this.#scope)) ?? [];
    return owned.filter((object) => this.#has(kind, object)) as unknown as readonly T[];
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

  /** The change is one of its owners. Whether it is to be woken for it. */
  take(kind: ObjectKind, { previous, current }: Delta): boolean {
    const isOurs = [previous, current].some((object) => object !== undefined && this.#has(kind, object));
    if (isOurs) this.#changed.add(kind.kind);
    return isOurs;
  }

  /** It may have gone on before its turn comes. The end of another sleep would look as if nothing had changed for long. */
  wake(): void {
    if (this.#changed.size > 0 || this.problem !== this.#knownProblem) this.#wake();
  }

  get problem(): string | undefined {
    return this.#informers.map(({ problem }) => problem).find((each) => each !== undefined);
  }

  /** What the problem is about is refused, as a request can be. */
  get #isRefused(): boolean {
    return this.#informers.find(({ problem }) => problem !== undefined)?.isRefused === true;
  }

  /** Whether an object of one of its owners is selected. */
  #has({ kind }: ObjectKind, object: object): boolean {
    return kind !== events.kind || this.#scope.about?.has(subjectOf(object)) === true;
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    const controller = new AbortController();
    this.#wake = () => controller.abort();
    this.#knownProblem = this.problem;
    await sleep(this.#clock, ms, AbortSignal.any([controller.signal, signal]));
    this.#wake = () => {};
  }
}
