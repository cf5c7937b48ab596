// Node groups in queues of a real controller of Kueue. There is no node, and no controller of StatefulSets, so the test plays both.
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { loadClusterConfig } from '../../../src/kube/config/cluster-config.ts';
import { createTransport } from '../../../src/kube/http/transport.ts';
import { systemClock, systemRandom } from '../../../src/lib/system.ts';
import { KubeApi, pathOf, statefulSets } from '../../../src/service/backends/pods/api/api.ts';
import { Informers } from '../../../src/service/backends/pods/api/informers.ts';
import { ClusterObjects } from '../../../src/service/backends/pods/clusters/cluster-objects.ts';
import { waitInQueue } from '../../../src/service/backends/pods/clusters/conditions.ts';
import { changeBetween } from '../../../src/service/backends/pods/clusters/marks.ts';
import { groupManifests } from '../../../src/service/backends/pods/manifests/manifests.ts';
import type { Json } from '../../contract/peer.ts';
import { clusterOf, groupOf, settingOf } from '../../service/backends/pods/clusters/scene.ts';
import { connect, createNamespace } from '../../support/kubernetes/api-server.ts';
import { findKueue } from '../../support/kueue/kueue.ts';
import { createQueue } from '../../support/kueue/queues.ts';
import type { PodScene } from '../support/pods.ts';
import { openQueueScene, withKueue } from './scene.ts';

const program = inject('kubeconfig') === '' ? undefined : await findKueue();
const group = groupOf('workers', ['slave'], 2);
const cluster = clusterOf('spark', [groupOf('master', ['master'], 1), group]);
const log = { debug() {}, info() {}, warn() {}, error() {} };

async function openObjects(kubeconfig: string): Promise<ClusterObjects> {
  const config = await loadClusterConfig({ kubeconfig, environment: {}, clock: systemClock });
  const transport = createTransport({ config, clock: systemClock, userAgent: 'tests' });
  const informers = new Informers({ transport, clock: systemClock, random: systemRandom, log });
  onTestFinished(async () => {
    await informers.close();
    await transport.close();
  });
  return new ClusterObjects(new KubeApi(transport), informers);
}

function settingsIn(namespace: string) {
  const { place, flavors, ...rest } = settingOf(cluster);
  return (queue: string | undefined, factor = 1) => ({
    ...rest,
    flavors: flavors.map((flavor) => ({ ...flavor, queue, memory: flavor.memory * factor })),
    place: { ...place, namespace },
  });
}

/** The first pod of each StatefulSet, as the controller of StatefulSets makes it. */
async function makePods(scene: PodScene): Promise<readonly string[]> {
  const sets = await scene.list('apps/v1 statefulsets');
  for (const { metadata, spec } of sets) {
    const { name, uid } = metadata;
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid, controller: true };
    const template = { ...spec.template.metadata, ownerReferences: [owner] };
    await scene.makePod(`${name}-0`, { metadata: template, spec: spec.template.spec });
  }
  return sets.map(({ metadata }) => `${metadata.name}-0`);
}

const gatesOf = async (scene: PodScene, name: string): Promise<readonly string[]> => {
  const pod = (await scene.list('v1 pods')).find(({ metadata }) => metadata.name === name);
  return (pod?.spec.schedulingGates ?? []).map((gate: Json) => gate.name);
};

describe.skipIf(program === undefined)('a node group in a queue of Kueue', () => {
  const kubeconfig = withKueue(program);

  test('waits until there is room for all of its pods', async () => {
    const { scene } = await openQueueScene(kubeconfig(), { queue: 'team' });
    const { api, namespace } = scene;
    await createQueue(api, namespace, 'team', '0');
    const id = await scene.createCluster();
    const [pod = ''] = await scene.comes(async () => {
      const pods = await makePods(scene);
      expect(pods).toHaveLength(1);
      return pods;
    });
    const waits = { status: 'Waiting', status_description: expect.stringContaining(waitInQueue('team', namespace)) };
    await scene.comes(async () => expect(await scene.cluster(id)).toMatchObject(waits));
    expect(await gatesOf(scene, pod)).toContain('kueue.x-k8s.io/admission');
    await createQueue(api, namespace, 'team', '10');
    await scene.comes(async () => expect(await gatesOf(scene, pod)).toEqual([]));
    await scene.comes(async () => {
      await makePods(scene);
      await scene.startMachines();
      expect((await scene.cluster(id)).status).toBe('Active');
    });
  });

  test('keeps what Kueue lets nobody change', async () => {
    await using api = await connect(kubeconfig());
    const namespace = await createNamespace(api, 'data');
    await createQueue(api, namespace, 'team', '10');
    const objects = await openObjects(kubeconfig());
    const settingWith = settingsIn(namespace);
    const queued = settingWith('team');
    const path = pathOf(statefulSets, namespace, groupManifests(cluster, group, queued).statefulSet.metadata.name);
    const read = async () => (await api.send({ path })).body as Json;

    const before = await objects.applyGroup(cluster, group, queued);
    const made = await read();
    // What Kueue adds is no change that is put back.
    expect(changeBetween(before, await objects.applyGroup(cluster, group, queued))).toBeUndefined();
    // Another file of flavors, and another version of the service, change nothing of what Kueue has admitted.
    await objects.applyGroup(cluster, group, settingWith(undefined));
    expect((await read()).metadata.labels).toMatchObject({ 'kueue.x-k8s.io/queue-name': 'team' });
    await objects.applyGroup(cluster, group, settingWith('team', 2));
    expect((await read()).spec.template.spec).toEqual(made.spec.template.spec);
    const grown = { ...group, instances: groupOf('workers', ['slave'], 3).instances };
    await expect(objects.applyGroup(cluster, grown, queued)).rejects.toThrow(/replicas.*immutable/);
  });
});
