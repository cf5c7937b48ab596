// The calls of a job engine, with their deadlines, and what executions can rely on after each of them.
import { messageOf } from '../../../lib/errors.ts';
import { OneAtATime } from '../../../lib/timing/one-at-a-time.ts';
import type { Dialect } from '../../../wire/dialect.ts';
import type { ExecutionOrder, FindOrder, FoundRun, JobEngine, RunEnd, RunReport } from '../../backends/job-engine.ts';
import { find } from '../../model/checks/owners.ts';
import { Transient } from '../../model/disk/transient.ts';
import type { JobExecutionRecord } from '../../model/records/records.ts';
import type { Owned, Store } from '../../model/store/store.ts';
import type { CallAt } from '../stages/stage-runner.ts';
import { planOf } from './prepare.ts';
import { urlsOf } from './urls.ts';

/** How long a call may take, in ms. A run may take any time. */
const deadlines = {
  submit: 5 * 60_000,
  finish: undefined,
  kill: 2 * 60_000,
  find: 2 * 60_000,
} as const;

/** The execution that a call is made for, and the signal that ends the call. */
export interface CalledFor {
  readonly tenant: string;
  readonly record: JobExecutionRecord;
  readonly signal: AbortSignal;
}

/** `cluster`: where it is. Undefined if it is gone, or unknown. */
interface KilledRun extends Pick<CalledFor, 'tenant' | 'signal'> {
  readonly id: string;
  readonly cluster: Owned<'clusters'> | undefined;
}

interface EngineCallsOptions {
  readonly engine: JobEngine;
  readonly store: Store;
  readonly dialect: Dialect;
  readonly limit: <T>(call: CallAt, work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
  readonly accepted: (tenant: string, id: string, engineJobId: string) => void;
  readonly report: (tenant: string, id: string, report: RunReport) => void;
  /** Rejects if the runs of the tenant may not keep so many bytes more of this one. */
  readonly admit: (tenant: string, run: string, bytes: number) => Promise<void>;
}

export class EngineCalls {
  readonly #options: EngineCallsOptions;
  readonly #kills = new OneAtATime();

  constructor(options: EngineCallsOptions) {
    this.#options = options;
  }

  /** What changes in the record of a run that is submitted. */
  submit(at: CalledFor): Promise<Pick<JobExecutionRecord, 'engine_job_id' | 'urls'>> {
    const { engine } = this.#options;
    return this.#call('submit', at, async (order) => ({
      engine_job_id: await engine.submit(order),
      urls: urlsOf(engine, order),
    }));
  }

  /** Rejects with `Transient`: a run that cannot be observed has not ended. */
  finish(at: CalledFor): Promise<RunEnd> {
    return repeated(this.#call('finish', at, (order) => this.#options.engine.finish(order)));
  }

  /** Rejects with `Transient`. Of each run there is one at a time: its user can cancel it while its cluster is being deleted. */
  kill({ tenant, id, cluster, signal }: KilledRun): Promise<void> {
    const { engine, limit } = this.#options;
    const call = { tenant, id, signal, name: 'kill', deadlineMs: deadlines.kill };
    const owner = cluster === undefined ? {} : { clusterTenant: cluster.tenant };
    const order = { tenant, execution: { id }, cluster: cluster?.record, ...owner };
    const kill = limit(call, (within) =>
      this.#kills.run(id, async () => {
        within.throwIfAborted();
        await engine.kill({ ...order, signal: within, admit: this.#admitFor(tenant, id, within) });
      }),
    );
    return repeated(kill, 'cannot kill job execution: ');
  }

  /** Rejects with `Transient`. */
  runsOn(order: FindOrder): Promise<readonly FoundRun[]> {
    const { engine } = this.#options;
    return this.#find(order.signal, (signal) => engine.runsOn({ ...order, signal }));
  }

  /** Rejects with `Transient`. */
  strays(signal: AbortSignal): Promise<readonly FoundRun[]> {
    const { engine } = this.#options;
    return this.#find(signal, async (within) => (await engine.strays?.(within)) ?? []);
  }

  #find<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const call = { tenant: '', id: '', signal, name: 'the search for runs', deadlineMs: deadlines.find };
    return repeated(this.#options.limit(call, work), 'cannot find out what runs: ');
  }

  #call<T>(
    name: keyof typeof deadlines,
    { tenant, record, signal }: CalledFor,
    work: (order: ExecutionOrder) => Promise<T>,
  ): Promise<T> {
    const call = { tenant, id: record.id, signal, name, deadlineMs: deadlines[name] };
    return this.#options.limit(call, (within) => work(this.#orderOf({ tenant, record, signal: within })));
  }

  #orderOf({ tenant, record: execution, signal }: CalledFor): ExecutionOrder {
    const { store, accepted, report } = this.#options;
    const job = find(store, 'jobs', { tenant, id: execution.job_id })?.record;
    // A job cannot be deleted while it has executions.
    if (job === undefined) throw new Error(`cannot find job ${execution.job_id}`);
    const cluster = find(store, 'clusters', { tenant, id: execution.cluster_id ?? '' });
    if (cluster === undefined) throw new Error(`cannot find cluster ${execution.cluster_id}`);
    return {
      ...planOf(this.#options, { tenant, cluster: cluster.record, job }, execution),
      clusterTenant: cluster.tenant,
      signal,
      accepted: (engineJobId) => accepted(tenant, execution.id, engineJobId),
      report: (reported) => report(tenant, execution.id, reported),
      admit: this.#admitFor(tenant, execution.id, signal),
    };
  }

  /** It can take a while, and what was given up meanwhile must not write. */
  #admitFor(tenant: string, run: string, signal: AbortSignal): NonNullable<ExecutionOrder['admit']> {
    return async (bytes) => {
      await this.#options.admit(tenant, run, bytes);
      signal.throwIfAborted();
    };
  }
}

/** Makes every rejection one that is repeated. */
async function repeated<T>(call: Promise<T>, problem = ''): Promise<T> {
  try {
    return await call;
  } catch (cause) {
    throw new Transient(`${problem}${messageOf(cause)}`, { cause });
  }
}
