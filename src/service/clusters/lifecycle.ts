// What is done in the stages of a cluster, and how its operations end or fail.
import { messageOf } from '../../lib/errors.ts';
import { createId } from '../records/identifiers.ts';
import type { ClusterRecord, Machine, Work } from '../records/records.ts';
import { type Effect, type RunnerOptions, type StageContext, StageRunner, Transient } from '../stages/runner.ts';
import {
  countMade,
  dropEmptied,
  forgetMachines,
  isUp,
  machinesOf,
  nameMachines,
  surplusMachines,
  updateMachines,
} from './machines.ts';
import { endStep, nextStep, verified } from './progress.ts';
import type { Provisioner } from './provisioner.ts';
import { type ClusterStage, clusterStages } from './stages.ts';

/** Whoever uses clusters: called when one can be used, and before one is removed. */
export interface Dependents {
  clusterActive(id: string): void;
  clusterGone(id: string): void;
}

interface LifecycleOptions extends RunnerOptions {
  readonly provisioner: Provisioner;
  readonly dependents?: Dependents;
}

type ClusterContext = StageContext<'clusters', ClusterStage>;
type ClusterEffect = Effect<'clusters'>;

const notCreated = (why: string): string => `cannot create cluster: ${why}`;
/** Why the start failed whose machines are still to be removed. */
const failureOf = (work: Work): string | undefined => (work.operation === 'start' ? work.failed : undefined);

export class Lifecycle extends StageRunner<'clusters', ClusterStage, LifecycleOptions> {
  constructor(options: LifecycleOptions) {
    super(options, 'clusters', clusterStages);
  }

  override keep(tenant: string, cluster: ClusterRecord): ClusterRecord {
    super.keep(tenant, cluster);
    if (cluster.status === 'Active') this.options.dependents?.clusterActive(cluster.id);
    return cluster;
  }

  /** Before the cluster is removed: a crash in between leaves one whose deletion continues, and no execution without its cluster. */
  protected override removing({ id }: ClusterRecord): void {
    this.options.dependents?.clusterGone(id);
  }

  protected override enter(cluster: ClusterRecord, work: Work, stage: ClusterStage): ClusterRecord {
    const { dialect, hooks } = this.options;
    const { now } = this;
    // The description of the last operation disappears when the next one starts to work, not when it is accepted.
    const status_description = this.#isFirst(work) ? cluster.status_description : undefined;
    const status = hooks?.word(stage.status) ?? stage.status;
    const progress = dialect === 'sahara' && nextStep(cluster, { work, status: stage.status, now });
    const entered = stage.action === 'name' ? countMade(cluster, now, work) : { ...cluster, work };
    return { ...entered, status, status_description, updated_at: now, ...progress };
  }

  protected override async leave({ work, stage, signal }: ClusterContext): Promise<undefined> {
    if (failureOf(work) !== undefined) return;
    await this.options.hooks?.leaveCluster({ operation: work.operation, status: stage.status }, signal);
  }

  protected override async perform(context: ClusterContext): Promise<ClusterEffect> {
    const { provisioner, random } = this.options;
    const { tenant, record, work, stage, signal } = context;
    const failure = failureOf(work);
    if (failure !== undefined) return this.#cleanUp(context, failure);
    const order = { tenant, cluster: record, signal };
    switch (stage.action) {
      case 'nothing':
        return (cluster) => cluster;
      case 'name':
        return (cluster) => nameMachines(cluster, this.now, () => createId(random));
      case 'launch': {
        const down = machinesOf(record).filter((machine) => !isUp(machine));
        const launched = await provisioner.launch(order, down);
        return (cluster) => updateMachines(cluster, this.now, launched);
      }
      case 'configure': {
        const info = await provisioner.configure(order);
        return (cluster) => ({ ...cluster, info });
      }
      case 'shrink': {
        const surplus = surplusMachines(record);
        if (surplus.length === 0) return (cluster) => cluster;
        await this.#takeDown(context, surplus);
        return (cluster) => forgetMachines(cluster, this.now, surplus);
      }
      case 'drop':
        return dropEmptied;
      case 'vanish':
        await this.#takeDown(context, machinesOf(record));
        return 'remove';
    }
  }

