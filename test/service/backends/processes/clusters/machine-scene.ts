// Clusters of a head and a worker, made by the provisioner of processes.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock, systemGet } from '../../../../../src/lib/system.ts';
import { Folders } from '../../../../../src/service/backends/processes/clusters/folders.ts';
import { endMachines } from '../../../../../src/service/backends/processes/clusters/machine.ts';
import { ProcessProvisioner } from '../../../../../src/service/backends/processes/clusters/process-provisioner.ts';
import {
  isAlive as isRecordAlive,
  type ProcessRecord,
  readRecord,
} from '../../../../../src/service/backends/processes/clusters/process-record.ts';
import type { ClusterReport, Provisioner } from '../../../../../src/service/backends/provisioner.ts';
import { usualFlavors } from '../../../../../src/service/engines/flavors.ts';
import type { ClusterRecord } from '../../../../../src/service/model/records/records.ts';
import { clusterOf, groupOf } from '../../../provisioning/battery.ts';
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

export const open = (engine = tinyEngine('vanilla', '1', ['namenode', 'datanode'])) => {
  const root = openRoot();
  const folders = new Folders(root, () => 'secret');
  const limits = { flavors: usualFlavors, memory: undefined, allowsAffinity: false };
  const create = () =>
    new ProcessProvisioner({ folders, engines: [engine], clock: systemClock, log, get: systemGet, limits });
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

/** Ends a process at once. */
export function kill(record: string): void {
  process.kill(readRecord(record)?.pid ?? 0, 'SIGKILL');
}

/** Watches all clusters. Its answers say up to how many losses they are kept up. */
export function watch(provisioner: Provisioner, most = Number.POSITIVE_INFINITY): readonly string[] {
  const losses: string[] = [];
  onTestFinished(provisioner.watch(({ cluster, message }) => losses.push(`${cluster}: ${message}`) < most));
  return losses;
}
