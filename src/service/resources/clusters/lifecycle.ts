// What is done in the stages of a cluster, and how its operations end or fail.
import { messageOf } from '../../../lib/errors.ts';
import type { Loss, Provisioner } from '../../backends/provisioner.ts';
import { listAll } from '../../model/checks/owners.ts';
import { Transient } from '../../model/disk/transient.ts';
import { createId } from '../../model/records/identifiers.ts';
import {
  countMade,
  countsBefore,
  dropEmptied,
  forgetMachines,
  isUp,
  machinesMade,
  machinesOf,
  markDown,
  nameMachines,
  updateMachines,
} from '../../model/records/machines.ts';
import type { ClusterRecord, Machine, Work } from '../../model/records/records.ts';
import { type ClusterStage, clusterStages } from '../../model/stages/cluster-stages.ts';
import type { NewWork } from '../../model/stages/stage-table.ts';
import { type Effect, type RunnerOptions, type StageContext, StageRunner } from '../stages/stage-runner.ts';
import { applyReport, type CallsOptions, type CallTarget, ProvisionerCalls } from './provisioner-calls.ts';
import { RepairLimit } from './repair-limit.ts';
import { shrink } from './shrink.ts';

/** Whoever uses clusters. */
export interface Dependents {
  clusterActive(id: string): void;
  /** The cluster is about to be removed. Resolves when nothing runs on it any more. Rejects with `Transient`. */
  clusterLeaving(cluster: CallTarget): Promise<void>;
  /** Its machines are gone. Resolves when its executions do not refer to it any more. What it leaves, because the signal is aborted, is done by the next call. */
  clusterEmptied(id: string, signal: AbortSignal): Promise<void>;
  /** Called before the cluster is removed: the same at once, for executions that were made meanwhile. */
  clusterGone(id: string): void;
  /** The cluster cannot be used any more. */
  clusterFailed(id: string, message: string): void;
}

interface LifecycleOptions extends RunnerOptions {
  readonly provisioner: Provisioner;
  readonly dependents?: Dependents;
  /** How many clusters are launched or configured at a time. When absent: any number. */
  readonly maxConcurrent?: number | undefined;
}

type ClusterContext = StageContext<'clusters', ClusterStage>;
type ClusterEffect = Effect<'clusters'>;
const notDone = { start: 'cannot create cluster', scale: 'cannot scale cluster', repair: 'cannot repair cluster' };
/** Why the operation failed whose machines are still to be removed. */
const failureOf = (work: Work): string | undefined => ('failed' in work ? work.failed : undefined);

export class Lifecycle extends StageRunner<'clusters', ClusterStage, LifecycleOptions> {
  readonly #calls: ProvisionerCalls;
  readonly #repairs: RepairLimit;
  #unwatch = (): void => {};

  constructor(options: LifecycleOptions) {
    super(options, 'clusters', clusterStages);
    const { provisioner, maxConcurrent = Number.POSITIVE_INFINITY } = options;
    this.#repairs = new RepairLimit(options.clock);
    const report: CallsOptions['report'] = (tenant, id, reported) =>
      this.update(tenant, id, (cluster) => applyReport(cluster, this.now, reported));
    this.#calls = new ProvisionerCalls({ provisioner, maxConcurrent, limit: (...args) => this.call(...args), report });
  }

  override begin(cluster: ClusterRecord, work: NewWork<Work>): ClusterRecord {
    if (work.operation !== 'scale') return super.begin(cluster, work);
    const before = countsBefore(cluster);
    return super.begin(cluster, { ...work, before });
  }

  override keep(tenant: string, cluster: ClusterRecord): ClusterRecord {
    const { dependents } = this.options;
    const before = this.latest(tenant, cluster.id)?.work?.operation;
    const kept = super.keep(tenant, cluster);
    const { id, status, status_description = '' } = kept;
    if (status === 'Active') dependents?.clusterActive(id);
    if (status === 'Error' && before === 'repair') dependents?.clusterFailed(id, status_description);
    return kept;
  }

  /** Also takes over the machines of clusters that nothing is done to, and watches all of them. */
  override resume(): void {
    this.#unwatch = this.options.provisioner.watch((loss) => this.#lost(loss));
    super.resume();
    for (const { tenant, record } of listAll(this.options.store, 'clusters')) {
      if (record.work === undefined && machinesOf(record).length > 0) this.#adopt(tenant, record);
      const { id, status, status_description = '' } = record;
      // The service may have ended before it has told all of them.
      if (status === 'Error' && status_description.startsWith(notDone.repair))
        this.options.dependents?.clusterFailed(id, status_description);
    }
  }

