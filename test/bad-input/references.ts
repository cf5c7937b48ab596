// What the API server cannot see: Secrets, Connections and templates that are not there or not right, and values in maps.
import { planted } from './bench.ts';
import { cluster, clusterSpec, secret, tokenFrom, worker, workerSpec } from './parts.ts';
import type { Part, TroubleRow } from './row.ts';

const waiting = { kind: 'NodeGroupTemplate', name: '@-worker', reason: 'CredentialsMissing' } as const;
const none = { deletable: 'during', made: 0 } as const;
const template = (spec: object): Part => ({
  kind: 'ClusterTemplate',
  name: '@-small',
  spec: { connectionRef: { name: '@' }, pluginName: 'vanilla', bigdataVersion: '1.2.1', ...spec },
});
const byTemplate = { connectionRef: { name: '@' }, clusterTemplateRef: { name: '@-small' }, userKeypairID: 'demo' };
const without = (spec: object, field: string) =>
  Object.fromEntries(Object.entries(spec).filter(([key]) => key !== field));

const secrets: readonly TroubleRow[] = [
  {
    name: 'a Secret that does not exist',
    connection: tokenFrom('@-missing'),
    parts: [worker()],
    told: [
      {
        kind: 'Connection',
        name: '@',
        reason: 'CredentialsMissing',
        says: /Secret @-missing does not exist in this namespace, or is not of type dataprocessing.dev\/credentials: make it with that type/,
      },
      { ...waiting, says: /Connection @ has no credentials: Secret @-missing/ },
    ],
    ...none,
  },
  {
    name: 'a Secret without the key',
    secrets: [secret('@', { password: planted.foreign })],
    connection: tokenFrom('@'),
    parts: [worker()],
    told: [
      { kind: 'Connection', name: '@', reason: 'CredentialsMissing', says: /Secret @ has no key "token": add it/ },
      { ...waiting, says: /Secret @ has no key "token": add it/ },
    ],
    ...none,
  },
  {
    name: 'an empty token',
    secrets: [secret('@', { token: ' \n' })],
    connection: tokenFrom('@'),
    parts: [worker()],
    told: [
      {
        kind: 'Connection',
        name: '@',
        reason: 'CredentialsMissing',
        says: /Secret @ has nothing in its key "token": fill it in/,
      },
    ],
    ...none,
  },
  {
    name: 'a Secret of another type',
    secrets: [secret('@', { token: planted.foreign }, 'Opaque')],
    connection: tokenFrom('@'),
    parts: [worker()],
    told: [
      {
        kind: 'Connection',
        name: '@',
        reason: 'CredentialsMissing',
        says: /not of type dataprocessing.dev\/credentials/,
      },
      { ...waiting, says: /not of type dataprocessing.dev\/credentials/ },
    ],
    ...none,
  },
  {
    name: 'a CA bundle that is none',
    secrets: [secret('@', { 'ca.crt': planted.foreign })],
    connection: { endpoint: 'https://@service', tls: { caSecretRef: { name: '@' } } },
    parts: [worker()],
    told: [
      {
        kind: 'Connection',
        name: '@',
        reason: 'CredentialsMissing',
        says: /key "ca.crt" of Secret @ holds no certificate: put the CA's there, in PEM form/,
      },
    ],
    ...none,
  },
  {
    name: 'a CA bundle that does not exist',
    connection: { tls: { caSecretRef: { name: '@-missing' } } },
    parts: [worker()],
    told: [{ kind: 'Connection', name: '@', reason: 'CredentialsMissing', says: /Secret @-missing does not exist/ }],
    ...none,
  },
];

const missing: readonly TroubleRow[] = [
  {
    name: 'a Connection that does not exist',
    connection: null,
    parts: [worker(), cluster()],
    told: [
      {
        kind: 'NodeGroupTemplate',
        name: '@-worker',
        reason: 'DependencyNotReady',
        says: /Connection @ does not exist in this namespace/,
      },
      {
        kind: 'Cluster',
        name: '@-etl',
        reason: 'DependencyNotReady',
        says: /Connection @ does not exist in this namespace/,
      },
    ],
    ...none,
  },
  {
    name: 'a ClusterTemplate that does not exist',
    parts: [{ kind: 'Cluster', name: '@-etl', spec: byTemplate }],
    told: [
      {
        kind: 'Cluster',
        name: '@-etl',
        reason: 'DependencyNotReady',
        says: /ClusterTemplate @-small does not exist/,
      },
    ],
    ...none,
  },
  {
    name: 'a NodeGroupTemplate that does not exist',
    parts: [template({ nodeGroups: [{ name: 'all', count: 1, nodeGroupTemplateRef: { name: '@-worker' } }] })],
    told: [
      {
        kind: 'ClusterTemplate',
        name: '@-small',
        reason: 'DependencyNotReady',
        says: /NodeGroupTemplate @-worker does not exist/,
      },
    ],
    ...none,
  },
  {
    name: 'a template identifier that the service does not have',
    parts: [
      {
        kind: 'Cluster',
        name: '@-etl',
        spec: {
          ...without(byTemplate, 'clusterTemplateRef'),
          clusterTemplateID: '2b97ba2c-4e0f-4f5d-9c1a-0a1b2c3d4e5f',
        },
      },
    ],
    told: [
      {
        kind: 'Cluster',
        name: '@-etl',
        reason: 'DependencyNotReady',
        says: /spec.clusterTemplateID: the service has no cluster template with id 2b97ba2c/,
      },
    ],
    ...none,
  },
];

const values: readonly TroubleRow[] = [
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

export const referenceRows: readonly TroubleRow[] = [...secrets, ...missing, ...values];
