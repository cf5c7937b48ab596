// What is done in the stages of a job execution, how executions end, and what becomes of them when their cluster changes.
import { messageOf } from '../../../lib/errors.ts';
import { turn } from '../../../lib/timing/slices.ts';
import type { FoundRun, JobEngine, RunEnd, RunReport } from '../../backends/job-engine.ts';
import { find, listAll } from '../../model/checks/owners.ts';
import { checkRunSize } from '../../model/checks/quotas.ts';
import { Transient } from '../../model/disk/transient.ts';
import type { Ending, ExecutionWork, JobExecutionRecord } from '../../model/records/records.ts';
import {
  type ExecutionStage,
  executionStages,
  isDeletion,
  isOver,
  isPending,
  mayRun,
} from '../../model/stages/execution-stages.ts';
import type { NewWork } from '../../model/stages/stage-table.ts';
import type { Owned } from '../../model/store/store.ts';
import type { Dependents } from '../clusters/lifecycle.ts';
import type { CallTarget } from '../clusters/provisioner-calls.ts';
import { type Effect, type RunnerOptions, type StageContext, StageRunner } from '../stages/stage-runner.ts';
import { type CalledFor, EngineCalls } from './engine-calls.ts';
import { Preparations } from './preparations.ts';
import { prepare } from './prepare.ts';
import { RunUsage } from './run-usage.ts';
import { RunningRuns } from './running-runs.ts';
import { Strays } from './strays.ts';
import { terminationOf } from './termination.ts';
import { keptUrls } from './urls.ts';

interface ExecutionsOptions extends RunnerOptions {
  readonly engine: JobEngine;
  /** How many runs there are at a time. When absent: any number. */
  readonly maxConcurrent?: number | undefined;
  /** How many bytes the runs of a tenant may keep on the disk. When absent: any number. */
  readonly runByteQuota?: number | undefined;
}

type ExecutionContext = StageContext<'jobExecutions', ExecutionStage>;
type ExecutionEffect = Effect<'jobExecutions'>;
type End = Ending | 'KILLED';

/** How many executions change in one transaction. */
const sliceSize = 50;
/** About how many bytes of memory they take, unless one alone takes more: on a full volume, the log of SQLite has the room of the reserve for them. */
const sliceBytes = 2 * 1024 ** 2;
/** How many runs begin to be killed, or are removed, in one turn of the event loop: each of them waits for the disk some times. */
const killsInSlice = 8;

export class Executions extends StageRunner<'jobExecutions', ExecutionStage, ExecutionsOptions> implements Dependents {
  readonly #running: RunningRuns;
  readonly #preparations: Preparations;
  readonly #calls: EngineCalls;
  readonly #strays: Strays;
  /** What runs keep on the disk. */
  readonly usage: RunUsage;

