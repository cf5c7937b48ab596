// The work queue: each key at most once, one run of a key at a time, and the earlier of two times wins.
import type { Clock } from '../../../lib/ports.ts';
import { type Due, dueAt, msUntil, soonest, type When } from './due.ts';
import { Lanes, type Start } from './lanes.ts';
import { WorkerPool, type WorkerPoolStatistics } from './worker-pool.ts';

export interface QueueOptions {
  readonly clock: Clock;
  /** Returns when the key is to run again; undefined: not by itself. */
  readonly run: (key: string, signal: AbortSignal) => Promise<When | undefined>;
  /** Called for a run that threw; returns when to retry. Must not throw. */
  readonly failed: (key: string, error: unknown) => When | undefined;
  readonly laneOf: (key: string) => string;
  /** How many keys of a lane may run at once, at least 1. */
  readonly limitOf: (lane: string) => number;
  /** Called before every start. While it returns false, nothing starts; it is called again every second. */
  readonly mayStart?: () => boolean;
  /** Called with how long a key that starts now has been due, in ms. */
  readonly started?: (waitedMs: number) => void;
}

export interface QueueStatistics extends WorkerPoolStatistics {
  /** Keys that are due and wait for room. */
  readonly depth: number;
  /** Keys that are not due yet. */
  readonly delayed: number;
  /** How long the key that waits longest has been due, in ms; 0 where none waits. */
  readonly oldestWaitMs: number;
  /** Calls of `add` that were accepted. */
  readonly adds: number;
}

/** The state of a key with pending work. */
type WaitingState =
  | { readonly is: 'delayed'; readonly due: Due; readonly cancel: () => void }
  | { readonly is: 'ready'; readonly due: Due; readonly lane: string };
type PendingState = WaitingState | { readonly is: 'running'; again: Due | undefined };

const askAgainMs = 1_000;
/** How long aborted runs may take to end before `drain` gives up on them. */
export const abortedMs = 1_000;

/**
 * Guarantees:
 * - a key never runs twice at once; an `add` while it runs makes it run again afterwards;
 * - every `add` before `drain` is followed by a start of the key, no earlier than the earliest of its pending times, unless it is forgotten;
 * - of two pending adds, the earlier time and the more urgent priority count;
 * - a run that throws is reported, and retried when `failed` says so;
 * - however many keys are due, only a few start before the event loop has its next turn;
 * - `add` returns before anything starts; and a key without pending work takes no memory.
 */
