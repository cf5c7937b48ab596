// A sample of each kind for the battery, with what it needs and how it can be varied.
import { clusterKind } from '../../../../src/operator/kinds/cluster/index.ts';
import { clusterTemplateKind } from '../../../../src/operator/kinds/cluster-template/index.ts';
import { dataSourceKind } from '../../../../src/operator/kinds/data-source/index.ts';
import { imageRegistrationKind } from '../../../../src/operator/kinds/image-registration/index.ts';
import { jobKind } from '../../../../src/operator/kinds/job/index.ts';
import { jobBinaryKind } from '../../../../src/operator/kinds/job-binary/index.ts';
import { jobExecutionKind } from '../../../../src/operator/kinds/job-execution/index.ts';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import type { Json, Sample } from './sample.ts';
import type { Subject } from './subject.ts';

export const image = '7a1f6b0e-3c52-4e0b-9d57-5f0c8e2b4a61';
export const network = '2b97ba2c-4e0f-4f5d-9c1a-0a1b2c3d4e5f';
export const plugin = { pluginName: 'vanilla', bigdataVersion: '1.2.1' };
const plain = { plugin_name: 'vanilla', bigdata_version: '1.2.1' };

export const workerSpec: Json = { ...plugin, flavorID: '2', nodeProcesses: ['datanode', 'tasktracker'] };
export const head: Json = { name: 'head', count: 1, flavorID: '3', nodeProcesses: ['namenode', 'jobtracker'] };

const worker = { kind: 'NodeGroupTemplate', as: 'worker', spec: () => workerSpec };
const templateSpec = (names: Json): Json => ({
  ...plugin,
  defaultImageID: image,
  nodeGroups: [head, { name: 'worker', count: 2, nodeGroupTemplateRef: { name: names['worker'] } }],
});
const template = { kind: 'ClusterTemplate', as: 'small', spec: templateSpec };

/** CEL sees an edit of a config map only where nothing else changes; with another field it gets through. */
const configOf = (path: string, target: string, name: string) => {
  const edit = (value: string | number, progressDeadlineSeconds: number): Json => ({
    [path]: { [target]: { [name]: value } },
    progressDeadlineSeconds,
  });
  return { path, edited: edit('7', 3000), again: edit('9', 3003), back: edit('2', 3001), unparsable: edit(1.5, 3002) };
};

export const nodeGroupTemplateSample: Sample = {
  kind: nodeGroupTemplateKind,
  needs: [],
  spec: () => ({ ...workerSpec, nodeConfigs: { HDFS: { 'dfs.datanode.du.reserved': '2' } } }),
  config: configOf('nodeConfigs', 'HDFS', 'dfs.datanode.du.reserved'),
  user: {
    kind: 'ClusterTemplate',
    collection: 'cluster-templates',
    body: (id) => ({
      name: 'stranger',
      ...plain,
      node_groups: [{ name: 'worker', count: 1, node_group_template_id: id }],
    }),
  },
};

export const clusterTemplateSample: Sample = {
  kind: clusterTemplateKind,
  needs: [worker],
  spec: (names) => ({ ...templateSpec(names), clusterConfigs: { HDFS: { 'dfs.replication': '2' } } }),
  config: configOf('clusterConfigs', 'HDFS', 'dfs.replication'),
  refersTo: 'worker',
  user: {
    kind: 'Cluster',
    collection: 'clusters',
    body: (id) => ({
      name: 'stranger',
      ...plain,
      default_image_id: image,
      user_keypair_id: 'demo',
      cluster_template_id: id,
    }),
  },
};

export const clusterSample: Sample = {
  kind: clusterKind,
  needs: [worker, template],
  spec: (names) => ({
    clusterTemplateRef: { name: names['small'] },
    userKeypairID: 'demo',
    clusterConfigs: { HDFS: { 'dfs.replication': '2' } },
  }),
  config: configOf('clusterConfigs', 'HDFS', 'dfs.replication'),
  refersTo: 'small',
  readsReferent: 'cluster-templates',
  change: {
    edit: { nodeGroups: [{ name: 'worker', count: 4 }] },
    again: { nodeGroups: [{ name: 'worker', count: 3 }] },
    request: { method: 'PUT' },
    shows: countsOf,
    leadsTo: { head: 1, worker: 4 },
  },
};

