// The interface through which the lifecycle makes machines and the processes on them.
import type { ClusterRecord, GroupLoad, InfoMap, Machine } from '../model/records/records.ts';

/** Something that a provisioner reports while a call is under way. It is stored at once. */
export interface ClusterReport {
  /** Machines that are up, with their addresses. A repeated `launch` does not get them again. */
  readonly machines?: readonly Machine[];
  /** Shown as the description of the cluster until the operation ends. */
  readonly message?: string;
}

/** The input of a provisioner: the tenant, the cluster as it is now, and a signal that ends the call. */
export interface ClusterOrder {
  readonly tenant: string;
  readonly cluster: ClusterRecord;
  /** The reason of the abort is an `Interruption`. The call should then settle within seconds, and undo nothing. */
  readonly signal: AbortSignal;
  /** Never throws. */
  report(report: ClusterReport): void;
}

/** Machines that were added to the cluster or removed from it since the last `configure`. After a failure or a restart they can be fewer. */
export interface Change {
  readonly added: readonly Machine[];
  readonly removed: readonly Machine[];
}

/** Something of an Active cluster has ended: machines, or processes on them. Users see the message. */
export interface Loss {
  readonly tenant: string;
  /** The identifier of the cluster. */
  readonly cluster: string;
  /** The `instance_id` of each machine that has to be launched again. Empty if only processes have ended, which the provisioner starts again itself. */
  readonly machines: readonly string[];
  readonly message: string;
}

/**
 * Calls for one cluster never overlap, except for a call that goes on after its abort. Every method can be called again with the same
 * machines, also after a restart of the service, and must then lead to the same result: machines are recognized by `instance_id`. A rejection with
 * `Transient` is repeated later, and so is every rejection of `remove`. Any other one fails the operation. Users see its message.
 */
export interface Provisioner {
  /**
   * Throws an Error that names the field and the remedy if such a cluster cannot be made. It is called for a new cluster, and for one that is about to be
   * scaled: its groups have the counts that are wanted, and the machines that they have. `others`: all other clusters, in the same form.
   */
  checkPlan(cluster: ClusterRecord, others: readonly ClusterRecord[]): void;
  /**
   * Starts the machines, which already have identifiers and names. Resolves to them with their addresses, in any order. Those that were reported can be
   * left out. The operation fails if a machine has no address in the end.
   */
  launch(order: ClusterOrder, machines: readonly Machine[]): Promise<readonly Machine[]>;
  /**
   * Installs and starts the processes on all machines of the cluster, also on those that a drain was about and that stay, and waits until they can be used.
   * Resolves to the URLs to show.
   */
  configure(order: ClusterOrder, change: Change): Promise<InfoMap>;
  /**
   * Moves work and data off the machines, which are about to be removed. After a failure they stay in use, and the `configure` that follows says so. A newer scale
   * interrupts the call: then another one is about more machines or fewer, and those that are not among them are used again.
   */
  drain(order: ClusterOrder, machines: readonly Machine[]): Promise<void>;
  /**
   * Removes the machines without a trace. A machine that is already gone is no failure, and neither is one whose launch has not ended: it must not
   * appear later.
   */
  remove(order: ClusterOrder, machines: readonly Machine[]): Promise<void>;
  /** Takes over a cluster whose machines an earlier life of the service has made. Resolves to what is lost, if anything is. */
  adopt(order: ClusterOrder): Promise<Pick<Loss, 'machines' | 'message'> | undefined>;
  /** The `instance_id` of every machine of the cluster that is there, whether it works or not. */
  list(order: ClusterOrder): Promise<readonly string[]>;
  /**
   * What the work on the cluster needs, by node group. Undefined if its engine cannot tell. Rejects if it does not answer. It may overlap with any other call.
   * When absent: no engine can tell.
   */
  load?(at: Omit<ClusterOrder, 'report'>): Promise<Readonly<Record<string, GroupLoad>> | undefined>;
  /**
   * Reports every loss once, in all clusters that were launched, or adopted by this life of the service, until the returned function is called. The answer is
   * false if the cluster has had too many losses or is not used any more: then nothing of it is to be started again.
   */
  watch(report: (loss: Loss) => boolean): () => void;
}
