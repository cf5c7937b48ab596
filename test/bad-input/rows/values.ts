// Specs that the API server takes and the operator or the service does not: values in maps, and what does not go together.
import { own } from '../../operator/kinds/support/replies.ts';
import {
  byTemplate,
  cluster,
  clusterSpec,
  none,
  ofCluster,
  ofWorker,
  template,
  templateSpec,
  without,
  worker,
  workerSpec,
} from '../parts.ts';
import type { TroubleRow } from '../row.ts';

const [group] = clusterSpec.nodeGroups;
const network = '2b97ba2c-4e0f-4f5d-9c1a-0a1b2c3d4e5f';
const pooled = { ...group, floatingIPPool: 'public' };
const byWorker = { name: 'other', count: 1, nodeGroupTemplateRef: { name: '@-worker' } };
/** What the plugin knows, of a cluster and of its nodes. */
const configs = (value: unknown) => ({ HDFS: { 'dfs.replication': value } });
const nodeConfigs = (value: unknown) => ({ HDFS: { 'dfs.datanode.handler.count': value } });

/** The trouble of one field, and what to do about it. */
function told(kind: string, name: string, says: RegExp, reason = 'InvalidSpec'): Pick<TroubleRow, 'told'> {
  return { told: [{ kind, name, reason, says }] };
}

/** Fields of templates can be edited, and those of Clusters cannot. */
const configRows: readonly TroubleRow[] = [
  {
    name: 'an empty object as a configuration',
    parts: [worker({ nodeConfigs: { HDFS: { 'dfs.hosts': {} } } })],
    ...told(
      'NodeGroupTemplate',
      '@-worker',
      /spec\.nodeConfigs\.HDFS\.dfs\.hosts: must be a string, an integer or true\/false: put anything else in quotes$/,
    ),
    remedy: { by: 'edit', spec: { ...workerSpec, nodeConfigs: { HDFS: { 'dfs.hosts': '{}' } } } },
    ...none,
  },
  {
    name: 'a fraction as a configuration',
    parts: [cluster({ clusterConfigs: configs(1.5) })],
    ...told(
      'Cluster',
      '@-etl',
      /spec\.clusterConfigs\.HDFS\.dfs\.replication: must be a string, an integer or true\/false: create another Cluster with/,
    ),
    remedy: { by: 'anew', spec: { ...clusterSpec, clusterConfigs: configs('1.5') } },
    ...none,
  },
  {
    name: 'a fraction as a configuration of a group',
    parts: [cluster({ nodeGroups: [{ ...group, nodeConfigs: nodeConfigs(1.5) }] })],
    ...told(
      'Cluster',
      '@-etl',
      /spec\.nodeGroups\.0\.nodeConfigs\.HDFS\.dfs\.datanode\.handler\.count: .*in a group of another name$/,
    ),
    remedy: {
      by: 'edit',
      spec: { ...clusterSpec, nodeGroups: [{ ...group, name: 'other', nodeConfigs: nodeConfigs('1.5') }] },
    },
    ...none,
  },
  {
    name: 'a fraction as a configuration of a group of a template',
    parts: [template({ nodeGroups: [{ ...group, nodeConfigs: nodeConfigs(1.5) }] })],
    ...told(
      'ClusterTemplate',
      '@-small',
      /spec\.nodeGroups\.0\.nodeConfigs\.HDFS\.dfs\.datanode\.handler\.count: .*in quotes$/,
    ),
    remedy: { by: 'edit', spec: templateSpec({ nodeGroups: [{ ...group, nodeConfigs: nodeConfigs('1.5') }] }) },
    ...none,
  },
  {
    name: 'configurations of a group that has none of its own',
    parts: [template({ nodeGroups: [{ ...byWorker, nodeConfigs: { HDFS: { a: 1 } } }] }), worker()],
    ...told(
      'ClusterTemplate',
      '@-small',
      /nodeConfigs needs a flavorID in the same group: move it to the node group template/,
    ),
    remedy: { by: 'edit', spec: templateSpec({ nodeGroups: [byWorker] }) },
    deletable: 'during',
    made: 1,
  },
];

