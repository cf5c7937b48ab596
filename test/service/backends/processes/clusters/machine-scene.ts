// Clusters of a head and a worker, made by the provisioner of processes.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../../../../src/lib/ports.ts';
import { systemClock, systemGet } from '../../../../../src/lib/system.ts';
import { Folders } from '../../../../../src/service/backends/processes/clusters/folders.ts';
import { endMachines } from '../../../../../src/service/backends/processes/clusters/machine.ts';
import { ProcessProvisioner } from '../../../../../src/service/backends/processes/clusters/process-provisioner.ts';
import {
  isAlive as isRecordAlive,
  type ProcessRecord,
  readRecord,
} from '../../../../../src/service/backends/processes/clusters/process-record.ts';
import { lookNow } from '../../../../../src/service/backends/processes/clusters/sight.ts';
import type { ClusterReport, Provisioner } from '../../../../../src/service/backends/provisioner.ts';
import { usualFlavors } from '../../../../../src/service/engines/flavors.ts';
import type { ClusterRecord, Machine } from '../../../../../src/service/model/records/records.ts';
import { limitMs } from '../../../../support/patience.ts';
import { clusterOf, groupOf } from '../../../provisioning/battery.ts';
import { portsAt } from '../../../support/listening.ts';
import { tinyEngine } from './tiny-engine.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
export const signal = new AbortController().signal;

/** A data folder, whose machines end with the test. */
function openRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'machines-'));
  onTestFinished(async () => {
    const machines = readdirSync(root).flatMap((cluster) => readdirSync(join(root, cluster)));
    await endMachines(machines, { clock: systemClock, signal });
    rmSync(root, { recursive: true });
  });
  return root;
}

interface Setting {
  readonly clock?: Clock;
  /** How much memory all clusters can have, in MiB. */
  readonly memory?: number;
}

export const open = (
  engine = tinyEngine('vanilla', '1', ['namenode', 'datanode']),
  { clock = systemClock, memory }: Setting = {},
) => {
  const root = openRoot();
  const folders = new Folders(root, () => 'secret');
  const limits = { flavors: usualFlavors, memory, allowsAffinity: false };
  const create = () => new ProcessProvisioner({ folders, engines: [engine], clock, log, get: systemGet, limits });
  return { root, create, provisioner: create() };
};

export const machine = (index: number) => ({
  instance_id: `machine-${index}-of-${process.pid}`,
  instance_name: `c-g-00${index}`,
});

/** A cluster of a head and a worker, which is configured. `first`: the number of its first machine. */
export async function start(provisioner: Provisioner, { id = 'cluster-1', first = 0 } = {}) {
  const groups = (['namenode', 'datanode'] as const).map((name, index) => groupOf(name, [machine(first + index)]));
  const cluster = { ...clusterOf(groups), id };
  const messages: string[] = [];
  const report = ({ message }: ClusterReport) => void (message !== undefined && messages.push(message));
  const order = { tenant: 't', cluster, signal, report };
  const machines = groups.flatMap(({ instances }) => instances);
  await provisioner.launch(order, machines);
  const info = await provisioner.configure(order, { added: machines, removed: [] });
  return { order, machines, cluster, info, messages };
}

export const folderOf = (root: string, cluster: ClusterRecord, index: number) =>
  join(root, cluster.id, machine(index).instance_id);

export const isAlive = (record: ProcessRecord | undefined): boolean => record !== undefined && isRecordAlive(record);

/** The processes that run on the machines, also those that others have started. */
export const processesOf = (machines: readonly Machine[]) =>
  machines.flatMap(({ instance_id }) => lookNow().ofMachine(instance_id));

/** The address of the machine whose folder it is. */
const addressIn = (folder: string): string =>
  (JSON.parse(readFileSync(join(folder, 'machine.json'), 'utf8')) as { readonly address: string }).address;

/**
 * Ends a process at once, and returns when its port is free: some of its threads can outlive the first one, and keep it. Nothing else of this process has a turn
 * before that, so what is started in its place can listen there.
 */
export function kill(record: string): void {
  const known = readRecord(record);
  if (known === undefined) throw new Error(`there is no record ${record}`);
  process.kill(known.pid, 'SIGKILL');
  const address = addressIn(dirname(record));
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const deadline = performance.now() + limitMs;
  while (portsAt([address]).length > 0) {
    if (performance.now() > deadline) throw new Error(`something still listens at ${address}`);
    Atomics.wait(pause, 0, 0, 1);
  }
}

/** Watches all clusters. Its answers say up to how many losses they are kept up. */
export function watch(provisioner: Provisioner, most = Number.POSITIVE_INFINITY): readonly string[] {
  const losses: string[] = [];
  onTestFinished(provisioner.watch(({ cluster, message }) => losses.push(`${cluster}: ${message}`) < most));
  return losses;
}
