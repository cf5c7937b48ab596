// The pods of clusters: waiting for them, and what keeps them from being used.
import type { Clock } from '../../../lib/ports.ts';
import { sleep } from '../../../lib/wait.ts';
import type { ClusterOrder } from '../../clusters/provisioner.ts';
import type { ClusterGroupRecord, Machine } from '../../records/records.ts';
import { Interruption } from '../../stages/interruption.ts';
import { type ClusterObjects, podsOf } from '../cluster-objects.ts';
import { groupName, podName } from '../manifests/names.ts';
import { isReady, type PodObject, problemOfEvent, problemOfPod } from './conditions.ts';

const pollMs = 500;

interface ClusterPodsOptions {
  readonly objects: ClusterObjects;
  readonly namespaceOf: (tenant: string) => string;
  readonly clock: Clock;
}

/** What was in the way says more than that it took too long. */
function throwIfEnded(signal: AbortSignal, problem: string | undefined): void {
  const isLate = signal.aborted && !(signal.reason instanceof Interruption);
  if (isLate && problem !== undefined) throw new Error(problem, { cause: signal.reason });
  signal.throwIfAborted();
}

/** A machine of a cluster with its pod, if that is there. */
interface ListedPod {
  readonly group: ClusterGroupRecord;
  readonly machine: Machine;
  readonly pod: PodObject | undefined;
  readonly name: string;
}

export class ClusterPods {
  readonly #options: ClusterPodsOptions;

  constructor(options: ClusterPodsOptions) {
    this.#options = options;
  }

  /** Waits until the condition holds for all pods of the groups, and reports what keeps it from holding. */
  async until(order: ClusterOrder, groups: readonly ClusterGroupRecord[], holds: typeof isReady): Promise<void> {
    const names = new Set(groups.map(({ name }) => name));
    let told: string | undefined;
    for (;;) {
      const all = await this.list(order);
      const pods = all.filter(({ group }) => names.has(group.name));
      if (pods.every(({ pod }) => pod !== undefined && holds(pod))) break;
      const problem = await this.problem(order, all);
      if (problem !== undefined && problem !== told) order.report({ message: problem });
      told = problem ?? told;
      await sleep(this.#options.clock, pollMs, order.signal);
      throwIfEnded(order.signal, told);
    }
  }

  /** What keeps the cluster from being used, as far as Kubernetes says so. `listed`: pods that need not be listed again. */
  async problem(order: ClusterOrder, listed?: readonly ListedPod[]): Promise<string | undefined> {
    const pods = listed ?? (await this.list(order));
    const problems = pods.flatMap(({ pod }) => (pod === undefined || isReady(pod) ? [] : (problemOfPod(pod) ?? [])));
    if (problems[0] !== undefined) return problems[0];
    const waiting = pods.filter(({ pod }) => pod === undefined);
    if (waiting.length === 0) return undefined;
    const names = new Set(order.cluster.node_groups.map((group) => groupName(order.cluster, group)));
    const warnings = await this.#options.objects.warnings(names, this.#options.namespaceOf(order.tenant));
    return warnings.map(problemOfEvent).findLast((each) => each !== undefined);
  }

  async list({ cluster, tenant }: ClusterOrder): Promise<readonly ListedPod[]> {
    const { pods } = await this.#options.objects.find(cluster, this.#options.namespaceOf(tenant));
    return cluster.node_groups.flatMap((group) =>
      podsOf(cluster, group, pods).map(([machine, pod], ordinal) => ({
        group,
        machine,
        pod,
        name: podName(cluster, group, ordinal),
      })),
    );
  }

  async withAddresses(order: ClusterOrder): Promise<readonly Machine[]> {
    return (await this.list(order)).map(({ machine, pod }) => ({
      ...machine,
      internal_ip: pod?.status?.podIP,
      management_ip: pod?.status?.podIP,
    }));
  }
}
