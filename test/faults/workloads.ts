// What a user does while something goes wrong, as a table: what is there before, each step, and the writes that it leads to.

/** Services that differ in how far clusters get: to the end, or only to the middle of being started or scaled. */
export type ServiceName = 'prompt' | 'never started' | 'never scaled';

export type Kind = 'Secret' | 'Connection' | 'NodeGroupTemplate' | 'ClusterTemplate' | 'Cluster' | 'ImageRegistration';
/** Kind and name; all names begin with that of the cell, the Connection's is nothing more. */
export type Target = readonly [kind: Kind, name: string];

export type Step =
  | { readonly apply: Target; readonly spec: object }
  | { readonly remove: readonly Target[] }
  | { readonly ready: readonly Target[] }
  | { readonly gone: readonly Target[] }
  /** The write was sent to the service, or would have been if nothing had gone wrong. */
  | { readonly sent: string }
  /** The operator is asked to end, and another one starts. */
  | { readonly handOver: true };

export interface Workload {
  readonly name: string;
  readonly service: ServiceName;
  /** Several replicas could run: the operator holds the lease, and faults may befall it from its start on. */
  readonly elects?: true;
  /** Nothing goes wrong here. */
  readonly before: readonly Step[];
  readonly steps: readonly Step[];
  /** The write points that are passed during `steps`; a run without a fault has to agree. */
  readonly passes: readonly string[];
}

export const imageId = '2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58';
const clusterImage = '7a1f6b0e-3c52-4e0b-9d57-5f0c8e2b4a61';
const plugin = { pluginName: 'vanilla', bigdataVersion: '1.2.1' };

const secret: Target = ['Secret', 'token'];
const connection: Target = ['Connection', ''];
const master: Target = ['NodeGroupTemplate', 'master'];
const worker: Target = ['NodeGroupTemplate', 'worker'];
const small: Target = ['ClusterTemplate', 'small'];
const etl: Target = ['Cluster', 'etl'];
const image: Target = ['ImageRegistration', 'image'];
const all = [etl, small, master, worker, image, connection, secret];

/** `~` stands for the name of the cell. */
const ref = (name: string) => ({ name: `~-${name}` });
const connectionRef = { name: '~' };

const access: readonly Step[] = [
  { apply: secret, spec: { type: 'dataprocessing.dev/credentials', stringData: { token: 'open-sesame' } } },
  {
    apply: connection,
    spec: {
      endpoint: '~endpoint',
      tenantID: '~',
      auth: { type: 'Token', secretRef: ref('token') },
      timeoutSeconds: 15,
      pollSeconds: 5,
    },
  },
];
const workerTemplate: Step = {
  apply: worker,
  spec: { ...plugin, connectionRef, flavorID: '2', nodeProcesses: ['datanode', 'tasktracker'] },
};
const templates: readonly Step[] = [
  {
    apply: master,
    spec: { ...plugin, connectionRef, flavorID: '3', nodeProcesses: ['namenode', 'jobtracker'] },
  },
  workerTemplate,
  {
    apply: small,
    spec: {
      ...plugin,
      connectionRef,
      defaultImageID: clusterImage,
      nodeGroups: [
        { name: 'master', count: 1, nodeGroupTemplateRef: ref('master') },
        { name: 'worker', count: 2, nodeGroupTemplateRef: ref('worker') },
      ],
    },
  },
];
const cluster = (...nodeGroups: readonly object[]): Step => ({
  apply: etl,
  spec: {
    connectionRef,
    clusterTemplateRef: ref('small'),
    userKeypairID: 'demo',
    ...(nodeGroups.length === 0 ? {} : { nodeGroups }),
  },
});
const workers = (count: number) => ({ name: 'worker', count });

/** A cluster that needs no templates. */
const plain = (count: number, ...more: readonly object[]): Step => ({
  apply: etl,
  spec: {
    ...plugin,
    connectionRef,
    defaultImageID: clusterImage,
    userKeypairID: 'demo',
    nodeGroups: [
      { name: 'master', count: 1, flavorID: '3', nodeProcesses: ['namenode', 'jobtracker'] },
      { name: 'worker', count, flavorID: '2', nodeProcesses: ['datanode', 'tasktracker'] },
      ...more,
    ],
  },
});
const extra = { name: 'extra', count: 1, nodeGroupTemplateRef: ref('worker') };
const registration = (username: string, ...tags: readonly string[]): Step => ({
  apply: image,
  spec: { connectionRef, imageID: imageId, username, description: 'for tests', tags },
});

