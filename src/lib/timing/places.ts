// Places for work of many tenants, which take turns, so that no tenant's work keeps that of others waiting for long.
import { turn } from './slices.ts';

interface WaitingWork {
  readonly begin: () => void;
}

/** One tenant gets half of the places. */
export class TenantPlaces {
  /** By tenant, whose turn it is first. */
  readonly #waiting = new Map<string, Set<WaitingWork>>();
  /** How many places each tenant has. */
  readonly #held = new Map<string, number>();
  #used = 0;
  /** How many have got a place, and do not use it yet. */
  #beginning = 0;
  /** How many places there are. */
  readonly #most: number;
  readonly #hasRoom: (beginning: number) => boolean;

  /** `hasRoom`: whether more work may begin at all, beside that which is beginning. */
  constructor(most: number, hasRoom: (beginning: number) => boolean = () => true) {
    this.#most = most;
    this.#hasRoom = hasRoom;
  }

  /** Does the work at once if there is a place, and otherwise when it is the tenant's turn. Rejects with the reason of the signal if that is aborted before. */
  async run<T>(tenant: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.#waiting.has(tenant) || !this.#mayBegin(tenant)) {
      await this.#turnOf(tenant, signal);
      this.#beginning -= 1;
    } else this.#take(tenant);
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      void this.#leave(tenant);
    }
  }

  /** Begins what waits and may begin by now. */
  serve(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const [tenant, queue] = next;
      const [first] = queue;
      this.#waiting.delete(tenant);
      if (first === undefined) continue;
      queue.delete(first);
      if (queue.size > 0) this.#waiting.set(tenant, queue);
      this.#take(tenant);
      this.#beginning += 1;
      first.begin();
    }
  }

  /** A place is free in the next turn of the event loop: no turn has more work that begins than there are places. */
  async #leave(tenant: string): Promise<void> {
    await turn();
    const held = (this.#held.get(tenant) ?? 0) - 1;
    if (held > 0) this.#held.set(tenant, held);
    else this.#held.delete(tenant);
    this.#used -= 1;
    this.serve();
  }

  #take(tenant: string): void {
    this.#held.set(tenant, (this.#held.get(tenant) ?? 0) + 1);
    this.#used += 1;
  }

  /** Whoever has as many places as are free gets no more, so that some are left however many tenants wait for what does not come. */
  #mayBegin(tenant: string): boolean {
    return (this.#held.get(tenant) ?? 0) < this.#most - this.#used && this.#hasRoom(this.#beginning);
  }

  #next(): readonly [string, Set<WaitingWork>] | undefined {
    for (const each of this.#waiting) if (this.#mayBegin(each[0])) return each;
    return undefined;
  }

  /** Resolves when the tenant has got a place. Whoever gives up leaves the queue at once. */
  #turnOf(tenant: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const queue = this.#waiting.get(tenant) ?? new Set<WaitingWork>();
      this.#waiting.set(tenant, queue);
      const giveUp = () => {
        queue.delete(waiting);
        if (queue.size === 0 && this.#waiting.get(tenant) === queue) this.#waiting.delete(tenant);
        reject(signal.reason as Error);
      };
      const waiting: WaitingWork = {
        begin() {
          signal.removeEventListener('abort', giveUp);
          resolve();
        },
      };
      queue.add(waiting);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }
}
