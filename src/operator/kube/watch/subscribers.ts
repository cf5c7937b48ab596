// Hands changes to those who asked for them, in order, and lets none of them break the others or hold up the event loop.

import type { Log } from '../../../lib/ports.ts';
import { turn } from '../../../lib/slices.ts';
import type { RawResource } from '../../api/definition.ts';
import { type Key, keyOf, keyText, type ResourceChange } from '../../reconcile/ports.ts';
import type { Delta } from './cache.ts';

export type Handler = (change: ResourceChange) => void;

/** Handed on in one go: a few ms. */
const sliceSize = 16;

/**
 * Guarantees: every change is handed on exactly once; those of one object in the order in which they were published, also when a
 * later one overtakes the list that an earlier one is still waiting in; lists take a turn of the event loop after every few objects.
 */
export class Subscribers {
  readonly #log: Log;
  readonly #handlers: Handler[] = [];
  /** Changes of lists that are still to be handed on, by object. */
  readonly #waiting = new Map<string, readonly ResourceChange[]>();
  /** The end of the lists so far: one is handed on after the other. */
  #lists: Promise<unknown> = Promise.resolve();
  #handed = 0;

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
      this.#hand(change);
    }
  }

  /** True once all were handed on; false when `signal` was aborted before. */
  publishList(deltas: readonly Delta[], initial: boolean, signal: AbortSignal): Promise<boolean> {
    const keys = deltas.map((delta) => this.#wait(changeOf(delta, initial)));
    const handed = this.#lists.then(async () => this.#handList(keys, signal));
    this.#lists = handed;
    return handed;
  }

  /** Hands on at once what waits of this object: for those who are about to tell something newer of it. */
  catchUp(key: Key): void {
    if (this.#waiting.size > 0) this.#handWaiting(keyText(key));
  }

  #wait(change: ResourceChange): string {
    const key = keyText(change.key);
    const before = this.#waiting.get(key);
    this.#waiting.set(key, before === undefined ? [change] : [...before, change]);
    return key;
  }

  async #handList(keys: readonly string[], signal: AbortSignal): Promise<boolean> {
    for (const key of keys) {
      if (signal.aborted) return false;
      this.#handWaiting(key);
      this.#handed += 1;
      if (this.#handed % sliceSize === 0) await turn();
    }
    return true;
  }

  #handWaiting(key: string): void {
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    for (const change of waiting ?? []) this.#hand(change);
  }

  /** A handler that throws is a bug, but not one that may cost the others their change. */
  #hand(change: ResourceChange): void {
    for (const handler of this.#handlers) {
      try {
        handler(change);
      } catch (err) {
        this.#log.error({ ...change.key, err }, 'cannot hand on a change: the handler threw');
      }
    }
  }
}

function changeOf({ previous, current }: Delta, initial: boolean): ResourceChange {
  // Never both undefined.
  return { key: keyOf((current ?? previous) as RawResource), previous, current, initial };
}
