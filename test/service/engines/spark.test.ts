// What options become: flags of the virtual machine, flags of the processes, and entries of the file.
import { expect, test } from 'vitest';
import type { EngineNode } from '../../../src/service/engines/engine.ts';
import { createSpark } from '../../../src/service/engines/spark/spark.ts';
import type { ConfigMap } from '../../../src/service/records/records.ts';
import { clusterOf, groupOf } from '../provisioning/battery.ts';

const spark = createSpark({ folder: '/spark', java: '/java' });

function nodeOf(process: string, node_configs: ConfigMap, cluster_configs: ConfigMap = {}): EngineNode {
  const machine = { instance_id: `${process}-id`, instance_name: process };
  const group = { ...groupOf(process, [machine]), flavor_id: '2', node_configs, volumes_per_node: 2 };
  const cluster = { ...clusterOf([group]), cluster_configs };
  const place = { address: `10.0.0.${process.length}`, folder: `/m/${process}`, secret: 'hidden' };
  return { cluster, group, machine, processes: [process], ...place };
}

function started(name: string, node: EngineNode, nodes: readonly EngineNode[] = [node]) {
  const process = spark.processes.find((each) => each.name === name);
  const file = process?.files?.(node, nodes)['conf/spark-defaults.conf'] ?? '';
  const { args = [], env = {} } = process?.command(node, nodes) ?? {};
  return { args: args.join(' '), env, lines: file.split('\n') };
}

test('heap sizes, cores and memory are in the command', () => {
  const master = nodeOf('master', { Spark: { 'Master Heap Size': 200 } });
  expect(started('master', master).args).toContain('-Xmx200m ');
  const usual = started('slave', nodeOf('slave', {}), [master]);
  expect(usual.args).toContain('-Xmx128m ');
  expect(usual.args).toContain('--cores 2 --memory 1920m ');
  expect(usual.args).toMatch(/ spark:\/\/10\.0\.0\.6:7077$/);
  const sizes = { 'Worker Heap Size': '256', 'Worker cores': 1, 'Worker memory': '1g' };
  const own = started('slave', nodeOf('slave', { Spark: sizes }), [master]).args;
  expect(own).toContain('-Xmx256m ');
  expect(own).toContain('--cores 1 --memory 1024m ');
});

test('the node group, the cluster and the default come in this order into the file', () => {
  const node = nodeOf(
    'master',
    { Spark: { 'spark.executor.cores': 2 } },
    { Spark: { 'spark.executor.cores': 3, 'spark.executor.memory': '700m' } },
  );
  const { lines } = started('master', node);
  expect(lines).toContain('spark.executor.cores=2');
  expect(lines).toContain('spark.executor.memory=700m');
  expect(lines).toContain('spark.driver.memory=512m');
  expect(lines).toContain('spark.authenticate.secret=hidden');
  expect(lines.filter((line) => line.startsWith('spark.cores.max'))).toEqual([]);
});

test('data of executors is on all volumes', () => {
  expect(started('slave', nodeOf('slave', {})).env).toMatchObject({
    SPARK_LOCAL_DIRS: '/m/slave/volumes/0,/m/slave/volumes/1',
  });
});

test('a history server reads what jobs log, and its machine has the folder for it', () => {
  const [master, history] = [
    nodeOf('master', {}),
    nodeOf('historyserver', { Spark: { 'History Server Heap Size': 90 } }),
  ];
  const { args, lines } = started('historyserver', history, [master, history]);
  expect(args).toContain('-Xmx90m ');
  expect(args).toMatch(/HistoryServer --properties-file \/m\/historyserver\/conf\/spark-defaults\.conf$/);
  expect(lines).toContain('spark.history.fs.logDirectory=file:///m/historyserver/events');
  expect(lines).toContain('spark.history.ui.port=18080');
  const process = spark.processes.find(({ name }) => name === 'historyserver');
  expect(Object.keys(process?.files?.(history, [master, history]) ?? {})).toContain('events/.keep');
  expect(spark.pages([master, history])).toMatchObject({
    Spark: { 'Web UI': 'http://10.0.0.6:8080', 'History Server': 'http://10.0.0.13:18080' },
  });
  expect(process?.ready(history).holds([])).toBe(true);
  expect(process?.ready(history).holds({ error: 'no' })).toBe(false);
});

test('every option has a default that is accepted, and is named once', () => {
  const names = spark.options.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { description, default: value } of spark.options)
    expect([description === '', typeof value === 'object']).toEqual([false, false]);
});
