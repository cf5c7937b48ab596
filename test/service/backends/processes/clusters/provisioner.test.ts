// Real processes: what only they can do wrong.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../../../src/lib/system.ts';
import { ownFolder } from '../../../../../src/service/backends/processes/clusters/owner.ts';
import { readRecord } from '../../../../../src/service/backends/processes/clusters/process-record.ts';
import { cleanMachines } from '../../../../../src/service/backends/processes/stop-and-clean.ts';
import { fastClock } from '../../../../support/fast-clock.ts';
import { limitMs } from '../../../../support/patience.ts';
import { clusterOf, groupOf } from '../../../provisioning/battery.ts';
import { folderOf, isAlive, kill, machine, open, processesOf, signal, start, watch } from './machine-scene.ts';
import { tinyEngine } from './tiny-engine.ts';

describe('a process', () => {
  test('that ends is started again, which is reported, and is another one then', async () => {
    const { root, provisioner } = open(undefined, { clock: fastClock(3) });
    const { cluster, messages } = await start(provisioner);
    const losses = watch(provisioner);
    const record = join(folderOf(root, cluster, 1), 'datanode.process');
    const before = readRecord(record);
    writeFileSync(join(folderOf(root, cluster, 1), 'datanode.log'), 'the disk is full\n  at Disk.write\n');
    kill(record);
    await vi.waitFor(() => expect(readRecord(record)?.pid).not.toBe(before?.pid), limitMs);
    await vi.waitFor(() => expect(messages).toHaveLength(1), limitMs);
    expect(isAlive(readRecord(record))).toBe(true);
    const problem = 'datanode on c-g-001 has ended: the disk is full';
    expect(losses).toEqual([`cluster-1: ${problem}; try 1 to start it again is in 1 s`]);
    expect(messages).toEqual([`${problem}; it runs again after try 1`]);
  });

  test('leaves nothing behind when its machine is removed, not even what it has started', async () => {
    const { root, provisioner } = open();
    const { order, machines } = await start(provisioner);
    expect(processesOf([machine(0)])).toHaveLength(2);
    await provisioner.remove(order, machines);
    expect(processesOf(machines)).toEqual([]);
    expect(readdirSync(root)).toEqual([]);
  });

  test('goes on with the next life of the service, and is not started twice', async () => {
    const { root, provisioner, create } = open();
    const { cluster, order } = await start(provisioner);
    const record = join(folderOf(root, cluster, 0), 'namenode.process');
    const before = readRecord(record);
    const next = create();
    expect(await next.adopt(order)).toBeUndefined();
    await next.configure(order, { added: [], removed: [] });
    expect(readRecord(record)).toEqual(before);
  });

  test('that has the recorded identifier but another start time is a foreign one, which is left alone', async () => {
    const { root, provisioner, create } = open();
    const { cluster, order } = await start(provisioner);
    const foreign = spawn('/bin/sleep', ['1000']);
    onTestFinished(() => void foreign.kill());
    const record = join(folderOf(root, cluster, 1), 'datanode.process');
    kill(record);
    writeFileSync(record, `${foreign.pid} (sleep) S ${'0 '.repeat(18)}12345 0`);
    // The next life of the service knows no more than what is recorded.
    const next = create();
    expect(await next.adopt(order)).toBeUndefined();
    await next.configure(order, { added: [], removed: [] });
    const again = readRecord(record);
    expect([again?.pid === foreign.pid, isAlive(again)]).toEqual([false, true]);
    await next.remove(order, [machine(0), machine(1)]);
    expect(readFileSync(`/proc/${foreign.pid}/stat`, 'utf8')).not.toMatch(/\) [ZX] /);
    expect([foreign.exitCode, foreign.signalCode]).toEqual([null, null]);
  });

  test('sees nothing of the environment of the service, and its files are its own', async () => {
    const { root, provisioner } = open();
    process.env['SECRET_OF_THE_SERVICE'] = 'hunter2';
    onTestFinished(() => void Reflect.deleteProperty(process.env, 'SECRET_OF_THE_SERVICE'));
    const { cluster } = await start(provisioner);
    const folder = folderOf(root, cluster, 1);
    const pid = readRecord(join(folder, 'datanode.process'))?.pid;
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('hunter2');
    for (const file of ['datanode.log', 'conf/worker.txt', 'machine.json'])
      expect(statSync(join(folder, file)).mode & 0o077).toBe(0);
  });

  test('that ends at once fails the configuration with its last line', async () => {
    const broken = tinyEngine('vanilla', '1', ['namenode', 'datanode']);
    const [head, worker] = broken.processes;
    const fails = { file: '/bin/sh', args: ['-c', 'echo "there is no port"; exit 1'], env: {} };
    const processes = [head, worker].flatMap((of) => (of === undefined ? [] : [{ ...of, command: () => fails }]));
    const { provisioner } = open({ ...broken, processes });
    await expect(start(provisioner)).rejects.toThrow('namenode on c-g-000 has ended: there is no port');
  });
});

test('a plan is refused for which all clusters together need too much memory', () => {
  const { provisioner } = open(undefined, { memory: 3 * 64 });
  const planned = (workers: number) =>
    clusterOf([
      { ...groupOf('namenode', []), count: 1 },
      { ...groupOf('datanode', []), count: workers },
    ]);
  provisioner.checkPlan(planned(2), []);
  expect(() => provisioner.checkPlan(planned(1), [planned(2)])).toThrow(
    'all clusters could take 320 MiB, and --machine-memory is 192: choose smaller flavors',
  );
});

test('a plugin without an engine is refused with those that there are', async () => {
  const { provisioner } = open(tinyEngine('spark', '4.1', ['master', 'slave']));
  await expect(start(provisioner)).rejects.toThrow('cannot run vanilla 1 on this computer: there is spark 4.1');
});

describe('a folder of machines', () => {
  test('is cleaned: nothing is left of clusters and runs', async () => {
    const { root, provisioner } = open();
    const { machines } = await start(provisioner);
    mkdirSync(join(root, 'runs', 'run-1'), { recursive: true });
    expect(await cleanMachines(root, { clock: systemClock, signal })).toEqual({ clusters: 1, runs: 1 });
    expect([processesOf(machines), readdirSync(root)]).toEqual([[], []]);
    expect(await cleanMachines(root, { clock: systemClock, signal })).toEqual({ clusters: 0, runs: 0 });
  });

  test('belongs to one service at a time, also after one was killed', () => {
    const { root } = open();
    const disown = ownFolder(root);
    expect(() => ownFolder(root)).toThrow(
      `cannot use ${root}: the service with process id ${process.pid} runs its clusters: stop it, or choose another folder with --machines`,
    );
    disown();
    // What a killed service leaves: its identifier, which is another process now.
    const [name = '', rest = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ');
    const fields = rest.split(' ').with(19, '1');
    writeFileSync(join(root, 'service.process'), `${name}) ${fields.join(' ')}`);
    ownFolder(root)();
    expect(readdirSync(root)).toEqual([]);
  });
});
