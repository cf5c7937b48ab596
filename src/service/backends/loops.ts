// Looks after clusters: each of them has a loop of its own, so that none has to wait for another.
import type { ClusterOrder, Loss } from './provisioner.ts';

/** Tells of a loss. The answer is false if the cluster is not to be looked after any more. */
export type TellLoss = (loss: Loss) => boolean;

/** Resolves when the cluster is not to be looked after any more, at the latest soon after the signal of the order is aborted. Never rejects. */
type Loop = (order: ClusterOrder, tell: TellLoss) => Promise<void>;

interface LoopEntry {
  readonly order: ClusterOrder;
  readonly controller: AbortController;
  /** Resolves when the loop has ended. Undefined while nobody wants to be told. */
  done: Promise<void> | undefined;
}

export class ClusterLoops {
  readonly #loop: Loop;
  readonly #entries = new Map<string, LoopEntry>();
  #tell: TellLoss | undefined;

  constructor(loop: Loop) {
    this.#loop = loop;
  }

  /** Begins to look after the cluster, as the order has it. */
  begin(order: ClusterOrder): void {
    this.#entries.get(order.cluster.id)?.controller.abort();
    const entry = { order, controller: new AbortController(), done: undefined };
    this.#entries.set(order.cluster.id, entry);
    this.#run(entry);
  }

  /** Resolves when the loop has ended, to the order of the cluster if it was looked after. */
  async end(cluster: string): Promise<ClusterOrder | undefined> {
    const entry = this.#entries.get(cluster);
    this.#entries.delete(cluster);
    entry?.controller.abort();
    await entry?.done;
    return entry?.order;
  }

  /** The loops run until the returned function is called. */
  open(tell: TellLoss): () => void {
    this.#tell = tell;
    for (const entry of this.#entries.values()) this.#run(entry);
    return () => {
      this.#tell = undefined;
      for (const cluster of this.#entries.keys()) void this.end(cluster);
    };
  }

  #run(entry: LoopEntry): void {
    if (this.#tell === undefined) return;
    entry.done = this.#loop({ ...entry.order, signal: entry.controller.signal }, this.#tell);
  }
}
