// How many runs there are at a time, of which --max-concurrent is the maximum. They are counted once, and then with each change that is stored.
import { turn } from '../../../lib/timing/slices.ts';
import { listAll } from '../../model/checks/owners.ts';
import type { JobExecutionRecord } from '../../model/records/records.ts';
import { isOver } from '../../model/stages/execution-stages.ts';
import type { Store } from '../../model/store/store.ts';

interface RunningRunsOptions {
  readonly store: Store;
  /** When absent: any number. */
  readonly maxConcurrent?: number | undefined;
}

const isRunning = (execution: JobExecutionRecord): boolean =>
  execution.engine_job_id !== undefined && !isOver(execution);

export class RunningRuns {
  readonly #options: RunningRunsOptions;
  /** Undefined until somebody asks. */
  #known: Set<string> | undefined;
  /** Those whose submission is under way, or was so in this turn of the event loop: its result may not be stored yet. */
  readonly #submitting = new Map<string, object>();

  constructor(options: RunningRunsOptions) {
    this.#options = options;
  }

  /** Whether there is room for one more, beside so many that begin. */
  hasRoom(beginning: number): boolean {
    const { maxConcurrent } = this.#options;
    if (maxConcurrent === undefined) return true;
    const running = this.#ids();
    const others = [...this.#submitting.keys()].filter((id) => !running.has(id));
    return running.size + others.length + beginning < maxConcurrent;
  }

  note(execution: JobExecutionRecord): void {
    if (isRunning(execution)) this.#known?.add(execution.id);
    else this.#known?.delete(execution.id);
  }

  forget(id: string): void {
    this.#known?.delete(id);
  }

  /** The run counts while it is submitted. */
  async during<T>(id: string, submit: () => Promise<T>): Promise<T> {
    const submission = {};
    this.#submitting.set(id, submission);
    try {
      return await submit();
    } finally {
      void turn().then(() => {
        if (this.#submitting.get(id) === submission) this.#submitting.delete(id);
      });
    }
  }

  #ids(): Set<string> {
    const running = () => listAll(this.#options.store, 'jobExecutions').filter(({ record }) => isRunning(record));
    this.#known ??= new Set(running().map(({ record }) => record.id));
    return this.#known;
  }
}