  constructor(options: ExecutionsOptions) {
    super(options, 'jobExecutions', executionStages);
    const { store, engine, clock, runByteQuota: quota } = options;
    this.usage = new RunUsage({ store, engine, clock, quota });
    this.#running = new RunningRuns(options);
    this.#preparations = new Preparations((beginning) => this.#running.hasRoom(beginning));
    this.#calls = new EngineCalls({
      ...options,
      limit: (...args) => this.call(...args),
      accepted: (tenant, id, engine_job_id) =>
        this.update(tenant, id, (known) => ({ ...known, engine_job_id, updated_at: this.now })),
      report: (tenant, id, reported) => this.#report(tenant, id, reported),
      admit: (...args) => this.usage.admit(...args),
    });
    this.#strays = new Strays({
      engine: options.engine,
      calls: this.#calls,
      recordOf: (run) => this.#recordOf(run),
      inBackground: (...args) => this.inBackground(...args),
    });
  }

  /** Also ends runs that no record has. */
  override resume(): void {
    super.resume();
    this.#strays.watch();
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
    this.options.engine.forget({ tenant, execution });
    super.remove(tenant, execution);
    this.#running.forget(execution.id);
    this.#preparations.serve();
  }

  protected override stored(execution: JobExecutionRecord): void {
    this.#running.note(execution);
  }

  override keep(tenant: string, execution: JobExecutionRecord): JobExecutionRecord {
    const kept = super.keep(tenant, execution);
    if (!isOver(kept)) return kept;
    this.#preparations.serve();
    this.options.engine.release?.({ execution: kept });
    return kept;
  }

  clusterActive(id: string): void {
    for (const { tenant, record } of this.#on(id))
      if (isPending(this.options.dialect, record)) this.restart(tenant, record);
  }

  /**
   * Resolves when nothing runs on the cluster, whatever the records say. Rejects with `Transient`. The executions keep their status until the cluster is
   * gone.
   */
  async clusterLeaving({ tenant, record: cluster, signal }: CallTarget): Promise<void> {
    const known = () => this.#on(cluster.id).filter(({ record }) => mayRun(record));
    await Promise.all(known().map(({ record }) => this.interrupt(record.id)));
    await this.#killAll(known(), signal);
    const tenants = [...new Set([tenant, ...this.#on(cluster.id).map((each) => each.tenant)])];
    const found = await this.#calls.runsOn({ tenants, cluster, signal });
    const isElsewhere = (run: FoundRun) => (this.#recordOf(run)?.cluster_id ?? cluster.id) !== cluster.id;
    const left = found.filter((run) => !run.isOver && !isElsewhere(run));
    await this.#strays.end(left, signal);
  }

  /** Each kill writes to the disk before it waits for anything, so they begin in slices, and then all of them go on together. */
  async #killAll(runs: readonly Owned<'jobExecutions'>[], signal: AbortSignal): Promise<void> {
    const kills: Promise<PromiseSettledResult<void>[]>[] = [];
    await this.#inSlices(runs, { signal, size: killsInSlice }, (slice) => {
      const left = slice.filter(({ record }) => mayRun(record));
      kills.push(Promise.allSettled(left.map((run) => this.#kill({ ...run, signal }))));
    });
    for (const result of (await Promise.all(kills)).flat()) if (result.status === 'rejected') throw result.reason;
  }

  /** Rejects with `Transient`. A crash in between leaves executions for the deletion of the cluster, which goes on after it. */
  async clusterEmptied(id: string, signal: AbortSignal): Promise<void> {
    const leave = (slice: readonly Owned<'jobExecutions'>[]) => this.#leave(slice.filter(isOn(id)));
    const deleted = this.#on(id).filter(({ record }) => isDeletion(record.work));
    try {
      await this.#inSlices(deleted, { signal, size: killsInSlice }, leave);
      await this.#inSlices(this.#on(id), { signal }, leave);
    } catch (cause) {
      signal.throwIfAborted();
      throw new Transient(`cannot store the ends of its runs: ${messageOf(cause)}`, { cause });
    }
  }

  clusterGone(id: string): void {
    this.#leave(this.#on(id));
  }

  /** Runs of a cluster that does not exist any more. */
  #leave(executions: readonly Owned<'jobExecutions'>[]): void {
    for (const { tenant, record } of executions) if (isDeletion(record.work)) this.remove(tenant, record);
    const stays = executions.filter(({ record }) => !isDeletion(record.work));
    const left = stays.map(({ tenant, record }) => {
      const kept = { ...record, cluster_id: undefined, urls: keptUrls(record.urls), updated_at: this.now };
      return { tenant, record: isOver(kept) ? kept : this.#ended(kept, { status: 'KILLED' }) };
    });
    this.keepAll(left);
    const killed = stays.filter(({ record }) => !isOver(record));
    if (killed.length > 0) this.#preparations.serve();
    for (const { record: execution } of killed) this.options.engine.release?.({ execution });
  }

  /** Goes on after a restart: see `resume`. */
  clusterFailed(id: string, why: string): void {
    const message = `its cluster has failed: ${why}`;
    this.inBackground(`runs of failed cluster ${id}`, async (signal) => {
      await this.#inSlices(this.#on(id), { signal }, (slice) => {
        const failed = slice.filter(({ record }) => mayRun(record) && record.work?.operation === 'run');
        this.keepAll(
          failed.map(({ tenant, record }) => ({ tenant, record: this.begin(record, { operation: 'fail', message }) })),
        );
      });
      return () => undefined;
    });
  }

  /** Gets the records as they are by then. Requests are answered between slices: each one is a transaction that waits for the disk. */
  async #inSlices(
    executions: readonly Owned<'jobExecutions'>[],
    { signal, size = sliceSize }: { readonly signal: AbortSignal; readonly size?: number },
    change: (slice: readonly Owned<'jobExecutions'>[]) => void,
  ): Promise<void> {
    for (let from = 0; from < executions.length; ) {
      if (from > 0) await turn();
      signal.throwIfAborted();
      const slice = this.#fitting(executions.slice(from, from + size));
      from += slice.length;
      const latest = slice.flatMap(({ tenant, record: { id } }) => {
        const record = this.latest(tenant, id);
        return record === undefined ? [] : [{ tenant, record }];
      });
      change(latest);
    }
  }

  /** As many of the first ones as one transaction takes. */
  #fitting(executions: readonly Owned<'jobExecutions'>[]): readonly Owned<'jobExecutions'>[] {
    let bytes = 0;
    const over = executions.findIndex(({ tenant, record: { id } }, index) => {
      bytes += this.options.store.sizeOf('jobExecutions', tenant, id);
      return index > 0 && bytes > sliceBytes;
    });
    return over < 0 ? executions : executions.slice(0, over);
  }

  #on(cluster: string): readonly Owned<'jobExecutions'>[] {
    return this.#all().filter(isOn(cluster));
  }

  /** A run is found for one of the tenants that share its namespace. */
  #recordOf(run: FoundRun): JobExecutionRecord | undefined {
    return find(this.options.store, 'jobExecutions', run)?.record;
  }

  #all(): readonly Owned<'jobExecutions'>[] {
    return listAll(this.options.store, 'jobExecutions');
  }

  protected override enter(
    execution: JobExecutionRecord,
    work: ExecutionWork,
    { status }: ExecutionStage,
  ): JobExecutionRecord {
    if (status === 'KILLED') return { ...this.#ended(execution, { status: 'KILLED' }), work };
    const { dialect, hooks } = this.options;
    // What cannot go on keeps its status until it is killed.
    const isQueued = work.operation === 'run' && execution.info.queued === true;
    const info = isQueued
      ? execution.info
      : work.operation === 'fail'
        ? { ...withoutQueue(execution.info), message: work.message }
        : { status: hooks?.word(status) ?? status };
    const entered = { ...execution, info, work };
    // A new execution has not been updated.
    return isPending(dialect, entered) ? entered : { ...entered, updated_at: this.now };
  }

  /** A run waits for its cluster until `clusterActive`, and then for a place. */
  protected override isReady(tenant: string, { cluster_id = '' }: JobExecutionRecord, stage: ExecutionStage): boolean {
    if (stage.action !== 'submit') return true;
    const cluster = find(this.options.store, 'clusters', { tenant, id: cluster_id })?.record;
    return cluster?.status === 'Active';
  }

  protected override async leave(context: ExecutionContext) {
    const { tenant, record, stage, work, signal } = context;
    if (work.operation === 'fail') return undefined;
    const job = find(this.options.store, 'jobs', { tenant, id: record.job_id })?.record.name ?? '';
    const ending = await this.options.hooks?.leaveExecution({ status: stage.status, job }, signal);
    if (ending === undefined || stage.action === 'kill') return undefined;
    if (mayRun(record)) await this.#kill(context);
    return (execution: JobExecutionRecord) => this.#ended(execution, ending);
  }

  protected override async perform(context: ExecutionContext): Promise<ExecutionEffect | undefined> {
    const { work, stage } = context;
    switch (stage.action) {
      case 'submit':
        return this.#submit(context);
      case 'nothing':
        return (execution) => execution;
      case 'finish': {
        const end = await this.#calls.finish(context);
        return (execution) => this.#ended(execution, end);
      }
      case 'kill':
        await this.#kill(context);
        if (isDeletion(work)) return 'remove';
        if (work.operation !== 'fail') return (execution) => this.#ended(execution, { status: 'KILLED' });
        return (execution) => this.#ended(execution, { status: 'FAILED', message: work.message });
    }
  }

  /** Undefined if it has waited for a place, and its cluster is not Active any more. */
  #submit({ tenant, record: { id }, stage, signal }: ExecutionContext): Promise<ExecutionEffect | undefined> {
    return this.#preparations.run(tenant, signal, async () => {
      const record = this.latest(tenant, id);
      if (record === undefined || !this.isReady(tenant, record, stage)) return undefined;
      return await this.#running.during(id, async () => {
        const submitted = await this.#calls.submit({ tenant, record: this.#prepared(tenant, record), signal });
        return (execution) => ({ ...execution, ...submitted, start_time: this.now });
      });
    });
  }

  /** What the run consists of is stored before the engine sees it. */
  #prepared(tenant: string, record: JobExecutionRecord): JobExecutionRecord {
    if (record.prepared !== undefined) return record;
    const prepared = prepare(this.options, tenant, record);
    const { store, quotas } = this.options;
    const kept = store.sizeOf('jobExecutions', tenant, record.id);
    if (quotas !== undefined) checkRunSize({ store, catalog: quotas }, tenant, prepared, kept);
    try {
      return this.amend(tenant, prepared);
    } catch (cause) {
      throw new Transient(`cannot prepare the run: ${messageOf(cause)}`, { cause });
    }
  }

  /** Rejects with `Transient`. */
  async #kill({ tenant, record, signal }: CalledFor): Promise<void> {
    const cluster = find(this.options.store, 'clusters', { tenant, id: record.cluster_id ?? '' });
    await this.#calls.kill({ tenant, id: record.id, cluster, signal });
    if (record.prepared !== undefined && record.engine_job_id === undefined) this.#strays.expect();
  }

  /**
   * A failed run ends the execution, but not before nothing of the run is there any more. A failed kill leaves it as it is, until somebody
   * cancels or deletes it again.
   */
  protected override fail({ work }: ExecutionContext, cause: unknown): ExecutionEffect {
    const message = messageOf(cause);
    if (work.operation !== 'run')
      return (execution) => ({ ...execution, info: { ...execution.info, message }, work: undefined });
    return (execution) =>
      mayRun(execution)
        ? this.begin(execution, { operation: 'fail', message })
        : this.#ended(execution, { status: 'FAILED', message });
  }

  protected override describe(execution: JobExecutionRecord, message: string): JobExecutionRecord {
    const { info } = execution;
    return info.message === message ? execution : { ...execution, info: { ...info, message }, updated_at: this.now };
  }

  protected override withMessages(
    execution: JobExecutionRecord,
    change: (message: string) => string,
  ): JobExecutionRecord {
    const { info, work } = execution;
    const failure = work?.operation === 'fail' ? work.message : undefined;
    const [message, failed] = [info.message && change(info.message), failure && change(failure)];
    if (message === info.message && failed === failure) return execution;
    return {
      ...execution,
      info: message === undefined ? info : { ...info, message },
      work: work?.operation === 'fail' && failed !== undefined ? { ...work, message: failed } : work,
    };
  }

  protected override complete(execution: JobExecutionRecord): JobExecutionRecord {
    return { ...execution, work: undefined };
  }

  #ended(execution: JobExecutionRecord, end: Omit<RunEnd, 'status'> & { readonly status: End }): JobExecutionRecord {
    const { now } = this;
    const { status, message, returnCode } = end;
    // Upstream gives a start time even to a run that could not be started.
    const start_time = execution.start_time ?? (status === 'FAILED' ? now : undefined);
    const info = { status, ...(message !== undefined && { message }), ...terminationOf(end) };
    const ended = { info, start_time, end_time: execution.end_time ?? now, work: undefined, updated_at: now };
    return { ...execution, ...ended, ...(returnCode !== undefined && { return_code: returnCode }) };
  }

  #report(tenant: string, id: string, { progress, message, isQueued }: RunReport): void {
    this.update(tenant, id, (known) => {
      if (isOver(known)) return known;
      const { message: before, ...others } = isQueued === undefined ? known.info : this.#queued(known, isQueued);
      const shown = message ?? before ?? '';
      const info = shown === '' ? others : { ...others, message: shown };
      const bounded = progress === undefined ? known.progress : Math.min(Math.max(progress, 0), 1);
      const hasLeft = known.info.queued === true && info.queued === undefined;
      return { ...known, info, progress: bounded, updated_at: this.now, ...(hasLeft && { start_time: this.now }) };
    });
  }

  /** A run that waits in a queue has the status of one that has not begun, whatever stage it is in. */
  #queued({ info, work }: JobExecutionRecord, isQueued: boolean): JobExecutionRecord['info'] {
    const { dialect, hooks } = this.options;
    const others = withoutQueue(info);
    if (work?.operation !== 'run') return others;
    const status = isQueued ? 'PREP' : (executionStages.find(dialect, work)?.status ?? info.status);
    return { ...others, status: hooks?.word(status) ?? status, ...(isQueued && { queued: true }) };
  }
}

const isOn =
  (cluster: string) =>
  ({ record }: Owned<'jobExecutions'>): boolean =>
    record.cluster_id === cluster;

const withoutQueue = ({ queued: _queued, ...others }: JobExecutionRecord['info']): JobExecutionRecord['info'] => others;
