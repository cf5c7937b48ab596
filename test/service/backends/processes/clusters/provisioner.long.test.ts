// Real processes: the battery of provisioners, and what takes processes longer than `provisioner.test.ts`.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../../../src/lib/system.ts';
import { endMachines } from '../../../../../src/service/backends/processes/clusters/machine.ts';
import { readRecord } from '../../../../../src/service/backends/processes/clusters/process-record.ts';
import { stopMachines } from '../../../../../src/service/backends/processes/stop-and-clean.ts';
import type { EngineNode, EngineProcess } from '../../../../../src/service/engines/engine.ts';
import type { ClusterRecord } from '../../../../../src/service/model/records/records.ts';
import { fastClock } from '../../../../support/fast-clock.ts';
import { limitMs } from '../../../../support/patience.ts';
import { provisionerBattery } from '../../../provisioning/battery.ts';
import { killed } from './drain-scene.ts';
import { folderOf, isAlive, kill, machine, open, processesOf, signal, start, watch } from './machine-scene.ts';
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

describe('a process', () => {
  test('that ends while another one is started again is started again, too', async () => {
    const tiny = tinyEngine('vanilla', '1', ['namenode', 'datanode']);
    let usable = true;
    const engine = {
      ...tiny,
      usable: (nodes: readonly EngineNode[]) => tiny.usable(nodes).map((probe) => ({ ...probe, holds: () => usable })),
    };
    const { root, provisioner } = open(engine, { clock: fastClock(3) });
    const { cluster } = await start(provisioner);
    watch(provisioner);
    const [head = '', worker = ''] = ['namenode', 'datanode'].map((name, index) =>
      join(folderOf(root, cluster, index), `${name}.process`),
    );
    usable = false;
    await killed(head);
    await killed(worker);
    usable = true;
    await vi.waitFor(
      () => expect([head, worker].map((record) => isAlive(readRecord(record)))).toEqual([true, true]),
      limitMs,
    );
  });

  test('that ends again and again is started after longer and longer, until the cluster is given up', async () => {
    const clock = fastClock(3);
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
    await new Promise<void>((resolve) => void clock.after(10_000, resolve));
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
    const { root, provisioner } = open({ ...tiny, processes }, { clock: fastClock(3) });
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

describe('a folder of machines', () => {
  test('is stopped: its processes end, and the next service starts them again', async () => {
    const { root, create, provisioner } = open();
    const { order, machines, cluster } = await start(provisioner);
    await stopMachines(root, { clock: systemClock, signal });
    expect([processesOf(machines), existsSync(folderOf(root, cluster, 0))]).toEqual([[], true]);
    const next = create();
    await next.configure(order, { added: [], removed: [] });
    expect(processesOf(machines)).not.toEqual([]);
  });
});
