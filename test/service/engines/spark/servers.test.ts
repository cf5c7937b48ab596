// The servers for clients with queries: what they are started with, and which clusters have none.
import { describe, expect, test } from 'vitest';
import { checkEngine } from '../../../../src/service/engines/check-engine.ts';
import type { EngineNode } from '../../../../src/service/engines/engine.ts';
import { usualFlavors } from '../../../../src/service/engines/flavors.ts';
import type { SparkHome } from '../../../../src/service/engines/spark/launch.ts';
import { releaseOf } from '../../../../src/service/engines/spark/releases.ts';
import { createSpark } from '../../../../src/service/engines/spark/spark.ts';
import type { ConfigMap } from '../../../../src/service/model/records/records.ts';
import { clusterOf, groupOf } from '../../provisioning/battery.ts';
import { sparkWith } from './spark-folder.ts';

const jars = ['jars/spark-connect_2.13-4.1.2.jar', 'jars/spark-hive-thriftserver_2.13-4.1.2.jar'];
const image: SparkHome = { folder: '/spark', java: '/java', isImage: true };
const complete = (): SparkHome => ({ folder: sparkWith(...jars), java: '/java' });

const secret = 'what the machines share';

/** A server on a cluster with so many workers, in groups of flavor 2: 2 cores and 2 GiB. */
function started(home: SparkHome, name: string, configs: ConfigMap = {}, [count, ofWorkers]: Workers = [2, {}]) {
  const groupAt = (address: string, process: string, own: ConfigMap, machines: number) => ({
    ...groupOf(process, [{ instance_id: address, instance_name: address }]),
    flavor_id: '2',
    count: machines,
    node_processes: [process],
    node_configs: own,
  });
  const groups = [
    groupAt('127.0.0.1', 'master', {}, 1),
    groupAt('127.0.0.2', 'slave', ofWorkers, count),
    groupAt('127.0.0.9', name, configs, 1),
  ];
  const cluster = clusterOf(groups);
  // In pods, one machine stands for all of its group.
  const nodes: readonly EngineNode[] = groups.flatMap((group) =>
    group.instances.map((machine) => ({
      cluster,
      group,
      machine,
      processes: group.node_processes,
      address: machine.instance_id,
      folder: `/m/${machine.instance_id}`,
      secret,
    })),
  );
  const node = nodes.find(({ processes }) => processes.includes(name)) as EngineNode;
  const engine = createSpark(home);
  const process = engine.processes.find((each) => each.name === name);
  const files = process?.files?.(node, nodes) ?? {};
  const settings = new Map(
    (files[`conf/${name}.conf`] ?? '').split('\n').map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
  );
  return { files, settings, command: process?.command(node, nodes), process, node, pages: engine.pages(nodes) };
}

type Workers = readonly [count: number, configs: ConfigMap];

test.each(['connect', 'thriftserver'])(
  'executors of %s hand over their data before their worker is removed',
  (name) => {
    const { settings } = started(complete(), name);
    expect(settings.get('spark.decommission.enabled')).toBe('true');
    expect(settings.get('spark.storage.decommission.enabled')).toBe('true');
  },
);

describe('Spark Connect', () => {
  test('runs against the master of its cluster, at the address of its machine alone', () => {
    const { settings, command, pages } = started(complete(), 'connect');
    expect(Object.fromEntries(settings)).toMatchObject({
      'spark.master': 'spark://127.0.0.1:7077',
      'spark.driver.host': '127.0.0.9',
      'spark.connect.grpc.binding.address': '127.0.0.9',
      'spark.connect.grpc.binding.port': '15002',
      'spark.ui.port': '15040',
      'spark.ui.killEnabled': 'false',
      'spark.eventLog.enabled': 'false',
    });
    expect(command?.args).toEqual(expect.arrayContaining(['-Xmx1024m', '/m/127.0.0.9/conf/connect.conf']));
    expect(command?.args.slice(-3)).toEqual([
      '--class',
      'org.apache.spark.sql.connect.service.SparkConnectServer',
      'spark-internal',
    ]);
    expect(pages['Spark']).toMatchObject({ 'Connect Server': 'sc://127.0.0.9:15002' });
  });

  test('asks its clients for a token that is in a file, on no command line, and that does not give the secret away', () => {
    const { files, settings, command } = started(complete(), 'connect');
    const token = files['connect.token'] ?? '';
    expect(token).toMatch(/^[\da-f]{64}$/);
    expect(settings.get('spark.connect.authenticate.token')).toBe(token);
    expect(started(complete(), 'connect').files['connect.token']).toBe(token);
    for (const hidden of [token, secret]) expect(JSON.stringify(command)).not.toContain(hidden);
    expect(token).not.toContain(secret);
  });

  test('listens at all addresses of its pod, where its NetworkPolicies are, and is asked for at its own port', () => {
    const { settings, process } = started(image, 'connect');
    expect([...settings.keys()].filter((name) => name.includes('binding.address'))).toEqual([]);
    expect([process?.ports, process?.listens]).toEqual([[15_002], 15_002]);
  });

  test('can be used when its tab answers, which has no text', () => {
    const { process, node } = started(complete(), 'connect');
    const probe = process?.ready(node, [node]);
    expect(probe?.url).toBe('http://127.0.0.9:15040/connect/json/');
    expect([probe?.holds(undefined), probe?.holds([])]).toEqual([true, false]);
  });

  test.each<readonly [given: ConfigMap, workers: Workers, cores: string]>([
    [{}, [2, {}], '2'],
    [{}, [5, {}], '5'],
    [{}, [1, {}], '1'],
    [{}, [1, { Spark: { 'Worker cores': 1 } }], '1'],
    [{ Spark: { 'spark.cores.max': 4 } }, [2, {}], '4'],
  ])('has half of the cores, or what its group says: %j, %j', (given, workers, cores) => {
    expect(started(complete(), 'connect', given, workers).settings.get('spark.cores.max')).toBe(cores);
  });

  test('gives executors without queries back', () => {
    const { settings } = started(complete(), 'connect');
    expect(settings.get('spark.dynamicAllocation.enabled')).toBe('true');
    expect(settings.get('spark.executor.cores')).toBe('1');
  });
});

