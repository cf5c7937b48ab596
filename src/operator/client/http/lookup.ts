// Resolves host names so that a name that cannot be resolved does not delay the others.
import dns from 'node:dns';
import type { LookupFunction } from 'node:net';

/**
 * The size of libuv's thread pool, to be set before its first use. Only getaddrinfo supports everything that is configured in a pod (hosts
 * file, search domains, nsswitch). It blocks a thread until it has an answer, even if nobody waits any more, and libuv gives it at most half
 * of the pool. A thread costs some 30 kB.
 */
export const threads = 64;
/** Concurrent lookups of each share. Two threads remain for the name of the API server. */
const lookupsPerShare = threads / 4 - 1;
/** A forgotten name counts as doubtful again. */
const mostProven = 1_000;

/** A share of the threads, first come, first served. */
class ThreadShare {
  #free = lookupsPerShare;
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
 * - concurrent lookups of the same name share one call;
 * - names that were resolved the last time do not wait for names that were not, or that are new, however many those are.
 */
export class Lookups {
  readonly #ask: LookupFunction;
  readonly #asking = new Map<string, Parameters<LookupFunction>[2][]>();
  /** Names that were resolved the last time. */
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

/** Shared by all connections, because they share the threads. */
export const { lookup } = new Lookups((name, options, callback) => dns.lookup(name, options, callback));
