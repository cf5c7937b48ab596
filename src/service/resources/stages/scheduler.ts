// Runs one task at a time for each record, after a delay. A task that fails is repeated with a backoff, and one that is superseded is aborted.

import type { Clock } from '../../../lib/ports.ts';
import { backoffLimitMs } from '../../../lib/timing/backoff.ts';
import { turn } from '../../../lib/timing/slices.ts';
import { Interruption } from '../../model/stages/interruption.ts';

/** Resolves to what stores the result. That happens after the end of the task, so the signal of a task that succeeded is never aborted. */
type Task = (signal: AbortSignal) => Promise<() => void>;

interface Run {
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/** How many tasks begin in one turn of the event loop, in which all timers expire that are due: many of them write to the disk before they wait for anything. */
const mostBegun = 16;

export class Scheduler {
  readonly #clock: Clock;
  readonly #reportFailure: (id: string, err: unknown) => void;
  readonly #timers = new Map<string, () => void>();
  readonly #runs = new Map<string, Run>();
  /** Starts the repetition of a task that failed, before its backoff is over. */
  readonly #retries = new Map<string, () => void>();
  /** How many tasks have begun in this turn of the event loop, and what begins in the next ones. */
  #begun = 0;
  readonly #late = new Set<() => void>();
  #closed = false;

  constructor(clock: Clock, reportFailure: (id: string, err: unknown) => void) {
    this.#clock = clock;
    this.#reportFailure = reportFailure;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Drops the task of the record that has not started, and aborts the one that is running. */
  cancel(id: string): void {
    this.#timers.get(id)?.();
    this.#timers.delete(id);
    this.#retries.delete(id);
    this.#runs.get(id)?.controller.abort(new Interruption('superseded', 'another operation takes over'));
  }

  /** Like `cancel`, and resolves when the task that was running has ended. */
  async interrupt(id: string): Promise<void> {
    const { done } = this.#runs.get(id) ?? {};
    this.cancel(id);
    await done;
  }

  /** Ends the backoff of the record, if its last task failed. */
  retryNow(id: string): void {
    const retry = this.#retries.get(id);
    if (retry === undefined) return;
    this.#timers.get(id)?.();
    retry();
  }

  /** Ends all backoffs. */
  retryAll(): void {
    for (const id of this.#retries.keys()) this.retryNow(id);
  }

  /** Starts the task in `ms`, but not before the previous task of the record has ended. Does nothing once closed. */
  schedule(id: string, ms: number, task: Task, failures = 0): void {
    if (this.#closed) return;
    const start = () => {
      this.#timers.delete(id);
      this.#retries.delete(id);
      this.#start(id, task, failures);
    };
    const begin = () => this.#begin(id, start);
    if (failures > 0) this.#retries.set(id, begin);
    this.#timers.set(id, this.#clock.after(ms, begin));
  }

  /** Aborts all tasks and resolves when they have ended, which they do soon after an abort. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    const runs = [...this.#runs.values()];
    for (const { controller } of runs) controller.abort(new Interruption('closing', 'the service is closing'));
    await Promise.all(runs.map(({ done }) => done));
  }

  /** At once, or in one of the next turns of the event loop. */
  #begin(id: string, start: () => void): void {
    if (this.#begun === 0) void this.#nextTurn();
    this.#begun += 1;
    if (this.#begun <= mostBegun) return start();
    const late = () => start();
    this.#late.add(late);
    this.#timers.set(id, () => this.#late.delete(late));
  }

  async #nextTurn(): Promise<void> {
    await turn();
    this.#begun = 0;
    for (const start of this.#late) {
      if (this.#begun >= mostBegun) return;
      if (this.#begun === 0) void this.#nextTurn();
      this.#begun += 1;
      this.#late.delete(start);
      start();
    }
  }

  #start(id: string, task: Task, failures: number): void {
    const controller = new AbortController();
    const previous = this.#runs.get(id)?.done;
    const end = () => {
      if (this.#runs.get(id)?.controller === controller) this.#runs.delete(id);
    };
    const run = async (): Promise<void> => {
      if (previous !== undefined) await previous;
      try {
        const store = await task(controller.signal);
        end();
        store();
      } catch (err) {
        end();
        this.#reportFailure(id, err);
        if (!controller.signal.aborted)
          this.schedule(id, backoffLimitMs({ failures: failures + 1 }), task, failures + 1);
      }
    };
    this.#runs.set(id, { controller, done: run() });
  }
}
