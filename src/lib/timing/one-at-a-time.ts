// Work that must not overlap.

/** Of each key, one piece of work at a time, in the order of the calls. One that fails does not keep the next from beginning. */
export class OneAtATime {
  /** The latest of each key. They never reject. */
  readonly #latest = new Map<string, Promise<void>>();

  /** Begins at once if nothing of the key is under way. Resolves and rejects as `work` does. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const working = this.#latest.get(key)?.then(work) ?? work();
    const end = (): void => {
      if (this.#latest.get(key) === ended) this.#latest.delete(key);
    };
    const ended: Promise<void> = working.then(end, end);
    this.#latest.set(key, ended);
    return working;
  }

  /** Resolves when all work of the key has ended for which `run` was called before. */
  async ended(key: string): Promise<void> {
    await this.#latest.get(key);
  }
}
