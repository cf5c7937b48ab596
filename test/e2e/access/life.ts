// The life of one object of each kind under the permissions of an operator: everything that makes it write.
import { expect, onTestFinished } from 'vitest';
import { type Found, type Manifest, titleOf } from '../../../dev/demo/manifests.ts';
import { conditionOf, hasStatus, isReady } from '../../../dev/demo/readiness.ts';
import { objectPath, type ResourceKind } from '../../../src/kube/resource.ts';
import { apiVersion, lastScheduleAnnotation } from '../../../src/operator/api/shared-api.ts';
import { definitions } from '../../../src/operator/kinds/index.ts';
import { ApiProxy } from '../../support/kubernetes/api-proxy.ts';
import { limitMs } from '../../support/patience.ts';
import { type FaultProxy, isWrite } from '../../support/service/service-proxy.ts';
import type { Bench } from '../support/bench.ts';
import { applyAll, cluster, untilGone, untilReady, withGroups } from '../support/checks.ts';
import { writeDetour } from '../support/detour.ts';

const patience = { timeout: limitMs, interval: 100 };

export interface Stage {
  readonly url: string;
  readonly service: FaultProxy;
  /** Of a kubeconfig by which the API server cannot stream lists. */
  readonly account: string;
  readonly manifests: readonly Manifest[];
}

const neverRun = { jobID: '2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58', clusterID: '2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58' };
const others: Readonly<Record<string, object>> = {
  // An image that the service has, but nobody registered.
  ImageRegistration: { imageID: '2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58', username: 'ubuntu' },
  DataSource: { type: 'hdfs', url: '/books' },
  JobBinary: { content: { configMapKeyRef: { name: 'programs', key: 'words.py' } } },
  Job: { type: 'Spark', mains: [{ jobBinaryRef: { name: 'other' } }] },
  // The plugin of the cluster has no jobs of this type: the service refuses it, which the operator has to record.
  JobExecution: { jobRef: { name: 'other' }, clusterRef: { name: 'analytics' } },
  JobSchedule: { schedule: '@yearly', template: { spec: neverRun } },
  NodeGroup: { clusterRef: { name: 'analytics' }, nodeGroup: 'worker', count: 3 },
};

/** A run with a job and a cluster of its own, which the operator makes. It deletes the cluster after the run. */
const alone: Manifest = {
  apiVersion,
  kind: 'JobExecution',
  metadata: { name: 'alone' },
  spec: {
    job: { type: 'Shell', mains: [{ jobBinaryRef: { name: 'other' } }] },
    cluster: { clusterTemplateRef: { name: 'small' }, defaultImageID: neverRun.jobID, userKeypairID: 'demo' },
  },
};
const [clusterOfAlone, jobOfAlone] = (['Cluster', 'Job'] as const).map(
  (kind): Manifest => ({ apiVersion, kind, metadata: { name: 'alone' } }),
) as [Manifest, Manifest];

/** The bytes of the JobBinary. */
const programs: Manifest = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'programs' },
  data: { 'words.py': 'print(1)' },
};

/** They end before they start, and the operator deletes them then. */
const expiring = { ...neverRun, cancel: true, ttlSecondsAfterFinished: 0 };
const expired: Manifest = { apiVersion, kind: 'JobExecution', metadata: { name: 'expired' }, spec: expiring };
/** The operator creates an execution at once for what was missed. */
const late: Manifest = {
  apiVersion,
  kind: 'JobSchedule',
  metadata: { name: 'late', annotations: { [lastScheduleAnnotation]: '2026-01-01T00:00:00Z' } },
  spec: { schedule: '@daily', template: { spec: expiring } },
};

/** Where nothing collects garbage, its job stays behind. */
export const added = [late, alone, jobOfAlone];

/** One of each kind that the examples do not have. */
function restOf(examples: readonly Manifest[], ofSpecs: Readonly<Record<string, object>>): readonly Manifest[] {
  const shown = new Set(examples.map(({ kind }) => kind));
  const missing = definitions.map(({ kind }) => kind).filter((kind) => !shown.has(kind) && ofSpecs[kind] !== undefined);
  return missing.map((kind) => ({ apiVersion, kind, metadata: { name: 'other' }, spec: ofSpecs[kind] }));
}

export async function setStage(bench: Bench, administrator: string, isEverywhere: boolean): Promise<Stage> {
  const { url } = await bench.startService();
  const service = await bench.front(url);
  const examples = await bench.examples(service.url);
  const account = await unstreamed(bench, administrator);
  const connection = examples.find(({ kind }) => kind === 'Connection')?.['spec'] as object;
  // An operator of one namespace may not read what is in none.
  const shared = isEverywhere ? { SharedConnection: { ...connection, credentialsNamespace: bench.namespace } } : {};
  const rest = restOf(examples, { ...others, ...shared });
  return { url, service, account, manifests: [...examples, programs, ...rest] };
}

