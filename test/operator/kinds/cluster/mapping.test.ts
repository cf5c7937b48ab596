// The request that starts a cluster, literally, in each dialect: from a template, with overrides, and from groups alone.
import { describe, expect, test } from 'vitest';
import { clusterKind } from '../../../../src/operator/kinds/cluster/index.ts';
import { clusterCreate } from '../../../../src/wire/cluster.ts';
import { type Dialect, toWire } from '../../../../src/wire/dialect.ts';
import {
  clusterSpecOf,
  fromTemplate,
  type GivenOptions,
  givenOf,
  image,
  network,
  otherImage,
  ownCluster,
  small,
  templateId,
  workerId,
} from '../support/mapping.ts';

const desiredOf = (spec: unknown, options: GivenOptions = {}) =>
  clusterKind.desired(clusterSpecOf(spec), givenOf(options));
const wire = (spec: unknown, dialect: Dialect, options: GivenOptions = {}) =>
  toWire(dialect, desiredOf(spec, { ...options, dialect }).body);

const common = { name: 'etl-name', plugin_name: 'vanilla', user_keypair_id: 'demo', default_image_id: image };
const neutral = { ...common, bigdata_version: '1.2.1' };
const branded = { ...common, hadoop_version: '1.2.1' };
const merged = { cluster_configs: small.cluster_configs, anti_affinity: ['datanode'] };
const worker = (count: number) => ({ name: 'worker', count, node_group_template_id: workerId });
const master = (count: number) => ({
  name: 'master',
  count,
  flavor_id: '3',
  node_processes: ['namenode'],
  node_configs: { HDFS: { heap: 1024 } },
});
const byId = { cluster_template_id: templateId };
const extra = { name: 'extra', count: 4, nodeGroupTemplateRef: { name: 'worker' } };
const inline = {
  name: 'extra',
  count: 4,
  flavorID: '7',
  nodeProcesses: ['client'],
  nodeConfigs: { general: { a: true } },
};
const extraInline = {
  name: 'extra',
  count: 4,
  flavor_id: '7',
  node_processes: ['client'],
  node_configs: { general: { a: true } },
};

