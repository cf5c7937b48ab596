// The calls of a provisioner, with their deadlines, their number at a time, and what the lifecycle can rely on after each of them.
import PQueue from 'p-queue';
import { messageOf } from '../../../lib/errors.ts';
import type { Change, ClusterOrder, ClusterReport, Loss, Provisioner } from '../../backends/provisioner.ts';
import { Transient } from '../../model/disk/transient.ts';
import { isUp, machinesOf, updateMachines } from '../../model/records/machines.ts';
import type { ClusterRecord, InfoMap, Machine } from '../../model/records/records.ts';
import type { CallAt } from '../stages/stage-runner.ts';

/** How long a call may take, in ms. */
const deadlines = {
  launch: 15 * 60_000,
  configure: 15 * 60_000,
  // Engines have limits of their own, which users can set.
  drain: 7 * 24 * 60 * 60_000,
  remove: 10 * 60_000,
  list: 60_000,
  adopt: 2 * 60_000,
} as const;
type CallName = keyof typeof deadlines;

const clustersAre = (count: number): string => (count === 1 ? '1 cluster is' : `${count} clusters are`);

/** The cluster that a call is made for. */
export interface CallTarget {
  readonly tenant: string;
  readonly record: ClusterRecord;
  readonly signal: AbortSignal;
}

export interface CallsOptions {
  readonly provisioner: Provisioner;
  /** How many launches and configurations there are at a time. */
  readonly maxConcurrent: number;
  readonly limit: <T>(call: CallAt, work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
  readonly report: (tenant: string, id: string, report: ClusterReport) => void;
}

/** A machine whose addresses are known already is not touched. */
function withAddresses(cluster: ClusterRecord, now: string, machines: readonly Machine[]): ClusterRecord {
  const reported = new Map(machines.map((machine) => [machine.instance_id, machine]));
  const changed = machinesOf(cluster).flatMap((known): readonly Machine[] => {
    const { internal_ip, management_ip } = reported.get(known.instance_id) ?? known;
    const isSame = known.internal_ip === internal_ip && known.management_ip === management_ip;
    return isSame ? [] : [{ ...known, internal_ip, management_ip }];
  });
  return changed.length === 0 ? cluster : updateMachines(cluster, now, changed);
}

/** The cluster with what its provisioner reports: the addresses of machines, and a description. */
export function applyReport(cluster: ClusterRecord, now: string, { machines, message }: ClusterReport): ClusterRecord {
  const placed = machines === undefined ? cluster : withAddresses(cluster, now, machines);
  return message === undefined ? placed : { ...placed, status_description: message, updated_at: now };
}

export class ProvisionerCalls {
  readonly #options: CallsOptions;
  /** Removals never wait for it. */
  readonly #queue: PQueue;

  constructor(options: CallsOptions) {
    this.#options = options;
    this.#queue = new PQueue({ concurrency: options.maxConcurrent });
  }

  /** Resolves when every machine of the cluster has an address. Resolves to the machines that were launched. */
  async launch(at: CallTarget): Promise<readonly Machine[]> {
    const machines = machinesOf(at.record);
    const down = machines.filter((machine) => !isUp(machine));
    const up = new Set(machines.filter(isUp).map(({ instance_id }) => instance_id));
    const launched = await this.#queued(at, () =>
      this.#call('launch', at, (order) => {
        const report = (reported: ClusterReport) => {
          for (const machine of reported.machines?.filter(isUp) ?? []) up.add(machine.instance_id);
          order.report(reported);
        };
        return this.#options.provisioner.launch({ ...order, report }, down);
      }),
    );
    for (const machine of launched.filter(isUp)) up.add(machine.instance_id);
    const started = down.filter(({ instance_id }) => up.has(instance_id)).length;
    if (started < down.length) throw new Error(`only ${started} of ${down.length} machines have been started`);
    return launched;
  }

  configure(at: CallTarget, change: Change): Promise<InfoMap> {
    return this.#queued(at, () =>
      this.#call('configure', at, (order) => this.#options.provisioner.configure(order, change)),
    );
  }

  drain(at: CallTarget, machines: readonly Machine[]): Promise<void> {
    return this.#call('drain', at, (order) => this.#options.provisioner.drain(order, machines));
  }

  /**
   * Resolves when the machines are gone, which the provisioner is asked for. Rejects with `Transient`, which begins with the problem, because machines
   * must not be forgotten while they exist. `left`: the cluster without them.
   */
  async remove(at: CallTarget, machines: readonly Machine[], left: ClusterRecord, problem: string): Promise<void> {
    const { provisioner } = this.#options;
    try {
      await this.#call('remove', at, (order) => provisioner.remove(order, machines));
      const there = new Set(await this.#call('list', { ...at, record: left }, (order) => provisioner.list(order)));
      const remaining = machines.filter(({ instance_id }) => there.has(instance_id)).length;
      if (remaining > 0) throw new Error(`${remaining} of ${machines.length} are still there`);
    } catch (cause) {
      throw new Transient(`${problem}: ${messageOf(cause)}`, { cause });
    }
  }

  adopt(at: CallTarget): Promise<Pick<Loss, 'machines' | 'message'> | undefined> {
    return this.#call('adopt', at, (order) => this.#options.provisioner.adopt(order));
  }

  #call<T>(name: CallName, at: CallTarget, work: (order: ClusterOrder) => Promise<T>): Promise<T> {
    const { limit, report } = this.#options;
    const { tenant, record: cluster } = at;
    const call = { tenant, id: cluster.id, signal: at.signal, name, deadlineMs: deadlines[name] };
    const reportHere = (reported: ClusterReport) => report(tenant, cluster.id, reported);
    return limit(call, (signal) => work({ tenant, cluster, signal, report: reportHere }));
  }

  /** The abort of a call that waits for its turn ends the wait. */
  async #queued<T>({ tenant, record, signal }: CallTarget, work: () => Promise<T>): Promise<T> {
    const { maxConcurrent, report } = this.#options;
    if (this.#queue.pending >= maxConcurrent)
      report(tenant, record.id, {
        message: `waiting: ${clustersAre(maxConcurrent)} being created, the maximum of --max-concurrent`,
      });
    const waiting = new AbortController();
    const end = () => waiting.abort(signal.reason);
    signal.addEventListener('abort', end);
    const start = () => {
      signal.removeEventListener('abort', end);
      return work();
    };
    try {
      return await this.#queue.add(start, { signal: waiting.signal });
    } finally {
      signal.removeEventListener('abort', end);
    }
  }
}
