// How many bytes the runs of a tenant keep on the disk. What is kept of a run that has ended does not change any more, so it is measured once.
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

export class KeptBytes {
  readonly #options: KeptBytesOptions;
  /** Of runs that have ended, by tenant and execution. */
  readonly #ended = new Map<string, Map<string, number>>();
  /** By tenant, while its runs are being measured. */
  readonly #measuring = new Map<string, Promise<void>>();
  /** Resolves in the turn of the event loop that the latest slice, or sum, has for itself, of whichever tenant. */
  #turns: Promise<void> = Promise.resolve();

  constructor(options: KeptBytesOptions) {
    this.#options = options;
  }

  /**
   * Measures the runs that have ended, and lets requests be served meanwhile: after a restart of the service, a tenant can have many of them. Undefined if there
   * is nothing to wait for: what is left is measured by `of`.
   */
  measured(tenant: string): Promise<void> | undefined {
    const underWay = this.#measuring.get(tenant);
    if (underWay !== undefined || this.#unmeasured(tenant).length <= sliceSize) return underWay;
    const measuring = this.#measureEnded(tenant);
    this.#measuring.set(tenant, measuring);
    return measuring;
  }

  /** Like `measured`. Then each of those who wait has a turn of the event loop for itself: what others were waiting to write is begun by then. */
  async turn(tenant: string): Promise<void> {
    await this.measured(tenant);
    await this.#ownTurn();
  }

  /** The sum of what is kept now of the runs that there are now. */
  of(tenant: string): number {
    const known = this.#ended.get(tenant);
    const ended = new Map<string, number>();
    let sum = 0;
    for (const execution of this.#options.store.list('jobExecutions', tenant)) {
      const bytes = known?.get(execution.id) ?? this.#bytesOf(execution);
      if (isOver(execution)) ended.set(execution.id, bytes);
      sum += bytes;
    }
    this.#ended.set(tenant, ended);
    return sum;
  }

  /** Others can end meanwhile. */
  async #measureEnded(tenant: string): Promise<void> {
    try {
      for (let left = this.#unmeasured(tenant); left.length > sliceSize; left = this.#unmeasured(tenant))
        for (let from = 0; from < left.length; from += sliceSize) {
          await this.#ownTurn();
          this.#measure(tenant, left.slice(from, from + sliceSize));
        }
    } finally {
      this.#measuring.delete(tenant);
    }
  }

  #ownTurn(): Promise<void> {
    this.#turns = this.#turns.then(turn);
    return this.#turns;
  }

  #measure(tenant: string, ids: readonly string[]): void {
    const ended = this.#ended.get(tenant) ?? new Map<string, number>();
    this.#ended.set(tenant, ended);
    for (const id of ids) {
      // It can have been deleted meanwhile.
      const execution = this.#options.store.get('jobExecutions', tenant, id);
      if (execution !== undefined) ended.set(id, this.#bytesOf(execution));
    }
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
