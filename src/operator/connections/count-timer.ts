// Decides when the objects of a service are counted again for the status of its Connection.
import type { Clock } from '../../lib/ports.ts';

/** Without a change for this long, in ms, what one action of a user caused is over, and the objects are counted. */
const quietMs = 5_000;
/** While changes go on, a count reports them this often, in ms: each may be a write. */
const restlessMs = 60_000;

export class CountTimer {
  readonly #clock: Clock;
  readonly #due: () => void;
  /** Of the changes since the last count, monotonic ms. */
  #first = 0;
  #last = 0;
  #cancel: (() => void) | undefined;
  #closed = false;

  constructor(clock: Clock, due: () => void) {
    this.#clock = clock;
    this.#due = due;
  }

  /** Objects or claims have changed. */
  changed(): void {
    this.#last = this.#clock.monotonic();
    if (this.#closed || this.#cancel) return;
    this.#first = this.#last;
    this.#wait();
  }

  close(): void {
    this.#closed = true;
    this.#cancel?.();
  }

  /** One timer for any number of changes: when it fires, it checks whether there were more. */
  #wait(): void {
    const at = Math.min(this.#last + quietMs, this.#first + restlessMs);
    const inMs = at - this.#clock.monotonic();
    if (inMs > 0) {
      this.#cancel = this.#clock.after(inMs, () => this.#wait());
      return;
    }
    this.#cancel = undefined;
    this.#due();
  }
}