/** As an API server before WatchList: it refuses a watch that is to begin with a list. */
async function unstreamed(bench: Bench, administrator: string): Promise<string> {
  const proxy = await ApiProxy.start({ kubeconfig: administrator });
  onTestFinished(async () => proxy[Symbol.asyncDispose]());
  proxy.rule({ behave: 'edit', watch: true, query: (query) => query.delete('resourceVersionMatch') });
  return writeDetour(bench, proxy.url);
}

/** A run that the service refuses is not Ready. */
export const lastingOf = (manifests: readonly Manifest[]): readonly Manifest[] =>
  manifests.filter(({ kind }) => kind !== 'JobExecution');

const idsOf = (found: readonly Found[]) => found.map((each) => [titleOf(each), each.status?.id] as const);

/** Everything that makes the operator write: create, scale twice, and what others do to its objects meanwhile. */
export async function live(bench: Bench, { service, account, manifests }: Stage): Promise<void> {
  const { objects } = bench;
  const owned = manifests.filter(hasStatus);
  const lasting = lastingOf(manifests);
  const operator = await bench.startOperator('--kubeconfig', account);
  let touches = 0;
  // Before the operator can record what it made, every object has a newer version than the one that it knows.
  service.listen({
    after: async (sent) => {
      if (!isWrite(sent)) return;
      touches += 1;
      const annotations = { 'tests/touched': `${touches}` };
      await Promise.all(owned.map(async (each) => patchObject(bench, each, { metadata: { annotations } })));
    },
  });
  await applyAll(objects, manifests);
  const made = idsOf(await untilReady(objects, lasting));
  expect(made).toContainEqual(['Cluster analytics', expect.any(String)]);
  await untilRefused(bench, manifests);
  service.listen({});
  await Promise.all(lasting.filter(hasStatus).map(async (each) => bedeck(bench, each)));
  for (const count of [5, 2]) {
    await objects.apply(withGroups(cluster(manifests, 'analytics'), [{ name: 'worker', count }]));
    // What is scaled is not made again.
    expect(idsOf(await untilReady(objects, lasting))).toEqual(made);
  }
  await applyAll(objects, [expired, late, alone]);
  await untilGone(objects, [expired]);
  const state = async () => (await objects.read(alone))?.status?.['state'];
  await expect.poll(state, patience).toBe('Succeeded');
  await untilGone(objects, [clusterOfAlone]);
  expect(await operator.program.log()).not.toContain('"status":403');
}

/** The refusal of the run is in its status, and so on record. */
export async function untilRefused({ objects }: Bench, manifests: readonly Manifest[]): Promise<void> {
  const runs = manifests.filter(({ kind }) => kind === 'JobExecution');
  const reasons = async () =>
    Promise.all(
      runs.map(async (run) => {
        const found = await objects.read(run);
        return found && conditionOf(found, 'Ready')?.reason;
      }),
    );
  await expect.poll(reasons, patience).toEqual(runs.map(() => 'ExternalRejected'));
}

/** Adds a condition of somebody else, and an edit of spec that has to show in the status: then it is replaced as a whole. */
async function bedeck(bench: Bench, manifest: Manifest): Promise<void> {
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const foreign = { type: 'Foreign', status: 'True', reason: 'Tests', message: 'by hand', lastTransitionTime };
  const value = { ...foreign, observedGeneration: 1 };
  await bench.server.ask({
    method: 'PATCH',
    path: `${pathOf(bench, manifest)}/status`,
    contentType: 'application/json-patch+json',
    body: [{ op: 'add', path: '/status/conditions/-', value }],
  });
  const edits: Readonly<Record<string, object>> = {
    Connection: { pollSeconds: 31 },
    SharedConnection: { pollSeconds: 31 },
    JobSchedule: { failedHistoryLimit: 2 },
    NodeGroup: { count: 4 },
  };
  const spec = edits[manifest.kind] ?? { progressDeadlineSeconds: 3601 };
  await patchObject(bench, manifest, { spec });
  const plain = async () => {
    const found = await bench.objects.read(manifest);
    return found !== undefined && isReady(found) && conditionOf(found, 'Foreign') === undefined;
  };
  await expect.poll(plain, patience).toBe(true);
}

const patchObject = async (bench: Bench, manifest: Manifest, body: object): Promise<unknown> =>
  bench.server.ask({
    method: 'PATCH',
    path: pathOf(bench, manifest),
    contentType: 'application/merge-patch+json',
    body,
  });

const pathOf = ({ namespace }: Bench, { apiVersion, kind, metadata }: Manifest): string =>
  objectPath(kindOf(kind, apiVersion), { namespace, name: metadata.name });

function kindOf(kind: string, apiVersion: string): ResourceKind {
  const { plural = kind, scope } = definitions.find((one) => one.kind === kind) ?? {};
  return { kind, apiVersion, plural, clusterScoped: scope === 'Cluster' };
}
