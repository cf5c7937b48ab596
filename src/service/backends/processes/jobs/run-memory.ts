// The memory of the computer that programs of runs can take, beside clusters, if the administrator has set how much there is.
import { memorySettings } from '../../../engines/index.ts';
import { Transient } from '../../../model/disk/transient.ts';
import type { ClusterRecord } from '../../../model/records/records.ts';
import { flavorConfig } from '../../../model/references.ts';
import type { RunAdmission } from '../../runs/run-plan.ts';

/** All in MiB. */
interface RunMemoryOptions {
  /** How much clusters and runs can take together. Undefined: nothing is counted. */
  readonly limit: number | undefined;
  /** What all clusters can take. */
  readonly clusters: () => number;
  /** What this cluster can take. */
  readonly clusterOf: (cluster: ClusterRecord) => number;
}

const remedy = `lower ${memorySettings.join(' or ')}, choose a smaller ${flavorConfig}, or raise --machine-memory`;

export class RunMemory implements RunAdmission {
  readonly #options: RunMemoryOptions;
  readonly #runs = new Map<string, number>();

  constructor(options: RunMemoryOptions) {
    this.#options = options;
  }

  /** What the runs can take that have been let in, and have not ended. */
  get taken(): number {
    return [...this.#runs.values()].reduce((sum, memory) => sum + memory, 0);
  }

  check(memory: number, cluster: ClusterRecord): void {
    const { limit, clusterOf } = this.#options;
    if (limit === undefined) return;
    const own = clusterOf(cluster);
    if (own + memory <= limit) return;
    throw new Error(
      `the program can take ${memory} MiB and its cluster ${own}, but --machine-memory is ${limit}: ${remedy}`,
    );
  }

  reserve(run: string, memory: number): void {
    const { limit, clusters } = this.#options;
    if (limit === undefined) return;
    const [used, others] = [clusters(), this.taken - (this.#runs.get(run) ?? 0)];
    if (used + others + memory > limit)
      throw new Transient(
        `waiting for memory: the program can take ${memory} MiB, other jobs ${others} and all clusters ${used}, and --machine-memory is ${limit}`,
      );
    this.keep(run, memory);
  }

  /** A run of an earlier life of the service goes on. */
  keep(run: string, memory: number): void {
    this.#runs.set(run, memory);
  }

  release(run: string): void {
    this.#runs.delete(run);
  }
}
