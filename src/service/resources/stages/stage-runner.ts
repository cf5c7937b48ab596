// Carries records through the stages of their operations. All state is in the store, so a restart continues where the service stopped.
import type { CommonPorts, Random } from '../../../lib/ports.ts';
import type { Dialect } from '../../../wire/dialect.ts';
import type { RunEnd } from '../../backends/job-engine.ts';
import { hasRoom, type RowQuotas, smallChange } from '../../model/checks/quotas.ts';
import { mayPass } from '../../model/disk/transient.ts';
import { timestamp } from '../../model/records/identifiers.ts';
import type { Records } from '../../model/records/records.ts';
import { type CallLimits, callWithin } from '../../model/stages/interruption.ts';
import type { NewWork, Stage, StageTable } from '../../model/stages/stage-table.ts';
import { memoryOf, type Owned, type Store } from '../../model/store/store.ts';
import { latin1, shortened } from '../../model/texts.ts';
import { Scheduler } from './scheduler.ts';

type StagedKind = 'clusters' | 'jobExecutions';
type WorkOf<K extends StagedKind> = NonNullable<Records[K]['work']>;

/** Where a wrapper intervenes, such as one that injects faults. */
export interface StageHooks {
  /** The word that is shown for a status. */
  word(status: string): string;
  /** Resolves when a cluster may leave the status, or when the signal is aborted. A rejection fails the operation. */
  leaveCluster(at: { readonly operation: string; readonly status: string }, signal: AbortSignal): Promise<void>;
  /** The same for a job execution. Resolves to how the run ends in this status, if it does. */
  leaveExecution(
    at: { readonly status: string; readonly job: string },
    signal: AbortSignal,
  ): Promise<RunEnd | undefined>;
}

export interface RunnerOptions extends CommonPorts {
  readonly dialect: Dialect;
  readonly store: Store;
  readonly random: Random;
  /** When absent: rows may take any memory. */
  readonly quotas?: RowQuotas | undefined;
  /** How long a record stays in a stage, in ms, before the action of the stage. */
  readonly stageMs: (status: string) => number;
  /** When absent, records pass through their stages undisturbed. */
  readonly hooks?: StageHooks | undefined;
}

/** A call for a record, and its limits. */
export interface CallAt extends Pick<CallLimits, 'signal' | 'name' | 'deadlineMs'> {
  readonly tenant: string;
  readonly id: string;
}

/** A record at the end of a stage. `signal` is aborted when another operation takes over or the service closes. */
export interface StageContext<K extends StagedKind, S extends Stage> {
  readonly tenant: string;
  readonly record: Records[K];
  readonly work: WorkOf<K>;
  readonly stage: S;
  readonly signal: AbortSignal;
}

/**
 * What an action leads to. It gets the record as it is by then, because fields that do not concern the operation may have changed. If the work stays
 * the same, the record enters the next stage.
 */
export type Effect<K extends StagedKind> = ((record: Records[K]) => Records[K]) | 'remove';

/** How many characters a message of a record can have. */
const mostMessage = 4096;

export abstract class StageRunner<K extends StagedKind, S extends Stage, O extends RunnerOptions> {
  protected readonly options: O;
  readonly #kind: K;
  readonly #stages: StageTable<WorkOf<K>, S>;
  readonly #scheduler: Scheduler;
  /** For the log. */
  readonly #title: 'Cluster' | 'JobExecution';

