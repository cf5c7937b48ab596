// A machine room: what a provisioner made stays in it, whatever becomes of the service. It can be told to misbehave.
import type { Change, ClusterOrder, Loss, Provisioner } from '../../../src/service/clusters/provisioner.ts';
import type { InfoMap, Machine } from '../../../src/service/records/records.ts';

interface RoomMachine {
  readonly cluster: string;
  readonly address: string;
  configured: boolean;
}

type Method = Exclude<keyof Provisioner, 'watch'>;
/** Runs before or after what a call does. */
type Hook = (order: ClusterOrder) => Promise<void> | void;

export class MachineRoom {
  readonly machines = new Map<string, RoomMachine>();
  /** Names of the calls, in order. */
  readonly calls: string[] = [];
  /** What a launch answers, of what it has made. */
  answer = (machines: readonly Machine[]): readonly Machine[] => machines;
  /** Removals have no effect. */
  sticky = false;
  /** Machines that were made, ever. */
  made = 0;
  readonly #reporters = new Set<(loss: Loss) => void>();
  readonly #before = new Map<Method, Hook>();
  readonly #after = new Map<Method, Hook>();
  /** Removed machines, which a launch that is still under way must not bring back. */
  readonly #removed = new Set<string>();

  before(method: Method, hook: Hook): void {
    this.#before.set(method, hook);
  }

  after(method: Method, hook: Hook): void {
    this.#after.set(method, hook);
  }

  well(): void {
    this.#before.clear();
    this.#after.clear();
  }

  /** Machines of the cluster end by themselves. */
  lose(tenant: string, cluster: string, machines: readonly string[], message = 'the power is out'): void {
    for (const id of machines) this.machines.delete(id);
    for (const report of this.#reporters) report({ tenant, cluster, machines, message });
  }

  get ids(): readonly string[] {
    return [...this.machines.keys()];
  }

  /** One for each life of the service. */
  provisioner(): Provisioner {
    const call = async <T>(method: Method, order: ClusterOrder, work: () => T): Promise<T> => {
      this.calls.push(method);
      await this.#before.get(method)?.(order);
      const result = work();
      await this.#after.get(method)?.(order);
      return result;
    };
    return {
      launch: (order, machines) =>
        call('launch', order, () => this.answer(machines.map((machine) => this.#launch(order, machine)))),
      configure: (order, change) => call('configure', order, () => this.#configure(order, change)),
      drain: (order) => call('drain', order, () => undefined),
      remove: (order, machines) => call('remove', order, () => this.#remove(machines)),
      adopt: (order) => call('adopt', order, () => this.#adopt(order)),
      list: (order) => call('list', order, () => this.#of(order.cluster.id)),
      check: (order) =>
        call('check', order, () => [
          { name: 'Machines', healthy: this.#adopt(order) === undefined, description: 'all machines are counted' },
        ]),
      watch: (report) => {
        this.#reporters.add(report);
        return () => void this.#reporters.delete(report);
      },
    };
  }

  #of(cluster: string): readonly string[] {
    return [...this.machines].filter(([, machine]) => machine.cluster === cluster).map(([id]) => id);
  }

  #launch({ cluster }: ClusterOrder, machine: Machine): Machine {
    const { instance_id } = machine;
    const known = this.machines.get(instance_id);
    const address = known?.address ?? `10.0.0.${this.made + 1}`;
    if (known === undefined && !this.#removed.has(instance_id)) {
      this.made += 1;
      this.machines.set(instance_id, { cluster: cluster.id, address, configured: false });
    }
    return { ...machine, internal_ip: address, management_ip: address };
  }

  #configure({ cluster }: ClusterOrder, _change: Change): InfoMap {
    const wanted = cluster.node_groups.flatMap(({ instances }) => instances);
    for (const { instance_id, internal_ip } of wanted) {
      const machine = this.machines.get(instance_id);
      if (machine === undefined && internal_ip !== undefined) throw new Error(`there is no machine ${instance_id}`);
      if (machine !== undefined) machine.configured = true;
    }
    return { Room: { 'Web UI': 'http://10.0.0.1:8080' } };
  }

  #remove(machines: readonly Machine[]): void {
    if (this.sticky) return;
    for (const { instance_id } of machines) {
      this.machines.delete(instance_id);
      this.#removed.add(instance_id);
    }
  }

  #adopt({ cluster }: ClusterOrder): Pick<Loss, 'machines' | 'message'> | undefined {
    const ids = cluster.node_groups.flatMap(({ instances }) => instances.map(({ instance_id }) => instance_id));
    const lost = ids.filter((id) => !this.machines.has(id));
    return lost.length === 0 ? undefined : { machines: lost, message: 'machines ended while the service was down' };
  }
}
