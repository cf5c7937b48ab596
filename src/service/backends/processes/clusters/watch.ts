// Keeps the processes of clusters up.

import { messageOf } from '../../../../lib/errors.ts';
import type { CommonPorts } from '../../../../lib/ports.ts';
import { backoffLimitMs } from '../../../../lib/timing/backoff.ts';
import { sleep } from '../../../../lib/timing/wait.ts';
import type { ClusterRecord } from '../../../model/records/records.ts';
import { ClusterLoops, type TellLoss } from '../../loops.ts';
import type { ClusterOrder } from '../../provisioner.ts';

interface WatchOptions extends CommonPorts {
  /** The machines that are gone. */
  readonly findMissing: (cluster: ClusterRecord) => readonly string[];
  /** Which processes have ended, and why. Undefined if all of them run. */
  readonly findEnded: (cluster: ClusterRecord) => string | undefined;
  /** Starts what does not run, and resolves when the cluster can be used. */
  readonly start: (order: ClusterOrder) => Promise<void>;
}

const everyMs = 1000;
/** How long one start of all processes may take. */
const startMs = 5 * 60_000;
/** When a cluster has been up for this long, its next failure is the first one again. */
const steadyMs = 60_000;

export class Watch extends ClusterLoops {
  readonly #options: WatchOptions;

  constructor(options: WatchOptions) {
    super((order, tell) =>
      this.#keepUp(order, tell).catch((err: unknown) => {
        const at = { kind: 'Cluster', externalId: order.cluster.id, err };
        options.log.error(at, 'cannot watch machines any more');
      }),
    );
    this.#options = options;
  }

  /** Resolves when the cluster is not to be kept up any more. */
  async #keepUp(order: ClusterOrder, report: TellLoss): Promise<void> {
    const { clock } = this.#options;
    const { cluster, tenant, signal } = order;
    let failures = 0;
    let upSince = clock.monotonic();
    let unsolved: string | undefined;
    for (;;) {
      await sleep(clock, everyMs, signal);
      if (signal.aborted) return;
      const observed = this.#observe(cluster);
      if (observed === undefined) continue;
      const { machines, ended } = observed;
      const tell = (message: string) => report({ tenant, cluster: cluster.id, machines, message });
      if (machines.length > 0) return void tell('the folders of machines are gone');
      const problem = unsolved ?? ended;
      if (problem === undefined) continue;
      failures = clock.monotonic() - upSince > steadyMs ? 1 : failures + 1;
      const waitMs = backoffLimitMs({ failures });
      if (!tell(`${problem}; try ${failures} to start it again is in ${waitMs / 1000} s`)) return;
      await sleep(clock, waitMs, signal);
      if (signal.aborted) return;
      unsolved = await this.#tryStart(order);
      if (unsolved === undefined) order.report({ message: `${problem}; it runs again after try ${failures}` });
      upSince = clock.monotonic();
    }
  }

  /** Undefined if it cannot be found out. Then nothing of the cluster is taken for lost. */
  #observe(cluster: ClusterRecord) {
    const { log, findMissing, findEnded } = this.#options;
    try {
      const machines = findMissing(cluster);
      return { machines, ended: machines.length > 0 ? undefined : findEnded(cluster) };
    } catch (err) {
      log.warn({ kind: 'Cluster', externalId: cluster.id, err }, 'cannot observe the processes of a cluster');
      return undefined;
    }
  }

  /** Resolves to why the cluster cannot be used, if that is so. */
  async #tryStart(order: ClusterOrder): Promise<string | undefined> {
    const late = new AbortController();
    const cancel = this.#options.clock.after(startMs, () =>
      late.abort(new Error(`the cluster cannot be used ${startMs / 60_000} minutes after it was started again`)),
    );
    try {
      await this.#options.start({ ...order, signal: AbortSignal.any([order.signal, late.signal]) });
      return undefined;
    } catch (cause) {
      return messageOf(cause);
    } finally {
      cancel();
    }
  }
}
