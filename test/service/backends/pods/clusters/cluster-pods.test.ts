// What keeps a cluster from being used: what its pods say, and what only events about its groups and volumes say.
import { describe, expect, test } from 'vitest';
import {
  events,
  type KubeApi,
  type KubeObject,
  type ObjectKind,
  pods,
} from '../../../../../src/service/backends/pods/api/api.ts';
import { groupName, podNames } from '../../../../../src/service/backends/pods/api/names.ts';
import { ClusterObjects } from '../../../../../src/service/backends/pods/clusters/cluster-objects.ts';
import { ClusterPods } from '../../../../../src/service/backends/pods/clusters/cluster-pods.ts';
import { type EventObject, isReady } from '../../../../../src/service/backends/pods/clusters/conditions.ts';
import { Queued } from '../../../../../src/service/model/disk/transient.ts';
import { callWithin } from '../../../../../src/service/model/stages/interruption.ts';
import { ManualClock } from '../../../../support/clock.ts';
import { countLooks } from '../../../support/looked-at.ts';
import { polledObjects } from './polled-objects.ts';
import { clusterOf, groupOf } from './scene.ts';

const group = { ...groupOf('workers', ['slave'], 2), volumes_per_node: 2 };
const cluster = clusterOf('spark', [group]);
const names = podNames(cluster, group);

const eventOf = (kind: string, name: string, reason: string, message = 'storageclass fast not found'): EventObject => ({
  metadata: { name: `event-${name}`, namespace: 'data' },
  reason,
  message,
  type: 'Warning',
  involvedObject: { kind, name },
});

const ready: KubeObject & Record<string, unknown> = {
  metadata: { name: names[0] ?? '', namespace: 'data' },
  spec: { nodeName: 'node-1' },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
};
const unscheduled = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'Unschedulable',
  message: '0/3 nodes: pod has unbound immediate PersistentVolumeClaims.',
};
const waitingPod = (conditions: readonly object[] = [], nodeName?: string) => ({
  metadata: { name: names[1] ?? '', namespace: 'data' },
  spec: nodeName === undefined ? {} : { nodeName },
  status: { phase: 'Pending', conditions },
});

async function problemWith(
  found: readonly KubeObject[],
  told: readonly EventObject[],
  of = cluster,
): Promise<string | undefined> {
  const api = {
    list: async ({ kind }: ObjectKind) => (kind === pods.kind ? found : told),
  } as unknown as KubeApi;
  const objects = new ClusterObjects(api, polledObjects(api, new ManualClock()));
  const clusterPods = new ClusterPods({ objects, namespaceOf: () => 'data' });
  const order = { tenant: 't', cluster: of, signal: new AbortController().signal, report: () => undefined };
  const observed = clusterPods.observe(order, [pods, events]);
  await observed.current(order);
  return clusterPods.problem(order, observed);
}

const claim = `data1-${names[1]}`;
const noVolume = `volume ${claim} cannot be made: storageclass fast not found: check --storage-class`;

describe('a volume that cannot be made', () => {
  const told = [eventOf('PersistentVolumeClaim', claim, 'ProvisioningFailed')];

  test.each([
    ['says nothing of it', waitingPod()],
    ['only says that it cannot be scheduled', waitingPod([unscheduled])],
  ])('is told for a pod that %s', async (_what, pod) => {
    expect(await problemWith([ready, pod], told)).toBe(noVolume);
  });

  test('is told for a pod that is not there yet', async () => {
    expect(await problemWith([ready], told)).toBe(noVolume);
  });

  test('is over for a pod that has a node', async () => {
    expect(await problemWith([ready, waitingPod([], 'node-2')], told)).toBeUndefined();
  });

  test('of another cluster is not told', async () => {
    const others = [eventOf('PersistentVolumeClaim', `data1-x${names[1]}`, 'ProvisioningFailed')];
    expect(await problemWith([ready, waitingPod()], others)).toBeUndefined();
  });
});

