// Refuses clusters that cannot work on this computer, before anything is started.
import { readFileSync } from 'node:fs';
import { checkEngine, memoryOf, type Planned } from '../../../engines/check-engine.ts';
import { type Engine, engineOf } from '../../../engines/engine.ts';
import type { Flavor } from '../../../engines/flavors.ts';
import type { ClusterGroupRecord, ClusterRecord } from '../../../model/records/records.ts';

export interface PlanLimits {
  readonly flavors: readonly Flavor[];
  /** How much memory all clusters and runs can have together, in MiB. Undefined: new machines can have what is available. */
  readonly memory: number | undefined;
  /** How much memory the programs of runs can take now, in MiB. When absent: none. */
  readonly memoryOfRuns?: () => number;
  /** Machines that should be on different computers are made nevertheless. */
  readonly allowsAffinity: boolean;
}

function checkAffinity({ anti_affinity, node_groups }: ClusterRecord): void {
  for (const process of anti_affinity) {
    const machines = node_groups
      .filter(({ node_processes }) => node_processes.includes(process))
      .reduce((sum, { count }) => sum + count, 0);
    if (machines > 1)
      throw new Error(
        `anti_affinity names ${process}, but all ${machines} machines with it are on this computer: leave it out, or start the service with --allow-affinity-violations`,
      );
  }
}

/** Clusters of an engine that is not there any more, which cannot be started again, are left out. */
export const plannedOf = (engines: readonly Engine[], clusters: readonly ClusterRecord[]): readonly Planned[] =>
  clusters
    .filter(({ plugin_name }) => engines.some(({ plugin }) => plugin === plugin_name))
    .map((cluster) => [engineOf(engines, cluster), cluster] as const);

/** In MiB: what all machines that the clusters are to have can take. */
export const memoryOfClusters = (planned: readonly Planned[]): number =>
  planned.reduce((sum, [engine, cluster]) => sum + sumOf(engine, cluster, ({ count }) => count), 0);

function sumOf(engine: Engine, cluster: ClusterRecord, count: (group: ClusterGroupRecord) => number): number {
  const sizes = cluster.node_groups.map((group) => Math.max(count(group), 0) * memoryOf(engine, { cluster, group }));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** In MiB. */
function availableMemory(): number {
  const [, kilobytes = '0'] = /^MemAvailable:\s+(\d+) kB/m.exec(readFileSync('/proc/meminfo', 'utf8')) ?? [];
  return Math.floor(Number(kilobytes) / 1024);
}

/** `others`: the clusters that are there already. */
function checkMemory([engine, cluster]: Planned, others: readonly Planned[], limits: PlanLimits): void {
  const { memory: limit, memoryOfRuns = () => 0 } = limits;
  const added = sumOf(engine, cluster, ({ count, instances }) => count - instances.length);
  if (added === 0) return;
  const remedy = 'choose smaller flavors, fewer machines or smaller sizes, or raise --machine-memory';
  if (limit === undefined) {
    const available = availableMemory();
    if (added <= available) return;
    throw new Error(`the new machines can take ${added} MiB, and ${available} are available here: ${remedy}`);
  }
  const [all, runs] = [memoryOfClusters([[engine, cluster], ...others]), memoryOfRuns()];
  if (all + runs <= limit) return;
  const beside = runs === 0 ? '' : `, running jobs ${runs}`;
  throw new Error(`all clusters could take ${all} MiB${beside}, and --machine-memory is ${limit}: ${remedy}`);
}

/** Throws an Error that names the field and the remedy. The groups have the counts that are wanted. */
export function checkPlan(planned: Planned, others: readonly Planned[], limits: PlanLimits): void {
  const [, cluster] = planned;
  checkEngine(planned, limits.flavors);
  if (!limits.allowsAffinity) checkAffinity(cluster);
  checkMemory(planned, others, limits);
}
