// How much of the objects of a cluster is in memory while it is changed or deleted, after thousands of its runs have ended.
import { expect, test } from 'vitest';
import {
  claims,
  jobs,
  type KubeApi,
  type KubeObject,
  type ObjectKind,
  pods,
  type Selection,
  secrets,
  services,
  statefulSets,
} from '../../../../../src/service/backends/pods/api/api.ts';
import {
  claimNames,
  machinesAnnotation,
  podNames,
  runName,
} from '../../../../../src/service/backends/pods/api/names.ts';
import { ClusterObjects, machinesThere } from '../../../../../src/service/backends/pods/clusters/cluster-objects.ts';
import { isReady } from '../../../../../src/service/backends/pods/clusters/conditions.ts';
import { runJob, runSecret } from '../../../../../src/service/backends/pods/jobs/run-manifests.ts';
import {
  groupManifests,
  groupSelector,
  headlessService,
  sharedSecret,
} from '../../../../../src/service/backends/pods/manifests/manifests.ts';
import { ManualClock } from '../../../../support/clock.ts';
import { polledObjects } from './polled-objects.ts';
import { clusterOf, groupOf, settingOf } from './scene.ts';

const group = groupOf('workers', ['slave'], 2);
const cluster = clusterOf('spark', [group]);
const setting = settingOf(cluster);
const { namespace } = setting.place;
const bulk = 'x'.repeat(10_000);

interface Stored extends KubeObject {
  readonly kind: string;
  readonly status?: object;
}

/** Each of the objects of which the API server tells 10 kB. */
function objectsOf(runs: number): readonly Stored[] {
  const { secret, statefulSet } = groupManifests(cluster, group, setting);
  const machines = podNames(cluster, group).flatMap((name): readonly Stored[] => [
    {
      kind: 'Pod',
      metadata: { name, namespace, labels: groupSelector(cluster, group) },
      status: { podIP: '10.0.0.1', conditions: [{ type: 'Ready', status: 'True' }] },
    },
    ...claimNames(group, name).map((claim) => ({
      kind: claims.kind,
      metadata: { name: claim, namespace, labels: groupSelector(cluster, group) },
    })),
  ]);
  const run = { image: setting.imageOf({} as never), runnerImage: 'runner', pullSecrets: [], disk: 1, namespace };
  const ofRuns = Array.from({ length: runs }, (_, index): readonly Stored[] => {
    const execution = `run-${index}`;
    const of = { ...run, cluster, service: 'service-1', execution, url: 'http://service', token: 'token' };
    const job = runJob(of, { file: '/java', args: [], env: {} });
    const { labels } = job.metadata;
    const pod = { kind: 'Pod', metadata: { name: `${runName(execution)}-x`, namespace, ...(labels && { labels }) } };
    return [job, pod, runSecret(of)];
  });
  const shared = [headlessService(cluster, namespace), sharedSecret(cluster, namespace, 'text')];
  const all = [statefulSet, { ...secret, data: { secret: 'dGV4dA==' } }, ...shared, ...machines, ...ofRuns.flat()];
  return all.map((each) => ({ ...each, bulk, metadata: { ...each.metadata, managedFields: bulk } }));
}

/** An API server that does what is asked at once. `kept`: how many bytes of the lists that it has shown, at most of one kind. */
function open(runs: number) {
  const objects = new Map(objectsOf(runs).map((each) => [`${each.kind} ${each.metadata.name}`, each]));
  let kept = 0;
  const api = {
    async list(
      { kind }: ObjectKind,
      _namespace: string,
      { labels = {}, without = '' }: Selection,
      keep: (object: Stored) => Stored,
    ) {
      const isAsked = ({ kind: own, metadata }: Stored) =>
        own === kind &&
        metadata.labels?.[without] === undefined &&
        Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value);
      const listed = [...objects.values()].filter(isAsked).map(keep);
      kept = Math.max(kept, JSON.stringify(listed).length);
      return listed;
    },
    async remove({ kind }: ObjectKind, _namespace: string, name: string) {
      objects.delete(`${kind} ${name}`);
      // Its controller removes the machines with it.
      if (kind === statefulSets.kind) for (const pod of podNames(cluster, group)) objects.delete(`Pod ${pod}`);
    },
  } as unknown as KubeApi;
  const observer = polledObjects({ list: async () => [] }, new ManualClock());
  return { objects, cluster: new ClusterObjects(api, observer), kept: () => kept };
}

test('of a cluster whose runs have ended, its machines are found without these', async () => {
  const scene = open(500);
  const found = await scene.cluster.find(cluster, namespace);
  expect(machinesThere(found)).toEqual(group.instances.map(({ instance_id }) => instance_id));
  expect(found.sets[0]?.metadata.annotations).toEqual({ [machinesAnnotation]: machinesThere(found).join(',') });
  const listed = await scene.cluster.pods(cluster, namespace);
  expect(listed.map(({ metadata }) => metadata.name)).toEqual(podNames(cluster, group));
  expect(listed.map(({ status }) => status?.podIP)).toEqual(['10.0.0.1', '10.0.0.1']);
  expect(listed.every(isReady)).toBe(true);
  expect(await scene.cluster.missing(cluster, namespace)).toEqual([]);
  expect(await scene.cluster.services(cluster, namespace)).toHaveLength(1);
  expect(await scene.cluster.knownSecret(sharedSecret(cluster, namespace, ''))).toBe('text');
  expect(scene.kept()).toBeLessThan(2000);
});

test('the deletion of a cluster keeps no more than the names of what is left of its runs', async () => {
  const runs = 500;
  const scene = open(runs);
  await scene.cluster.removeAll({ cluster, signal: new AbortController().signal, report() {} }, namespace);
  const left = [...scene.objects.values()].map(({ kind }) => kind);
  for (const kind of [jobs, secrets, services, statefulSets, claims]) expect(left).not.toContain(kind.kind);
  // Those of a Job go with it, in the background.
  expect(left.filter((kind) => kind === pods.kind)).toHaveLength(runs);
  expect(scene.kept()).toBeLessThan(150 * runs);
});
