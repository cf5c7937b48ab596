// Hands changes to those who asked for them, and lets none of them break the others.
import type { Log } from '../ports.ts';
import { type Change, keyOf } from '../reconcile/ports.ts';
import type { Delta } from './cache.ts';

export type Handler = (change: Change) => void;

export class Subscribers {
  readonly #log: Log;
  readonly #handlers: Handler[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  add(handler: Handler): void {
    this.#handlers.push(handler);
  }

  publish(deltas: readonly Delta[], initial: boolean): void {
    for (const { previous, current } of deltas) {
      const subject = current ?? previous;
      if (subject !== undefined) this.#hand({ key: keyOf(subject), previous, current, initial });
    }
  }

  /** A handler that throws is a bug, but not one that may cost the others their change. */
  #hand(change: Change): void {
    for (const handler of this.#handlers) {
      try {
        handler(change);
      } catch (err) {
        this.#log.error({ ...change.key, err }, 'cannot hand on a change: the handler threw');
      }
    }
  }
}