export class Queue {
  readonly #options: QueueOptions;
  /** The keys with pending work, and no others. */
  readonly #stages = new Map<string, PendingState>();
  /** What was added before the start, which may be weeks away: nothing is late then. */
  readonly #held = new Map<string, Due>();
  readonly #lanes: Lanes;
  readonly #pool: WorkerPool;
  #state: 'held' | 'serving' | 'draining' = 'held';
  #serveQueued = false;
  #cancelAsking: (() => void) | undefined;
  #adds = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#lanes = new Lanes(options.limitOf);
    this.#pool = new WorkerPool({ clock: options.clock, freed: () => this.#serve() });
  }

  /** Nothing runs before this; adds are collected. */
  start(): void {
    if (this.#state !== 'held') return;
    this.#state = 'serving';
    const now = this.#options.clock.monotonic();
    for (const [key, { at, priority }] of this.#held) this.#place(key, { at: Math.max(at, now), priority });
    this.#held.clear();
  }

  /** Drops a key that was added before the start. */
  forget(key: string): void {
    this.#held.delete(key);
  }

  /** False when the queue drains and accepts nothing more. */
  add(key: string, when: When): boolean {
    if (this.#state === 'draining') return false;
    this.#adds += 1;
    const due = dueAt(this.#options.clock.monotonic(), when);
    const stage = this.#stages.get(key);
    if (this.#state === 'held') this.#held.set(key, soonest(this.#held.get(key), due));
    else if (stage === undefined) this.#place(key, due);
    else if (stage.is === 'running') stage.again = soonest(stage.again, due);
    else this.#advance(key, stage, due);
    return true;
  }

  statistics(): QueueStatistics {
    const pool = this.#pool.statistics();
    const depth = this.#lanes.waiting;
    const delayed = this.#stages.size - depth - pool.running;
    // All stages are examined only when one of them waits.
    const oldestWaitMs = depth === 0 ? 0 : this.#longestWaitMs();
    return { ...pool, depth, delayed, oldestWaitMs, adds: this.#adds };
  }

  #longestWaitMs(): number {
    const now = this.#options.clock.monotonic();
    let oldest = now;
    for (const stage of this.#stages.values()) if (stage.is === 'ready') oldest = Math.min(oldest, stage.due.at);
    return now - oldest;
  }

  /**
   * Refuses adds, drops all that waits, and waits for what runs: `graceMs` for it to end by itself, then it is aborted.
   * Returns the keys that had not ended even a second after that.
   */
  async drain(graceMs: number): Promise<readonly string[]> {
    this.#state = 'draining';
    this.#cancelAsking?.();
    this.#held.clear();
    for (const [key, stage] of this.#stages) if (stage.is !== 'running') this.#drop(key, stage);
    if (await this.#pool.endedWithin(graceMs)) return [];
    this.#pool.abort();
    return (await this.#pool.endedWithin(abortedMs)) ? [] : this.#pool.keys();
  }

  #advance(key: string, stage: WaitingState, due: Due): void {
    const merged = soonest(stage.due, due);
    const sooner = stage.is === 'delayed' && merged.at < stage.due.at;
    if (!sooner && merged.priority === stage.due.priority) return;
    this.#drop(key, stage);
    this.#place(key, merged);
  }

  #place(key: string, due: Due): void {
    const { clock, laneOf } = this.#options;
    const ms = msUntil(due, clock.monotonic());
    if (ms > 0) {
      const cancel = clock.after(ms, () => this.#place(key, due));
      this.#stages.set(key, { is: 'delayed', due, cancel });
      return;
    }
    const lane = laneOf(key);
    this.#lanes.join(key, lane, due.priority);
    this.#stages.set(key, { is: 'ready', due, lane });
    this.#serveSoon();
  }

  #drop(key: string, stage: WaitingState): void {
    if (stage.is === 'delayed') stage.cancel();
    else this.#lanes.leave(key, stage.lane, stage.due.priority);
    this.#stages.delete(key);
  }

  /** In a microtask, so that a burst of adds is sorted by urgency first, and no pass starts on the caller's stack. */
  #serveSoon(): void {
    if (this.#serveQueued) return;
    this.#serveQueued = true;
    queueMicrotask(() => {
      this.#serveQueued = false;
      this.#serve();
    });
  }

  #serve(): void {
    while (this.#state === 'serving' && this.#lanes.waiting > 0 && this.#pool.mayStart) {
      if (this.#options.mayStart?.() === false) return this.#startLater();
      const start = this.#lanes.next();
      if (start === undefined) return;
      this.#begin(start);
    }
  }

  #startLater(): void {
    this.#cancelAsking ??= this.#options.clock.after(askAgainMs, () => {
      this.#cancelAsking = undefined;
      this.#serve();
    });
  }

  #begin({ key, lane }: Start): void {
    const stage = this.#stages.get(key);
    if (stage?.is !== 'ready') throw new Error(`cannot run ${key}: it is not ready`);
    this.#options.started?.(this.#options.clock.monotonic() - stage.due.at);
    this.#stages.set(key, { is: 'running', again: undefined });
    const run = (signal: AbortSignal) => this.#run(key, signal);
    this.#pool.start(key, run, (next) => this.#end({ key, lane }, next));
  }

  async #run(key: string, signal: AbortSignal): Promise<When | undefined> {
    try {
      return await this.#options.run(key, signal);
    } catch (error) {
      return this.#options.failed(key, error);
    }
  }

  #end({ key, lane }: Start, next: When | undefined): void {
    const stage = this.#stages.get(key);
    this.#stages.delete(key);
    this.#lanes.done(lane);
    const again = stage?.is === 'running' ? stage.again : undefined;
    const due = next === undefined ? again : soonest(again, dueAt(this.#options.clock.monotonic(), next));
    if (due !== undefined && this.#state !== 'draining') this.#place(key, due);
  }
}
