// What the processes of Hadoop are started with, and which clusters of them are refused.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { drainOrder, type EngineNode } from '../../../../src/service/engines/engine.ts';
import { createHadoop } from '../../../../src/service/engines/hadoop/hadoop.ts';
import type { ClusterRecord, ConfigMap } from '../../../../src/service/model/records/records.ts';
import { clusterOf, groupOf } from '../../provisioning/battery.ts';

const home = { folder: '/hadoop', java: '/java/bin/java', javaHome: '/java' };
const hadoop = createHadoop(home);

function nodeOf(processes: string, number: number, node_configs: ConfigMap = {}): EngineNode {
  const machine = { instance_id: `m${number}`, instance_name: `m${number}` };
  const node_processes = processes.split(' ');
  const group = { ...groupOf(processes, [machine]), flavor_id: '2', node_configs, node_processes, volumes_per_node: 2 };
  const place = { address: `127.77.1.${number}`, folder: `/m/${number}`, secret: '' };
  return { cluster: clusterOf([group]), group, machine, processes: node_processes, ...place };
}

const head = nodeOf('namenode resourcemanager', 1);
const workers = [2, 3].map((number) => nodeOf('datanode nodemanager', number));
const nodes = [head, ...workers];

function processOf(name: string) {
  const process = hadoop.processes.find((each) => each.name === name);
  if (process === undefined) throw new Error(`there is no ${name}`);
  return process;
}
const fileOf = (name: string, node: EngineNode, file: string, leaving: readonly EngineNode[] = []) =>
  processOf(name).files?.(node, nodes, leaving)[`conf/${file}`] ?? '';

const property = (name: string, value: string) => `<property><name>${name}</name><value>${value}</value></property>`;

test('a version runs the clusters of its release line', () => {
  const { version: older } = createHadoop({ ...home, version: '3.4.2' });
  expect([hadoop.version, older]).toEqual(['3.5', '3.4']);
});

describe('a machine', () => {
  const [worker = head] = workers;

  test('knows the heads of its cluster, and has addresses and folders of its own', () => {
    expect(fileOf('datanode', worker, 'core-site.xml')).toContain(property('fs.defaultFS', 'hdfs://127.77.1.1:8020'));
    const hdfs = fileOf('datanode', worker, 'hdfs-site.xml');
    expect(hdfs).toContain(property('dfs.datanode.address', '127.77.1.2:9902'));
    expect(hdfs).toContain(property('dfs.datanode.data.dir', 'file:///m/2/volumes/0/data,file:///m/2/volumes/1/data'));
    const yarn = fileOf('nodemanager', worker, 'yarn-site.xml');
    expect(yarn).toContain(property('yarn.resourcemanager.hostname', '127.77.1.1'));
    expect(yarn).toContain(property('yarn.nodemanager.resource.memory-mb', String(2048 - 96 - 128)));
    expect(yarn).toContain(property('yarn.nodemanager.resource.cpu-vcores', '2'));
  });

  test('gets the options that are set, which cannot break out of their place', () => {
    const own = nodeOf('datanode', 4, {
      HDFS: { 'dfs.blocksize': '1048576', 'Data Node Heap Size': 200 },
      MapReduce: { 'mapred.child.java.opts': '</value><evil>&' },
    });
    expect(fileOf('datanode', own, 'hdfs-site.xml')).toContain(property('dfs.blocksize', '1048576'));
    expect(fileOf('datanode', own, 'mapred-site.xml')).toContain('&lt;/value&gt;&lt;evil&gt;&amp;');
    expect(processOf('datanode').command(own, nodes).args).toContain('-Xmx200m');
  });

  test('has the folders without which the processes do not start', () => {
    expect(Object.keys(processOf('namenode').files?.(head, nodes) ?? {})).toEqual(
      expect.arrayContaining(['conf/webapps/hdfs/.keep', 'conf/webapps/datanode/.keep', 'tmp/.keep']),
    );
  });
});

describe('a machine that leaves', () => {
  const lines = (name: string, file: string, leaving: readonly EngineNode[]) =>
    fileOf(name, head, file, leaving).split('\n');

  test('is on the lists of both heads, and one that is not there is on that of the name node', () => {
    const [, leaving = head] = workers;
    expect(lines('namenode', 'dfs.exclude', [])).not.toContain('127.0.0.1:9903');
    expect(lines('namenode', 'dfs.exclude', [leaving])).toContain('127.0.0.1:9903');
    expect(lines('namenode', 'dfs.exclude', [leaving])).not.toContain('127.0.0.1:9902');
    expect(lines('namenode', 'dfs.exclude', [])).toContain('127.0.0.1:9904');
    expect(lines('resourcemanager', 'yarn.exclude', [leaving])).toEqual(['127.77.1.3', '']);
    expect(lines('resourcemanager', 'yarn.exclude', [])).toEqual(['']);
  });

  test('is drained when both heads say so', () => {
    const [leaving = head] = workers;
    const data = processOf('datanode').drain?.done(leaving, nodes);
    const live = (adminState: string) => ({
      beans: [{ LiveNodes: JSON.stringify({ '127.77.1.2:9902': { adminState } }) }],
    });
    expect(data?.url).toContain('//127.77.1.1:9870/');
    expect(data?.holds(live('Decommission In Progress'))).toBe(false);
    expect(data?.holds(live('Decommissioned'))).toBe(true);
    // A dead one goes if nothing is lost with it.
    expect(data?.holds({ beans: [{ LiveNodes: '{}' }] })).toBe(true);
    const manager = processOf('nodemanager').drain?.done(leaving, nodes);
    const state = (now: string) => ({ nodes: { node: [{ nodeHostName: '127.77.1.2', state: now }] } });
    expect(manager?.holds({ nodes: null })).toBe(false);
    expect(manager?.holds(state('DECOMMISSIONING'))).toBe(false);
    expect(manager?.holds(state('DECOMMISSIONED'))).toBe(true);
  });
});

