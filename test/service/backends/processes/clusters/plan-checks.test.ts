// What cannot work on this computer is refused with the field and the remedy, before anything is started.
import { describe, expect, test } from 'vitest';
import { checkPlan } from '../../../../../src/service/backends/processes/clusters/plan-checks.ts';
import type { Engine } from '../../../../../src/service/engines/engine.ts';
import { usualFlavors } from '../../../../../src/service/engines/flavors.ts';
import { createSpark } from '../../../../../src/service/engines/spark/spark.ts';
import type { ClusterGroupRecord, ClusterRecord } from '../../../../../src/service/model/records/records.ts';
import { clusterOf, groupOf } from '../../../provisioning/battery.ts';

const limits = { flavors: usualFlavors, memory: 100_000, allowsAffinity: false };
const spark = createSpark({ folder: '/spark', java: 'java' });
const hadoop = { folder: '/hadoop', java: 'java', javaHome: '/' };

interface Wanted extends Partial<Omit<ClusterGroupRecord, 'node_processes'>> {
  readonly runs: string;
}
const planned = (groups: readonly Wanted[], more: Partial<ClusterRecord> = {}): ClusterRecord => ({
  ...clusterOf(
    groups.map(({ runs, ...rest }) => ({
      ...groupOf(runs.split(' ').join('-'), []),
      count: 1,
      flavor_id: '2',
      node_processes: runs.split(' '),
      ...rest,
    })),
  ),
  ...more,
});
const check =
  (cluster: ClusterRecord, others: readonly ClusterRecord[] = [], more = {}, engine: Engine = spark) =>
  () =>
    checkPlan(
      [engine, cluster],
      others.map((other) => [engine, other] as const),
      { ...limits, ...more },
    );

const usual = planned([{ runs: 'master' }, { runs: 'slave', count: 2 }]);

test('a master and workers fit', () => {
  expect(check(usual)).not.toThrow();
});

test.each([
  [
    [{ runs: 'master' }, { runs: 'slave', volumes_per_node: 1001 }],
    'volumes_per_node of group slave is 1001: give at most 1000',
  ],
  [
    [{ runs: 'master' }, { runs: 'slave', count: 11, volumes_per_node: 1000 }],
    'its machines have 11000 volumes in all, of at most 10000: lower volumes_per_node or count',
  ],
])('a cluster with too many volumes is refused', (groups, message) => {
  expect(check(planned(groups))).toThrow(message);
});

test('a cluster with too many groups is refused, also of groups without machines', () => {
  const empty = Array.from({ length: 98 }, (_, index) => ({ runs: 'slave', name: `group-${index}`, count: 0 }));
  expect(check(planned([{ runs: 'master' }, { runs: 'slave' }, ...empty]))).not.toThrow();
  expect(
    check(planned([{ runs: 'master' }, { runs: 'slave' }, ...empty, { runs: 'slave', name: 'last', count: 0 }])),
  ).toThrow('node_groups has 101 groups, of at most 100: join groups with the same processes and flavor');
});

