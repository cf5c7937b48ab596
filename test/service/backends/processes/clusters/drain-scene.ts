// A worker that leaves while it has work.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { systemClock } from '../../../../../src/lib/system.ts';
import { readRecord } from '../../../../../src/service/backends/processes/clusters/process-record.ts';
import type { ClusterOrder, Provisioner } from '../../../../../src/service/backends/provisioner.ts';
import type { Engine } from '../../../../../src/service/engines/engine.ts';
import { limitMs } from '../../../../support/patience.ts';
import { folderOf, isAlive, kill, machine, open, start } from './machine-scene.ts';
import { drainingEngine } from './tiny-engine.ts';

/** A worker that is drained, and has work until `relieve` is called. */
export async function drained(
  engine: Engine = drainingEngine('vanilla', '1', ['namenode', 'datanode']),
  clock = systemClock,
) {
  const { root, provisioner, create } = open(engine, { clock });
  const { order, cluster, messages } = await start(provisioner);
  const [head = '', worker = ''] = [0, 1].map((index) => folderOf(root, cluster, index));
  writeFileSync(join(worker, 'busy'), '');
  const drain = await begun(provisioner, order, head);
  const relieve = () => rmSync(join(worker, 'busy'));
  return { provisioner, create, order, head, worker, relieve, messages, ...drain };
}

/** A drain of which the head knows. */
export async function begun(provisioner: Provisioner, order: ClusterOrder, head: string) {
  const read = join(head, 'namenode.read');
  rmSync(read);
  const drain = provisioner.drain(order, [machine(1)]);
  // A rejection that comes early is looked at later.
  drain.catch(() => undefined);
  await vi.waitFor(() => expect([existsSync(read), leavingIn(head)]).toEqual([true, 'c-g-001\n']), limitMs);
  return { drain };
}

export const leavingIn = (head: string) => {
  const file = join(head, 'conf/leaving.txt');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

/** Kills a process, and resolves when another one runs in its place. */
export async function killed(record: string): Promise<void> {
  await vi.waitFor(() => expect(isAlive(readRecord(record))).toBe(true), limitMs);
  const before = readRecord(record);
  kill(record);
  await vi.waitFor(() => {
    expect(readRecord(record)?.pid).not.toBe(before?.pid);
    expect(isAlive(readRecord(record))).toBe(true);
  }, limitMs);
}

export const withDrain = (
  engine: Engine,
  more: Partial<NonNullable<Engine['processes'][number]['drain']>>,
): Engine => ({
  ...engine,
  processes: engine.processes.map((of) => (of.drain ? { ...of, drain: { ...of.drain, ...more } } : of)),
});

export const needed = (): Engine =>
  withDrain(drainingEngine('vanilla', '1', ['namenode', 'datanode']), { isNeeded: true });

/** The worker was told to hand over its work, and then the drain was aborted. */
export async function interrupted() {
  const { root, provisioner } = open(drainingEngine('vanilla', '1', ['namenode', 'datanode']));
  const { order, cluster, messages } = await start(provisioner);
  const [head = '', worker = ''] = [0, 1].map((index) => folderOf(root, cluster, index));
  writeFileSync(join(worker, 'busy'), '');
  const { signal, abort } = abortable();
  const drain = provisioner.drain({ ...order, signal }, [machine(1)]);
  drain.catch(() => undefined);
  await vi.waitFor(() => expect(messages.at(-1)).toContain('draining c-g-001'), limitMs);
  abort();
  await expect(drain).rejects.toThrow('a newer scale');
  const record = join(worker, 'datanode.process');
  return { provisioner, order, head, record, told: readRecord(record)?.pid };
}

export const abortable = () => {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort(new Error('a newer scale')) };
};