test('a cluster can be used when both heads count all workers, and HDFS is writable', () => {
  const [data, writable, managers] = hadoop.usable(nodes);
  let capacity = 1;
  const live = (...numbers: readonly number[]) => ({
    beans: [
      {
        LiveNodes: JSON.stringify(
          Object.fromEntries(numbers.map((n) => [`127.77.1.${n}:${9900 + n}`, { adminState: 'In Service', capacity }])),
        ),
      },
    ],
  });
  // The fourth one has left.
  expect([live(2), live(2, 3), live(2, 3, 4)].map((answer) => data?.holds(answer))).toEqual([false, true, false]);
  // Registered, and its volumes are not known yet.
  capacity = 0;
  expect(data?.holds(live(2, 3))).toBe(false);
  capacity = 1;
  const withDead = (lastContact: number) => {
    const [bean] = live(2, 3).beans;
    return { beans: [{ ...bean, DeadNodes: JSON.stringify({ '127.77.1.4:9904': { lastContact } }) }] };
  };
  expect([21, 35].map((seconds) => data?.holds(withDead(seconds)))).toEqual([false, true]);
  expect(writable?.holds({ beans: [{ FSState: 'safeMode' }] })).toBe(false);
  expect(writable?.holds({ beans: [{ FSState: 'Operational' }] })).toBe(true);
  const running = (...numbers: readonly number[]) => ({
    nodes: { node: numbers.map((n) => ({ nodeHostName: `127.77.1.${n}`, state: 'RUNNING' })) },
  });
  expect([managers?.holds(running(2)), managers?.holds(running(2, 3))]).toEqual([false, true]);
});

