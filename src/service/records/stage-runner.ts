// Gives records their turns: one timer and one deed at a time for each. What is under way can be given up; what fails is done again.
import type { Clock } from '../../lib/ports.ts';

type RunnerAction = (signal: AbortSignal) => Promise<void>;

/** A deed being done. */
interface Run {
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/** 1, 2, 4, 8, 16 and 32 s, then once a minute. */
const backoffMs = (failures: number): number => Math.min(1000 * 2 ** failures, 60_000);

export class Turns {
  readonly #clock: Clock;
  readonly #failed: (id: string, err: unknown) => void;
  readonly #timers = new Map<string, () => void>();
  readonly #runs = new Map<string, Run>();
  /** What to do at once where a deed that failed waits to be done again. */
  readonly #retries = new Map<string, () => void>();
  #closed = false;

  /** `failed` is told of deeds that reject. They are done again, later each time, until something else is done with the record. */
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
    this.#retries.delete(id);
    this.#runs.get(id)?.controller.abort();
  }

  /** Does the deed now that failed and waits to be done again, if there is one. */
  hurry(id: string): void {
    const retry = this.#retries.get(id);
    if (retry === undefined) return;
    this.#timers.get(id)?.();
    retry();
  }

  /** Does the deed in `ms`, and not before the last one of the same record has come to its end. */
  take(id: string, ms: number, deed: RunnerAction): void {
    this.#wait(id, ms, deed, 0);
  }

  close(): void {
    this.#closed = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    for (const { controller } of this.#runs.values()) controller.abort();
  }

  #wait(id: string, ms: number, deed: RunnerAction, failures: number): void {
    const run = () => {
      this.#timers.delete(id);
      this.#retries.delete(id);
      this.#run(id, deed, failures);
    };
    if (failures > 0) this.#retries.set(id, run);
    this.#timers.set(id, this.#clock.after(ms, run));
  }

  #run(id: string, deed: RunnerAction, failures: number): void {
    const controller = new AbortController();
    const before = this.#runs.get(id)?.done;
    const doing = before === undefined ? deed(controller.signal) : before.then(() => deed(controller.signal));
    const done = doing
      .catch((err: unknown) => {
        this.#failed(id, err);
        if (!controller.signal.aborted) this.#wait(id, backoffMs(failures), deed, failures + 1);
      })
      .finally(() => {
        if (this.#runs.get(id)?.controller === controller) this.#runs.delete(id);
      });
    this.#runs.set(id, { controller, done });
  }
}
