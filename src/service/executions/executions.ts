// What is done in the stages of a job execution, how executions end, and what becomes of them when their cluster changes.
import { messageOf } from '../../lib/errors.ts';
import type { Dependents } from '../clusters/lifecycle.ts';
import { isNoSpace } from '../disk/space.ts';
import { anyRoom } from '../disk/volume.ts';
import { find, listAll } from '../records/owners.ts';
import type { Ending, ExecutionWork, JobExecutionRecord } from '../records/records.ts';
import { type Effect, type RunnerOptions, type StageContext, StageRunner } from '../stages/runner.ts';
import type { NewWork } from '../stages/table.ts';
import { Transient } from '../stages/transient.ts';
import type { Owned } from '../store/store.ts';
import type { ExecutionOrder, JobEngine, RunEnd, RunReport } from './job-engine.ts';
import { planOf, prepare } from './prepare.ts';
import { RunUsage } from './run-usage.ts';
import { type ExecutionStage, executionStages, isOver, isPending, isSettled } from './stages.ts';
import { keptUrls, urlsOf } from './urls.ts';

interface ExecutionsOptions extends RunnerOptions {
  readonly engine: JobEngine;
  /** How many runs there are at a time. When absent: any number. */
  readonly maxConcurrent?: number | undefined;
  /** How many bytes the runs of a tenant may keep on the disk. When absent: any number. */
  readonly runByteQuota?: number | undefined;
}

type ExecutionContext = StageContext<'jobExecutions', ExecutionStage>;
type ExecutionEffect = Effect<'jobExecutions'>;
/** The execution that a call of the engine is made for, and the signal that ends the call. */
type CalledFor = Pick<ExecutionContext, 'tenant' | 'record' | 'signal'>;
type End = Ending | 'KILLED' | 'SUSPENDFAILED';

/** How long a call may take, in ms. A run may take any time. */
const deadlines = { submit: 5 * 60_000, finish: undefined, kill: 2 * 60_000, suspend: 2 * 60_000 } as const;

const isDeletion = (work: ExecutionWork | undefined): boolean =>
  work?.operation === 'delete' || work?.operation === 'forget';

/** The run is, or may be, known to the engine. */
const mayRun = (execution: JobExecutionRecord): boolean => execution.prepared !== undefined && !isOver(execution);

export class Executions extends StageRunner<'jobExecutions', ExecutionStage, ExecutionsOptions> implements Dependents {
  /** Executions whose submission is under way. */
  readonly #submitting = new Set<string>();
  /** What runs keep on the disk. */
  readonly usage: RunUsage;

  constructor(options: ExecutionsOptions) {
    super(options, 'jobExecutions', executionStages);
    this.usage = new RunUsage({ store: options.store, engine: options.engine, quota: options.runByteQuota });
  }

  /** Begins an operation on the execution in place of any other. Undefined if the execution is removed at once. */
  start(tenant: string, execution: JobExecutionRecord, work: NewWork<ExecutionWork>): JobExecutionRecord | undefined {
    const hasStages = executionStages.first(this.options.dialect, work) !== undefined;
    if (hasStages) return this.keep(tenant, this.begin(execution, work));
    this.remove(tenant, execution);
    return undefined;
  }

  /** A deleted execution is gone at once in early releases, but its run is killed, too. */
  delete(tenant: string, execution: JobExecutionRecord): void {
    const { dialect } = this.options;
    const isHidden = dialect === 'savanna' && execution.prepared !== undefined;
    this.start(tenant, execution, { operation: isHidden ? 'forget' : 'delete' });
  }

  override remove(tenant: string, execution: JobExecutionRecord): void {
    // In this order a crash leaves at worst an execution without a run, and never a run without an execution.
    const { engine, store } = this.options;
    (store.volume ?? anyRoom).insist(() => engine.forget({ tenant, execution }));
    super.remove(tenant, execution);
  }

  override keep(tenant: string, execution: JobExecutionRecord): JobExecutionRecord {
    super.keep(tenant, execution);
    if (isOver(execution)) this.#startWaiting();
    if (isSettled(execution)) this.options.engine.release?.({ execution });
    return execution;
  }

