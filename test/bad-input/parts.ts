// Objects for the rows: small, whole and made at once.
import type { Part, Told } from './row.ts';

export const workerSpec = {
  connectionRef: { name: '@' },
  pluginName: 'vanilla',
  bigdataVersion: '1.2.1',
  flavorID: '2',
  nodeProcesses: ['datanode', 'tasktracker'],
};

/** A cluster of one group, without any template. */
export const clusterSpec = {
  connectionRef: { name: '@' },
  pluginName: 'vanilla',
  bigdataVersion: '1.2.1',
  defaultImageID: '7a1f6b0e-3c52-4e0b-9d57-5f0c8e2b4a61',
  userKeypairID: 'demo',
  nodeGroups: [
    { name: 'all', count: 1, flavorID: '3', nodeProcesses: ['namenode', 'jobtracker', 'datanode', 'tasktracker'] },
  ],
};

export const imageSpec = {
  connectionRef: { name: '@' },
  imageID: clusterSpec.defaultImageID,
  username: 'ubuntu',
  tags: ['vanilla', '1.2.1'],
};

export const worker = (changes: object = {}): Part => ({
  kind: 'NodeGroupTemplate',
  name: '@-worker',
  spec: { ...workerSpec, ...changes },
});

export const cluster = (changes: object = {}): Part => ({
  kind: 'Cluster',
  name: '@-etl',
  spec: { ...clusterSpec, ...changes },
});

export const image = (changes: object = {}): Part => ({
  kind: 'ImageRegistration',
  name: '@-image',
  spec: { ...imageSpec, ...changes },
});

export const secret = (name: string, data: object, type = 'dataprocessing.dev/credentials'): Part => ({
  kind: 'Secret',
  name,
  spec: { type, stringData: data },
});

export const tokenFrom = (name: string) => ({ auth: { type: 'Token', secretRef: { name } } });

export const templateSpec = (spec: object) => ({
  connectionRef: { name: '@' },
  pluginName: 'vanilla',
  bigdataVersion: '1.2.1',
  ...spec,
});
export const template = (spec: object): Part => ({
  kind: 'ClusterTemplate',
  name: '@-small',
  spec: templateSpec(spec),
});
export const byTemplate = {
  connectionRef: { name: '@' },
  clusterTemplateRef: { name: '@-small' },
  userKeypairID: 'demo',
};
export const without = (spec: object, field: string) =>
  Object.fromEntries(Object.entries(spec).filter(([key]) => key !== field));

/** Nothing is made while the trouble lasts, and everything can be deleted. */
export const none = { deletable: 'during', made: 0 } as const;

const toldOf =
  (kind: string, name: string) =>
  (reason: string, says: RegExp): Told => ({ kind, name, reason, says });

/** What Ready is to say of the Connection of a row, and of its parts. */
export const ofConnection = toldOf('Connection', '@');
export const ofWorker = toldOf('NodeGroupTemplate', '@-worker');
export const ofTemplate = toldOf('ClusterTemplate', '@-small');
export const ofCluster = toldOf('Cluster', '@-etl');
