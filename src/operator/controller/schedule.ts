// When a key is reconciled again: turns a requeue, and what came before it, into a delay in milliseconds.

import type { Clock, Random } from '../../lib/ports.ts';
import { backoffMs } from '../../lib/timing/backoff.ts';
import type { Requeue } from '../reconcile/requeue.ts';
import { type BusyDelay, BusyPolls } from './busy-polls.ts';
import { type SharedPoll, SharedPolls, sharedMs } from './shared-polls.ts';

/** A key that changes should wake is reconciled within this time anyway: a safety net. */
const safetyNetMs = 600_000;
const budgetSafetyNetMs = 30_000;
/** No pass asks for a younger observation, and a pass that no poll caused asks for this age. */
const freshMs = 500;
/** As a share of the delay before a poll: the previous LIST must not pass for a new one, while all keys of a service share their LISTs. */
const steadyAge = 0.9;
/** More passes in a row that each report progress are a loop: it is slowed down. */
const againInARow = 20;
const againSlowedMs = 1_000;

/** Within 10 % of `pollMs`, so that keys which started together drift apart. `chance` is uniform in [0, 1), here and below. */
export function steadyMs(pollMs: number, chance: number): number {
  return pollMs * (0.9 + 0.2 * chance);
}

/** Between half and one and a half of `sharedMs`: keys that came together would otherwise leave a gap on their second round. */
export function looseMs(intervalMs: number, chance: number): number {
  return intervalMs * (0.5 + chance);
}

/** Anywhere within `pollMs`: spreads the polls of all keys that a start reconciled at once. */
export function spreadMs(pollMs: number, chance: number): number {
  return pollMs * chance;
}

/** What is remembered of a key. */
interface ScheduleState {
  failures: number;
  agains: number;
  /** How old an observation may be for the next poll; undefined when the last requeue was not a poll. */
  ageMs: number | undefined;
  /** When what is in progress began. */
  busySince: number | undefined;
  /** The LIST in which it waits for a change. */
  busyPoll: string | undefined;
  settledBefore: boolean;
  /** The LIST that it shares with others since its last requeue. */
  sharedPoll: SharedPoll | undefined;
}

const nobody: ReadonlyMap<string, number> = new Map();

/** Losing this memory only costs time. */
export class Schedule {
  readonly #random: Random;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #memories = new Map<string, ScheduleState>();
  readonly #sharedPolls = new SharedPolls();
  readonly #busyPolls = new BusyPolls();

  constructor(random: Random, clock: Pick<Clock, 'monotonic'>) {
    this.#random = random;
    this.#clock = clock;
  }

  get size(): number {
    return this.#memories.size;
  }

  /** Milliseconds until the next poll; undefined: none. */
  delayMs(key: string, requeue: Requeue): number | undefined {
    const memory = this.#memories.get(key) ?? emptyMemory();
    memory.sharedPoll = this.#sharedPolls.after(memory.sharedPoll, requeue);
    this.#leaveBusyPoll(key, memory, requeue);
    if (requeue.next === 'gone') {
      this.#memories.delete(key);
      return undefined;
    }
    this.#memories.set(key, memory);
    if (requeue.next !== 'again') memory.agains = 0;
    memory.ageMs = undefined;
    return this.#decide(key, memory, requeue);
  }

  /** Keys that must be reconciled sooner than planned, each with its delay in ms. Ask after each requeue; each key is returned once. */
  called(): ReadonlyMap<string, number> {
    const polls = this.#sharedPolls.called();
    const appointed = this.#busyPolls.appointed();
    if (polls.length === 0 && appointed.size === 0) return nobody;
    const called = [...this.#memories].flatMap(([key, { sharedPoll }]) =>
      sharedPoll !== undefined && polls.includes(sharedPoll)
        ? [[key, spreadMs(sharedPoll.pollMs, this.#random.next())] as const]
        : [],
    );
    return new Map([...called, ...this.#appointed(appointed)]);
  }

  #appointed(delays: ReadonlyMap<string, BusyDelay>): readonly (readonly [key: string, delayMs: number])[] {
    return [...delays].map(([key, { delayMs, ageMs }]) => {
      const memory = this.#memories.get(key);
      if (memory !== undefined) memory.ageMs = ageMs;
      return [key, delayMs] as const;
    });
  }

  /** How old an observation may be for the next pass of the key: see `PassContext`. */
  pollMs(key: string): number {
    return Math.max(freshMs, this.#memories.get(key)?.ageMs ?? 0);
  }

  /** How long to delay a change that comes up while passes of the key fail, and that they may have caused: as long as their next retry may take. */
  patienceMs(key: string): number {
    const failures = this.#memories.get(key)?.failures ?? 0;
    return failures === 0 ? 0 : backoffMs({ failures }, this.#random.next());
  }

  #decide(key: string, memory: ScheduleState, requeue: Exclude<Requeue, { next: 'gone' }>): number {
    switch (requeue.next) {
      case 'settled':
        return this.#settle(memory, requeue.pollMs);
      case 'again':
        // Failures stay: an effect that alternates with a failure must not defeat the backoff.
        memory.busySince = undefined;
        memory.agains += 1;
        return memory.agains > againInARow ? againSlowedMs : 0;
      case 'progress':
        if (requeue.anew) memory.busySince = undefined;
        return Math.min(this.#progress(key, memory, requeue.sharedPoll), requeue.withinMs ?? Number.POSITIVE_INFINITY);
      case 'watch':
        memory.failures = 0;
        return steadyMs(safetyNetMs, this.#random.next());
      case 'budget':
        return steadyMs(budgetSafetyNetMs, this.#random.next());
      case 'retry':
        memory.failures += 1;
        return backoffMs({ ...requeue, failures: memory.failures }, this.#random.next());
      case 'at':
        return requeue.afterMs;
    }
  }

  #progress(key: string, memory: ScheduleState, name: string): number {
    const now = this.#clock.monotonic();
    memory.failures = 0;
    memory.busySince ??= now;
    memory.busyPoll = name;
    const { delayMs, ageMs } = this.#busyPolls.wait(key, name, { since: memory.busySince, now });
    memory.ageMs = ageMs;
    return delayMs;
  }

  #leaveBusyPoll(key: string, memory: ScheduleState, requeue: Requeue): void {
    const { busyPoll } = memory;
    if (busyPoll === undefined || (requeue.next === 'progress' && requeue.sharedPoll === busyPoll)) return;
    this.#busyPolls.leave(key, busyPoll, this.#clock.monotonic());
    memory.busyPoll = undefined;
  }

  #settle(memory: ScheduleState, pollMs: number): number {
    const intervalMs = sharedMs(pollMs, memory.sharedPoll?.sharers ?? 0);
    const again = intervalMs > pollMs ? looseMs : steadyMs;
    const delay = memory.settledBefore ? again : spreadMs;
    memory.failures = 0;
    memory.settledBefore = true;
    memory.busySince = undefined;
    const delayMs = delay(intervalMs, this.#random.next());
    memory.ageMs = Math.min(delayMs, pollMs) * steadyAge;
    return delayMs;
  }
}

function emptyMemory(): ScheduleState {
  return {
    failures: 0,
    agains: 0,
    ageMs: undefined,
    busySince: undefined,
    busyPoll: undefined,
    settledBefore: false,
    sharedPoll: undefined,
  };
}
