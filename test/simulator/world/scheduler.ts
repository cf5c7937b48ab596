// Virtual time: one line of all that will happen, in order, and nothing in between but what follows at once. Unlike the manual clock of
// `test/support` it also runs the immediates, so that a world depends on nothing but its plan, and has a heap, because worlds are long.

interface Entry {
  readonly at: number;
  readonly order: number;
  run: (() => void) | undefined;
  /** It starts nothing that has to be waited for. */
  readonly quiet: boolean;
}

const realImmediate = setImmediate;
const turn = (): Promise<void> => new Promise((resolve) => void realImmediate(resolve));

/**
 * One for a world. What is due at the same time runs in the order in which it was planned; after each, all promises settle and all
 * immediates run, before the next begins. So everything depends on nothing but what was planned.
 */
export class Scheduler {
  #now = 0;
  #order = 0;
  #steps = 0;
  readonly #heap: Entry[] = [];
  readonly #immediates: (() => void)[] = [];

  /** Ms since the world began. */
  get now(): number {
    return this.#now;
  }

  get steps(): number {
    return this.#steps;
  }

  /** How much is planned. */
  get pending(): number {
    return this.#heap.reduce((sum, { run }) => sum + (run === undefined ? 0 : 1), 0);
  }

  /** Answers how to cancel it. */
  after(ms: number, run: () => void, quiet = false): () => void {
    const entry: Entry = { at: this.#now + Math.max(ms, 0), order: this.#order++, run, quiet };
    this.#push(entry);
    return () => {
      entry.run = undefined;
    };
  }

  /** Lets happen what is due until then. */
  async advance(until: number): Promise<void> {
    const before = globalThis.setImmediate;
    const own = (run: () => void): void => void this.#immediates.push(run);
    globalThis.setImmediate = own as unknown as typeof setImmediate;
    try {
      await this.#settle();
      for (let entry = this.#heap[0]; entry !== undefined && entry.at <= until; entry = this.#heap[0]) {
        this.#pop();
        const { run, at, quiet } = entry;
        if (run === undefined) continue;
        entry.run = undefined;
        this.#now = at;
        this.#steps += 1;
        run();
        if (!quiet) await this.#settle();
      }
    } finally {
      globalThis.setImmediate = before;
    }
    this.#now = Math.max(this.#now, until);
  }

  async #settle(): Promise<void> {
    for (;;) {
      await turn();
      if (this.#immediates.length === 0) return;
      for (const run of this.#immediates.splice(0)) run();
    }
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as Entry;
      if (isBefore(above, entry)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop() as Entry;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= heap.length) break;
      const right = left + 1;
      const child = right < heap.length && isBefore(heap[right] as Entry, heap[left] as Entry) ? right : left;
      if (isBefore(last, heap[child] as Entry)) break;
      heap[at] = heap[child] as Entry;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
