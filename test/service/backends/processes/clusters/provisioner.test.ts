// Real processes: the battery of provisioners, and what only processes can do wrong.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../../../src/lib/system.ts';
import { endMachines } from '../../../../../src/service/backends/processes/clusters/machine.ts';
import { ownFolder } from '../../../../../src/service/backends/processes/clusters/owner.ts';
import { readRecord } from '../../../../../src/service/backends/processes/clusters/process-record.ts';
import { lookNow } from '../../../../../src/service/backends/processes/clusters/sight.ts';
import { cleanMachines, stopMachines } from '../../../../../src/service/backends/processes/end.ts';
import type { EngineNode, EngineProcess } from '../../../../../src/service/engines/engine.ts';
import type { ClusterRecord } from '../../../../../src/service/model/records/records.ts';
import { fastClock } from '../../../../support/fast-clock.ts';
import { limitMs } from '../../../../support/patience.ts';
import { clusterOf, groupOf, provisionerBattery } from '../../../provisioning/battery.ts';
import { folderOf, isAlive, kill, machine, open, signal, start, watch } from './machine-scene.ts';
import { tinyEngine } from './tiny-engine.ts';

describe('the battery of provisioners', () => {
  provisionerBattery(() => {
    const { root, create } = open();
    return {
      provisioner: create,
      async lose({ id }, machine) {
        await endMachines([machine], { clock: systemClock, signal });
        rmSync(join(root, id, machine), { recursive: true });
      },
    };
  });
});

/** What has ended is started again within seconds, and these pass faster. */
const hurried = () => ({ clock: fastClock(3) });