test('a name node formats its folders once, and again if that was interrupted', () => {
  const folder = mkdtempSync(join(tmpdir(), 'format-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const java = join(folder, 'java');
  const log = join(folder, 'log');
  writeFileSync(
    java,
    `#!/bin/sh\necho "$*" | grep -o -- '-format.*\\|NameNode$' >> ${log}\ntest ! -e ${folder}/broken\n`,
    { mode: 0o755 },
  );
  const volume = join(folder, 'm', 'volumes', '0');
  mkdirSync(volume, { recursive: true });
  const engine = createHadoop({ ...home, java });
  const node = { ...head, folder: join(folder, 'm') };
  const { file, args } = engine.processes.find(({ name }) => name === 'namenode')?.command(node, nodes) ?? {
    file: '',
    args: [],
  };
  const start = () => spawnSync(file, args).status;
  const told = () => spawnSync('cat', [log], { encoding: 'utf8' }).stdout.trim().split('\n');
  const format = '-format -force -nonInteractive';
  writeFileSync(join(folder, 'broken'), '');
  expect(start()).not.toBe(0);
  expect(told()).toEqual([format]);
  rmSync(join(folder, 'broken'));
  expect(existsSync(join(volume, 'namenode.formatted'))).toBe(false);
  expect([start(), start()]).toEqual([0, 0]);
  expect(told().filter((line) => line === format)).toHaveLength(2);
  // A volume of an earlier version, in another pod: the mark is lost, and the image is there.
  rmSync(join(volume, 'namenode.formatted'));
  mkdirSync(join(volume, 'name', 'current'), { recursive: true });
  writeFileSync(join(volume, 'name', 'current', 'fsimage_0000000000000000000'), '');
  expect(start()).toBe(0);
  expect(told().filter((line) => line === format)).toHaveLength(2);
  // An image that was not finished is no file system.
  renameSync(
    join(volume, 'name', 'current', 'fsimage_0000000000000000000'),
    join(volume, 'name', 'current', 'fsimage.ckpt_0'),
  );
  expect(start()).toBe(0);
  expect(told().filter((line) => line === format)).toHaveLength(3);
});

test('data nodes are drained when nothing on their machines writes any more', () => {
  expect(
    drainOrder(hadoop)
      .map(({ name }) => name)
      .at(-1),
  ).toBe('datanode');
});

test('a data node goes when all blocks have another machine, and one that is not live when they have one that is', async () => {
  const [node = head] = workers;
  const { holds, lacks } = processOf('datanode').drain?.done(node, nodes) ?? {};
  const live = { beans: [{ LiveNodes: '{"127.77.1.2:9902":{"adminState":"Decommissioned"}}' }] };
  const urls: string[] = [];
  const problemOf = (answer: object, block: string) =>
    lacks?.(answer)(async (url, onLine) => {
      urls.push(url);
      for (const line of ['/a 4 bytes, replicated: replication=1, 1 block(s):  OK', `0. BP-1:blk_1_1 len=4 ${block}`])
        onLine(line);
      onLine("The filesystem under path '/' is HEALTHY");
    });
  expect(await problemOf(live, 'MISSING!')).toBeUndefined();
  expect(await problemOf(live, '[DatanodeInfoWithStorage[127.0.0.1:9902,DS-1,DISK](DECOMMISSIONED)]')).toContain('/a');
  expect(await problemOf({ beans: [{ LiveNodes: '{}' }] }, 'MISSING!')).toContain('its data node is dead');
  const leaving = (open: number) => ({
    beans: [
      {
        LiveNodes: '{"127.77.1.2:9902":{"adminState":"Decommission In Progress"}}',
        DecomNodes: `{"127.77.1.2:9902":{"underReplicatedBlocks":1,"underReplicateInOpenFiles":${open}}}`,
      },
    ],
  });
  expect([0, 1].map((open) => holds?.(leaving(open)))).toEqual([false, true]);
  const alone = '[DatanodeInfoWithStorage[127.0.0.1:9902,DS-1,DISK](DECOMMISSIONING)]';
  expect(await problemOf(leaving(1), alone)).toContain('/a');
  expect(await problemOf(leaving(1), '')).toBe('it alone has 1 blocks of open files');
  const { username } = userInfo();
  for (const url of urls) expect(url).toMatch(`http://127.77.1.1:9870/fsck?ugi=${username}&path=/&`);
});

describe('is refused:', () => {
  const clusterWith = (
    groups: readonly (readonly [string, number, string?])[],
    cluster_configs: ConfigMap = {},
  ): ClusterRecord => ({
    ...clusterOf(
      groups.map(([processes, count, flavor_id = '2'], index) => ({
        ...groupOf(processes, []),
        name: `g${index}`,
        count,
        flavor_id,
        node_processes: processes.split(' '),
      })),
    ),
    cluster_configs,
  });

  test('nothing of usual clusters', () => {
    for (const groups of [
      [
        ['namenode resourcemanager historyserver', 1],
        ['datanode nodemanager', 2],
      ],
      [
        ['namenode', 1],
        ['datanode', 1],
      ],
    ] as const)
      expect(() => hadoop.checkLayout(clusterWith(groups))).not.toThrow();
  });

  test.each([
    [
      'two name nodes',
      [
        ['namenode', 2],
        ['datanode', 1],
      ],
      '2 machines with the process namenode',
    ],
    ['data nodes alone', [['datanode', 1]], '0 machines with the process namenode: datanode needs one'],
    ['a name node alone', [['namenode', 1]], '0 machines with the process datanode: namenode needs at least one'],
    [
      'YARN without HDFS',
      [
        ['resourcemanager', 1],
        ['nodemanager', 1],
      ],
      '0 machines with the process namenode',
    ],
    [
      'two resource managers',
      [
        ['namenode', 1],
        ['datanode', 1],
        ['resourcemanager', 2],
        ['nodemanager', 1],
      ],
      '2 machines with the process resourcemanager',
    ],
    [
      'a history server alone',
      [
        ['namenode historyserver', 1],
        ['datanode', 1],
      ],
      'historyserver needs one',
    ],
    [
      'a node manager without memory',
      [
        ['namenode resourcemanager', 1],
        ['datanode nodemanager historyserver namenode', 0],
        ['datanode nodemanager', 1, '0'],
      ],
      'there is no flavor 0',
    ],
  ] as const)('%s', (_name, groups, problem) => {
    expect(() => hadoop.checkLayout(clusterWith(groups))).toThrow(problem);
  });

  test('fewer data nodes than copies', () => {
    const copies = { HDFS: { 'dfs.replication': '2' } };
    const groups = (count: number) =>
      [
        ['namenode', 1],
        ['datanode', count],
      ] as const;
    expect(() => hadoop.checkLayout(clusterWith(groups(2), copies))).not.toThrow();
    expect(() => hadoop.checkLayout(clusterWith(groups(1), copies))).toThrow(
      '1 machines with the process datanode: dfs.replication is 2: lower it, or have as many data nodes',
    );
  });

  test('containers without room for the master of a job', () => {
    const groups = [
      ['namenode resourcemanager', 1],
      ['datanode nodemanager', 1, '1'],
    ] as const;
    const large = { MapReduce: { 'yarn.app.mapreduce.am.resource.mb': 900 } };
    expect(() => hadoop.checkLayout(clusterWith(groups))).not.toThrow();
    expect(() => hadoop.checkLayout(clusterWith(groups, large))).toThrow(
      'flavor tiny leaves 800 MiB for containers in group g1, and the master of a job needs 900',
    );
  });
});

test('every option is named once', () => {
  const names = hadoop.options.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