  override async close(): Promise<void> {
    this.#unwatch();
    await super.close();
  }

  /** Before the cluster is removed: a crash in between leaves one whose deletion continues, and no execution without its cluster. */
  protected override removing({ id }: ClusterRecord): void {
    this.#repairs.forget(id);
    this.options.dependents?.clusterGone(id);
  }

  protected override enter(cluster: ClusterRecord, work: Work, stage: ClusterStage): ClusterRecord {
    const { hooks } = this.options;
    const { now } = this;
    // The description of the last operation disappears when the next one starts to work, not when it is accepted.
    const status_description = this.#isFirst(work) ? cluster.status_description : undefined;
    const status = hooks?.word(stage.status) ?? stage.status;
    const entered = stage.action === 'name' ? countMade(cluster, now, work) : { ...cluster, work };
    return { ...entered, status, status_description, updated_at: now };
  }

  protected override async leave({ work, stage, signal }: ClusterContext): Promise<undefined> {
    if (failureOf(work) !== undefined) return;
    await this.options.hooks?.leaveCluster({ operation: work.operation, status: stage.status }, signal);
  }

  protected override async perform(context: ClusterContext): Promise<ClusterEffect> {
    const { random, dependents } = this.options;
    const { record, work, stage } = context;
    const failure = failureOf(work);
    if (failure !== undefined) return this.#cleanUp(context, failure);
    switch (stage.action) {
      case 'nothing':
        return (cluster) => cluster;
      case 'name':
        return (cluster) => nameMachines(cluster, this.now, () => createId(random));
      case 'launch': {
        const launched = await this.#calls.launch(context);
        return (cluster) => updateMachines(cluster, this.now, launched);
      }
      case 'configure': {
        const added = work.operation === 'repair' ? [] : machinesMade(record);
        const info = await this.#calls.configure(context, { added, removed: [] });
        return (cluster) => ({ ...cluster, info });
      }
      case 'shrink':
        return this.#shrink(context);
      case 'drop':
        return dropEmptied;
      case 'vanish':
        await dependents?.clusterLeaving(context);
        await this.#takeDown(context, machinesOf(record));
        await dependents?.clusterEmptied(record.id, context.signal);
        return 'remove';
    }
  }

  /** A failed start ends in Error, a failed scale mostly in Active, a failed delete stays where it is. The description has the reason. */
  protected override fail(context: ClusterContext, cause: unknown): ClusterEffect | Promise<ClusterEffect> {
    const { record, work, stage } = context;
    const why = messageOf(cause);
    if (work.operation === 'delete')
      return (cluster) => this.#ended(cluster, { status_description: `cannot delete cluster: ${why}` });
    // What is up stays: the machines of a start for whoever looks for the reason, those of a scale because they can be used or removed.
    const removes = work.operation === 'start' ? stage.failure === 'removes' : !machinesMade(record).every(isUp);
    return removes ? this.#failWithMachines(context, why) : (cluster) => this.#failed(context, cluster, why);
  }

  protected override describe(cluster: ClusterRecord, status_description: string): ClusterRecord {
    if (cluster.status_description === status_description) return cluster;
    return { ...cluster, status_description, updated_at: this.now };
  }

  protected override withMessages(cluster: ClusterRecord, change: (message: string) => string): ClusterRecord {
    const { status_description: before, work } = cluster;
    const failure = work && failureOf(work);
    const [status_description, failed] = [before && change(before), failure && change(failure)];
    if (status_description === before && failed === failure) return cluster;
    return { ...cluster, status_description, work: failed === failure ? work : ({ ...work, failed } as Work) };
  }

  protected override complete(cluster: ClusterRecord, work: Work): ClusterRecord {
    const { now } = this;
    const left = work.operation === 'scale' ? dropEmptied(cluster) : cluster;
    const ended = { status: 'Active', status_description: undefined, work: undefined, updated_at: now };
    return this.#repaired({ ...left, ...ended });
  }

