// How many bytes the runs of a tenant keep on the disk. What is kept of a run that has ended does not change any more, so it is measured once. Nothing is kept of
// one that was not prepared yet.
import { turn } from '../../../lib/timing/slices.ts';
import type { JobEngine } from '../../backends/job-engine.ts';
import type { JobExecutionRecord } from '../../model/records/records.ts';
import { isOver } from '../../model/stages/execution-stages.ts';
import type { Store } from '../../model/store/store.ts';

interface KeptBytesOptions {
  readonly store: Store;
  readonly engine: JobEngine;
}

/** How many runs are measured at a time: each one takes some calls of the file system, which can be slow. */
export const sliceSize = 8;

/** Nothing of it is on the disk but that it was killed, which does not count: what a run consists of is stored before its engine sees it. */
const isUnknown = (execution: JobExecutionRecord): boolean =>
  execution.prepared === undefined && execution.engine_job_id === undefined && !isOver(execution);

const isLive = (execution: JobExecutionRecord): boolean => !isOver(execution) && !isUnknown(execution);

/** What the runs kept that go on, when they were measured the last time, and what was admitted since that began. */
interface Live {
  readonly bytes: ReadonlyMap<string, number>;
  since: number;
}

export class KeptBytes {
  readonly #options: KeptBytesOptions;
  /** Of runs that have ended, by tenant and execution. */
  readonly #ended = new Map<string, Map<string, number>>();
  /** By tenant, if so many runs go on that they are measured in slices. */
  readonly #live = new Map<string, Live>();
  /** What is being measured of them. */
  readonly #next = new Map<string, Live>();
  /** By tenant, while its runs are being measured. */
  readonly #measuring = new Map<string, Promise<void>>();
  /** Resolves in the turn of the event loop that the latest slice, or sum, has for itself, of whichever tenant. */
  #turns: Promise<void> = Promise.resolve();

  constructor(options: KeptBytesOptions) {
    this.#options = options;
  }

  /**
   * Measures the runs, and lets requests be served meanwhile: a tenant can have many that go on and, after a restart of the service, many that have ended.
   * Undefined if there is nothing to wait for: what is left is measured by `of`.
   */
  measured(tenant: string): Promise<void> | undefined {
    const underWay = this.#measuring.get(tenant);
    if (underWay !== undefined) return underWay;
    const hasManyLive = this.#liveIds(tenant).length > sliceSize;
    if (!hasManyLive) this.#live.delete(tenant);
    if (!hasManyLive && this.#unmeasured(tenant).length <= sliceSize) return undefined;
    const measuring = this.#measureAll(tenant);
    this.#measuring.set(tenant, measuring);
    return measuring;
  }

  /** Those who write are about to write so much: it may have come too late for what is being measured. */
  admitted(tenant: string, bytes: number): void {
    for (const live of [this.#live.get(tenant), this.#next.get(tenant)]) if (live !== undefined) live.since += bytes;
  }

  /** Like `measured`. Then each of those who wait has a turn of the event loop for itself: what others were waiting to write is begun by then. */
  async turn(tenant: string): Promise<void> {
    await this.measured(tenant);
    await this.#ownTurn();
  }

  /** The sum of what is kept of the runs that there are now. With many runs that go on, what was admitted while they were measured can count twice. */
  of(tenant: string): number {
    const [known, live] = [this.#ended.get(tenant), this.#live.get(tenant)];
    const ended = new Map<string, number>();
    let sum = live?.since ?? 0;
    for (const execution of this.#options.store.list('jobExecutions', tenant)) {
      if (isUnknown(execution)) continue;
      const latest = isOver(execution) ? known : live?.bytes;
      const bytes = latest?.get(execution.id) ?? this.#bytesOf(execution);
      if (isOver(execution)) ended.set(execution.id, bytes);
      sum += bytes;
    }
    this.#ended.set(tenant, ended);
    return sum;
  }

  async #measureAll(tenant: string): Promise<void> {
    try {
      await this.#measureEnded(tenant);
      if (this.#liveIds(tenant).length > sliceSize) await this.#measureLive(tenant);
    } finally {
      this.#measuring.delete(tenant);
      this.#next.delete(tenant);
    }
  }

  /** Others can end meanwhile. */
  async #measureEnded(tenant: string): Promise<void> {
    for (let left = this.#unmeasured(tenant); left.length > sliceSize; left = this.#unmeasured(tenant)) {
      const ended = this.#ended.get(tenant) ?? new Map<string, number>();
      this.#ended.set(tenant, ended);
      for (let from = 0; from < left.length; from += sliceSize) {
        await this.#ownTurn();
        this.#measure(tenant, left.slice(from, from + sliceSize), ended);
      }
    }
  }

  async #measureLive(tenant: string): Promise<void> {
    const bytes = new Map<string, number>();
    const live: Live = { bytes, since: 0 };
    this.#next.set(tenant, live);
    const ids = this.#liveIds(tenant);
    for (let from = 0; from < ids.length; from += sliceSize) {
      if (from > 0) await this.#ownTurn();
      this.#measure(tenant, ids.slice(from, from + sliceSize), bytes);
    }
    this.#live.set(tenant, live);
  }

  #ownTurn(): Promise<void> {
    this.#turns = this.#turns.then(turn);
    return this.#turns;
  }

  #measure(tenant: string, ids: readonly string[], into: Map<string, number>): void {
    for (const id of ids) {
      // It can have been deleted meanwhile.
      const execution = this.#options.store.get('jobExecutions', tenant, id);
      if (execution !== undefined) into.set(id, this.#bytesOf(execution));
    }
  }

  #liveIds(tenant: string): readonly string[] {
    const all = this.#options.store.list('jobExecutions', tenant);
    return all.filter(isLive).map(({ id }) => id);
  }

  /** Runs that have ended. */
  #unmeasured(tenant: string): readonly string[] {
    const known = this.#ended.get(tenant);
    const all = this.#options.store.list('jobExecutions', tenant);
    return all.filter((each) => isOver(each) && known?.has(each.id) !== true).map(({ id }) => id);
  }

  #bytesOf(execution: JobExecutionRecord): number {
    return this.#options.engine.bytes?.({ execution }) ?? 0;
  }
}
