// What options become: flags of the virtual machine, flags of the processes, and entries of the file.
import { describe, expect, test } from 'vitest';
import type { EngineNode } from '../../../../src/service/engines/engine.ts';
import { releaseOf } from '../../../../src/service/engines/spark/releases.ts';
import { createSpark } from '../../../../src/service/engines/spark/spark.ts';
import type { ConfigMap } from '../../../../src/service/model/records/records.ts';
import { clusterOf, groupOf } from '../../provisioning/battery.ts';

const spark = createSpark({ folder: '/spark', java: '/java' });

function nodeOf(process: string, node_configs: ConfigMap, cluster_configs: ConfigMap = {}): EngineNode {
  const machine = { instance_id: `${process}-id`, instance_name: process };
  const group = { ...groupOf(process, [machine]), flavor_id: '2', node_configs, volumes_per_node: 2 };
  const cluster = { ...clusterOf([group]), cluster_configs };
  const place = { address: `10.0.0.${process.length}`, folder: `/m/${process}`, secret: 'hidden' };
  return { cluster, group, machine, processes: [process], ...place };
}

function started(name: string, node: EngineNode, nodes: readonly EngineNode[] = [node], engine = spark) {
  const process = engine.processes.find((each) => each.name === name);
  const file = process?.files?.(node, nodes)['conf/spark-defaults.conf'] ?? '';
  const { file: program, args = [], env = {} } = process?.command(node, nodes) ?? {};
  return { program, args: args.join(' '), env, lines: file.split('\n') };
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

test('a version gets no setting that it does not have', () => {
  const linesOf = (version: string) => {
    const engine = createSpark({ folder: '/spark', java: '/java', release: releaseOf(version) });
    return started('master', nodeOf('master', {}), undefined, engine).lines.map((line) => line.split('=')[0]);
  };
  const [older, newer] = [linesOf('3.5.9'), linesOf('4.1.2')];
  expect(newer.filter((name) => !older.includes(name))).toEqual(['spark.deploy.recoveryTimeout']);
  expect(older).toContain('spark.deploy.recoveryMode');
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

test('executors on a worker that leaves hand over files of shuffles and cached partitions', () => {
  const found = (name: string, options: ConfigMap[string] = {}) =>
    started(name, nodeOf(name, {}, { Spark: options })).lines.filter((line) => line.includes('decommission.'));
  const storage = 'spark.storage.decommission';
  const all = [
    'spark.decommission.enabled=true',
    `${storage}.enabled=true`,
    `${storage}.shuffleBlocks.enabled=true`,
    `${storage}.rddBlocks.enabled=true`,
    `${storage}.replicationReattemptInterval=5s`,
  ];
  for (const name of ['master', 'slave']) expect(found(name)).toEqual(expect.arrayContaining(all));
  expect(found('slave', { [`${storage}.rddBlocks.enabled`]: false })).toContain(`${storage}.rddBlocks.enabled=false`);
  // A worker may go once no executor is left on it, and an executor goes when it has handed over its data.
  const done = spark.processes.find(({ name }) => name === 'slave')?.drain?.done(nodeOf('slave', {}), []);
  expect([done?.holds({ executors: [{}] }), done?.holds({ executors: [] })]).toEqual([false, true]);
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
  expect(process?.ready(history, [history]).holds([])).toBe(true);
  expect(process?.ready(history, [history]).holds({ error: 'no' })).toBe(false);
});

describe('HDFS beside Spark', () => {
  const engine = createSpark({
    folder: '/spark',
    java: '/java',
    hadoop: { folder: '/h', java: '/java', javaHome: '/' },
  });
  const at = (process: string, address: string) => ({ ...nodeOf(process, {}), address });
  const [head, worker, data] = [at('master', '127.77.1.1'), at('slave', '127.77.1.2'), at('datanode', '127.77.1.3')];
  const name = at('namenode', '127.77.1.4');
  const history = at('historyserver', '127.77.1.5');
  const nodes = [head, worker, data, name, history];
  const filesOf = (process: string, node: EngineNode, leaving: readonly EngineNode[] = []) =>
    engine.processes.find((each) => each.name === process)?.files?.(node, nodes, leaving) ?? {};

  test('is known to all programs of Spark, and not if it is not there', () => {
    const place = '<name>fs.defaultFS</name><value>hdfs://127.77.1.4:8020</value>';
    expect(filesOf('slave', worker)['conf/core-site.xml']).toContain(place);
    expect(filesOf('slave', worker)['conf/hdfs-site.xml']).toContain('<name>dfs.client.use.datanode.hostname</name>');
    expect(started('slave', worker, nodes, engine).env).toMatchObject({ HADOOP_CONF_DIR: '/m/slave/conf' });
    expect(Object.keys(spark.processes[0]?.files?.(head, [head, worker]) ?? {})).toEqual(['conf/spark-defaults.conf']);
  });

  test('has the same files for all processes of a machine', () => {
    const both = { ...at('slave', '127.77.1.6'), processes: ['slave', 'datanode'] };
    const [one, other] = [filesOf('slave', both), filesOf('datanode', both)];
    for (const file of ['conf/core-site.xml', 'conf/hdfs-site.xml']) expect(one[file]).toBe(other[file]);
  });

  test('has the logs of jobs, in a folder that the history server makes before it starts', () => {
    const { program, args, lines } = started('historyserver', history, nodes, engine);
    expect(lines).toContain('spark.eventLog.dir=hdfs://127.77.1.4:8020/spark-events');
    expect(program).toBe('/bin/sh');
    expect(args).toMatch(
      / hdfs:\/\/127\.77\.1\.4:8020\/spark-events \S+\.HistoryServer \S+\/conf\/history-site\.xml \/java -Xmx160m .*\/jars\/\*$/,
    );
  });

  test('can be used when the name node counts all data nodes, which it drains', () => {
    const probe = engine.usable(nodes).find(({ wanted }) => wanted === '1 data nodes are registered, and no others');
    const live = (adminState: string) => ({
      beans: [{ LiveNodes: JSON.stringify({ '127.77.1.3:9903': { adminState, capacity: 1 } }) }],
    });
    expect([probe?.holds({ beans: [] }), probe?.holds(live('In Service'))]).toEqual([false, true]);
    const drain = engine.processes.find(({ name: of }) => of === 'datanode')?.drain?.done(data, nodes);
    expect([drain?.holds(live('In Service')), drain?.holds(live('Decommissioned'))]).toEqual([false, true]);
    expect(filesOf('namenode', name, [data])['conf/dfs.exclude']).toContain('127.0.0.1:9903\n');
    expect(filesOf('namenode', name)['conf/dfs.exclude']).not.toContain('127.0.0.1:9903\n');
  });

  test('has its pages and options', () => {
    expect(engine.pages(nodes)).toMatchObject({
      HDFS: { 'Web UI': 'http://127.77.1.4:9870', NameNode: 'hdfs://127.77.1.4:8020' },
    });
    expect(engine.hdfs?.(nodes)).toMatchObject({ authority: '127.77.1.4:8020', dataNodes: ['127.77.1.3:9864'] });
    expect(engine.options.some(({ name: of }) => of === 'dfs.replication')).toBe(true);
    expect(spark.options.some(({ target }) => target === 'HDFS')).toBe(false);
    expect(engine.absent).not.toHaveProperty('namenode');
  });
});

test('every option has a default that is accepted, and is named once', () => {
  const all = createSpark({ folder: '/spark', java: '/java', hadoop: { folder: '/h', java: '/java', javaHome: '/' } });
  const names = all.options.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { description, default: value } of all.options)
    expect([description === '', typeof value === 'object']).toEqual([false, false]);
});
