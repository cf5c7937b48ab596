// Remembers answers for a short time, and a limited number of them.
import type { Clock } from '../../../lib/ports.ts';

export interface FreshValue<T> {
  readonly value: T;
  readonly freshMs: number;
}

interface Entry<T> {
  readonly value: Promise<T>;
  /** Unset while the answer is under way, which all who ask meanwhile share. */
  until?: number;
}

/** A failure is not remembered. Beyond `most`, the oldest answer is forgotten. */
export class Recent<T> {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #entries = new Map<string, Entry<T>>();

  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#most = most;
  }

  /** Whether `get` answers without asking. */
  has(key: string): boolean {
    const entry = this.#entries.get(key);
    return entry !== undefined && (entry.until === undefined || this.#clock.monotonic() < entry.until);
  }

  get(key: string, ask: () => Promise<FreshValue<T>>): Promise<T> {
    const known = this.#entries.get(key);
    if (known !== undefined && this.has(key)) return known.value;
    this.#entries.delete(key);
    const entry: Entry<T> = { value: this.#ask(key, ask, () => entry) };
    this.#entries.set(key, entry);
    for (const [oldest] of this.#entries) {
      if (this.#entries.size <= this.#most) break;
      this.#entries.delete(oldest);
    }
    return entry.value;
  }

  async #ask(key: string, ask: () => Promise<FreshValue<T>>, entry: () => Entry<T>): Promise<T> {
    try {
      const { value, freshMs } = await ask();
      entry().until = this.#clock.monotonic() + freshMs;
      return value;
    } catch (error) {
      if (this.#entries.get(key) === entry()) this.#entries.delete(key);
      throw error;
    }
  }
}
