// Carries clusters through their stages, one timer each; what it knows is in the store, so a restart goes on where it was.
import type { Clock, Log, Random } from '../ports.ts';
import type { Dialect } from '../wire/dialect.ts';
import { createId, timestamp } from './identifiers.ts';
import {
  dropEmptied,
  forgetMachines,
  isUp,
  machinesOf,
  nameMachines,
  surplusMachines,
  updateMachines,
} from './machines.ts';
import { endStep, nextStep } from './progress.ts';
import type { Order, Provisioner } from './provisioner.ts';
import type { ClusterRecord, Work } from './records.ts';
import { nextWork, type Stage, stageOf } from './stages.ts';
import type { Store } from './store.ts';
import { Turns } from './turns.ts';
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
  begin(cluster: ClusterRecord, work: Work): ClusterRecord {
    return this.#enter(cluster, work);
  }

  /** Stores the cluster and goes on with its work, if it has any. The only way a cluster is written. */
  keep(tenant: string, cluster: ClusterRecord): ClusterRecord {
    this.#options.store.put('clusters', tenant, cluster);
    this.#turns.stop(cluster.id);
    if (cluster.work !== undefined) this.#wait(tenant, cluster);
    if (cluster.status === 'Active') this.#options.dependents?.clusterActive(cluster.id);
    return cluster;
  }

  /** Goes on with everything that was under way when the service ended. */
  resume(): void {
    const { store } = this.#options;
    for (const tenant of store.tenants()) {
      for (const cluster of store.list('clusters', tenant)) if (cluster.work !== undefined) this.#wait(tenant, cluster);
    }
  }

  close(): void {
    this.#turns.close();
  }

  #wait(tenant: string, cluster: ClusterRecord): void {
    const { stageMs, dialect } = this.#options;
    const status = (cluster.work && stageOf(dialect, cluster.work)?.status) ?? cluster.status;
    this.#turns.take(cluster.id, stageMs(status), (signal) => this.#advance({ tenant, cluster, signal }));
  }

  #isCurrent({ tenant, cluster }: Order): boolean {
    return !this.#turns.closed && this.#options.store.get('clusters', tenant, cluster.id) === cluster;
  }

  async #advance(order: Order): Promise<void> {
    const { dialect, store, dependents } = this.#options;
    const { work } = order.cluster;
    const stage = work && stageOf(dialect, work);
    if (stage === undefined || !this.#isCurrent(order)) return;
    const done = await this.#perform(order, stage).catch((cause: unknown) => this.#fail(order, stage, cause));
    // Another operation may have taken over while the provisioner was busy: then its record stands and this result is void.
    if (!this.#isCurrent(order)) return;
    if (done === 'gone') {
      // Before the cluster: a crash in between leaves one whose deletion goes on, and no execution of a cluster that is gone.
      dependents?.clusterGone(order.cluster.id);
      store.remove('clusters', order.tenant, order.cluster.id);
    } else this.keep(order.tenant, done.work === undefined ? done : this.#enter(done, nextWork(dialect, done.work)));
  }

  #enter(cluster: ClusterRecord, work: Work): ClusterRecord {
    const { dialect, clock, habits } = this.#options;
    const stage = stageOf(dialect, work);
    const updated_at = timestamp(clock);
    if (stage === undefined) {
      const verification = dialect === 'sahara' && { verification: verified(cluster, updated_at) };
      const ended = { status: 'Active', work: undefined, updated_at, ...endStep(cluster, updated_at), ...verification };
      return { ...dropEmptied(cluster), ...ended };
    }
    // The description of the last operation goes when the next one starts to work, not when it is accepted.
    const status_description = work.stage === 0 ? cluster.status_description : undefined;
    const status = habits?.word(stage.status) ?? stage.status;
    const progress = dialect === 'sahara' && nextStep(cluster, { work, status: stage.status, now: updated_at });
    return { ...cluster, status, status_description, work, updated_at, ...progress };
  }

  async #perform(order: Order, stage: Stage): Promise<ClusterRecord | 'gone'> {
    const { provisioner, clock, random, habits } = this.#options;
    const { cluster, signal } = order;
    if (habits && cluster.work) await habits.leave(cluster.work.operation, stage.status, signal);
    // Whoever took over in the meantime has a deed of its own.
    if (!this.#isCurrent(order)) return cluster;
    switch (stage.deed) {
      case 'nothing':
        return cluster;
      case 'name':
        return nameMachines(cluster, timestamp(clock), () => createId(random));
      case 'launch': {
        const launched = await provisioner.launch(
          order,
          machinesOf(cluster).filter((machine) => !isUp(machine)),
        );
        return updateMachines(cluster, timestamp(clock), launched);
      }
      case 'configure':
        return { ...cluster, info: await provisioner.configure(order) };
      case 'shrink': {
        const surplus = surplusMachines(cluster);
        if (surplus.length === 0) return cluster;
        await provisioner.remove(order, surplus);
        return forgetMachines(cluster, timestamp(clock), surplus);
      }
      case 'vanish':
        await provisioner.remove(order, machinesOf(cluster));
        return 'gone';
    }
  }

  /** A failed start ends in Error, a failed scale in Active, a failed delete stays where it is; the reason is in the description. */
  async #fail(order: Order, { deed }: Stage, cause: unknown): Promise<ClusterRecord> {
    const { provisioner, clock } = this.#options;
    const { cluster } = order;
    const why = cause instanceof Error ? cause.message : String(cause);
    const now = timestamp(clock);
    const ended = { ...cluster, work: undefined, updated_at: now, ...endStep(cluster, now, why) };
    switch (cluster.work?.operation) {
      case 'start': {
        const failed = { ...ended, status: 'Error', status_description: `cannot create cluster: ${why}` };
        if (deed !== 'launch') return failed;
        await provisioner.remove(order, machinesOf(cluster)).catch(() => {});
        return forgetMachines(failed, timestamp(clock), machinesOf(cluster));
      }
      case 'scale': {
        const failed = { ...ended, status: 'Active', status_description: `cannot scale cluster: ${why}` };
        const down = machinesOf(cluster).filter((machine) => !isUp(machine));
        return forgetMachines(failed, timestamp(clock), down);
      }
      case 'delete':
      case undefined:
        return ended;
    }
  }
}