const withTemplates = [...access, ...templates, { ready: [small] }];
const running: readonly Step[] = [...access, plain(2), { ready: [etl] }];

const tellsOfCluster = ['tell cluster', 'event'];
const scales = ['intend change of cluster', 'resize cluster', 'record cluster', ...tellsOfCluster];
const createsTemplates = ['cluster template', 'node group template'].flatMap((kind) => [
  `intend ${kind}`,
  `create ${kind}`,
  `record ${kind}`,
  `tell ${kind}`,
]);
const createsCluster = ['intend cluster', 'create cluster', 'record cluster', ...tellsOfCluster];
const holdsAccess = ['hold connection', 'tell connection', 'hold secret'];

export const workloads: readonly Workload[] = [
  {
    name: 'create',
    service: 'prompt',
    before: [],
    steps: [...access, ...templates, cluster(), { ready: [master, worker, small, etl, connection] }],
    passes: [...holdsAccess, ...createsTemplates, ...createsCluster],
  },
  {
    name: 'scale up',
    service: 'prompt',
    before: [...withTemplates, cluster(), { ready: [etl] }],
    steps: [cluster(workers(4)), { ready: [etl] }],
    passes: scales,
  },
  {
    name: 'scale down',
    service: 'prompt',
    before: running,
    steps: [plain(1), { ready: [etl] }],
    passes: scales,
  },
  {
    name: 'add group',
    service: 'prompt',
    before: [...running, workerTemplate, { ready: [worker] }],
    steps: [plain(2, extra), { ready: [etl] }],
    passes: ['intend change of cluster', 'add group', 'record cluster', ...tellsOfCluster],
  },
  {
    name: 'delete',
    service: 'prompt',
    before: [...withTemplates, cluster(), registration('ubuntu', 'one'), { ready: [etl, image] }],
    steps: [{ remove: all }, { gone: all }],
    passes: [
      'tell connection',
      'release connection',
      'release secret',
      ...['cluster', 'cluster template', 'node group template'].flatMap((kind) => [
        `delete ${kind}`,
        `tell ${kind}`,
        `release ${kind}`,
      ]),
      'unregister image',
      'tell image',
      'release image',
      'event',
    ],
  },
  {
    name: 'delete during create',
    service: 'never started',
    before: [...access, { ready: [connection] }],
    steps: [plain(2), { sent: 'create cluster' }, { remove: [etl] }, { gone: [etl] }],
    passes: [
      'intend cluster',
      'create cluster',
      'record cluster',
      'tell cluster',
      'delete cluster',
      'release cluster',
      'event',
    ],
  },
  {
    name: 'delete during scale',
    service: 'never scaled',
    before: running,
    steps: [plain(4), { sent: 'resize cluster' }, { remove: [etl] }, { gone: [etl] }],
    passes: [
      'intend change of cluster',
      'resize cluster',
      'tell cluster',
      'delete cluster',
      'release cluster',
      'event',
    ],
  },
  {
    name: 're-create',
    service: 'prompt',
    before: running,
    steps: [{ remove: [etl] }, { gone: [etl] }, plain(3), { ready: [etl] }],
    passes: ['delete cluster', 'release cluster', ...createsCluster],
  },
  {
    name: 'register image',
    service: 'prompt',
    before: [...access, { ready: [connection] }],
    steps: [registration('ubuntu', 'one', 'two'), { ready: [image] }],
    passes: [
      'intend image',
      'register image',
      'intend change of image',
      'tag image',
      'record image',
      'tell image',
      'event',
    ],
  },
  {
    name: 'change image',
    service: 'prompt',
    before: [...access, registration('ubuntu', 'one', 'two'), { ready: [image] }],
    steps: [registration('ubuntu', 'two', 'three'), { ready: [image] }],
    passes: ['intend change of image', 'tag image', 'untag image', 'tell image', 'event'],
  },
  {
    name: 'take turns',
    service: 'prompt',
    elects: true,
    before: [],
    steps: [...access, workerTemplate, { ready: [worker] }, { handOver: true }],
    passes: ['make lease', 'renew lease', 'give lease back'],
  },
];
