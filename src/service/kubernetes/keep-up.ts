// Keeps the objects of clusters as they should be, and reports what is wrong with their pods. Every cluster has a loop of its own.
import type { Clock, Log } from '../../lib/ports.ts';
import { sleep } from '../../lib/wait.ts';
import type { ClusterOrder, Loss } from '../clusters/provisioner.ts';

interface KeepUpOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The machines that nothing makes any more. */
  readonly find: (order: ClusterOrder) => Promise<readonly string[]>;
  /** Makes the objects as they should be. Resolves to what they look like then. */
  readonly restore: (order: ClusterOrder) => Promise<readonly string[]>;
  /** What keeps the cluster from being used. */
  readonly problem: (order: ClusterOrder) => Promise<string | undefined>;
}

type TellLoss = (loss: Loss) => boolean;

interface Kept {
  readonly order: ClusterOrder;
  readonly controller: AbortController;
  done: Promise<void> | undefined;
}

/** What one look at a cluster leaves for the next one. */
interface Sighting {
  readonly looks: readonly string[] | undefined;
  readonly problem: string | undefined;
}

const everyMs = 5000;

export class KeepUp {
  readonly #options: KeepUpOptions;
  readonly #entries = new Map<string, Kept>();
  #report: TellLoss | undefined;

  constructor(options: KeepUpOptions) {
    this.#options = options;
  }

  begin(order: ClusterOrder): void {
    this.#entries.get(order.cluster.id)?.controller.abort();
    const entry = { order, controller: new AbortController(), done: undefined };
    this.#entries.set(order.cluster.id, entry);
    this.#run(entry);
  }

  /** Resolves when nothing is restored any more, to the order of the cluster if it was kept up. */
  async end(cluster: string): Promise<ClusterOrder | undefined> {
    const entry = this.#entries.get(cluster);
    this.#entries.delete(cluster);
    entry?.controller.abort();
    await entry?.done;
    return entry?.order;
  }

  open(report: TellLoss): () => void {
    this.#report = report;
    for (const entry of this.#entries.values()) this.#run(entry);
    return () => {
      this.#report = undefined;
      for (const cluster of this.#entries.keys()) void this.end(cluster);
    };
  }

  #run(entry: Kept): void {
    if (this.#report === undefined) return;
    const { clock, log } = this.#options;
    const { id } = entry.order.cluster;
    const { signal } = entry.controller;
    const order = { ...entry.order, signal };
    const loop = async (report: TellLoss): Promise<void> => {
      let seen: Sighting = { looks: undefined, problem: undefined };
      for (;;) {
        await sleep(clock, everyMs, signal);
        if (signal.aborted) return;
        try {
          const next = await this.#look(order, seen, report);
          if (next === undefined) return;
          seen = next;
        } catch (err) {
          // The API server is not there, or refuses: the next look may succeed.
          if (!signal.aborted)
            log.warn({ kind: 'Cluster', externalId: id, err }, 'cannot look after the pods of a cluster');
        }
      }
    };
    entry.done = loop(this.#report);
  }

  /** Undefined once the cluster is not to be kept up any more. */
  async #look(order: ClusterOrder, seen: Sighting, report: TellLoss): Promise<Sighting | undefined> {
    const { find, restore, problem: problemOf } = this.#options;
    const { cluster, tenant } = order;
    const tell = (message: string, machines: readonly string[] = []) =>
      report({ tenant, cluster: cluster.id, machines, message });
    const missing = await find(order);
    if (missing.length > 0) {
      tell('StatefulSets of the cluster were deleted', missing);
      return undefined;
    }
    const looks = await restore(order);
    const changed = seen.looks === undefined ? [] : looks.filter((each) => !seen.looks?.includes(each));
    const names = changed.map((each) => each.split(' ').slice(0, 2).join(' ')).join(', ');
    if (names !== '') order.report({ message: `${names} was changed by somebody else, and put back` });
    const problem = await problemOf(order);
    if (problem !== undefined && problem !== seen.problem && !tell(problem)) return undefined;
    if (problem === undefined && seen.problem !== undefined)
      order.report({ message: `the cluster can be used again: ${seen.problem}` });
    return { looks, problem };
  }
}
