// A queue whose runs a test begins and ends by hand, on a clock that stands still.
import type { When } from '../../../src/operator/controller/queue/due.ts';
import { Queue, type QueueOptions } from '../../../src/operator/controller/queue/queue.ts';
import { ManualClock, settle } from '../../support/clock.ts';

export type End = { readonly answer: When | undefined } | { readonly error: Error };

interface Run {
  readonly signal: AbortSignal;
  end(end: End): void;
}

export const RETRY_MS = 7_000;

export class Bench {
  readonly clock = new ManualClock(0);
  /** Keys in the order in which their runs began. */
  readonly starts: string[] = [];
  readonly startedAt: number[] = [];
  readonly failures: { readonly key: string; readonly error: unknown }[] = [];
  readonly running = new Map<string, Run>();
  readonly queue: Queue;
  onStart: (key: string) => void = () => undefined;

  constructor(options: Partial<QueueOptions> = {}) {
    this.queue = new Queue({
      clock: this.clock,
      run: (key, signal) => this.#run(key, signal),
      failed: (key, error) => {
        this.failures.push({ key, error });
        return { priority: 'poll', delayMs: RETRY_MS };
      },
      // `x:a` is in lane x, and a plain key in the one that has no name.
      laneOf: (key) => key.slice(0, Math.max(0, key.indexOf(':'))),
      limitOf: () => 100,
      ...options,
    });
  }

  begun(): Bench {
    this.queue.start();
    return this;
  }

  signalOf(key: string): AbortSignal | undefined {
    return this.running.get(key)?.signal;
  }

  async end(key: string, end: End = { answer: undefined }): Promise<void> {
    const run = this.running.get(key);
    if (run === undefined) throw new Error(`cannot end ${key}: it does not run`);
    run.end(end);
    await settle();
  }

  /** Ends what runs now, not what begins on the way. */
  async endAll(): Promise<void> {
    const keys = [...this.running.keys()];
    for (const key of keys) await this.end(key);
  }

  async #run(key: string, signal: AbortSignal): Promise<When | undefined> {
    if (this.running.has(key)) throw new Error(`${key} runs twice at once`);
    const ended = Promise.withResolvers<End>();
    this.running.set(key, { signal, end: ended.resolve });
    this.starts.push(key);
    this.startedAt.push(this.clock.monotonic());
    this.onStart(key);
    const end = await ended.promise;
    this.running.delete(key);
    if ('error' in end) throw end.error;
    return end.answer;
  }
}
