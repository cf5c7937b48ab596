// A provisioner whose machines are folders, and whose processes are processes of this computer.
import { existsSync } from 'node:fs';
import { messageOf } from '../../lib/errors.ts';
import type { Clock, Log } from '../../lib/ports.ts';
import { sleep } from '../../lib/wait.ts';
import type { Change, Check, ClusterOrder, Loss, Provisioner } from '../clusters/provisioner.ts';
import { type Engine, type EngineNode, type EngineProcess, engineOf, nodesWith } from '../engines/engine.ts';
import type { ClusterRecord, InfoMap, Machine } from '../records/records.ts';
import type { Folders } from './folders.ts';
import { endMachine, ensureProcess, findProblem, isRunning } from './machine.ts';
import { ask, type Get, waitFor } from './probes.ts';
import { readRecord, signalProcess } from './process-record.ts';

interface ProcessesOptions {
  readonly folders: Folders;
  readonly engines: readonly Engine[];
  readonly clock: Clock;
  readonly log: Log;
  readonly get: Get;
}

const watchMs = 1000;

export class ProcessProvisioner implements Provisioner {
  readonly #options: ProcessesOptions;
  /** Removed machines, which a launch that has not ended must not make again. */
  readonly #removed = new Set<string>();
  /** The clusters that are watched, as they were last. */
  readonly #watched = new Map<string, ClusterOrder>();
  /** The cluster whose processes the watch is starting again. */
  #revival:
    | { readonly cluster: string; readonly controller: AbortController; readonly done: Promise<void> }
    | undefined;

  constructor(options: ProcessesOptions) {
    this.#options = options;
  }

  async launch({ cluster, signal }: ClusterOrder, machines: readonly Machine[]): Promise<readonly Machine[]> {
    const { folders, clock } = this.#options;
    this.#engineOf(cluster).checkLayout(cluster);
    await this.#endRevival(cluster.id);
    const launched: Machine[] = [];
    for (const machine of machines) {
      const { instance_id, instance_name } = machine;
      // Processes can be left of a machine whose folder was deleted.
      if (folders.address(cluster.id, instance_id) === undefined) await endMachine(instance_id, { clock, signal });
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
    this.#watched.delete(order.cluster.id);
    await this.#endRevival(order.cluster.id);
    const nodes = this.#nodesOf(order.cluster);
    await this.#startAll(order, engine, nodes);
    this.#watched.set(order.cluster.id, order);
    return engine.pages(nodes);
  }

  async drain({ cluster, signal }: ClusterOrder, machines: readonly Machine[]): Promise<void> {
    const asking = this.#options;
    const going = this.#nodesOf(cluster).filter(({ machine }) =>
      machines.some(({ instance_id }) => instance_id === machine.instance_id),
    );
    for (const process of this.#engineOf(cluster).processes) {
      const { drain } = process;
      if (drain === undefined) continue;
      const nodes = nodesWith(going, process.name);
      for (const node of nodes) {
        const record = readRecord(`${node.folder}/${process.name}.process`);
        if (record !== undefined) signalProcess(record, drain.signal);
      }
      // A process that has ended has nothing left to do.
      const hopeless = (node: EngineNode) => () => (isRunning(node, process) ? undefined : `${process.name} has ended`);
      const drained = nodes.map((node) =>
        waitFor(drain.done(node), { ...asking, signal, hopeless: hopeless(node) }).catch((cause: unknown) => {
          if (signal.aborted || isRunning(node, process)) throw cause;
        }),
      );
      await Promise.all(drained);
    }
  }

