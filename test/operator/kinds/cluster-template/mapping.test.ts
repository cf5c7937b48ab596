// ClusterTemplate: what is sent, literally, in each dialect.
import { describe, expect, test } from 'vitest';
import { clusterTemplateKind } from '../../../../src/operator/kinds/cluster-template/index.ts';
import { clusterTemplateCreate } from '../../../../src/wire/cluster-template.ts';
import { type Dialect, dialects, toWire } from '../../../../src/wire/dialect.ts';
import { ledgerOf } from '../../reconcile/support.ts';
import { givenOf, image, masterId, network, small, templateId, workerId } from '../support/mapping.ts';

const kind = clusterTemplateKind;
const shortest = {
  pluginName: 'vanilla',
  bigdataVersion: '1.2.1',
  nodeGroups: [{ name: 'worker', count: 2, nodeGroupTemplateRef: { name: 'worker' } }],
};
const full = {
  ...shortest,
  description: 'one master',
  clusterConfigs: { HDFS: { 'dfs.replication': '2' } },
  antiAffinity: ['tasktracker', 'datanode'],
  networkManagementNetwork: network,
  defaultImageID: image,
  nodeGroups: [
    { name: 'worker', count: 2, nodeGroupTemplateRef: { name: 'worker' } },
    { name: 'head', count: 1, nodeGroupTemplateID: masterId },
    {
      name: 'data',
      count: 0,
      flavorID: '2',
      nodeProcesses: ['datanode'],
      volumesPerNode: 1,
      volumesSize: 10,
      nodeConfigs: {},
    },
  ],
};
const bodyOf = (spec: unknown, dialect: Dialect = 'neutral') =>
  kind.desired(kind.definition.spec.parse(spec), givenOf({ dialect })).body;

const groups = [
  { name: 'worker', count: 2, node_group_template_id: workerId },
  { name: 'head', count: 1, node_group_template_id: masterId },
  {
    name: 'data',
    count: 0,
    flavor_id: '2',
    node_processes: ['datanode'],
    node_configs: {},
    volumes_per_node: 1,
    volumes_size: 10,
  },
];
const rest = {
  name: 'etl-name',
  plugin_name: 'vanilla',
  description: 'one master',
  cluster_configs: { HDFS: { 'dfs.replication': '2' } },
  anti_affinity: ['tasktracker', 'datanode'],
  node_groups: groups,
};

describe('what is sent', () => {
  test('the shortest', () => {
    expect(bodyOf(shortest)).toStrictEqual({
      name: 'etl-name',
      plugin_name: 'vanilla',
      bigdata_version: '1.2.1',
      node_groups: [{ name: 'worker', count: 2, node_group_template_id: workerId }],
    });
  });

  test.each<readonly [Dialect, object]>([
    ['neutral', { ...rest, bigdata_version: '1.2.1', network_management_network: network }],
    ['sahara', { ...rest, hadoop_version: '1.2.1', neutron_management_network: network, default_image_id: image }],
    ['savanna', { ...rest, hadoop_version: '1.2.1', neutron_management_network: network, default_image_id: image }],
  ])('the longest on the wire of %s; neutral holds the image back', (dialect, expected) => {
    expect(toWire(dialect, bodyOf(full, dialect))).toStrictEqual(expected);
  });

  test('passes the request schema of the interface', () => {
    for (const dialect of dialects)
      expect(clusterTemplateCreate.safeParse(bodyOf(full, dialect)).error).toBeUndefined();
  });
});

describe('what a dialect cannot carry', () => {
  const pooled = {
    ...shortest,
    nodeGroups: [{ name: 'data', count: 1, flavorID: '2', nodeProcesses: ['a'], floatingIPPool: 'public' }],
  };
  const check = (spec: unknown, dialect: Dialect) => kind.check(kind.definition.spec.parse(spec), dialect);

  test('a floating IP pool of an inline group, with the way out', () => {
    expect(check(pooled, 'neutral')).toMatch(
      /^spec\.nodeGroups\[data\]\.floatingIPPool: .*dialect Neutral.*NodeGroupTemplate/,
    );
    expect(check(pooled, 'sahara')).toBeUndefined();
    expect(toWire('sahara', bodyOf(pooled, 'sahara'))).toMatchObject({ node_groups: [{ floating_ip_pool: 'public' }] });
  });

  test('all the rest is carried by all', () => {
    for (const dialect of dialects) expect(check(full, dialect)).toBeUndefined();
  });
});

describe('the kind', () => {
  test('refers to the templates of its groups, each by its field', () => {
    expect(kind.references(kind.definition.spec.parse(full), '')).toEqual([
      { field: 'spec.nodeGroups[worker].nodeGroupTemplateRef', kind: 'NodeGroupTemplate', name: 'worker' },
    ]);
  });

  test('what it mentions must not be deleted before it', () => {
    expect(kind.referencesIn.of(small)).toEqual([{ route: 'nodeGroupTemplates', id: workerId }]);
    expect(kind.referencesIn.of({ id: templateId, name: 'empty' })).toEqual([]);
  });

  test('status tells plugin and version', () => {
    const spec = kind.definition.spec.parse(shortest);
    expect(kind.report(small, spec, ledgerOf(), '')).toStrictEqual({ pluginName: 'vanilla', bigdataVersion: '1.2.1' });
  });
});
