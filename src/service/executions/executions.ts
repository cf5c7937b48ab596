// What is done in the stages of a job execution, how executions end, and what becomes of them when their cluster changes.
import { messageOf } from '../../lib/errors.ts';
import type { Dependents } from '../clusters/lifecycle.ts';
import { find, listAll } from '../records/owners.ts';
import type { Ending, ExecutionWork, JobExecutionRecord } from '../records/records.ts';
import { type Effect, type RunnerOptions, type StageContext, StageRunner, Transient } from '../stages/runner.ts';
import type { NewWork } from '../stages/table.ts';
import type { Owned } from '../store/store.ts';
import { resolveUrls } from './data-source-urls.ts';
import type { ExecutionOrder, JobEngine } from './job-engine.ts';
import { type ExecutionStage, executionStages, isOver, isPending } from './stages.ts';

interface ExecutionsOptions extends RunnerOptions {
  readonly engine: JobEngine;
}

type ExecutionContext = StageContext<'jobExecutions', ExecutionStage>;
type ExecutionEffect = Effect<'jobExecutions'>;
type End = Ending | 'KILLED' | 'SUSPENDFAILED';

export class Executions extends StageRunner<'jobExecutions', ExecutionStage, ExecutionsOptions> implements Dependents {
  constructor(options: ExecutionsOptions) {
    super(options, 'jobExecutions', executionStages);
  }

  /** Begins an operation on the execution in place of any other. Undefined if the execution is removed at once. */
  start(tenant: string, execution: JobExecutionRecord, work: NewWork<ExecutionWork>): JobExecutionRecord | undefined {
    const hasStages = executionStages.first(this.options.dialect, work) !== undefined;
    if (hasStages) return this.keep(tenant, this.begin(execution, work));
    this.remove(tenant, execution);
    return undefined;
  }

  clusterActive(id: string): void {
    for (const { tenant, record } of this.#on(id))
      if (isPending(this.options.dialect, record)) this.restart(tenant, record);
  }

  /** Runs of the cluster have been killed with it. */
  clusterGone(id: string): void {
    for (const { tenant, record } of this.#on(id)) {
      if (record.work?.operation === 'delete') this.remove(tenant, record);
      else {
        const left = { ...record, cluster_id: undefined, updated_at: this.now };
        this.keep(tenant, isOver(left) ? left : this.#ended(left, 'KILLED'));
      }
    }
  }

  /** Executions on a public cluster can belong to other tenants. */
  #on(cluster: string): readonly Owned<'jobExecutions'>[] {
    return listAll(this.options.store, 'jobExecutions').filter(({ record }) => record.cluster_id === cluster);
  }

  protected override enter(
    execution: JobExecutionRecord,
    work: ExecutionWork,
    { status }: ExecutionStage,
  ): JobExecutionRecord {
    if (status === 'KILLED') return { ...this.#ended(execution, 'KILLED'), work };
    const { dialect, hooks } = this.options;
    const entered = { ...execution, info: { status: hooks?.word(status) ?? status }, work };
    // A new execution has not been updated.
    return isPending(dialect, entered) ? entered : { ...entered, updated_at: this.now };
  }

  /** A run waits for its cluster until `clusterActive`. */
  protected override isReady(tenant: string, { cluster_id = '' }: JobExecutionRecord, stage: ExecutionStage): boolean {
    if (stage.action !== 'submit') return true;
    return find(this.options.store, 'clusters', { tenant, id: cluster_id })?.record.status === 'Active';
  }

  protected override async leave(context: ExecutionContext): Promise<ExecutionEffect | undefined> {
    const { stage, signal } = context;
    const { job } = this.#orderOf(context);
    const ending = await this.options.hooks?.leaveExecution({ status: stage.status, job: job.name }, signal);
    if (ending === undefined || stage.action === 'kill') return undefined;
    return (execution) => this.#ended(execution, ending);
  }

  protected override async perform(context: ExecutionContext): Promise<ExecutionEffect> {
    const { engine, store, random } = this.options;
    const { tenant, record, work, stage } = context;
    const order = this.#orderOf(context);
    switch (stage.action) {
      case 'submit': {
        const sourceOf = (id: string) => find(store, 'dataSources', { tenant, id })?.record;
        const data_source_urls = resolveUrls(record, sourceOf, random);
        const engine_job_id = await engine.submit(order);
        return (execution) => ({ ...execution, engine_job_id, data_source_urls, start_time: this.now });
      }
      case 'nothing':
        return (execution) => execution;
      case 'finish': {
        const ending = await engine.finish(order);
        return (execution) => this.#ended(execution, ending);
      }
      case 'suspend': {
        await engine.suspend(order);
        const status = work.operation === 'suspend' ? work.to : 'SUSPENDED';
        return (execution) => ({ ...execution, info: { status }, work: undefined, updated_at: this.now });
      }
      case 'kill':
        await engine.kill(order).catch((cause: unknown) => {
          throw new Transient('cannot kill job execution', cause);
        });
        return work.operation === 'delete' ? 'remove' : (execution) => this.#ended(execution, 'KILLED');
    }
  }

  /** A failed run or suspension ends the execution. A failed kill leaves it as it is, until somebody cancels or deletes it again. */
  protected override fail({ work }: ExecutionContext, cause: unknown): ExecutionEffect {
    const message = messageOf(cause);
    switch (work.operation) {
      case 'run':
        return (execution) => this.#ended(execution, 'FAILED', message);
      case 'suspend':
        return (execution) => this.#ended(execution, 'SUSPENDFAILED', message);
      case 'cancel':
      case 'delete':
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

  #ended(execution: JobExecutionRecord, status: End, message?: string): JobExecutionRecord {
    const { now } = this;
    // Upstream gives a start time even to a run that could not be started.
    const start_time = execution.start_time ?? (status === 'FAILED' ? now : undefined);
    const info = { status, ...(message !== undefined && { message }) };
    return { ...execution, info, start_time, end_time: execution.end_time ?? now, work: undefined, updated_at: now };
  }

  #orderOf({ tenant, record: execution, signal }: ExecutionContext): ExecutionOrder {
    const job = find(this.options.store, 'jobs', { tenant, id: execution.job_id })?.record;
    // A job cannot be deleted while it has executions.
    if (job === undefined) throw new Error(`cannot find job ${execution.job_id}`);
    return { tenant, execution, job, signal };
  }
}
