// A machine room: what a provisioner made stays in it, whatever becomes of the service. It can be told to misbehave.
import type { Change, ClusterOrder, Loss, Provisioner } from '../../../src/service/backends/provisioner.ts';
import type { InfoMap, Machine } from '../../../src/service/model/records/records.ts';
import { Hooks } from './hooks.ts';

interface RoomMachine {
  readonly cluster: string;
  readonly address: string;
  configured: boolean;
}

type Method = Exclude<keyof Provisioner, 'watch' | 'checkPlan'>;

export class MachineRoom extends Hooks<Method, ClusterOrder> {
  readonly machines = new Map<string, RoomMachine>();
  /** What a launch answers, of what it has made. */
  answer = (machines: readonly Machine[]): readonly Machine[] => machines;
  /** Throws if it has no room for the cluster. */
  check: Provisioner['checkPlan'] = () => undefined;
  /** Removals have no effect. */
  sticky = false;
  /** Machines that were made, ever. */
  made = 0;
  readonly #reporters = new Set<(loss: Loss) => boolean>();
  /** Removed machines, which a launch that is still under way must not bring back. */
  readonly #removed = new Set<string>();

  /** Machines of the cluster end by themselves. */
  lose(tenant: string, cluster: string, machines: readonly string[], message = 'the power is out'): readonly boolean[] {
    for (const id of machines) this.machines.delete(id);
    return [...this.#reporters].map((report) => report({ tenant, cluster, machines, message }));
  }

  get ids(): readonly string[] {
    return [...this.machines.keys()];
  }

  /** One for each life of the service. */
  provisioner(): Provisioner {
    return {
      checkPlan: (cluster, others) => this.check(cluster, others),
      launch: (order, machines) =>
        this.call('launch', order, () => this.answer(machines.map((machine) => this.#launch(order, machine)))),
      configure: (order, change) => this.call('configure', order, () => this.#configure(order, change)),
      drain: (order) => this.call('drain', order, () => undefined),
      remove: (order, machines) => this.call('remove', order, () => this.#remove(machines)),
      adopt: (order) => this.call('adopt', order, () => this.#adopt(order)),
      list: (order) => this.call('list', order, () => this.#of(order.cluster.id)),
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