describe('a wait for a queue', () => {
  const message =
    'waiting in queue team-a of Kueue until it has room: if it never has, see kubectl -n data describe workloads.kueue.x-k8s.io';

  function waitIn(isLimited: boolean) {
    const clock = new ManualClock();
    const labels = { 'kueue.x-k8s.io/queue-name': 'team-a' };
    const gated = { type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' };
    const pod = waitingPod([gated]);
    const shown = { pods: [ready, { ...pod, metadata: { ...pod.metadata, labels } }] as readonly KubeObject[] };
    let lists = 0;
    const list = async ({ kind }: ObjectKind) => (kind === pods.kind ? shown.pods : []);
    const api = { list } as unknown as KubeApi;
    const counted = { list: (kind: ObjectKind) => ((lists += 1), list(kind)) } as unknown as KubeApi;
    const objects = new ClusterObjects(counted, polledObjects(api, clock));
    const clusterPods = new ClusterPods({ objects, namespaceOf: () => 'data', isLimited });
    const told: (string | undefined)[] = [];
    const report = ({ message: text }: { readonly message?: string }) => void told.push(text);
    const { signal } = new AbortController();
    const limits = { clock, signal, name: 'launch', deadlineMs: 15 * 60_000, reportIgnored: () => undefined };
    const until = () =>
      callWithin(limits, (ofCall) =>
        clusterPods.until({ tenant: 't', cluster, signal: ofCall, report }, cluster.node_groups, isReady),
      );
    const admit = () => (shown.pods = [ready, { ...ready, metadata: { name: names[1] ?? '', namespace: 'data' } }]);
    return { clock, until, told, admit, lists: () => lists };
  }

  test('lists nothing for ten minutes, does not fail at the deadline, and is repeated', async () => {
    const { clock, until, told, admit, lists } = waitIn(false);
    const ended = expect(until()).rejects.toEqual(new Queued(message));
    await clock.advance(9 * 60_000);
    expect(lists()).toBe(0);
    await clock.advance(7 * 60_000);
    await ended;
    expect(lists()).toBe(1);
    expect(told).toEqual([message]);
    const again = until();
    await clock.advance(10_000);
    admit();
    await clock.advance(20_000);
    await again;
  });

  test('gives up its place where the number of those that are made at a time is limited', async () => {
    const { clock, until } = waitIn(true);
    const ended = expect(until()).rejects.toEqual(new Queued(message));
    await clock.advance(2 * 60_000);
    await ended;
  });
});

test('a group that gets no pods is told if one is missing', async () => {
  const name = groupName(cluster, group);
  const told = [eventOf('StatefulSet', name, 'FailedCreate')];
  expect(await problemWith([ready], told)).toContain(`${name} gets no more pods`);
  expect(await problemWith([ready, waitingPod()], told)).toBeUndefined();
});

test('the pods of a large cluster are found without a comparison of each with each', async () => {
  const many = clusterOf('spark', [groupOf('workers', ['slave'], 3000)]);
  const found = many.node_groups
    .flatMap((each) => podNames(many, each))
    .map((name) => ({ ...ready, metadata: { ...ready.metadata, name } }));
  const looks = countLooks();
  expect(await problemWith(found, [], many)).toBeUndefined();
  expect(looks()).toBeLessThan(500_000);
});

describe('the volume of a master', () => {
  const masters = groupOf('master', ['master'], 1);
  const one = clusterOf('spark', [masters]);
  const [pod = ''] = podNames(one, masters);
  const pending = { ...waitingPod([unscheduled]), metadata: { name: pod, namespace: 'data' } };

  test('is told with the remedy if there is no StorageClass for it', async () => {
    const message = 'no persistent volumes available for this claim and no storage class is set';
    const told = [eventOf('PersistentVolumeClaim', `state-${pod}`, 'FailedBinding', message)];
    expect(await problemWith([pending], told, one)).toBe(
      `volume state-${pod} cannot be made: ${message}: name a StorageClass with --storage-class, or do without it (--state-size 0), and create the cluster again`,
    );
  });

  test('is told with the remedy if a quota has no room for it', async () => {
    const message = `create Claim state-${pod} for Pod ${pod} in StatefulSet s failed error: persistentvolumeclaims "state-${pod}" is forbidden: exceeded quota: storage`;
    const told = [eventOf('StatefulSet', groupName(one, masters), 'FailedCreate', message)];
    expect(await problemWith([], told, one)).toMatch(
      /exceeded quota.*: raise the quota of the namespace, or do without it \(--state-size 0\), and create the cluster again$/,
    );
  });
});