/** What a Neutral service needs for a start, or has no word for. */
const startRows: readonly TroubleRow[] = [
  {
    name: 'no key pair',
    parts: [{ kind: 'Cluster', name: '@-etl', spec: without(clusterSpec, 'userKeypairID') }],
    ...told(
      'Cluster',
      '@-etl',
      /spec.userKeypairID: .*\(dialect Neutral\) needs a key pair.*delete this Cluster .* apply a corrected one with userKeypairID/,
    ),
    remedy: { by: 'anew', spec: clusterSpec },
    ...none,
  },
  {
    name: 'no image anywhere',
    parts: [{ kind: 'Cluster', name: '@-etl', spec: without(clusterSpec, 'defaultImageID') }],
    ...told(
      'Cluster',
      '@-etl',
      /spec.defaultImageID: .*delete this Cluster .* apply a corrected one with defaultImageID or imageRef/,
    ),
    remedy: { by: 'anew', spec: clusterSpec },
    ...none,
  },
  {
    name: 'no image, and a template that can be given one',
    parts: [template({ nodeGroups: clusterSpec.nodeGroups }), { kind: 'Cluster', name: '@-etl', spec: byTemplate }],
    ...told('Cluster', '@-etl', /spec.defaultImageID: .*add one to the ClusterTemplate, or/),
    remedy: {
      by: 'edit',
      spec: templateSpec({ nodeGroups: clusterSpec.nodeGroups, defaultImageID: clusterSpec.defaultImageID }),
      heals: '@-etl',
    },
    deletable: 'during',
    made: 1,
  },
  {
    name: 'a network that only a template can name',
    parts: [cluster({ networkManagementNetwork: network })],
    ...told(
      'Cluster',
      '@-etl',
      /spec.networkManagementNetwork: .*apply a corrected one: without this field, from a ClusterTemplate/,
    ),
    remedy: { by: 'anew', spec: clusterSpec },
    ...none,
  },
  {
    name: 'a pool of addresses that only a node group template can name',
    parts: [
      cluster({ nodeGroups: [pooled] }),
      worker({ floatingIPPool: 'public', nodeProcesses: group?.nodeProcesses }),
    ],
    ...told('Cluster', '@-etl', /nodeGroups\[all\].floatingIPPool: .*NodeGroupTemplate .*in a group of another name/),
    remedy: { by: 'edit', spec: { ...clusterSpec, nodeGroups: [byWorker] } },
    deletable: 'during',
    made: 1,
  },
  {
    name: 'the same in a template',
    parts: [template({ nodeGroups: [pooled] }), worker({ floatingIPPool: 'public' })],
    ...told('ClusterTemplate', '@-small', /nodeGroups\[all\].floatingIPPool: .*NodeGroupTemplate and refer to that$/),
    remedy: { by: 'edit', spec: templateSpec({ nodeGroups: [{ ...byWorker, name: 'all' }] }) },
    deletable: 'during',
    made: 1,
  },
];

const ubuntu = { connectionRef: { name: '@' }, imageID: '2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58', username: 'ubuntu' };

export const valueRows: readonly TroubleRow[] = [
  ...configRows,
  ...startRows,
  {
    name: 'an image that the cloud does not have',
    fault: { does: own(404, 'NOT_FOUND', 'no image'), from: 'ready', method: 'POST', collection: 'images' },
    parts: [
      {
        kind: 'ImageRegistration',
        name: '@-ubuntu',
        spec: { ...ubuntu, imageID: '0d4f6a52-91c3-4be8-a1d7-6f20c95e83b4' },
      },
    ],
    ...told(
      'ImageRegistration',
      '@-ubuntu',
      /no such object.*spec.imageID names an image that the service does not have: delete this object and make one with the right/,
      'ExternalRejected',
    ),
    remedy: { by: 'anew', spec: ubuntu },
    ...none,
  },
  {
    name: 'a count for a group that the template does not have',
    parts: [
      { kind: 'Cluster', name: '@-etl', spec: { ...byTemplate, nodeGroups: [{ name: 'wroker', count: 3 }] } },
      template({ nodeGroups: clusterSpec.nodeGroups, defaultImageID: clusterSpec.defaultImageID }),
    ],
    told: [
      ofCluster(
        'InvalidSpec',
        /spec\.nodeGroups\[wroker\]: the template has no group of this name \(its groups: all\)/,
      ),
    ],
    deletable: 'during',
    made: 1,
  },
  {
    name: 'a flavor that the cloud does not have',
    parts: [{ ...worker(), spec: { ...workerSpec, flavorID: 'm1.huge' } }],
    told: [ofWorker('ExternalRejected', /m1\.huge.*if the spec is wrong, correct it/)],
    ...none,
  },
  {
    name: 'a plugin that the service does not have',
    parts: [worker({ pluginName: 'vanila' })],
    told: [ofWorker('ExternalRejected', /vanila.*if the spec is wrong, correct it/)],
    ...none,
  },
];
