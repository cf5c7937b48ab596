// Carries job executions through their stages, one timer each; what it knows is in the store, so a restart goes on where it was.
import type { Clock, Log, Random } from '../../lib/ports.ts';
import type { Dialect } from '../../wire/dialect.ts';
import type { Dependents } from '../clusters/lifecycle.ts';
import { messageOf } from '../clusters/stage-actions.ts';
import { timestamp } from '../records/identifiers.ts';
import type { Ending, ExecutionOperation, ExecutionWork, JobExecutionRecord } from '../records/job-records.ts';
import { find, listAll } from '../records/owners.ts';
import { Turns } from '../records/stage-runner.ts';
import type { Owned, Store } from '../store/store.ts';
import { resolveUrls } from './data-source-urls.ts';
import { type End, endExecution, failExecution, isOver } from './ends.ts';
import type { ExecutionOrder, JobEngine } from './job-engine.ts';
import { type ExecutionStage, executionStageOf, firstExecutionWork, isPending, nextExecutionWork } from './stages.ts';

/** Where a personality gets between the stages. */
export interface ExecutionHabits {
  /** The word that is shown for a status. */
  word(status: string): string;
  /** Resolves when an execution may leave the status, or the signal is aborted, to how it ends there, if it does. A rejection fails it. */
  leaveExecution(
    at: { readonly status: string; readonly job: string },
    signal: AbortSignal,
  ): Promise<Ending | undefined>;
}

export interface ExecutionsOptions {
  readonly dialect: Dialect;
  readonly store: Store;
  readonly engine: JobEngine;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** How long an execution stays in a stage, in ms, before what the stage has to do. */
  readonly stageMs: (status: string) => number;
  /** When absent, executions pass through their stages undisturbed. */
  readonly habits?: ExecutionHabits | undefined;
}

/** The run goes on. That fails nothing: it is tried again until the run has ended. */
class NotKilled extends Error {}

async function endRun(engine: JobEngine, order: ExecutionOrder): Promise<void> {
  try {
    await engine.kill(order);
  } catch (cause) {
    throw new NotKilled(messageOf(cause), { cause });
  }
}

export class Executions implements Dependents {
  readonly #options: ExecutionsOptions;
  readonly #turns: Turns;

