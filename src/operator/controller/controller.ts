// Decides which keys need a pass, runs it, and asks the schedule when the next one follows.
import type { CommonPorts, Random } from '../../lib/ports.ts';
import {
  type ChangeSource,
  type Key,
  keyFromText,
  keyText,
  type Leadership,
  type PassContext,
  type ResourceChange,
} from '../reconcile/pass-ports.ts';
import type { Requeue } from '../reconcile/requeue.ts';
import { Dependents, externalText } from './dependents.ts';
import type { Priority, When } from './queue/due.ts';
import { Queue, type QueueStatistics } from './queue/queue.ts';
import { concernsDependents, concernsItself, isAsked, type Resource, urgencyOf } from './resource-change.ts';
import { Schedule } from './schedule.ts';

/** What the controller must know of resources, as functions, so that it need not know any kind. */
export interface ResourceIndex {
  /** True for the kinds that this controller has passes for; changes of others only wake their dependents. */
  owns(kind: string): boolean;
  /** The lane of a key: the Connection that its requests go through. */
  laneOf(key: Key): string;
  /** How many passes of a lane may run at once. */
  limitOf(lane: string): number;
  /** The Kubernetes objects that a resource refers to, as `keyText`. */
  referencesOf(resource: Resource): readonly string[];
  /** The objects of the service whose changes concern a resource, as `externalText`. */
  externalsOf(resource: Resource): readonly string[];
  /** Everything that dependents can see of a resource: readiness, ledger, deletion. A change of this text wakes them. */
  factsOf(resource: Resource): string;
  /** The annotations whose change concerns the object itself. */
  readonly annotations: readonly string[];
  /** Those of them that users set. */
  readonly commands: readonly string[];
}

/** A function of a key that returns only when to reconcile the key again. */
export type Pass = (key: Key, context: PassContext) => Promise<Requeue>;

export interface PassNote {
  readonly kind: string;
  /** `thrown`: the pass ended in an exception instead of a requeue. */
  readonly outcome: Requeue['next'] | 'thrown';
  readonly durationMs: number;
}

/** Called after every pass; must not throw. */
export interface Observer {
  started(waitedMs: number): void;
  passed(note: PassNote): void;
}

export interface ControllerOptions extends CommonPorts {
  readonly source: ChangeSource;
  readonly leadership: Leadership;
  readonly knowledge: ResourceIndex;
  readonly pass: Pass;
  readonly random: Random;
  readonly observer?: Observer;
}

/** Keys woken in one turn of the event loop: a Connection may have thousands of dependents. */
const wakesPerTurn = 256;

/**
 * Guarantees: no pass starts before `start`, after `drain` or while another replica may lead; a pass that throws is logged and
 * retried with backoff; what is remembered of an object ends with it.
 */
export class Controller {
  readonly #options: ControllerOptions;
  readonly #queue: Queue;
  readonly #schedule: Schedule;
  readonly #references = new Dependents();
  readonly #externals = new Dependents();

