// The create request of a NodeGroupTemplate, literally, in both dialects.
import { expect } from 'vitest';
import type { Json } from '../support/sample.ts';
import { nodeGroupTemplateSample, plugin } from '../support/samples.ts';
import { runTable, type SpecialCase } from '../support/table.ts';

const spec = (): Json => ({
  ...plugin,
  description: 'workers',
  flavorID: '2',
  nodeProcesses: ['tasktracker', 'datanode'],
  floatingIPPool: 'public',
  volumesPerNode: 2,
  volumesSize: 100,
  volumeMountPrefix: '/volumes/disk',
  nodeConfigs: { HDFS: { 'dfs.datanode.du.reserved': '2', 'Data Node Heap Size': 512 } },
});
const body = {
  plugin_name: 'vanilla',
  description: 'workers',
  flavor_id: '2',
  node_processes: ['tasktracker', 'datanode'],
  floating_ip_pool: 'public',
  volumes_per_node: 2,
  volumes_size: 100,
  volume_mount_prefix: '/volumes/disk',
  node_configs: { HDFS: { 'dfs.datanode.du.reserved': '2', 'Data Node Heap Size': 512 } },
};

const cases = (['neutral', 'sahara'] as const).map(
  (dialect): SpecialCase => ({
    name: `has every field, in words of the dialect ${dialect}`,
    spec,
    options: { dialect },
    async run({ createReady }) {
      const subject = await createReady();
      const version = dialect === 'neutral' ? { bigdata_version: '1.2.1' } : { hadoop_version: '1.2.1' };
      expect(subject.sent('POST').map((one) => one.body)).toEqual([{ ...body, ...version, name: subject.row.name }]);
      expect(subject.row.name).toMatch(/^one-\d+-[a-z2-7]{20}$/);
      expect(subject.status).toMatchObject({
        pluginName: 'vanilla',
        bigdataVersion: '1.2.1',
        volumesPerNode: 2,
        volumesSize: 100,
      });
    },
  }),
);

const unset: SpecialCase = {
  name: 'has nothing that the user left unset, and the status shows what the service chose',
  spec: () => ({ ...plugin, flavorID: '2', nodeProcesses: ['datanode'] }),
  async run({ createReady }) {
    const subject = await createReady();
    const { name } = subject.row;
    const smallest = {
      name,
      plugin_name: 'vanilla',
      bigdata_version: '1.2.1',
      flavor_id: '2',
      node_processes: ['datanode'],
    };
    expect(subject.sent('POST').map((one) => one.body)).toEqual([smallest]);
    expect(subject.status).toMatchObject({ volumesPerNode: 0, volumesSize: 10, volumeMountPrefix: '/volumes/disk' });
  },
};

runTable({
  title: 'the create request of a NodeGroupTemplate',
  namespace: 'node-group-template-create',
  sample: nodeGroupTemplateSample,
  cases: [...cases, unset],
});