  /** An Active cluster that has lost machines during an operation begins to repair them. */
  #repaired(cluster: ClusterRecord): ClusterRecord {
    const isWhole = cluster.status !== 'Active' || machinesOf(cluster).every(isUp);
    return isWhole ? cluster : this.begin(cluster, { operation: 'repair' });
  }

  #isFirst(work: Work): boolean {
    return clusterStages.first(this.options.dialect, work)?.stage === work.stage;
  }

  #ended(cluster: ClusterRecord, fields: Partial<ClusterRecord>): ClusterRecord {
    return { ...cluster, work: undefined, updated_at: this.now, ...fields };
  }

  /** A start, scale or repair that has failed. The machines that it made are gone, or stay. */
  #failed({ work, stage }: ClusterContext, cluster: ClusterRecord, why: string): ClusterRecord {
    if (work.operation === 'delete') return cluster;
    const status_description = `${notDone[work.operation]}: ${why}`;
    if (work.operation !== 'scale') return this.#ended(cluster, { status: 'Error', status_description });
    const status = stage.failure === 'Error' ? 'Error' : 'Active';
    const left = forgetMachines(this.#ended(cluster, { status, status_description }), this.now, []);
    // Early releases clean up. Late ones do so only if nothing of the scale was done.
    const cleansUp = this.options.dialect === 'savanna' || this.#isFirst(work);
    return this.#repaired(cleansUp ? dropEmptied(left) : left);
  }

  /** If the machines cannot be removed at once, the cluster shows the failure and keeps the removal as its work. */
  async #failWithMachines(context: ClusterContext, failed: string): Promise<ClusterEffect> {
    const { work } = context;
    try {
      return await this.#cleanUp(context, failed);
    } catch (cause) {
      if (!(cause instanceof Transient)) throw cause;
      const status_description = `${cause.message}; trying again`;
      const fields = { status: 'Error', status_description, work: { ...work, failed } as Work };
      return (cluster) => this.#ended(cluster, fields);
    }
  }

  /** Removes the machines that a failed operation has made. They stay on record until they are gone. */
  async #cleanUp(context: ClusterContext, why: string): Promise<ClusterEffect> {
    const { record, work } = context;
    const made = machinesMade(record);
    const title = work.operation === 'start' ? notDone.start : notDone.scale;
    await this.#takeDown(context, made, `${title}: ${why}; cannot remove its machines`);
    return (cluster) => this.#failed(context, forgetMachines(cluster, this.now, made), why);
  }

  #takeDown(context: ClusterContext, machines: readonly Machine[], problem = 'cannot remove machines'): Promise<void> {
    const left = forgetMachines(context.record, this.now, machines);
    return this.#calls.remove(context, machines, left, problem);
  }

  async #shrink(context: ClusterContext): Promise<ClusterEffect> {
    const { tenant, record, work } = context;
    if (work.operation !== 'scale' || !work.shrinks) return (cluster) => cluster;
    const removed = await shrink({
      ...context,
      calls: this.#calls,
      log: this.options.log,
      latest: () => this.latest(tenant, record.id),
      now: () => this.now,
      store: (cluster) => void this.amend(tenant, cluster),
    });
    const left = this.latest(tenant, record.id);
    if (left === undefined) return (cluster) => cluster;
    const info = await this.#calls.configure({ ...context, record: left }, { added: [], removed });
    return (cluster) => ({ ...cluster, info });
  }

  #adopt(tenant: string, { id }: ClusterRecord): void {
    this.inBackground(id, async (signal) => {
      const record = this.latest(tenant, id);
      const isIdle = record !== undefined && record.work === undefined;
      const loss = isIdle ? await this.#calls.adopt({ tenant, record, signal }) : undefined;
      return () => void (loss && this.#lost({ ...loss, tenant, cluster: id }));
    });
  }

  /**
   * Lost machines are started again, unless there are too many losses, or the cluster is in Error or being deleted. Answers whether the cluster is still to be
   * kept up.
   */
  #lost({ tenant, cluster: id, machines, message }: Loss): boolean {
    const cluster = this.latest(tenant, id);
    if (cluster === undefined || cluster.status === 'Error' || cluster.work?.operation === 'delete') return false;
    const described = markDown(this.describe(cluster, message), this.now, machines);
    const tooOften = cluster.work === undefined ? this.#repairs.count(id) : undefined;
    if (tooOften !== undefined) {
      const why = `${message} (${tooOften})`;
      const status_description = `${notDone.repair}: ${why}`;
      this.keep(tenant, this.#ended(described, { status: 'Error', status_description }));
      this.options.dependents?.clusterFailed(id, why);
      return false;
    }
    if (machines.length === 0 || cluster.work !== undefined) this.update(tenant, id, () => described);
    else this.keep(tenant, this.begin(described, { operation: 'repair' }));
    return true;
  }
}