  /** Subscribes now, so that the first list is not missed; passes start with `start`. */
  constructor(options: ControllerOptions) {
    this.#options = options;
    this.#schedule = new Schedule(options.random, options.clock);
    this.#queue = new Queue({
      clock: options.clock,
      run: (key, signal) => this.#run(key, signal),
      failed: (key, error) => this.#failed(key, error),
      laneOf: (key) => options.knowledge.laneOf(keyFromText(key)),
      limitOf: (lane) => options.knowledge.limitOf(lane),
      mayStart: () => options.leadership.leading(),
      started: (waitedMs) => options.observer?.started(waitedMs),
    });
    options.source.subscribe((change) => this.#changed(change));
  }

  start(): void {
    this.#queue.start();
  }

  /** Returns the keys whose pass did not end, although it was aborted after `graceMs`. */
  drain(graceMs: number): Promise<readonly string[]> {
    return this.#queue.drain(graceMs);
  }

  statistics(): QueueStatistics {
    return this.#queue.statistics();
  }

  wake(key: Key): void {
    this.#wake(keyText(key), 'change');
  }

  /** For a change that a pass made itself: it concerns dependents of the object, and not the object. */
  wrote(change: ResourceChange): void {
    this.#note(change);
  }

  /** For what dependents see of an object besides its Kubernetes resource. */
  wakeDependents(key: Key): void {
    this.#wakeAll(this.#references.dependentsOf(keyText(key)), 'change');
  }

  /** For the budget: a permit is available for the user that was refused one, its key as text. */
  wakeBudget(user: string): void {
    this.#wake(user, 'change');
  }

  /** For the inventory: these objects of the service, by id or name, are new, changed or gone. */
  wakeExternal(connection: string, collection: string, idsOrNames: Iterable<string>): void {
    const dependents = (idOrName: string) =>
      this.#externals.dependentsOf(externalText(connection, collection, idOrName));
    // What a failing pass left and removed again shows in the LISTs of others: it must not defeat the backoff either.
    this.#wakeAll([...idsOrNames].flatMap(dependents), 'poll', (key) => this.#schedule.patienceMs(key));
  }

  #changed(change: ResourceChange): void {
    const { knowledge } = this.#options;
    this.#note(change);
    const itself = knowledge.owns(change.key.kind) && concernsItself(change, knowledge.annotations);
    const key = keyText(change.key);
    // A write of ours whose answer was lost looks like somebody else's: it must not defeat the backoff of the pass that failed for it.
    const delayMs = itself && !isAsked(change, knowledge.commands) ? this.#schedule.patienceMs(key) : 0;
    if (itself) this.#wake(key, urgencyOf(change), delayMs);
    if (change.current === undefined) this.#queue.forget(key);
  }

  #note(change: ResourceChange): void {
    const { knowledge } = this.#options;
    const key = keyText(change.key);
    if (knowledge.owns(change.key.kind)) this.#index(key, change.current);
    if (!this.#references.has(key)) return;
    const seen = concernsDependents(change, (resource) => knowledge.factsOf(resource));
    if (seen) this.#wakeAll(this.#references.dependentsOf(key), change.initial ? 'poll' : 'change');
  }

  #index(key: string, current: Resource | undefined): void {
    const { knowledge } = this.#options;
    const freed = this.#externals.set(key, current === undefined ? [] : knowledge.externalsOf(current));
    const dropped = this.#references.set(key, current === undefined ? [] : knowledge.referencesOf(current));
    // An object that is no longer referred to may have waited for that to be deleted; others may want what is no longer claimed.
    this.#wakeAll([...dropped, ...freed.flatMap((external) => this.#externals.dependentsOf(external))], 'poll');
  }

  #wakeAll(keys: readonly string[], priority: Priority, delayMs: (key: string) => number = () => 0): void {
    for (const key of keys.slice(0, wakesPerTurn)) this.#wake(key, priority, delayMs(key));
    if (keys.length > wakesPerTurn) setImmediate(() => this.#wakeAll(keys.slice(wakesPerTurn), priority, delayMs));
  }

  /** `text`: of a key, and perhaps of what refers to it after that. */
  #wake(text: string, priority: Priority, delayMs = 0): void {
    const key = keyFromText(text);
    if (this.#options.knowledge.owns(key.kind)) this.#queue.add(keyText(key), { priority, delayMs });
  }

  async #run(text: string, signal: AbortSignal): Promise<When | undefined> {
    const { clock, pass, observer } = this.#options;
    const key = keyFromText(text);
    const since = clock.monotonic();
    let outcome: PassNote['outcome'] = 'thrown';
    try {
      const requeue = await pass(key, { signal, pollMs: this.#schedule.pollMs(text) });
      outcome = requeue.next;
      return this.#again(text, requeue);
    } finally {
      observer?.passed({ kind: key.kind, outcome, durationMs: clock.monotonic() - since });
    }
  }

  #failed(text: string, error: unknown): When | undefined {
    const { kind, namespace, name } = keyFromText(text);
    this.#options.log.error(
      { kind, namespace, name, outcome: 'thrown', err: error },
      'a reconciliation threw an error; the operator retries it',
    );
    return this.#again(text, { next: 'retry' });
  }

  #again(key: string, requeue: Requeue): When | undefined {
    const delayMs = this.#schedule.delayMs(key, requeue);
    const called = this.#schedule.called();
    this.#wakeAll([...called.keys()], 'poll', (other) => called.get(other) ?? 0);
    if (delayMs === undefined) return undefined;
    return { priority: requeue.next === 'again' ? 'change' : 'poll', delayMs };
  }
}
