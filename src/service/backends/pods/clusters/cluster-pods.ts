// The pods of clusters: waiting for them, and what keeps them from being used.

import type { ClusterGroupRecord, Machine } from '../../../model/records/records.ts';
import type { ClusterOrder } from '../../provisioner.ts';
import { claims, events, type ObjectKind, pods } from '../api/api.ts';
import type { Observation } from '../api/informers.ts';
import { podNames, podOfClaim } from '../api/names.ts';
import { untilHolds } from '../api/until.ts';
import type { ClusterObjects } from './cluster-objects.ts';
import {
  canHandOver,
  type EventObject,
  gateOf,
  isReady,
  type PodObject,
  problemOfEvent,
  problemOfPod,
} from './conditions.ts';

interface ClusterPodsOptions {
  readonly objects: ClusterObjects;
  readonly namespaceOf: (tenant: string) => string;
  /** The number of clusters that are made at a time is limited. */
  readonly isLimited?: boolean;
}

/** A wait in a queue gives up its place among those that are made at a time after this, in ms. It is repeated later. */
const placeMs = 60_000;

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
    const isMet = (listed: readonly ListedPod[]): boolean =>
      listed.filter(({ group }) => names.has(group.name)).every(({ pod }) => pod !== undefined && holds(pod));
    const observed = this.observe(order, [pods, events]);
    const condition = {
      seems: () => isMet(this.#observed(order, observed)),
      holds: async () => isMet(await this.list(order)),
      problem: () => this.problem(order, observed),
      queue: () => this.#observed(order, observed).flatMap(({ pod }) => (pod && gateOf(pod)) ?? [])[0],
      placeMs: this.#options.isLimited === true ? placeMs : undefined,
    };
    await untilHolds(observed, condition, order);
  }

  observe({ cluster, tenant }: ClusterOrder, kinds: readonly ObjectKind[]): Observation {
    return this.#options.objects.observe(cluster, this.#options.namespaceOf(tenant), kinds);
  }

  /** What keeps the cluster from being used, as far as its pods and events say so. */
  problem(order: ClusterOrder, observed: Observation): string | undefined {
    const listed = this.#observed(order, observed);
    const told = Map.groupBy(
      observed.list<EventObject>(events),
      ({ involvedObject }) => involvedObject?.kind === claims.kind,
    );
    // A pod that is on no node yet can wait for a volume. It does not know why there is none.
    const waiting = new Set(listed.filter(({ pod }) => pod?.spec?.nodeName === undefined).map(({ name }) => name));
    const ofVolumes = told
      .get(true)
      ?.filter(({ involvedObject }) => waiting.has(podOfClaim(involvedObject?.name ?? '')));
    const ofPods = listed.flatMap(({ pod }) => (pod === undefined || isReady(pod) ? [] : (problemOfPod(pod) ?? [])));
    const problem = lastProblem(ofVolumes) ?? ofPods[0];
    return problem ?? (listed.every(({ pod }) => pod !== undefined) ? undefined : lastProblem(told.get(false)));
  }

  /** The machines with their pods, as they were observed. */
  #observed(order: ClusterOrder, observed: Observation): readonly ListedPod[] {
    return this.#listed(order, observed.list<PodObject>(pods));
  }

  /** The machines with their pods, as the API server has them now. */
  async list(order: ClusterOrder): Promise<readonly ListedPod[]> {
    const namespace = this.#options.namespaceOf(order.tenant);
    return this.#listed(order, await this.#options.objects.pods(order.cluster, namespace));
  }

  #listed({ cluster }: ClusterOrder, found: readonly PodObject[]): readonly ListedPod[] {
    const byName = new Map(found.map((pod) => [pod.metadata.name, pod]));
    return cluster.node_groups.flatMap((group) => {
      const names = podNames(cluster, group);
      return group.instances.map((machine, ordinal) => {
        const name = names[ordinal] ?? '';
        return { group, machine, pod: byName.get(name), name };
      });
    });
  }

  /** Whether the process of this machine can still hand over what it has. A pod can be newer than what was observed. */
  async canHandOver(
    order: ClusterOrder,
    observed: Observation,
    [{ instance_id }, process]: readonly [machine: Machine, process: string],
  ): Promise<boolean> {
    const isAble = ({ machine, pod }: ListedPod): boolean =>
      machine.instance_id === instance_id && pod !== undefined && canHandOver(pod, process);
    return this.#observed(order, observed).some(isAble) || (await this.list(order)).some(isAble);
  }

  async withAddresses(order: ClusterOrder): Promise<readonly Machine[]> {
    return (await this.list(order)).map(({ machine, pod }) => ({
      ...machine,
      internal_ip: pod?.status?.podIP,
      management_ip: pod?.status?.podIP,
    }));
  }
}

const lastProblem = (told: readonly EventObject[] = []): string | undefined =>
  told.map(problemOfEvent).findLast((each) => each !== undefined);
