// Processes that die while machines are drained: none of them keeps the drain from its end, and no data is lost.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../../../src/lib/system.ts';
import { readRecord } from '../../../../../src/service/backends/processes/clusters/process-record.ts';
import { lookNow } from '../../../../../src/service/backends/processes/clusters/sight.ts';
import type { ClusterOrder, Provisioner } from '../../../../../src/service/backends/provisioner.ts';
import type { Engine, EngineNode } from '../../../../../src/service/engines/engine.ts';
import { fastClock } from '../../../../support/fast-clock.ts';
import { limitMs } from '../../../../support/patience.ts';
import { folderOf, isAlive, kill, machine, open, start, watch } from './machine-scene.ts';
import { drainingEngine, page } from './tiny-engine.ts';

/** A worker that is drained, and has work until `relieve` is called. */
async function drained(engine: Engine = drainingEngine('vanilla', '1', ['namenode', 'datanode']), clock = systemClock) {
  const { root, provisioner, create } = open(engine, { clock });
  const { order, cluster, messages } = await start(provisioner);
  const [head = '', worker = ''] = [0, 1].map((index) => folderOf(root, cluster, index));
  writeFileSync(join(worker, 'busy'), '');
  const drain = await begun(provisioner, order, head);
  const relieve = () => rmSync(join(worker, 'busy'));
  return { provisioner, create, order, head, worker, relieve, messages, ...drain };
}

/** A drain of which the head knows. */
async function begun(provisioner: Provisioner, order: ClusterOrder, head: string) {
  const read = join(head, 'namenode.read');
  rmSync(read);
  const drain = provisioner.drain(order, [machine(1)]);
  // A rejection that comes early is looked at later.
  drain.catch(() => undefined);
  await vi.waitFor(() => expect([existsSync(read), leavingIn(head)]).toEqual([true, 'c-g-001\n']), limitMs);
  return { drain };
}