  clusterActive(id: string): void {
    for (const { tenant, record } of this.#on(id))
      if (isPending(this.options.dialect, record)) this.restart(tenant, record);
  }

  /** Rejects with `Transient`. The runs keep their status until the cluster is gone. */
  async clusterLeaving(id: string, signal: AbortSignal): Promise<void> {
    const runs = this.#on(id).filter(({ record }) => mayRun(record));
    await Promise.all(runs.map(({ record }) => this.interrupt(record.id)));
    const left = this.#on(id).filter(({ record }) => mayRun(record));
    await Promise.all(left.map(({ tenant, record }) => this.#kill({ tenant, record, signal })));
  }

  /** Runs of the cluster have been killed. */
  clusterGone(id: string): void {
    for (const { tenant, record } of this.#on(id)) {
      if (isDeletion(record.work)) this.remove(tenant, record);
      else {
        const left = { ...record, cluster_id: undefined, urls: keptUrls(record.urls), updated_at: this.now };
        this.keep(tenant, isOver(left) ? left : this.#ended(left, { status: 'KILLED' }));
      }
    }
  }

  clusterFailed(id: string, why: string): void {
    for (const { tenant, record } of this.#on(id))
      if (mayRun(record) && record.work?.operation === 'run')
        this.start(tenant, record, { operation: 'fail', message: `its cluster has failed: ${why}` });
  }

  /** Executions on a public cluster can belong to other tenants. */
  #on(cluster: string): readonly Owned<'jobExecutions'>[] {
    return this.#all().filter(({ record }) => record.cluster_id === cluster);
  }

  #all(): readonly Owned<'jobExecutions'>[] {
    return listAll(this.options.store, 'jobExecutions');
  }

  /** Runs that wait for the end of another one. */
  #startWaiting(): void {
    const { dialect, maxConcurrent } = this.options;
    if (maxConcurrent === undefined) return;
    for (const { tenant, record } of this.#all()) if (isPending(dialect, record)) this.restart(tenant, record);
  }

  #hasRoom(): boolean {
    const { maxConcurrent } = this.options;
    if (maxConcurrent === undefined) return true;
    const runs = this.#all().filter(({ record }) => record.engine_job_id !== undefined && !isOver(record));
    const ids = new Set([...runs.map(({ record }) => record.id), ...this.#submitting]);
    return ids.size < maxConcurrent;
  }

  protected override enter(
    execution: JobExecutionRecord,
    work: ExecutionWork,
    { status }: ExecutionStage,
  ): JobExecutionRecord {
    if (status === 'KILLED') return { ...this.#ended(execution, { status: 'KILLED' }), work };
    const { dialect, hooks } = this.options;
    const entered = { ...execution, info: { status: hooks?.word(status) ?? status }, work };
    // A new execution has not been updated.
    return isPending(dialect, entered) ? entered : { ...entered, updated_at: this.now };
  }

  /** A run waits for its cluster until `clusterActive`, and for a place until another one is over. */
  protected override isReady(tenant: string, { cluster_id = '' }: JobExecutionRecord, stage: ExecutionStage): boolean {
    if (stage.action !== 'submit') return true;
    const cluster = find(this.options.store, 'clusters', { tenant, id: cluster_id })?.record;
    return cluster?.status === 'Active' && this.#hasRoom();
  }

  protected override async leave({ tenant, record, stage, signal }: ExecutionContext) {
    const job = find(this.options.store, 'jobs', { tenant, id: record.job_id })?.record.name ?? '';
    const ending = await this.options.hooks?.leaveExecution({ status: stage.status, job }, signal);
    if (ending === undefined || stage.action === 'kill') return undefined;
    return (execution: JobExecutionRecord) => this.#ended(execution, { status: ending });
  }

  protected override async perform(context: ExecutionContext): Promise<ExecutionEffect> {
    const { engine } = this.options;
    const { work, stage } = context;
    switch (stage.action) {
      case 'submit':
        return this.#submit(context);
      case 'nothing':
        return (execution) => execution;
      case 'finish': {
        const end = await this.#call('finish', context, (signal) =>
          engine.finish(this.#orderOf({ ...context, signal })),
        );
        return (execution) => this.#ended(execution, end);
      }
      case 'suspend': {
        await this.#call('suspend', context, (signal) => engine.suspend(this.#orderOf({ ...context, signal })));
        const status = work.operation === 'suspend' ? work.to : 'SUSPENDED';
        return (execution) => ({ ...execution, info: { status }, work: undefined, updated_at: this.now });
      }
      case 'kill':
        await this.#kill(context);
        if (isDeletion(work)) return 'remove';
        if (work.operation !== 'fail') return (execution) => this.#ended(execution, { status: 'KILLED' });
        return (execution) => this.#ended(execution, { status: 'FAILED', message: work.message });
    }
  }

  async #submit(context: ExecutionContext): Promise<ExecutionEffect> {
    const { engine } = this.options;
    const { tenant } = context;
    this.#submitting.add(context.record.id);
    try {
      const record = this.#prepared(tenant, context.record);
      const submit = async (signal: AbortSignal) => {
        const order = this.#orderOf({ tenant, record, signal });
        return { engine_job_id: await engine.submit(order), urls: urlsOf(engine, order) };
      };
      const submitted = await this.#call('submit', context, submit);
      return (execution) => ({ ...execution, ...submitted, start_time: this.now });
    } finally {
      this.#submitting.delete(context.record.id);
    }
  }

  /** What the run consists of is stored before the engine sees it. */
  #prepared(tenant: string, record: JobExecutionRecord): JobExecutionRecord {
    if (record.prepared !== undefined) return record;
    const prepared = prepare(this.options, tenant, record);
    try {
      return this.amend(tenant, prepared);
    } catch (cause) {
      throw new Transient(`cannot prepare the run: ${messageOf(cause)}`, { cause });
    }
  }

  async #kill(at: CalledFor): Promise<void> {
    const { engine, store } = this.options;
    const { tenant, record: execution } = at;
    const cluster = find(store, 'clusters', { tenant, id: execution.cluster_id ?? '' })?.record;
    try {
      await this.#call('kill', at, (signal) => engine.kill({ tenant, execution, cluster, signal }));
    } catch (cause) {
      if (isNoSpace(cause)) store.volume?.useReserve();
      throw new Transient(`cannot kill job execution: ${messageOf(cause)}`, { cause });
    }
  }

  /** Makes one of the calls of the engine within its deadline. */
  #call<T>(
    name: keyof typeof deadlines,
    { tenant, record, signal }: CalledFor,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return this.call({ tenant, id: record.id, signal, name, deadlineMs: deadlines[name] }, work);
  }

  /** A failed run or suspension ends the execution. A failed kill leaves it as it is, until somebody cancels or deletes it again. */
  protected override fail({ work }: ExecutionContext, cause: unknown): ExecutionEffect {
    const message = messageOf(cause);
    switch (work.operation) {
      case 'run':
        return (execution) => this.#ended(execution, { status: 'FAILED', message });
      case 'suspend':
        return (execution) => this.#ended(execution, { status: 'SUSPENDFAILED', message });
      case 'cancel':
      case 'delete':
      case 'forget':
      case 'fail':
        return (execution) => ({ ...execution, info: { ...execution.info, message }, work: undefined });
    }
  }

  protected override describe(execution: JobExecutionRecord, message: string): JobExecutionRecord {
    const { info } = execution;
    return info.message === message ? execution : { ...execution, info: { ...info, message }, updated_at: this.now };
  }

  protected override complete(execution: JobExecutionRecord): JobExecutionRecord {
    return { ...execution, work: undefined };
  }

  #ended(execution: JobExecutionRecord, end: Omit<RunEnd, 'status'> & { readonly status: End }): JobExecutionRecord {
    const { now } = this;
    const { status, message, returnCode } = end;
    // Upstream gives a start time even to a run that could not be started.
    const start_time = execution.start_time ?? (status === 'FAILED' ? now : undefined);
    const info = { status, ...(message !== undefined && { message }) };
    const ended = { info, start_time, end_time: execution.end_time ?? now, work: undefined, updated_at: now };
    return { ...execution, ...ended, ...(returnCode !== undefined && { return_code: returnCode }) };
  }

