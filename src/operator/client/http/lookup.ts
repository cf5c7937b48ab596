// From host names to addresses: a name for which no answer comes holds one thread, and other names go on.
import dns from 'node:dns';
import type { LookupFunction } from 'node:net';

/**
 * Of libuv's pool; to be set before its first use. Names are asked for by getaddrinfo, for only it knows all that a pod or a machine does
 * (hosts file, search domains, nsswitch). It holds a thread until it has an answer, even when nobody waits for that any more, and libuv lends it
 * half of them. A thread costs some 30 kB, of which 16 are the kernel's.
 */
export const threads = 64;
/** Names of either sort that are asked for at once. Two threads are left: the API server has a name, too. */
const most = threads / 4 - 1;
/** More are not remembered; one that is not is only taken for a doubtful one. */
const mostProven = 1_000;

type Callback = Parameters<LookupFunction>[2];

/** Threads for some of the names; who finds none free waits, first come, first served. */
class ThreadShare {
  #free = most;
  readonly #waiting: (() => void)[] = [];

  lend(begin: () => void): void {
    if (this.#free === 0) this.#waiting.push(begin);
    else {
      this.#free -= 1;
      begin();
    }
  }

  giveBack(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

/**
 * Guarantees:
 * - a name is asked for once at a time, for all who want it the same way;
 * - names that had an answer the last time do not wait for those that had none, or that were never asked for, however many these are.
 */
export class Lookups {
  readonly #ask: LookupFunction;
  /** Who waits for an answer. */
  readonly #asking = new Map<string, Callback[]>();
  /** Names that had an answer the last time. */
  readonly #proven = new Set<string>();
  readonly #shares = { proven: new ThreadShare(), doubtful: new ThreadShare() };

  constructor(ask: LookupFunction) {
    this.#ask = ask;
  }

  readonly lookup: LookupFunction = (name, options, callback) => {
    const question = JSON.stringify([name, options]);
    const asking = this.#asking.get(question);
    if (asking !== undefined) {
      asking.push(callback);
      return;
    }
    const callbacks = [callback];
    this.#asking.set(question, callbacks);
    const share = this.#shares[this.#proven.has(name) ? 'proven' : 'doubtful'];
    share.lend(() =>
      this.#ask(name, options, (...answer) => {
        this.#asking.delete(question);
        this.#note(name, answer[0] === null);
        share.giveBack();
        for (const each of callbacks) each(...answer);
      }),
    );
  };

  #note(name: string, answered: boolean): void {
    this.#proven.delete(name);
    if (answered) this.#proven.add(name);
    const [oldest] = this.#proven;
    if (oldest !== undefined && this.#proven.size > mostProven) this.#proven.delete(oldest);
  }
}

/** One for all connections: they share the threads. */
export const { lookup } = new Lookups((name, options, callback) => dns.lookup(name, options, callback));
