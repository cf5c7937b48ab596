// How much the runs of a tenant keep on the disk: their files until they start, and their outputs. It has a quota.
import type { Clock } from '../../lib/ports.ts';
import { exceeded } from '../records/quotas.ts';
import type { Store } from '../store/store.ts';
import type { JobEngine } from './job-engine.ts';
import { isOver } from './stages.ts';

interface RunUsageOptions {
  readonly store: Store;
  readonly engine: JobEngine;
  readonly clock: Clock;
  /** In bytes, for each tenant. When absent: any number. */
  readonly quota: number | undefined;
}

interface Measured {
  /** On the monotonic clock. */
  readonly at: number;
  readonly used: number;
  /** What was admitted since. */
  admitted: number;
}

/** What is on the disk is measured no more often for bytes that come in small pieces. */
const measureMs = 1000;

export class RunUsage {
  readonly #options: RunUsageOptions;
  /** By tenant and execution. What is kept of a run that has ended does not change any more, so it is measured once. */
  readonly #ended = new Map<string, ReadonlyMap<string, number>>();

  readonly #measured = new Map<string, Measured>();

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
    const quota = this.#quota;
    if (quota !== undefined) compare(tenant, { used: this.of(tenant), more, quota });
  }

  /** Like `check`, for bytes that come in many pieces and are written when they were admitted. It is exact up to what is being written. */
  admit(tenant: string, bytes: number): void {
    const { clock } = this.#options;
    const quota = this.#quota;
    if (quota === undefined) return;
    const measure = (): Measured => ({ at: clock.monotonic(), used: this.of(tenant), admitted: 0 });
    let use = this.#measured.get(tenant);
    if (use === undefined || clock.monotonic() - use.at >= measureMs) use = measure();
    // What was admitted can have taken the place of something else.
    if (use.admitted > 0 && use.used + use.admitted + bytes > quota) use = measure();
    this.#measured.set(tenant, use);
    compare(tenant, { used: use.used + use.admitted, more: bytes, quota });
    use.admitted += bytes;
  }

  /** Undefined if there is none, or the engine does not tell what it keeps. */
  get #quota(): number | undefined {
    const { engine, quota } = this.#options;
    return engine.bytes === undefined ? undefined : quota;
  }
}

/** All in bytes. Throws a refusal unless `more` fits. */
function compare(
  tenant: string,
  { used, more, quota }: { readonly used: number; readonly more: number; readonly quota: number },
): void {
  if (used + more <= quota) return;
  throw exceeded(
    `cannot keep the files and outputs of more runs in tenant ${tenant}: they have ${used} of ${quota} bytes`,
    '--quota-run-bytes',
  );
}
