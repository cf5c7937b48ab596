// Specs that the API server takes, to be varied.
import type { Kind, Spec } from './api.ts';

export const uuid = '2b97ba2c-4e0f-4f5d-9c1a-0a1b2c3d4e5f';
export const otherUuid = '7a1f6b0e-3c52-4e0b-9d57-5f0c8e2b4a61';

export const inlineGroup: Spec = { name: 'head', count: 1, flavorID: '2', nodeProcesses: ['namenode', 'jobtracker'] };
export const referringGroup: Spec = { name: 'worker', count: 2, nodeGroupTemplateRef: { name: 'worker' } };

export const smallest: Readonly<Record<Kind, Spec>> = {
  Connection: { endpoint: 'http://127.0.0.1:8386', tenantID: 'demo' },
  SharedConnection: { endpoint: 'http://127.0.0.1:8386', tenantID: 'demo' },
  NodeGroupTemplate: { pluginName: 'vanilla', bigdataVersion: '1.2.1', flavorID: '2', nodeProcesses: ['datanode'] },
  ClusterTemplate: { pluginName: 'vanilla', bigdataVersion: '1.2.1', nodeGroups: [inlineGroup] },
  Cluster: { clusterTemplateRef: { name: 'small' } },
  ImageRegistration: { imageID: uuid, username: 'ubuntu' },
  DataSource: { type: 'hdfs', url: '/data/in' },
  Job: { type: 'Spark', mains: [{ jobBinaryRef: { name: 'words' } }] },
  JobBinary: { url: 'https://files.example.com/a.jar' },
  JobExecution: { jobRef: { name: 'words' }, clusterRef: { name: 'small' } },
  JobSchedule: { schedule: '@daily', template: { spec: { jobRef: { name: 'words' }, clusterRef: { name: 'small' } } } },
  NodeGroup: { clusterRef: { name: 'small' }, nodeGroup: 'worker', count: 0 },
};

const common = {
  connectionRef: { kind: 'Connection', name: 'other' },
  deletionPolicy: 'Orphan',
  progressDeadlineSeconds: 60,
};
const kept = { ...common, policy: 'Plan', suspend: true, onExternalDelete: 'Report' };
const adopting = { ...kept, adopt: { id: uuid } };
const configs = { HDFS: { 'dfs.replication': '3', 'Heap Size': 1024, 'dfs.permissions': false }, general: {} };
const nodes = {
  floatingIPPool: 'public',
  volumesPerNode: 2,
  volumesSize: 100,
  volumeMountPrefix: '/volumes/disk',
  nodeConfigs: configs,
};

