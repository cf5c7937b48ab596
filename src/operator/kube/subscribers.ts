// Delivers changes to subscribers in order, without blocking the event loop.
import type { Delta } from '../../kube/watch/watch-cache.ts';
import type { Log } from '../../lib/ports.ts';
import { turn } from '../../lib/timing/slices.ts';
import type { RawResource } from '../api/definition.ts';
import { type Key, keyOf, keyText, type ResourceChange } from '../reconcile/pass-ports.ts';

export type Handler = (change: ResourceChange) => void;

/** A few ms. */
const sliceSize = 16;

/**
 * Guarantees: every change is delivered exactly once; changes of one object in the order in which they were published, even if an event
 * arrives while an earlier change of the object still waits in a list; the delivery of a list yields to the event loop.
 */
export class Subscribers {
  readonly #log: Log;
  readonly #handlers: Handler[] = [];
  /** Changes of lists that are not delivered yet, by object. */
  readonly #waiting = new Map<string, readonly ResourceChange[]>();
  /** Resolves when all lists so far are delivered. */
  #lists: Promise<unknown> = Promise.resolve();
  #delivered = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  add(handler: Handler): void {
    this.#handlers.push(handler);
  }

  publish(deltas: readonly Delta[]): void {
    for (const delta of deltas) {
      const change = changeOf(delta, false);
      this.catchUp(change.key);
      this.#deliver(change);
    }
  }

  /** Resolves to true once all changes are delivered, to false if `signal` aborted before. */
  publishList(deltas: readonly Delta[], initial: boolean, signal: AbortSignal): Promise<boolean> {
    const keys = deltas.map((delta) => this.#wait(changeOf(delta, initial)));
    const delivered = this.#lists.then(async () => this.#deliverList(keys, signal));
    this.#lists = delivered;
    return delivered;
  }

  /** Delivers the waiting changes of this object now, because a newer one is about to be published. */
  catchUp(key: Key): void {
    if (this.#waiting.size > 0) this.#deliverWaiting(keyText(key));
  }

  #wait(change: ResourceChange): string {
    const key = keyText(change.key);
    const before = this.#waiting.get(key);
    this.#waiting.set(key, before === undefined ? [change] : [...before, change]);
    return key;
  }

  async #deliverList(keys: readonly string[], signal: AbortSignal): Promise<boolean> {
    for (const key of keys) {
      if (signal.aborted) return false;
      this.#deliverWaiting(key);
      this.#delivered += 1;
      if (this.#delivered % sliceSize === 0) await turn();
    }
    return true;
  }

  #deliverWaiting(key: string): void {
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    for (const change of waiting ?? []) this.#deliver(change);
  }

  /** A handler that throws must not prevent the delivery to the others. */
  #deliver(change: ResourceChange): void {
    for (const handler of this.#handlers) {
      try {
        handler(change);
      } catch (err) {
        this.#log.error({ ...change.key, err }, 'cannot deliver a change: the handler threw');
      }
    }
  }
}

function changeOf({ previous, current }: Delta, initial: boolean): ResourceChange {
  return { key: keyOf((current ?? previous) as RawResource), previous, current, initial };
}
