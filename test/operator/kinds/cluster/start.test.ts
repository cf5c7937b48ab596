// The start request of a Cluster, literally, in both dialects; and what is refused before anything is sent.
import { expect } from 'vitest';
import type { Json, Sample, Trial } from '../support/sample.ts';
import { clusterSample, image, network, plugin } from '../support/samples.ts';
import { runTable, type SpecialCase } from '../support/table.ts';

const otherImage = '11111111-2222-4333-8444-555555555555';
const sahara = { dialect: 'sahara' } as const;

/** What the ground of the tests has in the service. */
interface Ids {
  readonly worker: string | undefined;
  readonly template: string | undefined;
}

function idsOf({ world }: Trial): Ids {
  return {
    worker: world.backend.rows('nodeGroupTemplates')[0]?.id,
    template: world.backend.rows('clusterTemplates')[0]?.id,
  };
}

interface Start {
  readonly name: string;
  readonly spec: Sample['spec'];
  readonly options?: SpecialCase['options'];
  readonly body: (ids: Ids) => Json;
}

const template = (names: Json): Json => ({ clusterTemplateRef: { name: names['small'] }, userKeypairID: 'demo' });
const small = { plugin_name: 'vanilla', bigdata_version: '1.2.1', user_keypair_id: 'demo', default_image_id: image };
const branded = { plugin_name: 'vanilla', hadoop_version: '1.2.1', user_keypair_id: 'demo', default_image_id: image };
const inline = { name: 'head', count: 1, flavorID: '3', nodeProcesses: ['namenode', 'jobtracker'] };
const sentInline = { name: 'head', count: 1, flavor_id: '3', node_processes: ['namenode', 'jobtracker'] };

/** Answered groups have everything filled in; what a request copies from them says no more than it must. */
const copiedHead = { ...sentInline, node_configs: {} };

const overrides = (names: Json): Json => ({
  ...template(names),
  clusterConfigs: { HDFS: { 'dfs.replication': '2' } },
  antiAffinity: ['datanode'],
  nodeGroups: [
    { name: 'worker', count: 5 },
    { name: 'extra', count: 1, nodeGroupTemplateRef: { name: names['worker'] } },
  ],
});

const starts: readonly Start[] = [
  {
    name: 'names its template and nothing of it',
    spec: (names) => ({ ...template(names), description: 'held back' }),
    body: ({ template: cluster_template_id }) => ({ ...small, cluster_template_id }),
  },
  {
    name: 'has its own image and configuration beside its template',
    spec: (names) => ({
      ...template(names),
      defaultImageID: otherImage,
      clusterConfigs: { general: { 'Enable NTP service': false } },
    }),
    body: ({ template: cluster_template_id }) => ({
      ...small,
      cluster_template_id,
      default_image_id: otherImage,
      cluster_configs: { general: { 'Enable NTP service': false } },
    }),
  },
  {
    name: 'has the groups of its template merged into its own, and names no template then',
    spec: overrides,
    body: ({ worker }) => ({
      ...small,
      cluster_configs: { HDFS: { 'dfs.replication': '2' } },
      anti_affinity: ['datanode'],
      node_groups: [
        copiedHead,
        { name: 'worker', count: 5, node_group_template_id: worker },
        { name: 'extra', count: 1, node_group_template_id: worker },
      ],
    }),
  },
  {
    name: 'has only its own groups without a template',
    spec: (names) => ({
      ...plugin,
      defaultImageID: image,
      userKeypairID: 'demo',
      nodeGroups: [inline, { name: 'worker', count: 2, nodeGroupTemplateRef: { name: names['worker'] } }],
    }),
    body: ({ worker }) => ({
      ...small,
      node_groups: [sentInline, { name: 'worker', count: 2, node_group_template_id: worker }],
    }),
  },
  {
    name: 'names its template, in words of the dialect',
    spec: (names) => ({ ...template(names), description: 'for people', networkManagementNetwork: network }),
    options: sahara,
    body: ({ template: cluster_template_id }) => ({
      ...branded,
      cluster_template_id,
      description: 'for people',
      neutron_management_network: network,
    }),
  },
  {
    name: 'names its template beside all its groups, in words of the dialect',
    spec: (names) => ({ ...overrides(names), networkManagementNetwork: network }),
    options: sahara,
    body: ({ worker, template: cluster_template_id }) => ({
      ...branded,
      cluster_template_id,
      cluster_configs: { HDFS: { 'dfs.replication': '2' } },
      anti_affinity: ['datanode'],
      neutron_management_network: network,
      node_groups: [
        copiedHead,
        { name: 'worker', count: 5, node_group_template_id: worker },
        { name: 'extra', count: 1, node_group_template_id: worker },
      ],
    }),
  },
  {
    name: 'needs no key pair where the dialect needs none',
    spec: (names) => ({ clusterTemplateRef: { name: names['small'] }, networkManagementNetwork: network }),
    options: sahara,
    body: ({ template: cluster_template_id }) => ({
      plugin_name: 'vanilla',
      hadoop_version: '1.2.1',
      default_image_id: image,
      neutron_management_network: network,
      cluster_template_id,
    }),
  },
];