describe('a process', () => {
  test('that ends while another one is started again is started again, too', async () => {
    const tiny = tinyEngine('vanilla', '1', ['namenode', 'datanode']);
    let usable = true;
    const engine = {
      ...tiny,
      usable: (nodes: readonly EngineNode[]) => tiny.usable(nodes).map((probe) => ({ ...probe, holds: () => usable })),
    };
    const { root, provisioner } = open(engine, hurried());
    const { cluster } = await start(provisioner);
    watch(provisioner);
    const [head = '', worker = ''] = ['namenode', 'datanode'].map((name, index) =>
      join(folderOf(root, cluster, index), `${name}.process`),
    );
    const restarted = async (record: string) => {
      const before = readRecord(record);
      kill(record);
      await vi.waitFor(() => {
        expect(readRecord(record)?.pid).not.toBe(before?.pid);
        expect(isAlive(readRecord(record))).toBe(true);
      }, limitMs);
    };
    usable = false;
    await restarted(head);
    await restarted(worker);
    usable = true;
    await vi.waitFor(
      () => expect([head, worker].map((record) => isAlive(readRecord(record)))).toEqual([true, true]),
      limitMs,
    );
  });

  test('that ends is started again, which is reported, and is another one then', async () => {
    const { root, provisioner } = open(undefined, hurried());
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

  test('that ends again and again is started after longer and longer, until the cluster is given up', async () => {
    const { clock } = hurried();
    const { root, provisioner } = open(undefined, { clock });
    const { cluster } = await start(provisioner);
    const record = join(folderOf(root, cluster, 1), 'datanode.process');
    const losses = watch(provisioner, 3);
    for (let time = 0; time < 3; time += 1) {
      kill(record);
      await vi.waitFor(() => expect(losses).toHaveLength(time + 1), limitMs);
      if (time < 2) await vi.waitFor(() => expect(isAlive(readRecord(record))).toBe(true), limitMs);
    }
    expect(losses.map((each) => / in (.*) s$/.exec(each)?.[1])).toEqual(['1', '2', '4']);
    await new Promise<void>((resolve) => void clock.after(6000, resolve));
    expect(isAlive(readRecord(record))).toBe(false);
  });

  test('that cannot be started again does not keep other clusters waiting', async () => {
    const tiny = tinyEngine('vanilla', '1', ['namenode', 'datanode']);
    const stuck = new Set<string>();
    const [head, worker] = tiny.processes;
    const never = { url: 'http://127.77.0.1:9/', wanted: 'nothing', holds: () => true };
    const processes = [head, worker].flatMap((of) =>
      of === undefined
        ? []
        : [{ ...of, ready: (node: EngineNode) => (stuck.has(node.cluster.id) ? never : of.ready(node, [node])) }],
    );
    const { root, provisioner } = open({ ...tiny, processes }, hurried());
    const one = await start(provisioner);
    const two = await start(provisioner, { id: 'cluster-2', first: 2 });
    const losses = watch(provisioner);
    stuck.add(one.cluster.id);
    kill(join(folderOf(root, one.cluster, 1), 'datanode.process'));
    await vi.waitFor(() => expect(losses).toHaveLength(1), limitMs);
    kill(join(folderOf(root, two.cluster, 3), 'datanode.process'));
    await vi.waitFor(() => expect(two.messages).toHaveLength(1), limitMs);
    expect(one.messages).toEqual([]);
  });

  test('leaves nothing behind when its machine is removed, not even what it has started', async () => {
    const { root, provisioner } = open();
    const { order, machines } = await start(provisioner);
    expect(lookNow().ofMachine(machine(0).instance_id).length).toBe(2);
    await provisioner.remove(order, machines);
    expect(machines.flatMap(({ instance_id }) => lookNow().ofMachine(instance_id))).toEqual([]);
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
    expect(foreign.exitCode).toBeNull();
    expect(existsSync(`/proc/${foreign.pid}`)).toBe(true);
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

  test('whose program is missing fails the configuration', async () => {
    const broken = tinyEngine('vanilla', '1', ['namenode', 'datanode']);
    const processes = broken.processes.map((of) => ({
      ...of,
      command: () => ({ file: '/no/java', args: [], env: {} }),
    }));
    const { provisioner } = open({ ...broken, processes });
    await expect(start(provisioner)).rejects.toThrow('namenode on c-g-000 has ended: ');
  });
});

describe('a process that reads its files again', () => {
  /** The head has the machines that leave in a file, and appends what it reads to another one. */
  function openReading() {
    const tiny = tinyEngine('vanilla', '1', ['namenode', 'datanode']);
    const [head, worker] = tiny.processes;
    if (head === undefined || worker === undefined) throw new Error('the engine has no processes');
    const files: EngineProcess['files'] = (_node, _nodes, leaving = []) => ({
      leaving: leaving.map(({ machine: of }) => `${of.instance_name}\n`).join(''),
    });
    const script =
      'cat leaving >> readings; echo end >> readings; test ! -e broken || { echo "it is broken"; exit 1; }';
    const reload = () => ({ file: '/bin/sh', args: ['-c', script], env: {} });
    const drain = { limitMs: () => 60_000, done: (node: EngineNode) => worker.ready(node, [node]) };
    return open({
      ...tiny,
      processes: [
        { ...head, files, reload },
        { ...worker, drain },
      ],
    });
  }
  const readings = (root: string, cluster: ClusterRecord) => {
    const file = join(folderOf(root, cluster, 0), 'readings');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  };

  test('does so when machines are drained, and when they are gone, but not without a change', async () => {
    const { root, provisioner } = openReading();
    const { cluster, order } = await start(provisioner);
    await provisioner.configure(order, { added: [], removed: [] });
    expect(readings(root, cluster)).toEqual([]);
    await provisioner.drain(order, [machine(1)]);
    expect(readings(root, cluster)).toEqual(['c-g-001', 'end']);
    await provisioner.configure(order, { added: [], removed: [] });
    expect(readings(root, cluster)).toEqual(['c-g-001', 'end', 'end']);
  });

  test('fails the drain with its reason if it cannot, and tries again the next time', async () => {
    const { root, provisioner } = openReading();
    const { cluster, order } = await start(provisioner);
    const broken = join(folderOf(root, cluster, 0), 'broken');
    writeFileSync(broken, '');
    const failure = 'namenode-reload on c-g-000 has failed: it is broken';
    await expect(provisioner.drain(order, [machine(1)])).rejects.toThrow(failure);
    rmSync(broken);
    await provisioner.drain(order, [machine(1)]);
    expect(readings(root, cluster)).toHaveLength(4);
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
  const alive = (machines: readonly { readonly instance_id: string }[]) =>
    machines.flatMap(({ instance_id }) => lookNow().ofMachine(instance_id));

  test('is stopped: its processes end, and the next service starts them again', async () => {
    const { root, create, provisioner } = open();
    const { order, machines, cluster } = await start(provisioner);
    await stopMachines(root, { clock: systemClock, signal });
    expect([alive(machines), existsSync(folderOf(root, cluster, 0))]).toEqual([[], true]);
    const next = create();
    await next.configure(order, { added: [], removed: [] });
    expect(alive(machines)).not.toEqual([]);
  });

  test('is cleaned: nothing is left of clusters and runs', async () => {
    const { root, provisioner } = open();
    const { machines } = await start(provisioner);
    mkdirSync(join(root, 'runs', 'run-1'), { recursive: true });
    expect(await cleanMachines(root, { clock: systemClock, signal })).toEqual({ clusters: 1, runs: 1 });
    expect([alive(machines), readdirSync(root)]).toEqual([[], []]);
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
