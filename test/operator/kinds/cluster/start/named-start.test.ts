// The two requests of a Cluster with a fixed name, literally, in both dialects: its private template, and the start from it.
import { expect } from 'vitest';
import type { Json, Sample } from '../../support/sample.ts';
import { clusterSample, image, network, plugin } from '../../support/samples.ts';
import { runTable, type SpecialCase } from '../../support/table.ts';

const name = 'Nightly.etl';
const description = `Of the cluster ${name} alone: the operator that started it deletes this with it.`;
const head = { name: 'head', count: 1, flavor_id: '3', node_processes: ['namenode', 'jobtracker'] };
const inline = { name: 'head', count: 1, flavorID: '3', nodeProcesses: ['namenode', 'jobtracker'] };
/** Answered groups have everything filled in. */
const copiedHead = { ...head, node_configs: {} };

interface Start {
  readonly name: string;
  readonly spec: Sample['spec'];
  readonly options?: SpecialCase['options'];
  readonly template: (worker: string) => Json;
  readonly start: Json;
}

const starts: readonly Start[] = [
  {
    name: 'of a template without overrides: a full copy',
    spec: (names) => ({ name, clusterTemplateRef: { name: names['small'] }, userKeypairID: 'demo' }),
    template: (worker) => ({
      plugin_name: 'vanilla',
      bigdata_version: '1.2.1',
      cluster_configs: {},
      anti_affinity: [],
      node_groups: [copiedHead, { name: 'worker', count: 2, node_group_template_id: worker }],
    }),
    start: { plugin_name: 'vanilla', bigdata_version: '1.2.1', user_keypair_id: 'demo', default_image_id: image },
  },
  {
    name: 'with groups, configuration, affinity and a network of its own: all of it merged into the copy',
    spec: (names) => ({
      name,
      clusterTemplateRef: { name: names['small'] },
      userKeypairID: 'demo',
      clusterConfigs: { HDFS: { 'dfs.replication': '2' } },
      antiAffinity: ['datanode'],
      networkManagementNetwork: network,
      nodeGroups: [
        { name: 'worker', count: 5 },
        { name: 'extra', count: 1, nodeGroupTemplateRef: { name: names['worker'] } },
      ],
    }),
    template: (worker) => ({
      plugin_name: 'vanilla',
      bigdata_version: '1.2.1',
      cluster_configs: { HDFS: { 'dfs.replication': '2' } },
      anti_affinity: ['datanode'],
      network_management_network: network,
      node_groups: [
        { name: 'extra', count: 1, node_group_template_id: worker },
        copiedHead,
        { name: 'worker', count: 5, node_group_template_id: worker },
      ],
    }),
    start: { plugin_name: 'vanilla', bigdata_version: '1.2.1', user_keypair_id: 'demo', default_image_id: image },
  },
  {
    name: 'without a template: its own groups, in words of the dialect',
    spec: () => ({
      ...plugin,
      name,
      defaultImageID: image,
      description: 'for people',
      networkManagementNetwork: network,
      nodeGroups: [inline],
    }),
    options: { dialect: 'sahara' },
    template: () => ({
      plugin_name: 'vanilla',
      hadoop_version: '1.2.1',
      default_image_id: image,
      neutron_management_network: network,
      node_groups: [head],
    }),
    start: {
      plugin_name: 'vanilla',
      hadoop_version: '1.2.1',
      default_image_id: image,
      neutron_management_network: network,
      description: 'for people',
    },
  },
];

runTable({
  title: 'the start of a Cluster with a fixed name',
  namespace: 'named-starts',
  sample: clusterSample,
  cases: starts.map(
    ({ name: title, spec, options = {}, template, start }): SpecialCase => ({
      name: title,
      spec,
      options,
      async run({ world, create }) {
        const subject = await create();
        await subject.ready();
        const worker = world.backend.rows('nodeGroupTemplates')[0]?.id ?? '';
        const [own] = subject.privateRows;
        expect(own?.name).toMatch(/^nightly-etl-[a-z2-7]{20}$/);
        const sent = world.proxy.sent.filter(({ method }) => method === 'POST').map(({ body }) => body);
        expect(sent).toEqual([
          { ...template(worker), name: own?.name, description },
          { ...start, name, cluster_template_id: own?.id },
        ]);
        expect(subject.status.externalName).toBe(name);
      },
    }),
  ),
});
