// The create request of a ClusterTemplate, literally, in both dialects.
import { expect } from 'vitest';
import type { Json } from '../support/sample.ts';
import { clusterTemplateSample, image, network, plugin } from '../support/samples.ts';
import { runTable, type SpecialCase } from '../support/table.ts';

const spec = (names: Json): Json => ({
  ...plugin,
  description: 'small',
  clusterConfigs: { HDFS: { 'dfs.replication': '2' }, general: { 'Enable NTP service': true } },
  antiAffinity: ['datanode'],
  networkManagementNetwork: network,
  defaultImageID: image,
  nodeGroups: [
    {
      name: 'head',
      count: 1,
      flavorID: '3',
      nodeProcesses: ['namenode'],
      volumesPerNode: 1,
      volumesSize: 10,
      volumeMountPrefix: '/data',
    },
    { name: 'worker', count: 2, nodeGroupTemplateRef: { name: names['worker'] } },
  ],
});

const common = {
  plugin_name: 'vanilla',
  description: 'small',
  cluster_configs: { HDFS: { 'dfs.replication': '2' }, general: { 'Enable NTP service': true } },
  anti_affinity: ['datanode'],
};
const head = {
  name: 'head',
  count: 1,
  flavor_id: '3',
  node_processes: ['namenode'],
  volumes_per_node: 1,
  volumes_size: 10,
  volume_mount_prefix: '/data',
};

/** The neutral template has no image: clusters get it in their start request. */
const words = {
  neutral: { bigdata_version: '1.2.1', network_management_network: network },
  sahara: { hadoop_version: '1.2.1', neutron_management_network: network, default_image_id: image },
};

const cases = (['neutral', 'sahara'] as const).map(
  (dialect): SpecialCase => ({
    name: `has every field, in words of the dialect ${dialect}`,
    spec,
    options: { dialect },
    async run({ createReady, world }) {
      const subject = await createReady();
      const [worker] = world.backend.rows('nodeGroupTemplates');
      const node_groups = [head, { name: 'worker', count: 2, node_group_template_id: worker?.id }];
      const expected = { ...common, ...words[dialect], name: subject.row.name, node_groups };
      expect(subject.sent('POST').map((one) => one.body)).toEqual([expected]);
    },
  }),
);

const pool: SpecialCase = {
  name: 'is not sent with a pool that a group cannot have',
  spec: () => ({
    ...plugin,
    nodeGroups: [{ name: 'head', count: 1, flavorID: '3', nodeProcesses: ['namenode'], floatingIPPool: 'public' }],
  }),
  async run({ create }) {
    const subject = await create();
    await subject.passes(2);
    expect(subject.condition('Stalled')).toMatchObject({
      reason: 'InvalidSpec',
      message: expect.stringContaining('floatingIPPool'),
    });
    expect(subject.sent('POST')).toEqual([]);
  },
};

runTable({
  title: 'the create request of a ClusterTemplate',
  namespace: 'cluster-template-create',
  sample: clusterTemplateSample,
  cases: [...cases, pool],
});