describe('Spark is refused', () => {
  test.each([
    ['without a master', [{ runs: 'slave' }], '0 machines with the process master'],
    ['with two masters', [{ runs: 'master', count: 2 }, { runs: 'slave' }], '2 machines with the process master'],
    ['without a worker', [{ runs: 'master' }, { runs: 'slave', count: 0 }], 'no machine with the process slave'],
    [
      'with two history servers',
      [{ runs: 'master' }, { runs: 'slave' }, { runs: 'historyserver', count: 2 }],
      '2 machines with the process historyserver: a Spark cluster has one at most',
    ],
    [
      'on a flavor without room for executors',
      [{ runs: 'master slave', flavor_id: '1', node_configs: { Spark: { 'Master Heap Size': 600 } } }],
      'flavor tiny leaves 296 MiB for executors in group master-slave',
    ],
    [
      'on a flavor without room for executors beside a history server',
      [
        {
          runs: 'master slave historyserver',
          flavor_id: '1',
          node_configs: { Spark: { 'History Server Heap Size': 400 } },
        },
      ],
      'flavor tiny leaves 336 MiB for executors in group master-slave-historyserver',
    ],
    [
      'on a flavor without room for its heaps',
      [{ runs: 'master', flavor_id: '1', node_configs: { Spark: { 'Master Heap Size': '1025' } } }, { runs: 'slave' }],
      'need 1025 MiB, but flavor tiny has 1024: choose a larger flavor_id',
    ],
    [
      'with more cores than the flavor has',
      [{ runs: 'master' }, { runs: 'slave', node_configs: { Spark: { 'Worker cores': '3' } } }],
      'Worker cores 3, but flavor small has 2',
    ],
    [
      'with more memory than the flavor has',
      [{ runs: 'master' }, { runs: 'slave', node_configs: { Spark: { 'Worker memory': '2g' } } }],
      'need 2176 MiB, but flavor small has 2048',
    ],
    [
      'with a heap that is no number',
      [{ runs: 'master', node_configs: { Spark: { 'Master Heap Size': 'much' } } }],
      'node_configs of group master have Master Heap Size much: give a whole number, 64 at least',
    ],
    [
      'with a line break in a setting',
      [{ runs: 'master', node_configs: { Spark: { 'spark.serializer': 'a\nspark.authenticate false' } } }],
      'give a text without line breaks',
    ],
    [
      'with a text that each of its groups would have in an object of its own',
      [{ runs: 'master', node_configs: { Spark: { 'spark.serializer': 'a'.repeat(5000) } } }],
      `spark.serializer ${'a'.repeat(97)}...: give a text of at most 4096 characters`,
    ],
    [
      'with half a surrogate pair in a setting',
      [{ runs: 'master', node_configs: { Spark: { 'spark.serializer': 'a\ud83d' } } }],
      'give a text without line breaks and other characters that configuration files cannot have',
    ],
    [
      'with a switch that is neither on nor off',
      [{ runs: 'master', node_configs: { Spark: { 'spark.speculation': 'maybe' } } }],
      'give true or false',
    ],
  ] as const)('%s', (_name, groups, problem) => {
    expect(check(planned(groups))).toThrow(problem);
  });

  const withHdfs = createSpark({ folder: '/spark', java: 'java', hadoop });
  test.each([
    ['with data nodes but no name node', [{ runs: 'master' }, { runs: 'slave datanode' }], 'datanode needs one'],
    ['with a name node alone', [{ runs: 'master namenode' }, { runs: 'slave' }], 'namenode needs at least one'],
    [
      'with two name nodes',
      [{ runs: 'master' }, { runs: 'namenode', count: 2 }, { runs: 'slave datanode' }],
      '2 machines with the process namenode: a cluster has one at most',
    ],
    [
      'with more copies than data nodes',
      [
        { runs: 'master namenode', node_configs: { HDFS: { 'dfs.replication': 3 } } },
        { runs: 'slave datanode', count: 2 },
      ],
      '2 machines with the process datanode: dfs.replication is 3: lower it, or have as many data nodes',
    ],
    [
      'on a flavor without room for executors beside a data node',
      [
        { runs: 'master namenode' },
        { runs: 'slave datanode', flavor_id: '1', node_configs: { HDFS: { 'Data Node Heap Size': 600 } } },
      ],
      'flavor tiny leaves 296 MiB for executors in group slave-datanode',
    ],
  ] as const)('%s', (_name, groups, problem) => {
    expect(check(planned(groups), [], {}, withHdfs)).toThrow(problem);
  });

  test('with HDFS only if there is no Hadoop', () => {
    const beside = planned([{ runs: 'master namenode' }, { runs: 'slave datanode', count: 2 }]);
    expect(check(beside, [], {}, withHdfs)).not.toThrow();
    expect(check(beside)).toThrow('cannot run process namenode: it needs Hadoop: install it with npm run engines');
  });

  test('with a setting of the cluster that is no size', () => {
    const cluster_configs = { Spark: { 'spark.executor.memory': 'huge' } };
    expect(check({ ...usual, cluster_configs })).toThrow(
      'cluster_configs have spark.executor.memory huge: give a number with k, m or g, such as 512m',
    );
  });
});

describe('a cluster is refused', () => {
  test('whose machines are to be on different computers, unless that does not matter', () => {
    const apart = { ...usual, anti_affinity: ['slave'] };
    expect(check(apart)).toThrow('anti_affinity names slave, but all 2 machines with it are on this computer');
    expect(check(apart, [], { allowsAffinity: true })).not.toThrow();
    expect(check({ ...usual, anti_affinity: ['master'] })).not.toThrow();
  });

  test('that needs more memory than the others have left', () => {
    const each = 160 + 2 * 2048;
    expect(check(usual, [usual], { memory: 2 * each })).not.toThrow();
    expect(check(usual, [usual], { memory: 2 * each - 1 })).toThrow(
      `all clusters could take ${2 * each} MiB, and --machine-memory is ${2 * each - 1}: choose smaller flavors`,
    );
  });

  test('that needs more memory than the others and running jobs have left', () => {
    const each = 160 + 2 * 2048;
    const memoryOfRuns = () => 1024;
    expect(check(usual, [usual], { memory: 2 * each + 1024, memoryOfRuns })).not.toThrow();
    expect(check(usual, [usual], { memory: 2 * each + 1023, memoryOfRuns })).toThrow(
      `all clusters could take ${2 * each} MiB, running jobs 1024, and --machine-memory is ${2 * each + 1023}: choose`,
    );
  });

  test('whose new machines need more memory than is available', () => {
    const huge = [{ id: 'h', name: 'vast', cpus: 1, memory: 2 ** 24, disk: 20 }];
    const engine = createSpark({ folder: '/spark', java: 'java' }, huge);
    const vast = planned([
      { runs: 'master', flavor_id: 'h' },
      { runs: 'slave', flavor_id: 'h' },
    ]);
    const more = { flavors: huge, memory: undefined };
    expect(check(vast, [], more, engine)).toThrow('the new machines can take 16777376 MiB, and ');
    const grown = {
      ...vast,
      node_groups: vast.node_groups.map((group) => ({
        ...group,
        instances: [{ instance_id: 'i', instance_name: 'n' }],
      })),
    };
    expect(check(grown, [], more, engine)).not.toThrow();
  });

  test('with a flavor that is not there', () => {
    expect(check(planned([{ runs: 'master', flavor_id: '9' }, { runs: 'slave' }]))).toThrow(
      'there is no flavor 9: choose another flavor_id, or add it to the file of --flavors-file',
    );
  });
});