const leavingIn = (head: string) => {
  const file = join(head, 'conf/leaving.txt');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

/** Kills a process, and resolves when another one runs in its place. */
async function killed(record: string): Promise<void> {
  await vi.waitFor(() => expect(isAlive(readRecord(record))).toBe(true), limitMs);
  const before = readRecord(record);
  kill(record);
  await vi.waitFor(() => {
    expect(readRecord(record)?.pid).not.toBe(before?.pid);
    expect(isAlive(readRecord(record))).toBe(true);
  }, limitMs);
}

const withDrain = (engine: Engine, more: Partial<NonNullable<Engine['processes'][number]['drain']>>): Engine => ({
  ...engine,
  processes: engine.processes.map((of) => (of.drain ? { ...of, drain: { ...of.drain, ...more } } : of)),
});

const needed = (): Engine => withDrain(drainingEngine('vanilla', '1', ['namenode', 'datanode']), { isNeeded: true });

describe('a drain ends', () => {
  test('when the process on the machine that leaves has died, because others do its work again', async () => {
    const { worker, drain } = await drained();
    kill(join(worker, 'datanode.process'));
    await drain;
    expect(isAlive(readRecord(join(worker, 'datanode.process')))).toBe(false);
  });

  test('when a process that has data was started again after its death, and is done', async () => {
    const { worker, drain, relieve } = await drained(needed());
    await killed(join(worker, 'datanode.process'));
    relieve();
    await drain;
    expect(isAlive(readRecord(join(worker, 'datanode.process')))).toBe(true);
  });

  test('with a failure when a process that has data dies again and again, and the machine stays in use', async () => {
    const { provisioner, order, head, worker, drain } = await drained(needed());
    const record = join(worker, 'datanode.process');
    for (let time = 0; time < 3; time += 1) await killed(record);
    writeFileSync(join(worker, 'datanode.log'), 'the disk is broken\n');
    kill(record);
    await expect(drain).rejects.toThrow('datanode on c-g-001 has ended: the disk is broken');
    await provisioner.configure(order, { added: [], removed: [] });
    expect(isAlive(readRecord(record))).toBe(true);
    expect(leavingIn(head)).toBe('');
  });

  test('when it takes too long, because others do what is left again', async () => {
    const engine = drainingEngine('vanilla', '1', ['namenode', 'datanode']);
    const { worker, messages, drain } = await drained(withDrain(engine, { limitMs: () => 500 }));
    await drain;
    expect(messages.at(-1)).toBe('draining c-g-001: waiting until it has no work, for 0.5 s at most');
    expect(isAlive(readRecord(join(worker, 'datanode.process')))).toBe(true);
  });

  test('with a failure when it takes too long, and the machine has data', async () => {
    const { drain } = await drained(withDrain(needed(), { limitMs: () => 500 }));
    await expect(drain).rejects.toThrow('datanode on c-g-001 has not been drained within 0.5 s');
  });

  test.each([
    ['something would be lost', () => async () => '/a is open', '/a is open'],
    [
      'nobody knows whether something would be lost',
      () => async () => Promise.reject(new Error('no report')),
      'no report',
    ],
  ])('with a failure when it takes too long because %s, and says so before', async (_why, lacks, problem) => {
    const done = (node: EngineNode) => ({ url: page(node), wanted: 'it has no work', holds: () => true, lacks });
    const { messages, drain } = await drained(withDrain(needed(), { limitMs: () => 500, done }));
    await expect(drain).rejects.toThrow(`datanode on c-g-001 has not been drained within 0.5 s: ${problem}`);
    expect(messages).toContain(`draining c-g-001: waiting until it has no work, for 0.5 s at most: ${problem}`);
  });

  test('after what the worker has started was told, too, as often as it takes', async () => {
    const engine = drainingEngine('vanilla', '1', ['namenode', 'datanode']);
    const { worker, drain, relieve } = await drained(withDrain(engine, { signalsChildren: true }));
    const record = readRecord(join(worker, 'datanode.process'));
    const children = () => (record === undefined ? [] : lookNow().childrenOf(record));
    // The signal ends it. Without the flag it stays.
    await vi.waitFor(() => expect(children()).toEqual([]), limitMs);
    relieve();
    await drain;
  });

  test('when the head has died, and was started again with the machines that leave in its files', async () => {
    const { provisioner, head, drain, relieve } = await drained(undefined, fastClock(3));
    watch(provisioner);
    rmSync(join(head, 'conf/leaving.txt'));
    await killed(join(head, 'namenode.process'));
    expect(leavingIn(head)).toBe('c-g-001\n');
    relieve();
    await drain;
  });

  test('when the head has died, in a life of the service that has begun with the drain', async () => {
    const { create, order, head, drain, relieve, worker } = await drained(undefined, fastClock(3));
    // The life before has ended by now, as far as it matters.
    relieve();
    await drain;
    writeFileSync(join(worker, 'busy'), '');
    const next = create();
    watch(next);
    const again = await begun(next, order, head);
    await killed(join(head, 'namenode.process'));
    relieve();
    await again.drain;
  });
});

describe('a drain that a newer scale interrupts', () => {
  /** The worker was told to hand over its work, and then the drain was aborted. */
  async function interrupted() {
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

  const abortable = () => {
    const controller = new AbortController();
    return { signal: controller.signal, abort: () => controller.abort(new Error('a newer scale')) };
  };

  test('leaves a machine that is used again: its process is another one, which takes work', async () => {
    const { provisioner, order, head, record, told } = await interrupted();
    await provisioner.configure(order, { added: [], removed: [] });
    const again = readRecord(record);
    expect([isAlive(again), again?.pid === told, leavingIn(head)]).toEqual([true, false, '']);
    await provisioner.configure(order, { added: [], removed: [] });
    expect(readRecord(record)?.pid).toBe(again?.pid);
  });

  test('leaves a machine that is used again while others are drained', async () => {
    const { provisioner, order, record, told } = await interrupted();
    await provisioner.drain(order, [machine(0)]);
    const again = readRecord(record);
    expect([isAlive(again), again?.pid === told]).toEqual([true, false]);
  });

  test('leaves a machine that is drained on, whose process goes on', async () => {
    const { provisioner, order, record, told } = await interrupted();
    const { signal, abort } = abortable();
    const drain = provisioner.drain({ ...order, signal }, [machine(1)]);
    drain.catch(() => undefined);
    rmSync(join(record, '..', 'busy'));
    await drain;
    abort();
    expect(readRecord(record)?.pid).toBe(told);
  });
});