  async remove({ cluster, signal }: ClusterOrder, machines: readonly Machine[]): Promise<void> {
    const { folders, clock } = this.#options;
    for (const { instance_id } of machines) this.#removed.add(instance_id);
    const watched = this.#watched.get(cluster.id);
    this.#watched.delete(cluster.id);
    await this.#endRevival(cluster.id);
    await Promise.all(
      machines.map(async ({ instance_id }) => {
        await endMachine(instance_id, { clock, signal });
        folders.remove(cluster.id, instance_id);
      }),
    );
    const left = watched && { ...watched, cluster: without(watched.cluster, machines) };
    if (left !== undefined && this.#nodesOf(left.cluster).length > 0) this.#watched.set(cluster.id, left);
  }

  async adopt(order: ClusterOrder): Promise<Pick<Loss, 'machines' | 'message'> | undefined> {
    const { cluster } = order;
    const lost = this.#missing(cluster);
    if (lost.length > 0) return { machines: lost, message: 'the folders of machines are gone' };
    this.#watched.set(cluster.id, order);
    return undefined;
  }

  async list({ cluster }: ClusterOrder): Promise<readonly string[]> {
    return this.#options.folders.list(cluster.id);
  }

  async check({ cluster }: ClusterOrder): Promise<readonly Check[]> {
    const engine = this.#engineOf(cluster);
    const nodes = this.#nodesOf(cluster);
    const checks = engine.processes.flatMap((process) =>
      nodesWith(nodes, process.name).map(async (node) => {
        const problem = await findProblem(node, process, this.#options);
        const name = `${process.name} on ${node.machine.instance_name}`;
        return { name, healthy: problem === undefined, description: problem ?? 'It answers' };
      }),
    );
    const usable = engine.usable(nodes).map(async (probe) => {
      const problem = await ask(probe, this.#options);
      return { name: `Cluster: ${probe.wanted}`, healthy: problem === undefined, description: problem ?? 'It holds' };
    });
    const missing = this.#missing(cluster).length;
    const description = missing === 0 ? 'All machines are there' : `${missing} machines are gone`;
    return [{ name: 'Machines', healthy: missing === 0, description }, ...(await Promise.all([...checks, ...usable]))];
  }

  watch(report: (loss: Loss) => void): () => void {
    const ending = new AbortController();
    const rounds = async (): Promise<void> => {
      while (!ending.signal.aborted) {
        await sleep(this.#options.clock, watchMs, ending.signal);
        for (const order of this.#watched.values()) {
          if (ending.signal.aborted) return;
          const controller = new AbortController();
          const signal = AbortSignal.any([ending.signal, controller.signal]);
          const done = this.#revive(order, signal, report);
          this.#revival = { cluster: order.cluster.id, controller, done };
          await done;
        }
      }
    };
    rounds().catch((err: unknown) => this.#options.log.error({ err }, 'cannot watch machines any more'));
    return () => ending.abort();
  }

  /** Starts again what has ended. Reports it, and the machines that are gone. */
  async #revive(order: ClusterOrder, signal: AbortSignal, report: (loss: Loss) => void): Promise<void> {
    const { cluster, tenant } = order;
    const lost = this.#missing(cluster);
    if (lost.length > 0) {
      this.#watched.delete(cluster.id);
      return report({ tenant, cluster: cluster.id, machines: lost, message: 'the folders of machines are gone' });
    }
    const engine = this.#engineOf(cluster);
    const nodes = this.#nodesOf(cluster);
    const ended = engine.processes.flatMap((process) =>
      nodesWith(nodes, process.name)
        .filter((node) => !isRunning(node, process))
        .map((node) => ({ node, process })),
    );
    if (ended.length === 0) return;
    const names = ended.map(({ node, process }) => `${process.name} on ${node.machine.instance_name}`).join(', ');
    const say = (message: string) => report({ tenant, cluster: cluster.id, machines: [], message });
    say(`${names} ended and is started again`);
    try {
      await this.#startAll({ ...order, signal }, engine, nodes);
    } catch (cause) {
      if (signal.aborted) return;
      const machines = ended.map(({ node }) => node.machine.instance_id);
      report({ tenant, cluster: cluster.id, machines, message: messageOf(cause) });
    }
  }

  /** Calls of the lifecycle come first. */
  async #endRevival(cluster: string): Promise<void> {
    if (this.#revival?.cluster !== cluster) return;
    this.#revival.controller.abort();
    await this.#revival.done;
  }

  async #startAll({ signal }: ClusterOrder, engine: Engine, nodes: readonly EngineNode[]): Promise<void> {
    const { clock, get } = this.#options;
    const byRank = Map.groupBy(engine.processes, ({ rank }: EngineProcess) => rank);
    for (const [, processes] of [...byRank].toSorted(([one], [other]) => one - other)) {
      const starts = processes.flatMap((process) =>
        nodesWith(nodes, process.name).map((node) => ensureProcess(node, nodes, process, { clock, signal, get })),
      );
      await Promise.all(starts);
    }
    for (const probe of engine.usable(nodes)) await waitFor(probe, { clock, signal, get });
  }

  #missing({ id, node_groups }: ClusterRecord): readonly string[] {
    const { folders } = this.#options;
    const ids = node_groups.flatMap(({ instances }) => instances.map(({ instance_id }) => instance_id));
    return ids.filter((each) => !existsSync(folders.machine(id, each)));
  }

  #engineOf(cluster: ClusterRecord): Engine {
    return engineOf(this.#options.engines, cluster);
  }

  #nodesOf(cluster: ClusterRecord): readonly EngineNode[] {
    return this.#options.folders.nodes(cluster);
  }
}

const without = (cluster: ClusterRecord, gone: readonly Machine[]): ClusterRecord => ({
  ...cluster,
  node_groups: cluster.node_groups.map((group) => ({
    ...group,
    instances: group.instances.filter(({ instance_id }) =>
      gone.every((machine) => machine.instance_id !== instance_id),
    ),
  })),
});