const literal = starts.map(
  ({ name, spec, options = {}, body }): SpecialCase => ({
    name: `${name} (${options.dialect ?? 'neutral'})`,
    spec,
    options,
    async run(trial) {
      const subject = await trial.create();
      await subject.ready();
      const expected = { ...body(idsOf(trial)), name: subject.row.name };
      expect(subject.sent('POST').map((one) => one.body)).toEqual([expected]);
      expect(subject.row.name).toMatch(/^one-\d+-[a-z2-7]{12}$/);
    },
  }),
);

const withGroup =
  (fields: Json) =>
  (names: Json): Json => ({ ...template(names), nodeGroups: [fields] });

const refusals: readonly {
  readonly name: string;
  readonly spec: Sample['spec'];
  readonly options?: SpecialCase['options'];
  readonly says: string;
}[] = [
  {
    name: 'no key pair',
    spec: (names) => ({ clusterTemplateRef: { name: names['small'] } }),
    says: 'spec.userKeypairID',
  },
  {
    name: 'no image anywhere',
    spec: () => ({ ...plugin, userKeypairID: 'demo', nodeGroups: [inline] }),
    says: 'spec.defaultImageID',
  },
  {
    name: 'a group that nobody describes',
    spec: withGroup({ name: 'nowhere', count: 1 }),
    says: 'spec.nodeGroups[nowhere]',
  },
  {
    name: 'a pool that a group cannot have',
    spec: withGroup({ ...inline, name: 'extra', floatingIPPool: 'public' }),
    says: 'spec.nodeGroups[extra].floatingIPPool',
  },
  {
    name: 'a network that the request cannot carry',
    spec: (names) => ({ ...template(names), networkManagementNetwork: otherImage }),
    says: 'spec.networkManagementNetwork',
  },
  {
    name: 'a configuration that is no value',
    spec: (names) => ({ ...template(names), clusterConfigs: { HDFS: { 'dfs.replication': 1.5 } } }),
    says: 'spec.clusterConfigs.HDFS.dfs.replication',
  },
];

const refused = refusals.map(
  ({ name, spec, says }): SpecialCase => ({
    name: `is not sent with ${name}, and the field is named`,
    spec,
    async run({ create }) {
      const subject = await create();
      await subject.passes(3);
      const refusal = { reason: 'InvalidSpec', message: expect.stringContaining(says) };
      expect(subject.condition('Ready')).toMatchObject({ status: 'False', ...refusal });
      expect(subject.condition('Stalled')).toMatchObject({ status: 'True', ...refusal });
      expect(subject.sent('POST')).toEqual([]);
      await subject.remove();
      await subject.gone();
    },
  }),
);

const names: readonly SpecialCase[] = [
  {
    name: 'leaves room in the name for the longest group',
    spec: (given) => ({
      ...template(given),
      nodeGroups: [{ name: `a${'b'.repeat(28)}c`, count: 1, nodeGroupTemplateRef: { name: given['worker'] } }],
    }),
    async run({ create }) {
      const subject = await create();
      await subject.ready();
      expect(subject.row.name.length + 30).toBeLessThanOrEqual(49);
    },
  },
  {
    name: 'waits for a template that the service does not know, by its id',
    spec: () => ({ clusterTemplateID: otherImage, userKeypairID: 'demo' }),
    async run({ create }) {
      const subject = await create();
      await subject.passes(3);
      expect(subject.condition('Ready')).toMatchObject({
        reason: 'DependencyNotReady',
        message: expect.stringContaining(otherImage),
      });
      expect(subject.status.blockedOn).toMatchObject([
        { kind: 'ClusterTemplate', name: otherImage, reason: 'DependencyNotReady' },
      ]);
      expect(subject.sent('POST')).toEqual([]);
    },
  },
];

runTable({
  title: 'the start request of a Cluster',
  namespace: 'cluster-start',
  sample: clusterSample,
  cases: [...literal, ...refused, ...names],
});
