// Specs that the API server takes and the operator or the service does not: values in maps, and what does not go together.
import { byTemplate, cluster, clusterSpec, template, without, worker, workerSpec } from './parts.ts';
import type { TroubleRow } from './row.ts';

const none = { deletable: 'during', made: 0 } as const;

export const valueRows: readonly TroubleRow[] = [
  {
    name: 'an empty object as a configuration',
    parts: [worker({ nodeConfigs: { HDFS: { 'dfs.hosts': {} } } })],
    told: [
      {
        kind: 'NodeGroupTemplate',
        name: '@-worker',
        reason: 'InvalidSpec',
        says: /spec\.nodeConfigs\.HDFS\.dfs\.hosts: must be a string, an integer or true\/false/,
      },
    ],
    ...none,
  },
  {
    name: 'a fraction as a configuration',
    parts: [cluster({ clusterConfigs: { HDFS: { factor: 1.5 } } })],
    told: [
      {
        kind: 'Cluster',
        name: '@-etl',
        reason: 'InvalidSpec',
        says: /spec\.clusterConfigs\.HDFS\.factor: must be a string, an integer or true\/false/,
      },
    ],
    ...none,
  },
  {
    name: 'configurations of a group that has none of its own',
    parts: [
      template({
        nodeGroups: [
          { name: 'all', count: 1, nodeGroupTemplateRef: { name: '@-worker' }, nodeConfigs: { HDFS: { a: 1 } } },
        ],
      }),
    ],
    told: [
      {
        kind: 'ClusterTemplate',
        name: '@-small',
        reason: 'InvalidSpec',
        says: /nodeConfigs belong to a group with a flavorID of its own: put them into the node group template/,
      },
    ],
    ...none,
  },
  {
    name: 'no key pair',
    parts: [{ kind: 'Cluster', name: '@-etl', spec: without(clusterSpec, 'userKeypairID') }],
    told: [
      {
        kind: 'Cluster',
        name: '@-etl',
        reason: 'InvalidSpec',
        says: /spec.userKeypairID: .*needs a key pair to start a cluster: add one/,
      },
    ],
    ...none,
  },
  {
    name: 'no image anywhere',
    parts: [{ kind: 'Cluster', name: '@-etl', spec: without(clusterSpec, 'defaultImageID') }],
    told: [{ kind: 'Cluster', name: '@-etl', reason: 'InvalidSpec', says: /spec.defaultImageID: .*add one/ }],
    ...none,
  },
  {
    name: 'a count for a group that the template does not have',
    parts: [
      { kind: 'Cluster', name: '@-etl', spec: { ...byTemplate, nodeGroups: [{ name: 'wroker', count: 3 }] } },
      template({ nodeGroups: clusterSpec.nodeGroups, defaultImageID: clusterSpec.defaultImageID }),
    ],
    told: [
      {
        kind: 'Cluster',
        name: '@-etl',
        reason: 'InvalidSpec',
        says: /spec\.nodeGroups\[wroker\]: the template has no group of this name/,
      },
    ],
    deletable: 'during',
    made: 1,
  },
  {
    name: 'a flavor that the cloud does not have',
    parts: [{ ...worker(), spec: { ...workerSpec, flavorID: 'm1.huge' } }],
    told: [
      {
        kind: 'NodeGroupTemplate',
        name: '@-worker',
        reason: 'ExternalRejected',
        says: /m1\.huge.*delete this resource and apply a corrected one/,
      },
    ],
    ...none,
  },
  {
    name: 'a plugin that the service does not have',
    parts: [worker({ pluginName: 'vanila' })],
    told: [
      {
        kind: 'NodeGroupTemplate',
        name: '@-worker',
        reason: 'ExternalRejected',
        says: /vanila.*delete this resource and apply a corrected one/,
      },
    ],
    ...none,
  },
];
