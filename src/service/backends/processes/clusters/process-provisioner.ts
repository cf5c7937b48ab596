// A provisioner whose machines are folders, and whose processes are processes of this computer.
import type { CommonPorts } from '../../../../lib/ports.ts';
import { checkSize } from '../../../engines/check-engine.ts';
import { type Engine, type EngineNode, type EngineProcess, engineOf, nodesWith } from '../../../engines/engine.ts';
import { type Get, reading, waitFor } from '../../../engines/probes.ts';
import { isThere } from '../../../model/disk/atomic-files.ts';
import { machinesOf, withoutMachines } from '../../../model/records/machines.ts';
import type { ClusterRecord, InfoMap, Machine } from '../../../model/records/records.ts';
import type { Change, ClusterOrder, Loss, Provisioner } from '../../provisioner.ts';
import { Removed } from '../../removed.ts';
import { tellWhoGoes, waitUntilDrained } from './drain.ts';
import type { Folders } from './folders.ts';
import { endMachines, ensureProcess, findEnd } from './machine.ts';
import { checkPlan, type PlanLimits, plannedOf } from './plan-checks.ts';
import { Watch } from './watch.ts';

interface ProcessesOptions extends CommonPorts {
  readonly folders: Folders;
  readonly engines: readonly Engine[];
  readonly get: Get;
  readonly limits: PlanLimits;
}

export class ProcessProvisioner implements Provisioner {
  readonly #options: ProcessesOptions;
  /** Removed machines, which a launch that has not ended must not make again. */
  readonly #removed = new Removed();
  /** The machines that are being drained, by the identifier of their cluster. */
  readonly #leaving = new Map<string, readonly EngineNode[]>();
  readonly #watch: Watch;

