// Keeps the processes of clusters up. Every cluster has a loop of its own, so that none has to wait for another.
import { backoffLimitMs } from '../../lib/backoff.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Clock, Log } from '../../lib/ports.ts';
import { sleep } from '../../lib/wait.ts';
import type { ClusterOrder, Loss } from '../clusters/provisioner.ts';
import type { ClusterRecord } from '../records/records.ts';

interface WatchOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The machines that are gone. */
  readonly findMissing: (cluster: ClusterRecord) => readonly string[];
  /** Which processes have ended, and why. Undefined if all of them run. */
  readonly findEnded: (cluster: ClusterRecord) => string | undefined;
  /** Starts what does not run, and resolves when the cluster can be used. */
  readonly start: (order: ClusterOrder) => Promise<void>;
}

type Report = (loss: Loss) => boolean;

interface Watched {
  readonly order: ClusterOrder;
  readonly controller: AbortController;
  /** Resolves when the loop has ended. Undefined while nobody wants the reports. */
  done: Promise<void> | undefined;
}

const everyMs = 1000;
/** How long one start of all processes may take. */
const startMs = 5 * 60_000;
/** When a cluster has been up for this long, its next failure is the first one again. */
const steadyMs = 60_000;

export class Watch {
  readonly #options: WatchOptions;
  readonly #entries = new Map<string, Watched>();
  #report: Report | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Begins to keep up the machines of the cluster, as the order has it. */
  begin(order: ClusterOrder): void {
    const entry = { order, controller: new AbortController(), done: undefined };
    this.#entries.set(order.cluster.id, entry);
    this.#run(entry);
  }

  /** Resolves when nothing is started any more, to the order of the cluster if it was kept up. */
  async end(cluster: string): Promise<ClusterOrder | undefined> {
    const entry = this.#entries.get(cluster);
    this.#entries.delete(cluster);
    entry?.controller.abort();
    await entry?.done;
    return entry?.order;
  }

  /** Reports what ends, until the returned function is called. */
  open(report: Report): () => void {
    this.#report = report;
    for (const entry of this.#entries.values()) this.#run(entry);
    return () => {
      this.#report = undefined;
      for (const cluster of this.#entries.keys()) void this.end(cluster);
    };
  }

  #run(entry: Watched): void {
    if (this.#report === undefined) return;
    const { id } = entry.order.cluster;
    entry.done = this.#keepUp(entry.order, entry.controller.signal, this.#report).catch((err: unknown) =>
      this.#options.log.error({ kind: 'Cluster', externalId: id, err }, 'cannot watch machines any more'),
    );
  }

  /** Resolves when the cluster is not to be kept up any more. */
  async #keepUp(order: ClusterOrder, signal: AbortSignal, report: Report): Promise<void> {
    const { clock, findMissing, findEnded } = this.#options;
    const { cluster, tenant } = order;
    let failures = 0;
    let upSince = clock.monotonic();
    let unsolved: string | undefined;
    for (;;) {
      await sleep(clock, everyMs, signal);
      if (signal.aborted) return;
      const machines = findMissing(cluster);
      const tell = (message: string) => report({ tenant, cluster: cluster.id, machines, message });
      if (machines.length > 0) return void tell('the folders of machines are gone');
      const problem = unsolved ?? findEnded(cluster);
      if (problem === undefined) continue;
      failures = clock.monotonic() - upSince > steadyMs ? 1 : failures + 1;
      const waitMs = backoffLimitMs({ failures });
      if (!tell(`${problem}; try ${failures} to start it again is in ${waitMs / 1000} s`)) return;
      await sleep(clock, waitMs, signal);
      if (signal.aborted) return;
      unsolved = await this.#tryStart(order, signal);
      if (unsolved === undefined) order.report({ message: `${problem}; it runs again after try ${failures}` });
      upSince = clock.monotonic();
    }
  }

  /** Resolves to why the cluster cannot be used, if that is so. */
  async #tryStart(order: ClusterOrder, signal: AbortSignal): Promise<string | undefined> {
    const late = new AbortController();
    const cancel = this.#options.clock.after(startMs, () =>
      late.abort(new Error(`the cluster cannot be used ${startMs / 60_000} minutes after it was started again`)),
    );
    try {
      await this.#options.start({ ...order, signal: AbortSignal.any([signal, late.signal]) });
      return undefined;
    } catch (cause) {
      return messageOf(cause);
    } finally {
      cancel();
    }
  }
}