describe('start requests', () => {
  test.each<readonly [string, object, object, object]>([
    ['the template alone', fromTemplate, { ...neutral, ...byId }, { ...branded, ...byId }],
    [
      'by its raw id',
      { ...fromTemplate, clusterTemplateRef: undefined, clusterTemplateID: templateId },
      { ...neutral, ...byId },
      { ...branded, ...byId },
    ],
    [
      'an empty list of groups is no override',
      { ...fromTemplate, nodeGroups: [] },
      { ...neutral, ...byId },
      { ...branded, ...byId },
    ],
    [
      'a count override',
      { ...fromTemplate, nodeGroups: [{ name: 'worker', count: 5 }] },
      { ...neutral, ...merged, node_groups: [worker(5), master(1)] },
      { ...branded, ...byId, node_groups: [worker(5), master(1)] },
    ],
    [
      'a count override to none',
      { ...fromTemplate, nodeGroups: [{ name: 'master', count: 0 }] },
      { ...neutral, ...merged, node_groups: [worker(2), master(0)] },
      { ...branded, ...byId, node_groups: [worker(2), master(0)] },
    ],
    [
      'an added group by template',
      { ...fromTemplate, nodeGroups: [extra] },
      { ...neutral, ...merged, node_groups: [worker(2), master(1), { ...worker(4), name: 'extra' }] },
      { ...branded, ...byId, node_groups: [worker(2), master(1), { ...worker(4), name: 'extra' }] },
    ],
    [
      'an added group of its own',
      { ...fromTemplate, nodeGroups: [inline] },
      { ...neutral, ...merged, node_groups: [worker(2), master(1), extraInline] },
      { ...branded, ...byId, node_groups: [worker(2), master(1), extraInline] },
    ],
    [
      'groups alone',
      ownCluster,
      {
        ...neutral,
        node_groups: [{ name: 'master', count: 1, flavor_id: '3', node_processes: ['namenode'] }, worker(2)],
      },
      {
        ...branded,
        node_groups: [{ name: 'master', count: 1, flavor_id: '3', node_processes: ['namenode'] }, worker(2)],
      },
    ],
    [
      'own configs and affinity without other overrides: the service merges',
      { ...fromTemplate, clusterConfigs: { HDFS: { a: 1 } }, antiAffinity: [] },
      { ...neutral, ...byId, cluster_configs: { HDFS: { a: 1 } }, anti_affinity: [] },
      { ...branded, ...byId, cluster_configs: { HDFS: { a: 1 } }, anti_affinity: [] },
    ],
    [
      'own configs with an override: neutral gets them merged key by key, the own last',
      {
        ...fromTemplate,
        clusterConfigs: { HDFS: { 'dfs.replication': '3', a: 1 }, Hive: { b: true } },
        nodeGroups: [{ name: 'worker', count: 5 }],
      },
      {
        ...neutral,
        ...merged,
        cluster_configs: {
          HDFS: { 'dfs.replication': '3', 'dfs.trash': 1, a: 1 },
          general: { 'Enable NTP service': true },
          Hive: { b: true },
        },
        node_groups: [worker(5), master(1)],
      },
      {
        ...branded,
        ...byId,
        cluster_configs: { HDFS: { 'dfs.replication': '3', a: 1 }, Hive: { b: true } },
        node_groups: [worker(5), master(1)],
      },
    ],
    [
      'own affinity with an override',
      { ...fromTemplate, antiAffinity: ['namenode'], nodeGroups: [{ name: 'worker', count: 5 }] },
      { ...neutral, ...merged, anti_affinity: ['namenode'], node_groups: [worker(5), master(1)] },
      { ...branded, ...byId, anti_affinity: ['namenode'], node_groups: [worker(5), master(1)] },
    ],
    [
      'own plugin and version',
      { ...fromTemplate, pluginName: 'spark', bigdataVersion: '9' },
      { ...neutral, ...byId, plugin_name: 'spark', bigdata_version: '9' },
      { ...branded, ...byId, plugin_name: 'spark', hadoop_version: '9' },
    ],
    [
      'a description is held back in neutral',
      { ...ownCluster, description: 'nightly', nodeGroups: [], clusterTemplateRef: { name: 'small' } },
      { ...neutral, ...byId },
      { ...branded, ...byId, description: 'nightly' },
    ],
    [
      'a network is held back in neutral',
      { ...fromTemplate, networkManagementNetwork: network },
      { ...neutral, ...byId },
      { ...branded, ...byId, neutron_management_network: network },
    ],
  ])('%s', (_name, spec, inNeutral, inBranded) => {
    expect(wire(spec, 'neutral')).toStrictEqual(inNeutral);
    expect(wire(spec, 'sahara')).toStrictEqual(inBranded);
    expect(wire(spec, 'savanna')).toStrictEqual(inBranded);
    for (const dialect of ['neutral', 'sahara'] as const)
      expect(clusterCreate.safeParse(desiredOf(spec, { dialect }).body).error).toBeUndefined();
  });

  test.each<readonly [string, object, GivenOptions, string | undefined]>([
    ['its own before all', fromTemplate, { templateSpec: { defaultImageID: otherImage } }, image],
    [
      'that of the template resource, which neutral holds back',
      { ...fromTemplate, defaultImageID: undefined },
      { templateSpec: { defaultImageID: otherImage } },
      otherImage,
    ],
    [
      'that of the template in the service',
      { ...fromTemplate, defaultImageID: undefined },
      { template: { ...small, default_image_id: otherImage } },
      otherImage,
    ],
    [
      'that of an ImageRegistration, before the template',
      { ...fromTemplate, defaultImageID: undefined, imageRef: { name: 'ubuntu' } },
      { templateSpec: { defaultImageID: image }, template: { ...small, default_image_id: image } },
      otherImage,
    ],
    ['none', { ...fromTemplate, defaultImageID: undefined }, {}, undefined],
  ])('the image: %s', (_name, spec, options, expected) => {
    expect((wire(spec, 'neutral', options) as { default_image_id?: string }).default_image_id).toBe(expected);
  });

  test('a key pair may be left out where the dialect allows it', () => {
    expect(wire({ ...ownCluster, userKeypairID: undefined }, 'sahara')).not.toHaveProperty('user_keypair_id');
  });

  test('volumes of an inline group are copied when there are any, with a pool where there is one', () => {
    const group = {
      name: 'data',
      count: 1,
      flavor_id: '2',
      node_processes: ['a'],
      volumes_per_node: 2,
      volumes_size: 10,
      volume_mount_prefix: '/v',
      floating_ip_pool: 'public',
    };
    const template = { ...small, node_groups: [group] };
    const spec = { ...fromTemplate, nodeGroups: [{ name: 'data', count: 3 }] };
    expect(wire(spec, 'sahara', { template })).toMatchObject({ node_groups: [{ ...group, count: 3 }] });
  });
});

describe('what is remembered of a start', () => {
  test('the groups of the template, and what the own ones are made from', () => {
    expect(
      desiredOf({ ...fromTemplate, nodeGroups: [{ name: 'worker', count: 9 }, extra, { ...inline, name: 'edge' }] }),
    ).toMatchObject({
      baseline: [
        { name: 'worker', count: 2, nodeGroupTemplateId: workerId },
        { name: 'master', count: 1 },
      ],
      madeFrom: { extra: 'ref:worker', edge: 'inline' },
    });
  });

  test('without a template there is no baseline', () => {
    expect(desiredOf(ownCluster)).not.toHaveProperty('baseline');
    expect(desiredOf(ownCluster)).toMatchObject({ madeFrom: { master: 'inline', worker: 'ref:worker' } });
  });

  test('the longest group, of the template and of the own', () => {
    const longest = (spec: unknown) => clusterKind.longestGroup(clusterSpecOf(spec), givenOf());
    expect(longest(fromTemplate)).toBe('worker'.length);
    expect(longest({ ...fromTemplate, nodeGroups: [{ ...extra, name: 'a-longer-one' }] })).toBe('a-longer-one'.length);
    expect(longest({ ...fromTemplate, nodeGroups: [{ name: 'unknown', count: 1 }] })).toBe(0);
  });
});