  constructor(options: ProcessesOptions) {
    this.#options = options;
    const { clock, log } = options;
    this.#watch = new Watch({
      clock,
      log,
      findMissing: (cluster) => this.#missing(cluster),
      findEnded: (cluster) => this.#findEnded(cluster),
      start: (order) => this.#startAll(order, this.#engineOf(order.cluster), this.#nodesOf(order.cluster)),
    });
  }

  checkPlan(cluster: ClusterRecord, others: readonly ClusterRecord[]): void {
    const { engines, limits } = this.#options;
    checkPlan([engineOf(engines, cluster), cluster], plannedOf(engines, others), limits);
  }

  async launch({ cluster, signal }: ClusterOrder, machines: readonly Machine[]): Promise<readonly Machine[]> {
    const { folders, clock } = this.#options;
    checkSize(cluster);
    this.#engineOf(cluster).checkLayout(cluster);
    // Processes can be left of a machine whose folder was deleted.
    const unknown = machines.filter(({ instance_id }) => folders.address(cluster.id, instance_id) === undefined);
    if (unknown.length > 0) await endMachines(identifiersOf(unknown), { clock, signal });
    const launched: Machine[] = [];
    for (const machine of machines) {
      const { instance_id, instance_name } = machine;
      signal.throwIfAborted();
      if (this.#removed.has(instance_id)) throw new Error(`${instance_name} has been removed`);
      const address = folders.make(cluster, machine);
      launched.push({ ...machine, internal_ip: address, management_ip: address });
    }
    return launched;
  }

  async configure(order: ClusterOrder, _change: Change): Promise<InfoMap> {
    const engine = this.#engineOf(order.cluster);
    engine.checkLayout(order.cluster);
    const before = await this.#watch.end(order.cluster.id);
    this.#leaving.delete(order.cluster.id);
    const nodes = this.#nodesOf(order.cluster);
    try {
      await this.#startAll(order, engine, nodes);
    } catch (cause) {
      // Its machines stay on record, those that were added, too.
      if (before !== undefined) this.#watch.begin(order);
      throw cause;
    }
    this.#watch.begin(order);
    return engine.pages(nodes);
  }

  async drain(order: ClusterOrder, machines: readonly Machine[]): Promise<void> {
    const { cluster, signal } = order;
    const { clock, get } = this.#options;
    const nodes = this.#nodesOf(cluster);
    const going = nodes.filter(({ machine }) => isOneOf(machines, machine));
    const report: ClusterOrder['report'] = (reported) => order.report(reported);
    const draining = { clock, get, signal, report, engine: this.#engineOf(cluster), nodes, going };
    await this.#watch.end(cluster.id);
    this.#leaving.set(cluster.id, going);
    try {
      await tellWhoGoes(draining);
      // The others are kept up meanwhile, because what they do can take long.
      this.#watch.begin({ ...order, cluster: withoutMachines(cluster, machines) });
      await waitUntilDrained(draining);
    } catch (cause) {
      // The machines stay in use.
      this.#leaving.delete(cluster.id);
      await this.#watch.end(cluster.id);
      this.#watch.begin(order);
      throw cause;
    }
  }

  async remove({ cluster, signal }: ClusterOrder, machines: readonly Machine[]): Promise<void> {
    const { folders, clock } = this.#options;
    for (const { instance_id } of machines) this.#removed.add(instance_id);
    await this.#release(cluster.id, machines);
    await Promise.all(
      machines.map(async ({ instance_id }) => {
        await endMachines([instance_id], { clock, signal });
        folders.remove(cluster.id, instance_id);
      }),
    );
  }

  async adopt(order: ClusterOrder): Promise<Pick<Loss, 'machines' | 'message'> | undefined> {
    const { cluster } = order;
    const lost = this.#missing(cluster);
    if (lost.length > 0) return { machines: lost, message: 'the folders of machines are gone' };
    this.#watch.begin(order);
    return undefined;
  }

  async list({ cluster }: ClusterOrder): Promise<readonly string[]> {
    return this.#options.folders.list(cluster.id);
  }

  async load({ cluster, signal }: Omit<ClusterOrder, 'report'>) {
    return await this.#engineOf(cluster).load?.(this.#nodesOf(cluster), reading(this.#options, signal));
  }

  watch(report: (loss: Loss) => boolean): () => void {
    return this.#watch.open(report);
  }

  /** The machines are not kept up any more. */
  async #release(cluster: string, machines: readonly Machine[]): Promise<void> {
    const order = await this.#watch.end(cluster);
    if (order === undefined) return;
    const left = withoutMachines(order.cluster, machines);
    if (machinesOf(left).length > 0) this.#watch.begin({ ...order, cluster: left });
  }

  #findEnded(cluster: ClusterRecord): string | undefined {
    const nodes = this.#nodesOf(cluster);
    const ended = this.#engineOf(cluster).processes.flatMap((process) =>
      nodesWith(nodes, process.name).flatMap((node) => findEnd(node, process) ?? []),
    );
    return ended.length === 0 ? undefined : ended.join('; ');
  }

  async #startAll({ cluster, signal }: ClusterOrder, engine: Engine, nodes: readonly EngineNode[]): Promise<void> {
    const { clock, get } = this.#options;
    const around = { nodes, leaving: this.#leaving.get(cluster.id) ?? [] };
    const byRank = Map.groupBy(engine.processes, ({ rank }: EngineProcess) => rank);
    for (const [, processes] of [...byRank].toSorted(([one], [other]) => one - other)) {
      const starts = processes.flatMap((process) =>
        nodesWith(nodes, process.name).map((node) => ensureProcess(node, around, process, { clock, signal, get })),
      );
      await Promise.all(starts);
    }
    // A process that ends meanwhile is not counted by any master.
    const hopeless = () => this.#findEnded(cluster);
    for (const probe of engine.usable(nodes)) await waitFor(probe, { clock, signal, get, hopeless });
  }

  #missing(cluster: ClusterRecord): readonly string[] {
    const { folders } = this.#options;
    const ids = machinesOf(cluster).map(({ instance_id }) => instance_id);
    return ids.filter((each) => !isThere(folders.machine(cluster.id, each)));
  }

  #engineOf(cluster: ClusterRecord): Engine {
    return engineOf(this.#options.engines, cluster);
  }

  #nodesOf(cluster: ClusterRecord): readonly EngineNode[] {
    return this.#options.folders.nodes(cluster);
  }
}

const identifiersOf = (machines: readonly Machine[]): readonly string[] => machines.map((each) => each.instance_id);

const isOneOf = (machines: readonly Machine[], { instance_id }: Machine): boolean =>
  machines.some((machine) => machine.instance_id === instance_id);
