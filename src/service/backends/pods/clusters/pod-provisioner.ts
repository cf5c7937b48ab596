// A provisioner whose machines are pods: a StatefulSet for each node group.
import type { CommonPorts } from '../../../../lib/ports.ts';
import { OneAtATime } from '../../../../lib/timing/one-at-a-time.ts';
import { checkEngine, checkSize } from '../../../engines/check-engine.ts';
import {
  drainOrder,
  type Engine,
  type EngineNode,
  type EngineProcess,
  engineOf,
  nodesWith,
  type Probe,
} from '../../../engines/engine.ts';
import type { EngineImage } from '../../../engines/image.ts';
import { ask, type Get, reading, waitFor } from '../../../engines/probes.ts';
import { isUp, machinesOf, withoutMachines } from '../../../model/records/machines.ts';
import type { ClusterGroupRecord, ClusterRecord, InfoMap, Machine } from '../../../model/records/records.ts';
import type { OfferedFlavor } from '../../flavors-file.ts';
import type { Change, ClusterOrder, Loss, Provisioner } from '../../provisioner.ts';
import { Removed } from '../../removed.ts';
import { events, type KubeApi, pods as podKind, policies, secrets, services, statefulSets } from '../api/api.ts';
import type { ObjectObserver, Observation } from '../api/informers.ts';
import { podNames } from '../api/names.ts';
import { throwIfUnobserved } from '../api/until.ts';
import { heapFlavors } from '../manifests/containers.ts';
import { nodesOf, type PodPlace } from '../manifests/layout.ts';
import type { ClusterSetting, PublishOptions, Reach } from '../manifests/manifests.ts';
import { checkQueues } from '../manifests/queues.ts';
import { checkExposure, showsPages } from '../manifests/web-pages.ts';
import { ClusterObjects, keptUp, machinesThere } from './cluster-objects.ts';
import { ClusterPlaces } from './cluster-places.ts';
import { ClusterPods } from './cluster-pods.ts';
import { isReady } from './conditions.ts';
import { drainProcess } from './drain-pod.ts';
import { KeepUp, lostMessage } from './keep-up.ts';
import type { Mark } from './marks.ts';
import { addOutsideAddresses } from './outside-addresses.ts';
import { PodPrograms } from './pod-programs.ts';

const ofEachCluster = [statefulSets, services, secrets, policies, podKind];

export interface PodsOptions extends CommonPorts {
  readonly api: KubeApi;
  readonly informers: ObjectObserver;
  readonly engines: readonly Engine[];
  readonly imageOf: (cluster: ClusterRecord, process: EngineProcess) => EngineImage;
  readonly pullSecrets: readonly string[];
  readonly flavors: readonly OfferedFlavor[];
  /** The namespace of a tenant. */
  readonly namespaceOf: (tenant: string) => string;
  /** The number of clusters that are made at a time is limited. */
  readonly isLimited?: boolean;
  readonly domain: string;
  readonly reach: Reach;
  readonly publishing: PublishOptions;
  readonly storageClass: string | undefined;
  /** In GiB. */
  readonly stateSize: number;
  readonly get: Get;
  /** Random text without spaces. */
  readonly createSecret: () => string;
}

export class PodProvisioner implements Provisioner {
  readonly #options: PodsOptions;
  readonly #objects: ClusterObjects;
  readonly #pods: ClusterPods;
  readonly #programs: PodPrograms;
  readonly #keepUp: KeepUp;
  /** Removed machines, which a launch that has not ended must not make again. */
  readonly #removed = new Removed();
  readonly #places: ClusterPlaces;
  /** What is being applied, by cluster: it is not interrupted. */
  readonly #applying = new OneAtATime();

