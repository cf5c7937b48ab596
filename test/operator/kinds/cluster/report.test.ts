// Status of a cluster from what the service answers, and what its words mean to us.
import { describe, expect, test } from 'vitest';
import { health, referencesIn } from '../../../../src/operator/kinds/cluster/mapping.ts';
import { expectedPlugin, report } from '../../../../src/operator/kinds/cluster/report.ts';
import { cluster as definition } from '../../../../src/operator/kinds/cluster/schema.ts';
import { cluster as answer, type Cluster } from '../../../../src/wire/cluster.ts';
import { claimOf, clusterRow, groups, ledgerOf, resourceOf } from '../../reconcile/support.ts';
import { clusterSpecOf, fromTemplate, ownCluster, templateId, workerId } from '../support/mapping.ts';

const spec = clusterSpecOf(ownCluster);
const ledger = ledgerOf([claimOf({ id: 'id-1' })]);
const said = (row: Partial<Cluster>) => report(clusterRow(row), spec, ledger);
const machine = (group: string, n: number) => ({
  instance_name: `etl-${group}-${String(n).padStart(3, '0')}`,
  instance_id: `vm-${group}-${n}`,
  internal_ip: `10.0.0.${n}`,
  management_ip: `172.0.0.${n}`,
  created_at: 'now',
  volumes: [],
});

describe('health', () => {
  test.each<readonly [string, Partial<Cluster>, object]>([
    ['Active', {}, { state: 'ready' }],
    [
      'Active with a text of the last operation',
      { status_description: 'it failed' },
      { state: 'ready', message: 'it failed' },
    ],
    ['Error', { status: 'Error', status_description: 'no hosts' }, { state: 'failed', message: 'no hosts' }],
    ['Error without a text', { status: 'Error' }, { state: 'failed', message: 'the service gave no reason' }],
    ['Deleting', { status: 'Deleting' }, { state: 'deleting' }],
    [
      'work in progress that something keeps from going on',
      { status: 'Waiting', status_description: 'exceeded quota' },
      { state: 'busy', message: 'exceeded quota' },
    ],
    ...[
      'undefined',
      'Validating',
      'InfraUpdating',
      'Spawning',
      'Waiting',
      'Preparing',
      'Configuring',
      'Starting',
      'Decommissioning',
      'Scaling',
      'Scaling: Spawning',
      'Rollback: Waiting',
      'AwaitingTermination',
      'Adding Instances',
    ].map((word) => [`"${word}" is work in progress`, { status: word }, { state: 'busy' }] as const),
    ...['active', 'ERROR', 'Something New', ''].map((word) => {
      const message = `the service says "${word}", which this operator does not know; it waits for Active or Error`;
      return [`"${word}" is work in progress, and named`, { status: word }, { state: 'busy', message }] as const;
    }),
    [
      'error ids are stripped',
      { status: 'Error', status_description: 'boom\nError ID: 0f5c2a4e-1111-4222-8333-444455556666' },
      { state: 'failed', message: 'boom' },
    ],
  ])('%s', (_name, row, expected) => {
    expect(health(clusterRow(row))).toEqual(expected);
  });
});

describe('mentions', () => {
  test('template and templates of the groups', () => {
    const row = clusterRow({
      cluster_template_id: templateId,
      node_groups: [
        { name: 'a', count: 1, node_group_template_id: workerId },
        { name: 'b', count: 1 },
      ],
    });
    expect(referencesIn(row)).toEqual([
      { route: 'clusterTemplates', id: templateId },
      { route: 'nodeGroupTemplates', id: workerId },
    ]);
    expect(referencesIn({ id: 'x', name: 'y', status: 'Active' })).toEqual([]);
  });
});