  constructor(options: ExecutionsOptions) {
    this.#options = options;
    this.#turns = new Turns(options.clock, (externalId, err) =>
      options.log.error({ kind: 'JobExecution', externalId, err }, 'cannot advance job execution'),
    );
  }

  /** Begins to run, cancel, suspend or delete the execution, whatever was being done with it. Undefined when it is gone at once. */
  begin(tenant: string, execution: JobExecutionRecord, work: ExecutionOperation): JobExecutionRecord | undefined {
    const begun = this.#enter(execution, firstExecutionWork(this.#options.dialect, work));
    if (begun !== undefined) return this.#keep(tenant, begun);
    // First what can fail: work that goes on in the store goes on here.
    this.#options.store.remove('jobExecutions', tenant, execution.id);
    this.#turns.stop(execution.id);
    return undefined;
  }

  /** Stores a change of who may see and end it; what is under way goes on as if nothing had happened. */
  amend(tenant: string, execution: JobExecutionRecord): JobExecutionRecord {
    this.#options.store.put('jobExecutions', tenant, execution);
    return execution;
  }

  clusterActive(id: string): void {
    for (const { tenant, record } of this.#of(id)) {
      if (!isPending(this.#options.dialect, record)) continue;
      this.#turns.stop(record.id);
      this.#wait(tenant, record);
    }
  }

  /** What was under way there has been killed; an execution that was to be deleted is gone. */
  clusterGone(id: string): void {
    for (const { tenant, record: execution } of this.#of(id)) {
      const { store, clock } = this.#options;
      this.#turns.stop(execution.id);
      if (execution.work?.operation === 'delete') {
        store.remove('jobExecutions', tenant, execution.id);
        continue;
      }
      const left = { ...execution, cluster_id: undefined, updated_at: timestamp(clock) };
      store.put('jobExecutions', tenant, isOver(left) ? left : this.#ended(left, 'KILLED'));
    }
  }

  /** Goes on with everything that was under way when the service ended. */
  resume(): void {
    const { store } = this.#options;
    for (const tenant of store.tenants()) {
      for (const execution of store.list('jobExecutions', tenant)) this.#wait(tenant, execution);
    }
  }

  close(): void {
    this.#turns.close();
  }

  /** Those on a public cluster may be of other tenants. */
  #of(cluster: string): readonly Owned<'jobExecutions'>[] {
    return listAll(this.#options.store, 'jobExecutions').filter(({ record }) => record.cluster_id === cluster);
  }

  #keep(tenant: string, execution: JobExecutionRecord): JobExecutionRecord {
    this.#options.store.put('jobExecutions', tenant, execution);
    this.#turns.stop(execution.id);
    this.#wait(tenant, execution);
    return execution;
  }

  /** Nothing waits for a cluster that is not Active: the cluster says when it is. */
  #wait(tenant: string, execution: JobExecutionRecord): void {
    const { dialect, stageMs } = this.#options;
    const stage = execution.work && executionStageOf(dialect, execution.work);
    if (stage === undefined || (stage.deed === 'submit' && !this.#isReady(tenant, execution))) return;
    this.#turns.take(execution.id, stageMs(stage.status), (signal) => this.#advance(tenant, execution, signal));
  }

  #isReady(tenant: string, { cluster_id = '' }: JobExecutionRecord): boolean {
    return find(this.#options.store, 'clusters', { tenant, id: cluster_id })?.record.status === 'Active';
  }

  /** The execution as it is by now; undefined when something else is being done with it, and the result of this is void. */
  #current(tenant: string, { id, work }: JobExecutionRecord): JobExecutionRecord | undefined {
    const current = this.#options.store.get('jobExecutions', tenant, id);
    return this.#turns.closed || current?.work !== work ? undefined : current;
  }

  async #advance(tenant: string, begun: JobExecutionRecord, signal: AbortSignal): Promise<void> {
    const { dialect, store, clock } = this.#options;
    const execution = this.#current(tenant, begun);
    const stage = execution?.work && executionStageOf(dialect, execution.work);
    // A job is not deleted as long as it has executions.
    const job = execution && find(store, 'jobs', { tenant, id: execution.job_id })?.record;
    if (execution === undefined || stage === undefined || job === undefined) return;
    const order = { tenant, execution, job, signal };
    const done = await this.#perform(order, stage).catch((cause: unknown) => {
      if (!(cause instanceof NotKilled)) return failExecution(execution, cause, timestamp(clock));
      this.#describe(tenant, execution, `cannot kill job execution: ${cause.message}; trying again`);
      throw cause;
    });
    const current = this.#current(tenant, execution);
    if (done === 'later' || current === undefined) return;
    if (done === undefined) return store.remove('jobExecutions', tenant, execution.id);
    // What may have been changed while the engine was busy.
    const { is_public, is_protected, cluster_id } = current;
    this.#keep(tenant, { ...done, is_public, is_protected, cluster_id });
  }

  /** Says why the work does not get on; it stays as it is. */
  #describe(tenant: string, execution: JobExecutionRecord, message: string): void {
    const current = this.#current(tenant, execution);
    if (current === undefined || current.info.message === message) return;
    this.amend(tenant, { ...current, info: { ...current.info, message }, updated_at: timestamp(this.#options.clock) });
  }

  #enter(execution: JobExecutionRecord, work: ExecutionWork | undefined): JobExecutionRecord | undefined {
    const { dialect, clock, habits } = this.#options;
    const stage = work && executionStageOf(dialect, work);
    if (stage === undefined) return undefined;
    if (stage.status === 'KILLED') return { ...this.#ended(execution, 'KILLED'), work };
    const info = { status: habits?.word(stage.status) ?? stage.status };
    // To be made is no change.
    const entered = { ...execution, info, work };
    return isPending(dialect, entered) ? entered : { ...entered, updated_at: timestamp(clock) };
  }

  #ended(execution: JobExecutionRecord, status: End): JobExecutionRecord {
    return endExecution(execution, { status }, timestamp(this.#options.clock));
  }

  /** The execution as it is after the stage; undefined: gone. */
  async #perform(order: ExecutionOrder, stage: ExecutionStage): Promise<JobExecutionRecord | 'later' | undefined> {
    const { engine, store, clock, random, habits } = this.#options;
    const { tenant, execution, job, signal } = order;
    const ending = await habits?.leaveExecution({ status: stage.status, job: job.name }, signal);
    if (this.#current(tenant, execution) === undefined) return 'later';
    if (ending !== undefined && stage.deed !== 'kill') return this.#ended(execution, ending);
    switch (stage.deed) {
      case 'submit': {
        if (!this.#isReady(tenant, execution)) return 'later';
        const data_source_urls = resolveUrls(
          execution,
          (id) => find(store, 'dataSources', { tenant, id })?.record,
          random,
        );
        const engine_job_id = await engine.submit(order);
        return this.#next({ ...execution, engine_job_id, data_source_urls, start_time: timestamp(clock) });
      }
      case 'nothing':
        return this.#next(execution);
      case 'finish':
        return this.#ended(execution, await engine.finish(order));
      case 'suspend': {
        await engine.suspend(order);
        const status = execution.work?.operation === 'suspend' ? execution.work.to : 'SUSPENDED';
        return { ...execution, info: { status }, work: undefined, updated_at: timestamp(clock) };
      }
      case 'kill':
        await endRun(engine, order);
        return execution.work?.operation === 'delete' ? undefined : this.#ended(execution, 'KILLED');
    }
  }

  #next(execution: JobExecutionRecord): JobExecutionRecord | undefined {
    const { work } = execution;
    return work && this.#enter(execution, nextExecutionWork(this.#options.dialect, work));
  }
}
