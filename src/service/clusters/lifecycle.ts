// Carries clusters through their stages, one timer each; what it knows is in the store, so a restart goes on where it was.
import type { Clock, Log, Random } from '../../lib/ports.ts';
import type { Dialect } from '../../wire/dialect.ts';
import { timestamp } from '../records/identifiers.ts';
import type { ClusterRecord, Work } from '../records/records.ts';
import { Turns } from '../records/stage-runner.ts';
import type { Store } from '../store/store.ts';
import { countMade, dropEmptied, forgetMachines, isUp, machinesOf } from './machines.ts';
import { endStep, nextStep } from './progress.ts';
import type { MachineOrder, Provisioner } from './provisioner.ts';
import { type Effect, messageOf, NotRemoved, perform, takeDown, unchanged } from './stage-actions.ts';
import { firstWork, isFirstStage, type NewWork, nextWork, type Stage, stageOf } from './stages.ts';
import { verified } from './verification.ts';

/** Where a personality gets between the stages. */
export interface Habits {
  /** The word that is shown for a status. */
  word(status: string): string;
  /** Resolves when a cluster may leave the status, or the signal is aborted; a rejection fails the operation. */
  leave(operation: Work['operation'], status: string, signal: AbortSignal): Promise<void>;
}

export interface LifecycleOptions {
  readonly dialect: Dialect;
  readonly store: Store;
  readonly provisioner: Provisioner;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** How long a cluster stays in a stage, in ms, before what the stage has to do. */
  readonly stageMs: (status: string) => number;
  /** When absent, clusters pass through their stages undisturbed. */
  readonly habits?: Habits | undefined;
  /** When absent, nobody cares what becomes of clusters. */
  readonly dependents?: Dependents;
}

/** Whoever does something on clusters: told when one can be used, and before one goes. */
export interface Dependents {
  clusterActive(id: string): void;
  clusterGone(id: string): void;
}

export class Lifecycle {
  readonly #options: LifecycleOptions;
  readonly #turns: Turns;

