// Ends runs that are there although their execution is over, or was removed: a request that nobody waited for any longer can be carried out later.

import type { FoundRun, JobEngine } from '../../backends/job-engine.ts';
import type { JobExecutionRecord } from '../../model/records/records.ts';
import { isOver } from '../../model/stages/execution-stages.ts';
import type { EngineCalls } from './engine-calls.ts';

interface StraysOptions {
  readonly engine: JobEngine;
  readonly calls: EngineCalls;
  /** Undefined if the execution was removed. */
  readonly recordOf: (run: FoundRun) => JobExecutionRecord | undefined;
  /** Runs the task after so many ms, and again until it succeeds. Then what it resolves to is called. */
  readonly inBackground: (name: string, task: (signal: AbortSignal) => Promise<() => void>, afterMs: number) => void;
}

const everyMs = 10 * 60_000;
/** By then, an API server has carried out a request that it got, or never does. */
const lateMs = 2 * 60_000;

export class Strays {
  readonly #options: StraysOptions;
  #isAwaited = false;

  constructor(options: StraysOptions) {
    this.#options = options;
  }

  /** Looks for them after a while, and then from time to time. */
  watch(afterMs = 0): void {
    this.#sweep('strays', afterMs, () => this.watch(everyMs));
  }

  /** A run was killed whose submission has no known outcome. */
  expect(): void {
    if (this.#isAwaited) return;
    this.#isAwaited = true;
    this.#sweep('late strays', lateMs, () => {
      this.#isAwaited = false;
    });
  }

  /** Resolves when nothing of the runs is there any more. Rejects with `Transient`. */
  async end(runs: readonly FoundRun[], signal: AbortSignal): Promise<void> {
    const { calls, engine, recordOf } = this.#options;
    for (const run of runs) {
      const { tenant, id } = run;
      await calls.kill({ tenant, id, cluster: undefined, signal });
      if (recordOf(run) === undefined) engine.forget({ tenant, execution: { id } });
    }
  }

  #sweep(name: string, afterMs: number, then: () => void): void {
    const { engine, calls, inBackground } = this.#options;
    if (engine.strays === undefined) return;
    const task = async (signal: AbortSignal) => {
      const found = await calls.strays(signal);
      await this.end(
        found.filter((run) => this.#isStray(run)),
        signal,
      );
      return then;
    };
    inBackground(name, task, afterMs);
  }

  /** Asked for after the run was found: the record of a run is stored before the run is made. */
  #isStray(run: FoundRun): boolean {
    const record = this.#options.recordOf(run);
    return record === undefined || (isOver(record) && !run.isOver);
  }
}
