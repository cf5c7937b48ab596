// What the workloads are put together from: the objects of a user, and the steps that make them.
import { lastScheduleAnnotation } from '../../../src/operator/api/shared-api.ts';
import { everyYear, runOfForeignJob } from '../../support/service/runs.ts';
import type { Step, Target } from './steps.ts';

const imageId = '2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58';
const clusterImage = '7a1f6b0e-3c52-4e0b-9d57-5f0c8e2b4a61';
const plugin = { pluginName: 'vanilla', bigdataVersion: '1.2.1' };

export const secret: Target = ['Secret', 'token'];
export const connection: Target = ['Connection', ''];
export const master: Target = ['NodeGroupTemplate', 'master'];
export const worker: Target = ['NodeGroupTemplate', 'worker'];
export const small: Target = ['ClusterTemplate', 'small'];
export const etl: Target = ['Cluster', 'etl'];
export const books: Target = ['DataSource', 'books'];
export const program: Target = ['JobBinary', 'program'];
export const count: Target = ['Job', 'count'];
export const report: Target = ['JobExecution', 'report'];
export const yearly: Target = ['JobSchedule', 'yearly'];
export const setter: Target = ['NodeGroup', 'workers'];
/** What the schedule makes. */
export const scheduledRun: Target = ['JobExecution', 'yearly-*'];
/** Of the run alone. */
export const ownCluster: Target = ['Cluster', 'report'];
export const image: Target = ['ImageRegistration', 'image'];
export const all = [etl, small, master, worker, image, connection, secret];

const ref = (name: string) => ({ name: `~-${name}` });
const connectionRef = { name: '~' };

export const access: readonly Step[] = [
  { apply: secret, spec: { type: 'dataprocessing.dev/credentials', stringData: { token: '~token' } } },
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
/** A file of its own, in the binary. */
export const programOf = (inline: string): Step => ({
  apply: program,
  spec: { connectionRef, content: { fileName: 'count.py', inline } },
});
export const declared: readonly Step[] = [
  { apply: books, spec: { connectionRef, type: 'hdfs', url: 'hdfs://namenode/books' } },
  programOf('print(1)'),
  { apply: count, spec: { connectionRef, type: 'Spark', mains: [{ jobBinaryRef: ref('program') }] } },
  { ready: [books, program, count] },
];
/** A run on the cluster, of a job that somebody else has made. */
export const run = (more: object = {}): Step => ({
  apply: report,
  spec: {
    connectionRef,
    ...runOfForeignJob,
    clusterRef: ref('etl'),
    ...more,
  },
});
const scheduleSpec = {
  schedule: everyYear,
  template: { spec: { connectionRef, ...runOfForeignJob, clusterRef: ref('etl') } },
};
/** As from a backup: the last time was missed, so a run is made at once, and no other one for a year. */
export const scheduled: Step = {
  apply: yearly,
  spec: scheduleSpec,
  annotations: { [lastScheduleAnnotation]: '2025-01-01T00:00:00Z' },
};
export const keepingNone: Step = {
  apply: yearly,
  spec: { ...scheduleSpec, successfulHistoryLimit: 0, failedHistoryLimit: 0 },
};
export const workersOf = (flavorID: string): Step => ({
  apply: worker,
  spec: { ...plugin, connectionRef, flavorID, nodeProcesses: ['datanode', 'tasktracker'] },
});
export const workerTemplate = workersOf('2');
export const templates: readonly Step[] = [
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
const clusterSpec = { connectionRef, clusterTemplateRef: ref('small'), userKeypairID: 'demo' };
export const cluster = (...nodeGroups: readonly object[]): Step => ({
  apply: etl,
  spec: { ...clusterSpec, ...(nodeGroups.length === 0 ? {} : { nodeGroups }) },
});
/** Its name in the service is the user's choice. */
export const named: Step = { apply: etl, spec: { ...clusterSpec, name: '~-reports' } };
export const workers = (count: number) => ({ name: 'worker', count });

const plainCluster = (count: number, ...more: readonly object[]) => ({
  ...plugin,
  defaultImageID: clusterImage,
  userKeypairID: 'demo',
  nodeGroups: [
    { name: 'master', count: 1, flavorID: '3', nodeProcesses: ['namenode', 'jobtracker'] },
    { name: 'worker', count, flavorID: '2', nodeProcesses: ['datanode', 'tasktracker'] },
    ...more,
  ],
});
const plainSpec = (count: number, ...more: readonly object[]) => ({ connectionRef, ...plainCluster(count, ...more) });
/** A run on a cluster that is made for it. */
export const runAlone: Step = {
  apply: report,
  spec: {
    connectionRef,
    ...runOfForeignJob,
    cluster: plainCluster(1),
  },
};
/** A cluster that needs no templates. */
export const plain = (count: number, ...more: readonly object[]): Step => ({
  apply: etl,
  spec: plainSpec(count, ...more),
});
/** The only cluster that there is, which nobody claims any more; it goes with this resource. */
export const adopting = (count: number): Step => ({
  apply: etl,
  spec: { ...plainSpec(count), adopt: { match: { pluginName: plugin.pluginName } }, deletionPolicy: 'Delete' },
});
/** The same, which is only looked at and outlives this resource. */
export const observing = (count: number): Step => ({
  apply: etl,
  spec: { ...plainSpec(count), adopt: { match: { pluginName: plugin.pluginName } }, policy: 'Observe' },
});
/** The count of its workers, in place of that in its spec. */
export const setCount = (count: number): Step => ({
  apply: setter,
  spec: { clusterRef: ref('etl'), nodeGroup: 'worker', count },
});
/** Its deletion leaves it in the service. */
export const orphaning: Step = { apply: etl, spec: { ...plainSpec(2), deletionPolicy: 'Orphan' } };
export const restored: Step = { restore: etl, spec: plainSpec(2) };
export const extra = { name: 'extra', count: 1, nodeGroupTemplateRef: ref('worker') };
export const registration = (username: string, ...tags: readonly string[]): Step => ({
  apply: image,
  spec: { connectionRef, imageID: imageId, username, description: 'for tests', tags },
});