  constructor(options: LifecycleOptions) {
    this.#options = options;
    this.#turns = new Turns(options.clock, (externalId, err) =>
      options.log.error({ kind: 'Cluster', externalId, err }, 'cannot advance cluster'),
    );
  }

  /** The cluster with its work begun: in the status of the first stage, not yet stored. */
  begin(cluster: ClusterRecord, work: NewWork): ClusterRecord {
    return this.#enter(cluster, firstWork(this.#options.dialect, work));
  }

  /** Stores the cluster and goes on with its work, if it has any. Nothing else writes clusters but `amend`. */
  keep(tenant: string, cluster: ClusterRecord): ClusterRecord {
    this.#options.store.put('clusters', tenant, cluster);
    this.#turns.stop(cluster.id);
    if (cluster.work !== undefined) this.#wait(tenant, cluster);
    if (cluster.status === 'Active') this.#options.dependents?.clusterActive(cluster.id);
    return cluster;
  }

  /** Stores a change that does not concern the work; what is under way goes on as if nothing had happened. */
  amend(tenant: string, cluster: ClusterRecord): ClusterRecord {
    this.#options.store.put('clusters', tenant, cluster);
    return cluster;
  }

  /** Goes on with everything that was under way when the service ended. */
  resume(): void {
    const { store } = this.#options;
    for (const tenant of store.tenants()) {
      for (const cluster of store.list('clusters', tenant)) if (cluster.work !== undefined) this.#wait(tenant, cluster);
    }
  }

  /** Tries at once what failed and would be tried again later. */
  hurry(id: string): void {
    this.#turns.hurry(id);
  }

  close(): void {
    this.#turns.close();
  }

  #wait(tenant: string, { id, status: shown, work }: ClusterRecord): void {
    const { stageMs, dialect } = this.#options;
    const status = (work && stageOf(dialect, work)?.status) ?? shown;
    this.#turns.take(id, stageMs(status), async (signal) => {
      const cluster = this.#current(tenant, id, work);
      if (cluster !== undefined) await this.#advance({ tenant, cluster, signal });
    });
  }

  /** The cluster as it is by now; undefined when another operation has taken over, and the result of this one is void. */
  #current(tenant: string, id: string, work: Work | undefined): ClusterRecord | undefined {
    const cluster = this.#options.store.get('clusters', tenant, id);
    return this.#turns.closed || cluster?.work !== work ? undefined : cluster;
  }

  async #advance(order: MachineOrder): Promise<void> {
    const { dialect, store, dependents } = this.#options;
    const { id, work } = order.cluster;
    const stage = work && stageOf(dialect, work);
    if (stage === undefined) return;
    const done = await this.#settle(order, stage);
    const current = this.#current(order.tenant, id, work);
    if (current === undefined) return;
    if (done === 'gone') {
      // Before the cluster: a crash in between leaves one whose deletion goes on, and no execution of a cluster that is gone.
      dependents?.clusterGone(id);
      store.remove('clusters', order.tenant, id);
      return;
    }
    const next = done(current);
    // What changes the work has said how it goes on.
    this.keep(order.tenant, next.work === work && work ? this.#goOn(next, work) : next);
  }

  /** What comes of the stage, or of its failure. Rejects when it is to be taken again. */
  async #settle(order: MachineOrder, stage: Stage): Promise<Effect> {
    const { work } = order.cluster;
    if (work?.operation === 'start' && work.failed !== undefined) return this.#cleanUp(order, work.failed);
    try {
      return await this.#finish(order, stage);
    } catch (cause) {
      if (!(cause instanceof NotRemoved)) return this.#fail(order, stage, cause);
      this.#describe(order, `cannot remove machines: ${cause.message}; trying again`);
      throw cause;
    }
  }

  /** Says why the work does not get on; it stays as it is. */
  #describe({ tenant, cluster }: MachineOrder, status_description: string): void {
    const current = this.#current(tenant, cluster.id, cluster.work);
    if (current === undefined || current.status_description === status_description) return;
    this.amend(tenant, { ...current, status_description, updated_at: timestamp(this.#options.clock) });
  }

  /** Takes down what there is of a start that failed. Until that is done, the machines are on record, and what is left to do is, too. */
  async #cleanUp(order: MachineOrder, why: string): Promise<Effect> {
    const { provisioner, clock } = this.#options;
    const { work } = order.cluster;
    const now = timestamp(clock);
    const status_description = `cannot create cluster: ${why}`;
    const ended = (cluster: ClusterRecord, fields: object): ClusterRecord => ({
      ...cluster,
      status: 'Error',
      updated_at: now,
      ...endStep(cluster, now, why),
      ...fields,
    });
    try {
      await takeDown(provisioner, order, machinesOf(order.cluster));
    } catch (cause) {
      const left = `${status_description}; cannot remove its machines: ${messageOf(cause)}; trying again`;
      if (work?.operation !== 'start' || work.failed === undefined)
        return (cluster) => ended(cluster, { status_description: left, work: { ...work, failed: why } });
      this.#describe(order, left);
      throw cause;
    }
    return (cluster) =>
      forgetMachines(ended(cluster, { status_description, work: undefined }), now, machinesOf(cluster));
  }

  /** The cluster one stage on, or Active. */
  #goOn(cluster: ClusterRecord, work: Work): ClusterRecord {
    const { dialect, clock } = this.#options;
    const next = nextWork(dialect, work);
    if (next !== undefined) return this.#enter(cluster, next);
    const updated_at = timestamp(clock);
    const verification = dialect === 'sahara' && { verification: verified(cluster, updated_at) };
    const ended = { status: 'Active', work: undefined, updated_at, ...endStep(cluster, updated_at), ...verification };
    const status_description = undefined;
    return { ...(work.operation === 'scale' ? dropEmptied(cluster) : cluster), ...ended, status_description };
  }

  #enter(cluster: ClusterRecord, work: Work): ClusterRecord {
    const { dialect, clock, habits } = this.#options;
    const stage = stageOf(dialect, work);
    if (stage === undefined) throw new Error(`there is no stage ${work.stage} of a ${work.operation}`);
    const updated_at = timestamp(clock);
    // The description of the last operation goes when the next one starts to work, not when it is accepted.
    const status_description = isFirstStage(dialect, work) ? cluster.status_description : undefined;
    const status = habits?.word(stage.status) ?? stage.status;
    const progress = dialect === 'sahara' && nextStep(cluster, { work, status: stage.status, now: updated_at });
    const entered = stage.deed === 'name' ? countMade(cluster, updated_at, work) : { ...cluster, work };
    return { ...entered, status, status_description, updated_at, ...progress };
  }

  async #finish(order: MachineOrder, { status, deed }: Stage): Promise<Effect> {
    const { habits } = this.#options;
    const { tenant, cluster, signal } = order;
    if (habits && cluster.work) await habits.leave(cluster.work.operation, status, signal);
    // Whoever took over in the meantime has a deed of its own.
    if (this.#current(tenant, cluster.id, cluster.work) === undefined) return unchanged;
    return perform(this.#options, order, deed);
  }

  /** A failed start ends in Error, a failed scale mostly in Active, a failed delete stays where it is; the reason is in the description. */
  async #fail(order: MachineOrder, { failure }: Stage, cause: unknown): Promise<Effect> {
    const { clock, dialect } = this.#options;
    const why = messageOf(cause);
    const now = timestamp(clock);
    const ended = (cluster: ClusterRecord, fields: object = {}): ClusterRecord => ({
      ...cluster,
      work: undefined,
      updated_at: now,
      ...endStep(cluster, now, why),
      ...fields,
    });
    const { work } = order.cluster;
    switch (work?.operation) {
      case 'start': {
        if (failure === 'removes') return this.#cleanUp(order, why);
        const failed = { status: 'Error', status_description: `cannot create cluster: ${why}` };
        return (cluster) => ended(cluster, failed);
      }
      case 'scale': {
        const status = failure === 'Error' ? 'Error' : 'Active';
        const failed = { status, status_description: `cannot scale cluster: ${why}` };
        return (cluster) => {
          const down = machinesOf(cluster).filter((machine) => !isUp(machine));
          const left = forgetMachines(ended(cluster, failed), now, down);
          // Early releases clean up, late ones only what was refused.
          return dialect === 'savanna' || isFirstStage(dialect, work) ? dropEmptied(left) : left;
        };
      }
      case 'delete':
        return (cluster) => ended(cluster, { status_description: `cannot delete cluster: ${why}` });
      case undefined:
        return (cluster) => ended(cluster);
    }
  }
}