  #orderOf({ tenant, record: execution, signal }: CalledFor): ExecutionOrder {
    const { store } = this.options;
    const job = find(store, 'jobs', { tenant, id: execution.job_id })?.record;
    // A job cannot be deleted while it has executions.
    if (job === undefined) throw new Error(`cannot find job ${execution.job_id}`);
    const cluster = find(store, 'clusters', { tenant, id: execution.cluster_id ?? '' })?.record;
    if (cluster === undefined) throw new Error(`cannot find cluster ${execution.cluster_id}`);
    return {
      ...planOf(this.options, { tenant, cluster, job }, execution),
      signal,
      accepted: (engine_job_id) =>
        this.update(tenant, execution.id, (known) => ({ ...known, engine_job_id, updated_at: this.now })),
      report: (report) => this.#report(tenant, execution.id, report),
      admit: (bytes) => this.usage.check(tenant, bytes),
    };
  }

  #report(tenant: string, id: string, { progress, message }: RunReport): void {
    this.update(tenant, id, (known) => {
      if (isOver(known)) return known;
      const { message: before, ...others } = known.info;
      const shown = message ?? before ?? '';
      const info = shown === '' ? others : { ...others, message: shown };
      const bounded = progress === undefined ? known.progress : Math.min(Math.max(progress, 0), 1);
      return { ...known, info, progress: bounded, updated_at: this.now };
    });
  }
}
