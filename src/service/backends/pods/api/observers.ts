// Who observes the objects of one kind and namespace, and how all of them are woken.
import type { IndexOf } from '../../../../kube/watch/cache-index.ts';
import type { Delta } from '../../../../kube/watch/watch-cache.ts';
import { turn } from '../../../../lib/timing/slices.ts';

export interface Sleeper {
  /** Ends its sleep if there is a reason to. Must not throw. */
  wake(): void;
}

/** What each does then takes some 100 µs. */
const sliceSize = 64;

/** Wakes sleepers in slices, so that thousands of them do not go on in one turn of the event loop. The first slice is woken at once. */
export class WakeQueue {
  readonly #due = new Set<Sleeper>();
  #isWaking = false;

  add(sleepers: Iterable<Sleeper>): void {
    for (const sleeper of sleepers) this.#due.add(sleeper);
    if (!this.#isWaking) void this.#wakeAll();
  }

  async #wakeAll(): Promise<void> {
    this.#isWaking = true;
    for (;;) {
      for (const sleeper of this.#due.values().take(sliceSize).toArray()) {
        this.#due.delete(sleeper);
        sleeper.wake();
      }
      if (this.#due.size === 0) break;
      await turn();
    }
    this.#isWaking = false;
  }
}

/** Finds the observers of a change without a look at the others. */
export class Observers<Observer> {
  readonly #ownerOf: IndexOf;
  readonly #all = new Map<Observer, ReadonlySet<string>>();
  readonly #byOwner = new Map<string, Set<Observer>>();

  constructor(ownerOf: IndexOf) {
    this.#ownerOf = ownerOf;
  }

  get all(): Iterable<Observer> {
    return this.#all.keys();
  }

  get size(): number {
    return this.#all.size;
  }

  add(observer: Observer, owners: ReadonlySet<string>): void {
    this.#all.set(observer, owners);
    for (const owner of owners) this.#byOwner.set(owner, (this.#byOwner.get(owner) ?? new Set()).add(observer));
  }

  /** False if it was not there. */
  delete(observer: Observer): boolean {
    for (const owner of this.#all.get(observer) ?? []) {
      const left = this.#byOwner.get(owner);
      left?.delete(observer);
      if (left?.size === 0) this.#byOwner.delete(owner);
    }
    return this.#all.delete(observer);
  }

  /** The observers of what the changes are about, with these changes. */
  *of(changes: readonly Delta[]): Generator<readonly [Observer, Delta]> {
    for (const change of changes) {
      const owners = [change.previous, change.current].map((object) => object && this.#ownerOf(object));
      for (const owner of new Set(owners))
        if (owner !== undefined) for (const observer of this.#byOwner.get(owner) ?? []) yield [observer, change];
    }
  }
}
