// What runs now: tasks, each with a key, a start time and a signal of its own.
import type { Clock } from '../../../lib/ports.ts';

export interface WorkerPoolOptions {
  readonly clock: Clock;
  /** Called when one has ended, and when more may start. */
  readonly freed: () => void;
}

export interface WorkerPoolStatistics {
  readonly running: number;
  /** The task that has run longest. */
  readonly longest: { readonly key: string; readonly ms: number } | undefined;
}

/** Tasks started in one turn of the event loop: one that waits for nothing ends at once and makes room for the next. */
const startsPerTurn = 16;

interface Task {
  readonly since: number;
  readonly abort: AbortController;
}

/** Holds no waiting tasks: `Lanes` decides how many run at once, and which is next, when there is room. */
export class WorkerPool {
  readonly #clock: Clock;
  readonly #running = new Map<string, Task>();
  readonly #freed: () => void;
  /** Resolved when nothing runs. Missing while nobody waits for that. */
  #idle: PromiseWithResolvers<true> | undefined;
  /** In this turn of the event loop. */
  #starts = 0;

  constructor(options: WorkerPoolOptions) {
    this.#clock = options.clock;
    this.#freed = options.freed;
  }

  /** False when enough has started in this turn of the event loop. */
  get mayStart(): boolean {
    return this.#starts < startsPerTurn;
  }

  /** Starts at once; only when it may and nothing runs under this key. `ended` gets the answer, undefined when `task` threw. */
  start<T>(key: string, task: (signal: AbortSignal) => Promise<T>, ended: (answer: T | undefined) => void): void {
    this.#countStart();
    const abort = new AbortController();
    this.#running.set(key, { since: this.#clock.monotonic(), abort });
    void this.#finish(key, task(abort.signal), ended);
  }

  async #finish<T>(key: string, task: Promise<T>, ended: (answer: T | undefined) => void): Promise<void> {
    let answer: T | undefined;
    try {
      answer = await task;
    } finally {
      this.#running.delete(key);
      ended(answer);
      this.#freed();
      if (this.#running.size === 0) this.#idle?.resolve(true);
    }
  }

  #countStart(): void {
    this.#starts += 1;
    if (this.#starts > 1) return;
    setImmediate(() => {
      const full = this.#starts === startsPerTurn;
      this.#starts = 0;
      if (full) this.#freed();
    });
  }

  keys(): readonly string[] {
    return [...this.#running.keys()];
  }

  statistics(): WorkerPoolStatistics {
    // The order of a Map is the order of the starts.
    const [first] = this.#running;
    const longest = first && { key: first[0], ms: this.#clock.monotonic() - first[1].since };
    return { running: this.#running.size, longest };
  }

  abort(): void {
    for (const { abort } of this.#running.values()) abort.abort();
  }

  /** True when nothing runs any more, false when that took longer than `ms`. */
  async endedWithin(ms: number): Promise<boolean> {
    if (this.#running.size === 0) return true;
    const expiry = Promise.withResolvers<boolean>();
    const cancel = this.#clock.after(ms, () => expiry.resolve(false));
    this.#idle ??= Promise.withResolvers();
    const answer = await Promise.race([this.#idle.promise, expiry.promise]);
    cancel();
    return answer;
  }
}
