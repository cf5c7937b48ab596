// How much the runs of a tenant keep on the disk: their files until they start, and their outputs. It has a quota.
import type { Clock } from '../../../lib/ports.ts';
import type { JobEngine } from '../../backends/job-engine.ts';
import { exceeded } from '../../model/checks/quotas.ts';
import type { Store } from '../../model/store/store.ts';
import { KeptBytes } from './kept-bytes.ts';

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
  /** The runs of which a piece was refused since less was used. */
  readonly refused: Set<string>;
}

/** What is on the disk is measured no more often for bytes that come in small pieces. */
const measureMs = 1000;

export class RunUsage {
  readonly #options: RunUsageOptions;
  readonly #kept: KeptBytes;
  readonly #measured = new Map<string, Measured>();

  constructor(options: RunUsageOptions) {
    this.#options = options;
    this.#kept = new KeptBytes(options);
  }

  /** To be awaited before `check`, so that nobody else waits for what it measures. Undefined if there is nothing to wait for. */
  measured(tenant: string): Promise<void> | undefined {
    const isSlow = this.#quota !== undefined && this.#kept.measured(tenant) !== undefined;
    return isSlow ? this.#kept.turn(tenant) : undefined;
  }

  /** Throws a refusal with the limit, the use and the remedy if the tenant would exceed its quota with `more` bytes. */
  check(tenant: string, more = 1): void {
    const quota = this.#quota;
    if (quota === undefined) return;
    const used = this.#kept.of(tenant);
    if (used + more > quota) throw refusal(tenant, used, quota);
  }

  /**
   * Like `check`, for bytes of a run that come in many pieces and are written when they were admitted. It is exact up to what is being written. After a
   * refusal, nothing of that run is admitted until less is used, however small it is: an output has no holes between pieces that happened to fit. Rejects with
   * the refusal.
   */
  async admit(tenant: string, run: string, bytes: number): Promise<void> {
    const quota = this.#quota;
    if (quota === undefined) return;
    const measured = this.#measures(tenant, bytes, quota) ? this.measured(tenant) : undefined;
    if (measured !== undefined) await measured;
    let use = this.#freshOf(tenant) ?? this.#measure(tenant);
    const isOver = (): boolean => use.used + use.admitted + bytes > quota;
    // What was admitted can have taken the place of something else.
    if (use.admitted > 0 && isOver()) use = this.#measure(tenant);
    if (isOver()) use.refused.add(run);
    if (use.refused.has(run)) throw refusal(tenant, use.used, quota);
    use.admitted += bytes;
    this.#kept.admitted(tenant, bytes);
  }

  /** Whether `admit` would measure. */
  #measures(tenant: string, bytes: number, quota: number): boolean {
    const use = this.#freshOf(tenant);
    return use === undefined || (use.admitted > 0 && use.used + use.admitted + bytes > quota);
  }

  /** Undefined if it has to be measured. */
  #freshOf(tenant: string): Measured | undefined {
    const use = this.#measured.get(tenant);
    const isFresh = use !== undefined && this.#options.clock.monotonic() - use.at < measureMs;
    return isFresh ? use : undefined;
  }

  #measure(tenant: string): Measured {
    const used = this.#kept.of(tenant);
    const before = this.#measured.get(tenant);
    const refused = before === undefined || used < before.used ? new Set<string>() : before.refused;
    const use: Measured = { at: this.#options.clock.monotonic(), used, admitted: 0, refused };
    this.#measured.set(tenant, use);
    return use;
  }

  /** Undefined if there is none, or the engine does not tell what it keeps. */
  get #quota(): number | undefined {
    const { engine, quota } = this.#options;
    return engine.bytes === undefined ? undefined : quota;
  }
}

/** With the limit and the use in bytes, and the remedy. */
function refusal(tenant: string, used: number, quota: number): Error {
  return exceeded(
    'tooManyRunBytes',
    `cannot keep the files and outputs of more runs in tenant ${tenant}: they have ${used} of ${quota} bytes`,
    '--quota-run-bytes',
  );
}