describe('the Thrift server', () => {
  test('has tables of its own, and a page that can be on the machine of Spark Connect', () => {
    const { settings, pages, process, node } = started(complete(), 'thriftserver');
    expect(Object.fromEntries(settings)).toMatchObject({
      'spark.hadoop.hive.server2.thrift.bind.host': '127.0.0.9',
      'spark.hadoop.hive.server2.thrift.port': '10000',
      'spark.sql.warehouse.dir': 'file:///m/127.0.0.9/volumes/0/hive/warehouse',
      'spark.hadoop.javax.jdo.option.ConnectionURL':
        'jdbc:derby:;databaseName=/m/127.0.0.9/volumes/0/hive/metastore;create=true',
      'spark.ui.port': '15041',
    });
    expect(process?.state?.(node)).toBe('/m/127.0.0.9/volumes/0/hive');
    expect(pages['Spark']).toMatchObject({ 'Thrift Server': 'jdbc:hive2://127.0.0.9:10000' });
  });
});

describe('a cluster is refused', () => {
  const hadoop = { folder: '/h', java: '/java', javaHome: '/' };
  const check = (
    home: SparkHome,
    ...groups: readonly (readonly [count: number, processes: string[], configs?: ConfigMap])[]
  ) => {
    const node_groups = [[1, ['master']] as const, [2, ['slave']] as const, ...groups].map(
      ([count, node_processes, configs = {}], index) => ({
        ...groupOf(`group-${index}`, []),
        flavor_id: '2',
        count,
        node_processes,
        node_configs: configs,
      }),
    );
    return () => checkEngine([createSpark(home), clusterOf(node_groups)], usualFlavors);
  };

  test('with two servers of a kind', () => {
    expect(check(complete(), [2, ['connect']])).toThrow(/have 2 machines with the process connect: .* one at most/);
    expect(check(complete(), [1, ['thriftserver']], [1, ['thriftserver']])).toThrow(/2 machines .* thriftserver/);
    expect(check(complete(), [1, ['connect']], [1, ['thriftserver']])).not.toThrow();
  });

  test('with executors that no worker has room for', () => {
    const large = { Spark: { 'spark.executor.memory': '3g' } };
    expect(check(complete(), [1, ['connect'], large])).toThrow(
      /^group group-2 has connect, whose spark.executor.memory is 3g, but its workers have 1920 MiB and 2 cores: lower it/,
    );
  });

  test('with a heap that Spark refuses', () => {
    expect(check(complete(), [1, ['connect'], { Spark: { 'Connect Server Heap Size': 300 } }])).toThrow(
      /Connect Server Heap Size 300: give a whole number, 465 at least/,
    );
  });

  test('with a Thrift server in pods, unless it has HDFS', () => {
    expect(check(image, [1, ['thriftserver']])).toThrow(/need HDFS, .* add the processes namenode and datanode/);
    expect(check({ ...image, hadoop }, [1, ['thriftserver', 'namenode']], [1, ['datanode']])).not.toThrow();
  });
});

test('an installation without the jars says what to do', () => {
  const absentIn = (home: Partial<SparkHome>) =>
    createSpark({ folder: sparkWith('jars/spark-core.jar'), java: '/java', ...home }).absent;
  expect(absentIn({})).toMatchObject({
    connect: expect.stringMatching(/^its Spark has no Spark Connect: install .* --from pip spark/),
    thriftserver: expect.stringMatching(/^its Spark has no Hive: install .* --from pip spark/),
  });
  expect(absentIn({ release: releaseOf('3.5.9') })?.['connect']).toBe(
    'Spark 3.5.9 contains no Spark Connect: use a cluster with Spark 4.0 or newer',
  );
  expect(absentIn({ isImage: true })).not.toHaveProperty('connect');
  expect(createSpark(complete()).processes.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['connect', 'thriftserver']),
  );
});
