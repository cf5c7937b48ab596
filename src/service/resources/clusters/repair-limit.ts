// A limit on how often the machines of a cluster are started again.
import type { Clock } from '../../../lib/ports.ts';

const mostRepairs = 5;
const windowMs = 10 * 60_000;

export class RepairLimit {
  readonly #clock: Clock;
  /** When the machines of a cluster were lost, in monotonic ms. */
  readonly #losses = new Map<string, readonly number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a loss. Returns why the cluster cannot be kept up, if it has lost machines too often. */
  count(cluster: string): string | undefined {
    const now = this.#clock.monotonic();
    const recent = [...(this.#losses.get(cluster) ?? []).filter((at) => now - at < windowMs), now];
    this.#losses.set(cluster, recent);
    return recent.length > mostRepairs ? `${recent.length} times in ${windowMs / 60_000} minutes` : undefined;
  }

  forget(cluster: string): void {
    this.#losses.delete(cluster);
  }
}