  /** A failed start ends in Error, a failed scale mostly in Active, a failed delete stays where it is. The description has the reason. */
  protected override fail(context: ClusterContext, cause: unknown): ClusterEffect | Promise<ClusterEffect> {
    const { work, stage } = context;
    const why = messageOf(cause);
    switch (work.operation) {
      case 'start':
        if (stage.failure === 'removes') return this.#failStart(context, work, why);
        return (cluster) => this.#ended(cluster, why, { status: 'Error', status_description: notCreated(why) });
      case 'scale': {
        const status = stage.failure === 'Error' ? 'Error' : 'Active';
        return (cluster) => {
          const down = machinesOf(cluster).filter((machine) => !isUp(machine));
          const ended = this.#ended(cluster, why, { status, status_description: `cannot scale cluster: ${why}` });
          const left = forgetMachines(ended, this.now, down);
          // Early releases clean up. Late ones do so only if nothing of the scale was done.
          return this.options.dialect === 'savanna' || this.#isFirst(work) ? dropEmptied(left) : left;
        };
      }
      case 'delete':
        return (cluster) => this.#ended(cluster, why, { status_description: `cannot delete cluster: ${why}` });
    }
  }

  protected override describe(cluster: ClusterRecord, status_description: string): ClusterRecord {
    if (cluster.status_description === status_description) return cluster;
    return { ...cluster, status_description, updated_at: this.now };
  }

  protected override complete(cluster: ClusterRecord, work: Work): ClusterRecord {
    const { now } = this;
    const verification = this.options.dialect === 'sahara' && { verification: verified(cluster, now) };
    const left = work.operation === 'scale' ? dropEmptied(cluster) : cluster;
    const ended = { status: 'Active', status_description: undefined, work: undefined, updated_at: now };
    return { ...left, ...ended, ...endStep(cluster, now), ...verification };
  }

  #isFirst(work: Work): boolean {
    return clusterStages.first(this.options.dialect, work)?.stage === work.stage;
  }

  #ended(cluster: ClusterRecord, why: string, fields: Partial<ClusterRecord>): ClusterRecord {
    const { now } = this;
    return { ...cluster, work: undefined, updated_at: now, ...endStep(cluster, now, why), ...fields };
  }

  /** If the machines cannot be removed at once, the cluster shows the failure and keeps the removal as its work. */
  async #failStart(
    context: ClusterContext,
    work: Work & { readonly operation: 'start' },
    failed: string,
  ): Promise<ClusterEffect> {
    try {
      return await this.#cleanUp(context, failed);
    } catch (cause) {
      if (!(cause instanceof Transient)) throw cause;
      const fields = { status: 'Error', status_description: cause.description, work: { ...work, failed } };
      return (cluster) => this.#ended(cluster, failed, fields);
    }
  }

  /** Removes the machines of a start that failed. They stay on record until they are gone. */
  async #cleanUp(context: ClusterContext, why: string): Promise<ClusterEffect> {
    const status_description = notCreated(why);
    await this.#takeDown(context, machinesOf(context.record), `${status_description}; cannot remove its machines`);
    return (cluster) => {
      const ended = this.#ended(cluster, why, { status: 'Error', status_description });
      return forgetMachines(ended, this.now, machinesOf(cluster));
    };
  }

  /** Machines must not be forgotten while they exist, so this is repeated until they are gone. */
  async #takeDown(
    context: ClusterContext,
    machines: readonly Machine[],
    problem = 'cannot remove machines',
  ): Promise<void> {
    const { tenant, record: cluster, signal } = context;
    await this.options.provisioner.remove({ tenant, cluster, signal }, machines).catch((cause: unknown) => {
      throw new Transient(problem, cause);
    });
  }
}