describe('report', () => {
  test('the whole of it, literally', () => {
    const row = {
      status: 'Scaling',
      status_description: 'adding\nError ID: 0f5c2a4e-1111-4222-8333-444455556666',
      created_at: 'then',
      updated_at: 'now',
      info: { YARN: { 'Web UI': 'http://y' }, HDFS: { NameNode: 'hdfs://n', 'Web UI': 'http://h' } },
      node_groups: [
        { name: 'worker', count: 1, updated: 'now', instances: [machine('worker', 1)] },
        { name: 'master', count: 1, created: 'then' },
        { name: 'stray', count: 3, instances: [] },
      ],
    };
    expect(said(row)).toStrictEqual({
      externalStatus: 'Scaling',
      statusMessage: 'adding',
      pluginName: 'vanilla',
      bigdataVersion: '1.2.1',
      nodes: '1/3',
      nodeGroups: [
        { name: 'master', desired: 1, ready: 0 },
        { name: 'worker', desired: 2, ready: 1 },
      ],
      endpoints: [
        { target: 'HDFS', name: 'NameNode', url: 'hdfs://n' },
        { target: 'HDFS', name: 'Web UI', url: 'http://h' },
        { target: 'YARN', name: 'Web UI', url: 'http://y' },
      ],
      instances: [
        {
          nodeGroup: 'worker',
          name: 'etl-worker-001',
          id: 'vm-worker-1',
          internalIP: '10.0.0.1',
          managementIP: '172.0.0.1',
        },
      ],
    });
  });

  test.each<readonly [string, Partial<Cluster>, object]>([
    [
      'a machine that is named but has no address yet does not count',
      {
        status: 'Waiting',
        node_groups: [
          { name: 'worker', count: 2, instances: [machine('worker', 1), { instance_name: 'etl-worker-002' }] },
        ],
      },
      { nodes: '1/3' },
    ],
    [
      'of an Active cluster every machine counts, not the number asked for',
      { node_groups: [{ name: 'worker', count: 2, instances: [{ instance_name: 'etl-worker-001' }] }] },
      { nodes: '1/3' },
    ],
    ['where none are listed the count does', { node_groups: groups({ worker: 2, master: 1 }) }, { nodes: '3/3' }],
    [
      'a group that nobody wants shows until it is gone',
      { node_groups: groups({ worker: 2, master: 1, stray: 1 }) },
      { nodes: '4/3' },
    ],
    ['no text is no message', { status_description: '' }, { nodes: '3/3' }],
    ['a cluster without groups', { node_groups: [] }, { nodes: '0/3', instances: [] }],
  ])('%s', (_name, row, expected) => {
    expect(said(row)).toMatchObject(expected);
  });

  test('without a readable spec it tells what is there', () => {
    expect(report(clusterRow(), undefined, ledger)).toMatchObject({ nodes: '3/3' });
    const misfit = clusterSpecOf({ ...fromTemplate, nodeGroups: [{ name: 'nope', count: 1 }] });
    expect(report(clusterRow(), misfit, ledger)).toMatchObject({ nodes: '3/3' });
  });

  test('at most 50 machines, the first by name', () => {
    const instances = Array.from({ length: 70 }, (_, n) => machine('worker', 70 - n));
    const listed = said({ node_groups: [{ name: 'worker', count: 70, instances }] })['instances'] as readonly {
      name: string;
    }[];
    expect(listed).toHaveLength(50);
    expect(listed[0]?.name).toBe('etl-worker-001');
  });

  test('no order of the service shows, and nothing that changes with time', () => {
    const row = {
      info: { YARN: { b: 'http://y', a: 'http://z' }, HDFS: { c: 'http://h' } },
      node_groups: ['worker', 'master'].map((name) => ({
        name,
        count: 2,
        instances: [2, 1].map((n) => machine(name, n)),
      })),
    };
    const turned = {
      updated_at: 'later',
      info: { HDFS: { c: 'http://h' }, YARN: { a: 'http://z', b: 'http://y' } },
      node_groups: row.node_groups
        .toReversed()
        .map((group) => ({ ...group, updated: 'later', instances: group.instances.toReversed() })),
    };
    expect(said(turned)).toEqual(said(row));
  });

  test('machines of one name keep an order, too', () => {
    const unnamed = [{ instance_id: 'b' }, { instance_id: 'a' }, { instance_name: 'a', instance_id: 'c' }];
    const listed = (instances: readonly object[]) =>
      said({ node_groups: [{ name: 'worker', count: 3, instances }] })['instances'];
    expect(listed(unnamed.toReversed())).toEqual(listed(unnamed));
  });

  test('whatever is copied from the service is one line without credentials', () => {
    const word = 'x\u001b[31m http://admin:hunter2@host\n';
    const shown = 'x [31m http://***@host ';
    const instances = [{ instance_name: word, instance_id: word, internal_ip: word, management_ip: word }];
    const row = answer.parse({
      id: 'id-1',
      name: 'etl',
      status: word,
      status_description: word,
      plugin_name: word,
      bigdata_version: word,
      info: { [word]: { 'Web UI': 'http://host' }, HDFS: { [word]: 'http://host', Password: 'hunter2' } },
      node_groups: [{ name: word, count: 1, instances }],
    }) as Cluster;
    expect(report(row, spec, ledger)).toMatchObject({
      externalStatus: shown,
      statusMessage: shown.trim(),
      pluginName: shown,
      bigdataVersion: shown,
      nodeGroups: [{ name: 'master' }, { name: 'worker' }, { name: shown }],
      endpoints: [],
      instances: [{ nodeGroup: shown, name: shown, id: shown, internalIP: shown, managementIP: shown }],
    });
  });

  // The columns of real services hold 255 letters; texts are longer.
  const long = 'x'.repeat(255);
  const many = (count: number) => Array.from({ length: count }, (_, n) => `n${n}`);
  test.each<readonly [string, object]>([
    ['long words', { status: long, status_description: long.repeat(50), plugin_name: long, bigdata_version: long }],
    ['many endpoints', { info: { HDFS: Object.fromEntries(many(201).map((name) => [name, 'http://h'])) } }],
    ['long endpoints', { info: { [long]: { [long]: long } } }],
    ['many groups', { node_groups: many(201).map((name) => ({ name, count: 1 })) }],
    ['long groups', { node_groups: [{ name: long, count: 1 }] }],
    ['counts below all bounds', { node_groups: [{ name: 'master', count: -1 }] }],
    [
      'long machines',
      {
        node_groups: [
          {
            name: long,
            count: 1,
            instances: [{ instance_name: long, instance_id: long, internal_ip: long, management_ip: long }],
          },
        ],
      },
    ],
    ['machines without anything', { node_groups: [{ name: 'worker', count: 1, instances: [{}] }] }],
  ])('whatever the service answers, the schema of status takes it: %s', (_name, given) => {
    const parsed = answer.parse({ id: 'id-1', name: 'x', ...given }) as Cluster;
    expect(definition.status.safeParse(report(parsed, spec, ledger)).error).toBeUndefined();
  });
});

describe('plugin and version of a cluster that is not there yet', () => {
  const template = resourceOf({ spec: { pluginName: 'vanilla', bigdataVersion: '1.2.1' } });
  test.each<readonly [string, object, typeof template | undefined, object]>([
    ['from the template', fromTemplate, template, { pluginName: 'vanilla', bigdataVersion: '1.2.1' }],
    [
      'from its own spec first',
      { ...fromTemplate, bigdataVersion: '2.0' },
      template,
      { pluginName: 'vanilla', bigdataVersion: '2.0' },
    ],
    ['unknown without the template', fromTemplate, undefined, {}],
  ])('%s', (_name, of, from, expected) => {
    expect(expectedPlugin(clusterSpecOf(of), from)).toEqual(expected);
  });
});
