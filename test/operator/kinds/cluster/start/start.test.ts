// The service accepts the start request of a Cluster whose groups were copied from what it answered about the template.
import { expect } from 'vitest';
import type { Json, Sample, Trial } from '../../support/sample.ts';
import { clusterSample, image, network } from '../../support/samples.ts';
import { runTable, type SpecialCase } from '../../support/table.ts';

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

const small = { plugin_name: 'vanilla', bigdata_version: '1.2.1', user_keypair_id: 'demo', default_image_id: image };
const branded = { plugin_name: 'vanilla', hadoop_version: '1.2.1', user_keypair_id: 'demo', default_image_id: image };
const merged = { cluster_configs: { HDFS: { 'dfs.replication': '2' } }, anti_affinity: ['datanode'] };
/** Answered groups have everything filled in. The request copies no more of them than it must. */
const copiedHead = {
  name: 'head',
  count: 1,
  flavor_id: '3',
  node_processes: ['namenode', 'jobtracker'],
  node_configs: {},
};

const overrides = (names: Json): Json => ({
  clusterTemplateRef: { name: names['small'] },
  userKeypairID: 'demo',
  clusterConfigs: { HDFS: { 'dfs.replication': '2' } },
  antiAffinity: ['datanode'],
  nodeGroups: [
    { name: 'worker', count: 5 },
    { name: 'extra', count: 1, nodeGroupTemplateRef: { name: names['worker'] } },
  ],
});

const groupsOf = (worker: string | undefined): readonly Json[] => [
  copiedHead,
  { name: 'worker', count: 5, node_group_template_id: worker },
  { name: 'extra', count: 1, node_group_template_id: worker },
];

const starts: readonly Start[] = [
  {
    name: 'has the groups of its template merged into its own, and names no template then',
    spec: overrides,
    body: ({ worker }) => ({ ...small, ...merged, node_groups: groupsOf(worker) }),
  },
  {
    name: 'names its template beside all its groups, in words of the dialect',
    spec: (names) => ({ ...overrides(names), networkManagementNetwork: network }),
    options: { dialect: 'sahara' },
    body: ({ worker, template: cluster_template_id }) => ({
      ...branded,
      ...merged,
      cluster_template_id,
      neutron_management_network: network,
      node_groups: groupsOf(worker),
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

runTable({
  title: 'the start request of a Cluster',
  namespace: 'cluster-start',
  sample: clusterSample,
  cases: literal,
});
