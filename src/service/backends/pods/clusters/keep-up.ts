// Keeps the objects of clusters as they should be, and reports what is wrong with their pods.
import type { CommonPorts } from '../../../../lib/ports.ts';
import { backoffLimitMs } from '../../../../lib/timing/backoff.ts';
import { sleep } from '../../../../lib/timing/wait.ts';
import { Transient } from '../../../model/disk/transient.ts';
import { ClusterLoops, type TellLoss } from '../../loops.ts';
import type { ClusterOrder } from '../../provisioner.ts';
import { events, pods } from '../api/api.ts';
import type { Observation } from '../api/informers.ts';
import { resyncMs } from '../api/until.ts';
import { changeBetween, type Mark } from './marks.ts';

interface KeepUpOptions extends CommonPorts {
  /** The objects of the cluster that are kept up, its pods and the events about them. */
  readonly observe: (order: ClusterOrder) => Observation;
  /** The machines that nothing makes any more. */
  readonly find: (order: ClusterOrder, observed: Observation) => Promise<readonly string[]>;
  /** Makes the objects as they should be. Resolves to what they look like then. */
  readonly restore: (order: ClusterOrder) => Promise<readonly Mark[]>;
  /** What keeps the cluster from being used. */
  readonly problem: (order: ClusterOrder, observed: Observation) => string | undefined;
}

/** What one look at a cluster leaves for the next one. */
interface ObservedState {
  readonly marks: readonly Mark[] | undefined;
  readonly problem: string | undefined;
}

interface LastLook {
  readonly observed: Observation;
  readonly seen: ObservedState;
  /** Something of the cluster besides its pods has changed since it was restored, or may have. */
  readonly isStale: boolean;
}

/** Between two looks at a cluster, however often its objects change. */
const spacingMs = 5000;

/** No change at all: it is time to see whether one was missed. A restore without effect changes nothing, so it leads to no other one. */
const bringsWork = (changed: ReadonlySet<string>): boolean =>
  changed.size === 0 || [...changed].some((kind) => kind !== pods.kind && kind !== events.kind);

/** What becomes of a cluster whose StatefulSets are gone is told by `adopt`, too. */
export const lostMessage = 'StatefulSets of the cluster were deleted';

export class KeepUp extends ClusterLoops {
  readonly #options: KeepUpOptions;
  /** What clusters had before work that is tried again later, by their identifiers. */
  readonly #paused = new Map<string, ClusterOrder>();

  constructor(options: KeepUpOptions) {
    super((order, tell) => this.#keepUp(order, tell));
    this.#options = options;
  }

  /**
   * Does something to the cluster while nobody looks after it, who would make it as it was. If that fails, the cluster goes on with what it had. Work that is
   * tried again later is not undone meanwhile.
   */
  async pause<T>({ cluster }: ClusterOrder, work: () => Promise<T>): Promise<T> {
    const before = await this.end(cluster.id);
    try {
      return await work();
    } catch (cause) {
      if (before !== undefined && cause instanceof Transient) this.#paused.set(cluster.id, before);
      else if (before !== undefined) this.begin(before);
      throw cause;
    }
  }

  override begin(order: ClusterOrder): void {
    this.#paused.delete(order.cluster.id);
    super.begin(order);
  }

  override async end(cluster: string): Promise<ClusterOrder | undefined> {
    const paused = this.#paused.get(cluster);
    this.#paused.delete(cluster);
    return (await super.end(cluster)) ?? paused;
  }

  async #keepUp(order: ClusterOrder, tell: TellLoss): Promise<void> {
    const observed = this.#options.observe(order);
    try {
      await this.#untilEnd(order, observed, tell);
    } finally {
      observed.close();
    }
  }

  async #untilEnd(order: ClusterOrder, observed: Observation, tell: TellLoss): Promise<void> {
    const { clock, log } = this.#options;
    const { signal, cluster } = order;
    let seen: ObservedState | undefined = { marks: undefined, problem: undefined };
    let [isStale, failures] = [true, 0];
    while (seen !== undefined) {
      await sleep(clock, spacingMs, signal);
      await observed.current(order);
      if (signal.aborted) return;
      let waitMs = resyncMs;
      try {
        seen = await this.#look(order, { observed, seen, isStale }, tell);
        [isStale, failures] = [false, 0];
      } catch (err) {
        // The API server is not there, or refuses: the next look may succeed. A change may be what it was waiting for.
        if (signal.aborted) return;
        log.warn({ kind: 'Cluster', externalId: cluster.id, err }, 'cannot look after the pods of a cluster');
        [isStale, failures] = [true, failures + 1];
        waitMs = backoffLimitMs({ failures, firstMs: spacingMs }) - spacingMs;
      }
      if (seen !== undefined) isStale = bringsWork(await observed.next(waitMs, signal)) || isStale;
    }
  }

  /** Undefined once the cluster is not to be kept up any more. */
  async #look(order: ClusterOrder, last: LastLook, report: TellLoss): Promise<ObservedState | undefined> {
    const { find, restore, problem: problemOf } = this.#options;
    const { cluster, tenant } = order;
    const { observed, seen } = last;
    const tell = (message: string, machines: readonly string[] = []) =>
      report({ tenant, cluster: cluster.id, machines, message });
    const missing = await find(order, observed);
    if (missing.length > 0) {
      tell(lostMessage, missing);
      return undefined;
    }
    const marks = last.isStale ? await restore(order) : seen.marks;
    const change = changeBetween(seen.marks ?? marks ?? [], marks ?? []);
    if (change !== undefined) order.report({ message: change });
    const problem = problemOf(order, observed);
    if (problem !== undefined && problem !== seen.problem && !tell(problem)) return undefined;
    if (problem === undefined && seen.problem !== undefined)
      order.report({ message: `the cluster can be used again: ${seen.problem}` });
    return { marks, problem };
  }
}