  constructor(options: O, kind: K, stages: StageTable<WorkOf<K>, S>) {
    this.options = options;
    this.#kind = kind;
    this.#stages = stages;
    const [title, name] =
      kind === 'clusters' ? (['Cluster', 'cluster'] as const) : (['JobExecution', 'job execution'] as const);
    this.#title = title;
    this.#scheduler = new Scheduler(options.clock, (externalId, err) =>
      options.log.error({ kind: title, externalId, err }, `cannot advance ${name}`),
    );
  }

  protected abstract enter(record: Records[K], work: WorkOf<K>, stage: S): Records[K];
  /** Resolves when the record may leave the stage. An effect takes the place of the action. */
  protected abstract leave(context: StageContext<K, S>): Promise<Effect<K> | undefined>;
  /**
   * Performs the action of the stage. Rejects with `Transient` to have it repeated. Any other rejection fails the operation. Undefined: the record is not ready any
   * more.
   */
  protected abstract perform(context: StageContext<K, S>): Promise<Effect<K> | undefined>;
  protected abstract fail(context: StageContext<K, S>, cause: unknown): Effect<K> | Promise<Effect<K>>;
  /** The record with the reason for a delay. */
  protected abstract describe(record: Records[K], description: string): Records[K];
  /** The record with each of its messages as `change` returns it, or the same one. */
  protected abstract withMessages(record: Records[K], change: (message: string) => string): Records[K];
  protected abstract complete(record: Records[K], work: WorkOf<K>): Records[K];

  /** Whether the stage can end. A record that is not ready waits until `restart`. */
  protected isReady(_tenant: string, _record: Records[K], _stage: S): boolean {
    return true;
  }

  /** Called after each change of a record was stored. */
  protected stored(_record: Records[K]): void {}

  /** Called before a record is removed because its last operation has ended. */
  protected removing(_record: Records[K]): void {}

  protected get now(): string {
    return timestamp(this.options.clock);
  }

  /** The record in the first stage of the operation, not yet stored. */
  begin(record: Records[K], work: NewWork<WorkOf<K>>): Records[K] {
    const first = this.#stages.first(this.options.dialect, work);
    if (first === undefined) throw new Error(`cannot begin work on ${record.id}: it has no stages`);
    return this.#enter(record, first);
  }

  /** Stores the record and continues with its work. Whatever else writes records of the kind uses `amend` or `remove`. */
  keep(tenant: string, record: Records[K]): Records[K] {
    const kept = this.amend(tenant, record);
    this.restart(tenant, kept);
    return kept;
  }

  /** The same for many records, all or none of them. */
  protected keepAll(records: readonly Owned<K>[]): void {
    const kept = records.map(({ tenant, record }) => ({
      tenant,
      record: this.#bounded(tenant, record, records.length),
    }));
    if (kept.length > 0) this.options.store.putAll(this.#kind, kept);
    for (const { tenant, record } of kept) {
      this.stored(record);
      this.restart(tenant, record);
    }
  }

  /** Stores a change that does not concern the work, which continues as if nothing had happened. */
  amend(tenant: string, record: Records[K]): Records[K] {
    const bounded = this.#bounded(tenant, record);
    this.options.store.put(this.#kind, tenant, bounded);
    this.stored(bounded);
    return bounded;
  }

  /**
   * The record with messages that fit into the quota of the tenant: others write them, and nothing is refused or ended for want of room for them. With those that
   * are left when there is none, a row grows by no more than by a small change. `count`: how many such records are stored together.
   */
  #bounded(tenant: string, record: Records[K], count = 1): Records[K] {
    const { store, quotas } = this.options;
    const bounded = this.#withMessages(tenant, record, (message) => shortened(message, mostMessage));
    const least = this.#withMessages(tenant, bounded, (message) => latin1(shortened(message, smallChange)));
    if (least === bounded || quotas === undefined) return bounded;
    const more = memoryOf(bounded) - store.sizeOf(this.#kind, tenant, record.id);
    return more <= 0 || hasRoom({ store, catalog: quotas }, tenant, count * more) ? bounded : least;
  }

  /** Work that goes on stays the same object, by which it is recognized. */
  #withMessages(tenant: string, record: Records[K], change: (message: string) => string): Records[K] {
    const changed = this.withMessages(record, change);
    const goesOn = this.latest(tenant, record.id)?.work === record.work;
    return changed === record || !goesOn ? changed : { ...changed, work: record.work };
  }

  /** If the store fails, the work continues. */
  remove(tenant: string, { id }: Records[K]): void {
    this.options.store.remove(this.#kind, tenant, id);
    this.#scheduler.cancel(id);
  }

  /** Aborts the action of the record, and starts the time of its stage anew. */
  restart(tenant: string, record: Records[K]): void {
    this.#scheduler.cancel(record.id);
    this.#schedule(tenant, record);
  }

  /** Continues with everything that was under way when the service ended. */
  resume(): void {
    const { store } = this.options;
    for (const tenant of store.tenants())
      for (const record of store.list(this.#kind, tenant)) this.#schedule(tenant, record);
  }

  /** Repeats at once what failed and waits for its next try. */
  retryNow(id: string): void {
    this.#scheduler.retryNow(id);
  }

  /** The same for all records. */
  retryAll(): void {
    this.#scheduler.retryAll();
  }

  /** Ends what is done to a record, without anything in its place. Resolves when the call under way has ended. */
  protected interrupt(id: string): Promise<void> {
    return this.#scheduler.interrupt(id);
  }

  /** Aborts the calls under way and resolves when they have ended, or have gone on for too long. They are made again after a restart. */
  close(): Promise<void> {
    return this.#scheduler.close();
  }

  /** The record as it is by now, whatever operation it is in. Undefined if it is gone. */
  protected latest(tenant: string, id: string): Records[K] | undefined {
    return this.options.store.get(this.#kind, tenant, id);
  }

  /** Makes a call for the record, within a time. */
  protected call<T>(at: CallAt, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, log } = this.options;
    const { tenant, id, signal, name, deadlineMs } = at;
    const reportIgnored = (problem: string) => {
      log.error({ kind: this.#title, externalId: id, action: name }, problem);
      this.update(tenant, id, (record) => this.describe(record, problem));
    };
    return callWithin({ clock, signal, name, deadlineMs, reportIgnored }, work);
  }

  /** Runs a task for a record that nothing is done to, after `ms`. It is repeated until it succeeds, or until an operation begins. */
  protected inBackground(id: string, task: (signal: AbortSignal) => Promise<() => void>, ms = 0): void {
    this.#scheduler.schedule(id, ms, async (signal) => {
      try {
        return await task(signal);
      } catch (cause) {
        if (signal.aborted) return () => undefined;
        throw cause;
      }
    });
  }

  /** Stores what is reported about a record, if it still exists. A store that fails for a while costs the report, not the operation. */
  protected update(tenant: string, id: string, change: (record: Records[K]) => Records[K]): void {
    const current = this.latest(tenant, id);
    const changed = current && change(current);
    if (changed === undefined || changed === current) return;
    try {
      this.amend(tenant, changed);
    } catch (err) {
      this.options.log.error({ kind: this.#title, externalId: id, err }, 'cannot store a report');
    }
  }

  #enter(record: Records[K], work: WorkOf<K>): Records[K] {
    const stage = this.#stages.find(this.options.dialect, work);
    if (stage === undefined) throw new Error(`there is no stage ${work.stage} of a ${work.operation}`);
    return this.enter(record, work, stage);
  }

  #schedule(tenant: string, record: Records[K]): void {
    const { id, work } = record;
    const stage = work && this.#stages.find(this.options.dialect, work);
    if (work === undefined || stage === undefined || !this.isReady(tenant, record, stage)) return;
    this.#scheduler.schedule(id, this.options.stageMs(stage.status), async (signal) => {
      const current = this.#current(tenant, id, work);
      const context = current && { tenant, record: current, work, stage, signal };
      const effect = context && (await this.#act(context));
      return () => effect && this.#apply(context, effect);
    });
  }

  /** The record as it is by now. Undefined if another operation has taken over, which makes the result of this one void. */
  #current(tenant: string, id: string, work: WorkOf<K>): Records[K] | undefined {
    const record = this.latest(tenant, id);
    return this.#scheduler.closed || record?.work !== work ? undefined : record;
  }

  /** What comes of the stage, or of its failure. Undefined if nothing has to be done. Rejects if the action has to be repeated. */
  async #act(context: StageContext<K, S>): Promise<Effect<K> | undefined> {
    const { tenant, record, work, stage } = context;
    try {
      const effect = await this.leave(context);
      if (effect !== undefined) return effect;
      const isCurrent = this.#current(tenant, record.id, work) !== undefined;
      return isCurrent && this.isReady(tenant, record, stage) ? await this.perform(context) : undefined;
    } catch (cause) {
      // Nothing has failed, and what was begun stays: the next operation or the next life of the service deals with it.
      if (context.signal.aborted) return undefined;
      if (!mayPass(cause)) return this.fail(context, cause);
      this.update(tenant, record.id, (latest) => this.describe(latest, `${cause.message}; trying again`));
      throw cause;
    }
  }

  #apply({ tenant, record, work }: StageContext<K, S>, effect: Effect<K>): void {
    const current = this.#current(tenant, record.id, work);
    if (current === undefined) return;
    if (effect === 'remove') {
      this.removing(current);
      return this.remove(tenant, current);
    }
    const changed = effect(current);
    if (changed.work !== work) return void this.keep(tenant, changed);
    const next = this.#stages.next(this.options.dialect, work);
    this.keep(tenant, next === undefined ? this.complete(changed, work) : this.#enter(changed, next));
  }
}