/** Every field set. */
export const largest: Readonly<Record<Kind, Spec>> = {
  Connection: {
    ...smallest.Connection,
    formerEndpoints: ['https://old.example.com/base'],
    dialect: 'Neutral',
    auth: { type: 'Token', secretRef: { name: 'token' } },
    tls: { caSecretRef: { name: 'authority' }, insecureSkipVerify: false },
    timeoutSeconds: 10,
    limits: { requestsPerSecond: 5, burst: 10, maxInFlight: 4 },
    pollSeconds: 15,
  },
  SharedConnection: {
    ...smallest.SharedConnection,
    formerEndpoints: ['https://old.example.com/base'],
    dialect: 'Neutral',
    auth: { type: 'Token', secretRef: { name: 'token' } },
    tls: { caSecretRef: { name: 'authority' }, insecureSkipVerify: false },
    timeoutSeconds: 10,
    pollSeconds: 15,
    credentialsNamespace: 'data-platform',
    namespaces: ['team-a'],
    namespaceSelector: {
      matchLabels: { 'data-platform': 'enabled' },
      matchExpressions: [{ key: 'stage', operator: 'NotIn', values: ['test'] }],
    },
    allowAdopt: true,
    limits: { requestsPerSecond: 5, burst: 10, maxInFlight: 4, maxClusters: 3, maxNodes: 20 },
  },
  NodeGroupTemplate: { ...adopting, name: 'work', description: 'workers', ...smallest.NodeGroupTemplate, ...nodes },
  ClusterTemplate: {
    ...adopting,
    ...smallest.ClusterTemplate,
    name: 'blueprint-1',
    description: 'small',
    clusterConfigs: configs,
    antiAffinity: ['datanode'],
    networkManagementNetwork: uuid,
    defaultImageID: uuid,
    nodeGroups: [
      { ...inlineGroup, ...nodes },
      referringGroup,
      { name: 'extra.group', count: 0, nodeGroupTemplateID: uuid },
    ],
  },
  Cluster: {
    ...kept,
    name: 'Nightly.etl-1',
    description: 'analytics',
    clusterTemplateRef: { name: 'small' },
    pluginName: 'vanilla',
    bigdataVersion: '1.2.1',
    defaultImageID: uuid,
    userKeypairID: 'my key_1',
    clusterConfigs: configs,
    antiAffinity: ['datanode'],
    networkManagementNetwork: uuid,
    nodeGroups: [
      { ...inlineGroup, ...nodes },
      referringGroup,
      { name: 'worker-2', count: 3 },
      { name: 'extra', count: 0, nodeGroupTemplateID: uuid },
    ],
    lifecycle: {
      idleDeleteAfterSeconds: 3600,
      deleteAfterSeconds: 28_800,
      deleteAt: '2026-06-30T18:00:00.5+02:00',
      onExpiry: 'Delete',
    },
  },
  ImageRegistration: {
    ...kept,
    ...smallest.ImageRegistration,
    description: 'for Spark',
    tags: ['vanilla', '1.2.1', 'a_b-c.d'],
  },
  Job: {
    ...adopting,
    name: 'words',
    description: 'counts',
    type: 'Shell',
    mains: [{ jobBinaryRef: { name: 'words' } }],
    libs: [{ jobBinaryID: uuid }, { jobBinaryRef: { name: 'more' } }],
    interface: [
      {
        name: 'text',
        description: 'to count',
        mappingType: 'args',
        location: '0',
        required: false,
        valueType: 'data_source',
        default: 'hdfs:///a',
      },
      { name: 'limit', mappingType: 'params', location: 'LIMIT', required: true },
    ],
  },
  JobBinary: {
    ...adopting,
    name: 'words',
    description: 'counts',
    url: 's3://programs/words.jar',
    credentialsSecretRef: { name: 'keys-of-programs' },
  },
  DataSource: {
    ...adopting,
    name: 'books',
    description: 'plain text',
    type: 's3',
    url: 's3a://books/%JOB_EXEC_ID%',
    credentialsSecretRef: { name: 'keys-of-books' },
  },
  JobExecution: {
    ...common,
    ...smallest.JobExecution,
    policy: 'Plan',
    inputRef: { name: 'books' },
    outputRef: { name: 'counts' },
    configs: { 'edp.java.main_class': 'WordCount', empty: '' },
    params: { LIMIT: '10' },
    args: ['a', ''],
    interface: { text: 'hdfs:///a' },
    cancel: false,
    suspend: true,
    activeDeadlineSeconds: 600,
    retries: 2,
    onUnknown: 'Retry',
  },
  NodeGroup: {
    clusterRef: { name: 'small' },
    nodeGroup: 'extra.group',
    count: 10_000,
    autoscaling: { minCount: 0, maxCount: 10_000, scaleDownAfterSeconds: 0 },
  },
  JobSchedule: {
    schedule: '*/5 0-6,22 1 JAN-MAR MON',
    timeZone: 'America/Argentina/Buenos_Aires',
    concurrencyPolicy: 'Forbid',
    startingDeadlineSeconds: 600,
    suspend: true,
    successfulHistoryLimit: 0,
    failedHistoryLimit: 10,
    template: {
      metadata: { labels: { team: 'analytics', empty: '' }, annotations: { 'example.com/a': 'b' } },
      spec: {
        ...common,
        jobID: uuid,
        clusterRef: { name: 'small' },
        configs: { 'edp.java.main_class': 'WordCount' },
        args: ['a', ''],
        activeDeadlineSeconds: 600,
      },
    },
  },
};

/** A Cluster that is described by its own groups alone. */
export const standalone: Spec = {
  pluginName: 'vanilla',
  bigdataVersion: '1.2.1',
  nodeGroups: [inlineGroup, referringGroup],
};

/** A run with a job and a cluster of its own. */
export const ownRun: Spec = {
  job: { type: 'Spark', mains: [{ jobBinaryRef: { name: 'words' } }], description: 'Counts words' },
  cluster: { clusterTemplateRef: { name: 'small' }, keepOnFailureSeconds: 60 },
};
/** The same by identifiers. */
export const identifiedRun: Spec = { jobID: uuid, clusterID: uuid, inputID: uuid, outputID: uuid };
