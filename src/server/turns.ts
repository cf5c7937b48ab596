// Gives records their turns: one timer and one deed at a time for each, and what is under way can be given up.
import type { Clock } from '../ports.ts';

type Deed = (signal: AbortSignal) => Promise<void>;

/** A deed being done. */
interface Run {
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

export class Turns {
  readonly #clock: Clock;
  readonly #failed: (id: string, err: unknown) => void;
  readonly #timers = new Map<string, () => void>();
  readonly #runs = new Map<string, Run>();
  #closed = false;

  /** `failed` is told of deeds that reject. */
  constructor(clock: Clock, failed: (id: string, err: unknown) => void) {
    this.#clock = clock;
    this.#failed = failed;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Forgets the deed that waits for its time, and aborts the one that is being done. */
  stop(id: string): void {
    this.#timers.get(id)?.();
    this.#timers.delete(id);
    this.#runs.get(id)?.controller.abort();
  }

  /** Does the deed in `ms`, and not before the last one of the same record has come to its end. */
  take(id: string, ms: number, deed: Deed): void {
    const run = () => {
      this.#timers.delete(id);
      this.#run(id, deed);
    };
    this.#timers.set(id, this.#clock.after(ms, run));
  }

  close(): void {
    this.#closed = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    for (const { controller } of this.#runs.values()) controller.abort();
  }

  #run(id: string, deed: Deed): void {
    const controller = new AbortController();
    const before = this.#runs.get(id)?.done;
    const doing = before === undefined ? deed(controller.signal) : before.then(() => deed(controller.signal));
    const done = doing
      .catch((err: unknown) => this.#failed(id, err))
      .finally(() => {
        if (this.#runs.get(id)?.controller === controller) this.#runs.delete(id);
      });
    this.#runs.set(id, { controller, done });
  }
}
