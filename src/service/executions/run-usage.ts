// How much the runs of a tenant keep on the disk: their files until they start, and their outputs. It has a quota.
import { exceeded } from '../records/quotas.ts';
import type { Store } from '../store/store.ts';
import type { JobEngine } from './job-engine.ts';
import { isOver } from './stages.ts';

interface RunUsageOptions {
  readonly store: Store;
  readonly engine: JobEngine;
  /** In bytes, for each tenant. When absent: any number. */
  readonly quota: number | undefined;
}

export class RunUsage {
  readonly #options: RunUsageOptions;
  /** By tenant and execution. What is kept of a run that has ended does not change any more, so it is measured once. */
  readonly #ended = new Map<string, ReadonlyMap<string, number>>();

  constructor(options: RunUsageOptions) {
    this.#options = options;
  }

  /** In bytes. */
  of(tenant: string): number {
    const { store, engine } = this.#options;
    const known = this.#ended.get(tenant);
    const ended = new Map<string, number>();
    let sum = 0;
    for (const execution of store.list('jobExecutions', tenant)) {
      const bytes = known?.get(execution.id) ?? engine.bytes?.({ execution }) ?? 0;
      if (isOver(execution)) ended.set(execution.id, bytes);
      sum += bytes;
    }
    this.#ended.set(tenant, ended);
    return sum;
  }

  /** Throws a refusal with the limit, the use and the remedy if the tenant would exceed its quota with `more` bytes. */
  check(tenant: string, more = 1): void {
    const { engine, quota } = this.#options;
    if (quota === undefined || engine.bytes === undefined) return;
    const used = this.of(tenant);
    if (used + more <= quota) return;
    throw exceeded(
      `cannot keep the files and outputs of more runs in tenant ${tenant}: they have ${used} of ${quota} bytes`,
      '--quota-run-bytes',
    );
  }
}