  constructor(options: PodsOptions) {
    this.#options = options;
    const { api, informers, clock, log } = options;
    this.#objects = new ClusterObjects(api, informers);
    this.#places = new ClusterPlaces(this.#objects, options);
    this.#pods = new ClusterPods({ ...options, objects: this.#objects });
    this.#programs = new PodPrograms(api);
    this.#keepUp = new KeepUp({
      clock,
      log,
      observe: (order) => this.#pods.observe(order, [...keptUp, podKind, events]),
      find: (order, observed) => this.#missing(order, observed),
      restore: (order) => this.#apply(order, order.cluster.node_groups),
      problem: (order, observed) => this.#pods.problem(order, observed),
    });
  }

  checkPlan(cluster: ClusterRecord): void {
    const { flavors, publishing } = this.#options;
    const engine = this.#engineOf(cluster);
    checkEngine([engine, cluster], heapFlavors(flavors));
    checkExposure(cluster, { engine, publishing });
    checkQueues(cluster, flavors);
  }

  async launch(order: ClusterOrder, machines: readonly Machine[]): Promise<readonly Machine[]> {
    this.#recall(order);
    checkSize(order.cluster);
    this.#engineOf(order.cluster).checkLayout(order.cluster);
    // Configuring or removing the machines lets somebody look after the cluster again.
    await this.#keepUp.pause(order, () => this.#start(order, machines));
    const ids = new Set(machines.map(({ instance_id }) => instance_id));
    return (await this.#pods.withAddresses(order)).filter(({ instance_id }) => ids.has(instance_id));
  }

  /** Makes the pods of the cluster, and waits until they have addresses. */
  async #start(order: ClusterOrder, machines: readonly Machine[]): Promise<void> {
    const engine = this.#engineOf(order.cluster);
    // Those who connect to a master wait for 10 seconds after a failure, so it comes first.
    const byRank = Map.groupBy(order.cluster.node_groups, (group) => rankOf(engine, group));
    const ranks = [...byRank].toSorted(([one], [other]) => one - other);
    for (const [rank, groups] of ranks) {
      this.#throwIfRemoved(order, machines);
      await this.#apply(order, groups);
      const isLast = rank === ranks.at(-1)?.[0];
      await this.#pods.until(order, groups, isLast ? hasAddress : isReady);
    }
  }

  configure(order: ClusterOrder, change: Change): Promise<InfoMap> {
    this.#recall(order);
    return this.#keepUp.pause(order, async () => {
      const pages = await this.#configure(order, change);
      this.#keepUp.begin(order);
      return pages;
    });
  }

  async #configure(order: ClusterOrder, { added, removed }: Change): Promise<InfoMap> {
    const { cluster, signal } = order;
    await this.#apply(order, cluster.node_groups);
    await this.#pods.until(order, cluster.node_groups, isReady);
    const nodes = await this.#nodesOf(order);
    const engine = this.#engineOf(cluster);
    // Who has just left stays known as leaving: a name node would look for files there until it takes the machine for dead.
    const isSmaller = removed.length > 0 && added.length === 0;
    if (!isSmaller) await this.#programs.tell(engine, nodes, [], signal);
    if (added.length === 0) await this.#useAgain(order, nodes);
    await this.#untilUsable(order, engine.usable(nodes));
    order.report({ machines: await this.#pods.withAddresses(order) });
    const pages = engine.pages(nodes);
    const setting = await this.#settingOf(order);
    if (!showsPages(cluster, setting)) return pages;
    const sources = { objects: this.#objects, pods: this.#pods, clock: this.#options.clock };
    return await addOutsideAddresses(sources, { order, setting, pages });
  }

  /** Probes can go through the API server. One that does not answer is known by its watches. */
  async #untilUsable(order: ClusterOrder, probes: readonly Probe[]): Promise<void> {
    const { signal } = order;
    const observed = this.#pods.observe(order, [podKind]);
    try {
      for (const probe of probes) await waitFor(probe, { ...this.#options, signal, isPaced: true });
    } catch (cause) {
      throwIfUnobserved(observed, signal);
      throw cause;
    } finally {
      observed.close();
    }
  }

  /** If it fails, the machines stay in use. */
  drain(order: ClusterOrder, machines: readonly Machine[]): Promise<void> {
    this.#recall(order);
    return this.#keepUp.pause(order, () => this.#drain(order, machines));
  }

  async #drain(order: ClusterOrder, machines: readonly Machine[]): Promise<void> {
    const { signal } = order;
    const nodes = await this.#nodesOf(order);
    const going = nodes.filter(({ machine }) => machines.some((each) => each.instance_id === machine.instance_id));
    const engine = this.#engineOf(order.cluster);
    await this.#programs.tell(engine, nodes, going, signal);
    await this.#useAgain(order, nodes, going);
    const draining = { ...this.#options, order, nodes, pods: this.#pods, programs: this.#programs };
    for (const process of drainOrder(engine))
      await Promise.all(nodesWith(going, process.name).map((node) => drainProcess(node, process, draining)));
  }

  /** Machines that an earlier drain was about, and that stay. There are none if all machines can be used. */
  async #useAgain(
    { cluster, signal }: ClusterOrder,
    nodes: readonly EngineNode[],
    going: readonly EngineNode[] = [],
  ): Promise<void> {
    const engine = this.#engineOf(cluster);
    const problems = await Promise.all(engine.usable(nodes).map((probe) => ask(probe, this.#options)));
    if (problems.every((problem) => problem === undefined)) return;
    await this.#programs.endDrained(
      engine,
      nodes.filter((node) => !going.includes(node)),
      signal,
    );
  }

  async remove(order: ClusterOrder, machines: readonly Machine[]): Promise<void> {
    const { cluster, tenant } = order;
    const namespace = this.#options.namespaceOf(tenant);
    for (const { instance_id } of machines) this.#removed.add(instance_id);
    await this.#keepUp.end(cluster.id);
    await this.#applying.ended(cluster.id);
    const left = withoutMachines(cluster, machines);
    if (machinesOf(left).length === 0) {
      await this.#objects.removeAll(order, namespace);
      return this.#places.forget(tenant, cluster);
    }
    const smaller = left.node_groups.filter((group, index) => group.instances.length < sizeOf(cluster, index));
    const emptied = smaller.filter(({ instances }) => instances.length === 0);
    for (const group of emptied) await this.#objects.removeGroup(cluster, group, namespace);
    const shrunk = smaller.filter(({ instances }) => instances.length > 0);
    await this.#apply({ ...order, cluster: left }, shrunk);
    const names = cluster.node_groups.flatMap((group, index) => namesBeyond(cluster, group, left.node_groups[index]));
    await this.#objects.gone(order, new Set(names), namespace);
    this.#keepUp.begin({ ...order, cluster: left });
  }

  async adopt(order: ClusterOrder): Promise<Pick<Loss, 'machines' | 'message'> | undefined> {
    this.#recall(order);
    const machines = await this.#missing(order);
    if (machines.length > 0) return { machines, message: lostMessage };
    this.#keepUp.begin(order);
    return undefined;
  }

  async list({ cluster, tenant }: ClusterOrder): Promise<readonly string[]> {
    return machinesThere(await this.#objects.find(cluster, this.#options.namespaceOf(tenant)));
  }

  async load(at: Omit<ClusterOrder, 'report'>) {
    const engine = this.#engineOf(at.cluster);
    if (engine.load === undefined) return undefined;
    return await engine.load(await this.#nodesOf(at), reading(this.#options, at.signal));
  }

  watch(report: (loss: Loss) => boolean): () => void {
    return this.#keepUp.open(report);
  }

  #missing({ cluster, tenant }: ClusterOrder, observed?: Observation): Promise<readonly string[]> {
    return this.#objects.missing(cluster, this.#options.namespaceOf(tenant), observed);
  }

  async #apply(order: ClusterOrder, groups: readonly ClusterGroupRecord[]): Promise<readonly Mark[]> {
    const { cluster } = order;
    const setting = await this.#settingOf(order);
    order.signal.throwIfAborted();
    const work = async () => {
      const marks = [...(await this.#objects.applyShared(cluster, setting))];
      for (const group of groups) marks.push(...(await this.#objects.applyGroup(cluster, group, setting)));
      return marks;
    };
    return await this.#applying.run(cluster.id, work);
  }

  /** A machine with an address is on record only once everything that each cluster has was made. */
  #recall({ cluster, tenant }: ClusterOrder): void {
    if (machinesOf(cluster).some(isUp)) this.#options.api.recall(this.#options.namespaceOf(tenant), ofEachCluster);
  }

  #throwIfRemoved({ signal }: ClusterOrder, machines: readonly Machine[]): void {
    signal.throwIfAborted();
    const gone = machines.find(({ instance_id }) => this.#removed.has(instance_id));
    if (gone !== undefined) throw new Error(`${gone.instance_name} has been removed`);
  }

  async #settingOf({ cluster, tenant }: ClusterOrder): Promise<ClusterSetting> {
    const { flavors, imageOf, pullSecrets, reach, publishing, storageClass, stateSize } = this.#options;
    const engine = this.#engineOf(cluster);
    const place = await this.#places.find(tenant, cluster);
    const images = { imageOf: (process: EngineProcess) => imageOf(cluster, process), pullSecrets };
    return { engine, flavors, ...images, place, reach, publishing, storageClass, stateSize };
  }

  placeOf(tenant: string, cluster: ClusterRecord): Promise<PodPlace> {
    return this.#places.of(tenant, cluster);
  }

  async #nodesOf({ cluster, tenant }: Omit<ClusterOrder, 'report'>): Promise<readonly EngineNode[]> {
    return nodesOf(cluster, await this.placeOf(tenant, cluster));
  }

  #engineOf(cluster: ClusterRecord): Engine {
    return engineOf(this.#options.engines, cluster);
  }
}

const hasAddress: typeof isReady = ({ status }) => status?.podIP !== undefined;

/** That of its first process to start. */
const rankOf = ({ processes }: Engine, { node_processes }: ClusterGroupRecord): number =>
  Math.min(...processes.filter(({ name }) => node_processes.includes(name)).map(({ rank }) => rank));

const sizeOf = ({ node_groups }: ClusterRecord, index: number): number => node_groups[index]?.instances.length ?? 0;

/** The pods of the group that it does not have any more. Those with the highest numbers go. */
const namesBeyond = (
  cluster: ClusterRecord,
  group: ClusterGroupRecord,
  left: ClusterGroupRecord | undefined,
): readonly string[] => podNames(cluster, group).slice(left?.instances.length ?? 0);