/** Machines by group, as the service has them. */
export function countsOf({ row }: Subject): Readonly<Record<string, number>> {
  return Object.fromEntries('node_groups' in row ? row.node_groups.map((group) => [group.name, group.count]) : []);
}

const imageNumbered = (number: number): string => `1a6e0000-0000-4000-8000-${String(number).padStart(12, '0')}`;
/** More than one test registers. */
const imagesOfTest = 20;

export const imageRegistrationSample: Sample = {
  kind: imageRegistrationKind,
  needs: [],
  spec: (names) => ({ imageID: imageNumbered(Number(names['number'])), username: 'ubuntu' }),
  change: {
    edit: { tags: ['vanilla', '1.2.1'] },
    again: { tags: ['vanilla', '1.2.1', '2.4.1'] },
    request: { method: 'POST', action: 'tag' },
    shows: tagsOf,
    leadsTo: ['1.2.1', 'vanilla'],
  },
  server: (number) => {
    const ids = Array.from({ length: imagesOfTest }, (_, index) => imageNumbered(number + index));
    return { catalog: { images: ids.map((id) => ({ id, name: 'ubuntu-22.04', registered: false })) } };
  },
};

/** As the service has them, in the order of letters. */
export function tagsOf({ row }: Subject): readonly string[] {
  return 'tags' in row ? row.tags.toSorted() : [];
}

/** An edit of what an object says of itself in one place, to another number. */
const contentOf = (edit: (number: string) => Json) => ({ edited: edit('7'), again: edit('9'), back: edit('2') });

export const dataSourceSample: Sample = {
  kind: dataSourceKind,
  needs: [],
  spec: () => ({ type: 'hdfs', url: 'hdfs://namenode:8020/2' }),
  content: contentOf((number) => ({ url: `hdfs://namenode:8020/${number}` })),
};

const share = '5f3c2a10-98ab-4a5f-9d3e-0123456789ab';
export const jobBinarySample: Sample = {
  kind: jobBinaryKind,
  needs: [],
  /** The names of its objects have an ending. */
  spec: () => ({ url: `manila://${share}/2.py` }),
  content: contentOf((number) => ({ url: `manila://${share}/${number}.py` })),
  user: { kind: 'Job', collection: 'jobs', body: (id) => ({ name: 'stranger', type: 'Shell', mains: [id] }) },
};

/** The same with bytes of its own, which the service stores beside it. */
export const storedBinarySample: Sample = {
  ...jobBinarySample,
  isStored: true,
  spec: () => ({ content: { inline: '2', fileName: 'run.py' } }),
  content: contentOf((number) => ({ content: { inline: number } })),
};

const limitOf = (number: string): Json => ({
  interface: [
    { name: 'limit', mappingType: 'configs', location: 'limit', required: false, valueType: 'number', default: number },
  ],
});
export const jobSample: Sample = {
  kind: jobKind,
  needs: [{ kind: 'JobBinary', as: 'program', spec: () => ({ url: `manila://${share}/run.sh` }) }],
  spec: (names) => ({ type: 'Shell', mains: [{ jobBinaryRef: { name: names['program'] } }], ...limitOf('2') }),
  content: contentOf(limitOf),
  refersTo: 'program',
};

const program = { kind: 'JobBinary', as: 'program', spec: () => ({ url: `manila://${share}/run.sh` }) };
export const jobExecutionSample: Sample = {
  kind: jobExecutionKind,
  needs: [
    worker,
    template,
    {
      kind: 'Cluster',
      as: 'cluster',
      spec: (names) => ({ clusterTemplateRef: { name: names['small'] }, userKeypairID: 'demo' }),
    },
    program,
    {
      kind: 'Job',
      as: 'job',
      spec: (names) => ({ type: 'Shell', mains: [{ jobBinaryRef: { name: names['program'] } }] }),
    },
  ],
  spec: (names) => ({ jobRef: { name: names['job'] }, clusterRef: { name: names['cluster'] }, args: ['2'] }),
  refersTo: 'job',
};
