// What keeps the pods of a cluster from running is told in words that help, and the cluster goes on when it is gone.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { V1ResourceQuota } from '@kubernetes/client-node';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildJar } from '../../../dev/demo/jar.ts';
import { sparkSource } from '../../../src/service/engines/spark/source.ts';
import { findEngine } from '../../engines/engines.ts';
import {
  comes,
  createCluster,
  createJob,
  readCluster,
  readLog,
  removeCluster,
  run,
  type Scene,
  untilActive,
  untilEnded,
  type Wanted,
} from '../../engines/support.ts';
import { cluster, create, createNamespace } from '../support/cluster.ts';
import { findObstacle, importEngines, leftInPods, openPodScene, sparkInPods } from '../support/engine-pods.ts';

const obstacle = findObstacle();
const spark = findEngine(sparkSource);
const wanted = sparkInPods(1);

/** The description of the cluster comes to match. It has not failed: what is in the way can go. */
async function tells(scene: Scene, id: string, pattern: RegExp): Promise<void> {
  await comes(async () => expect((await readCluster(scene.peer(), id)).status_description).toMatch(pattern));
  expect((await readCluster(scene.peer(), id)).status).toBe('Waiting');
}

const quotaOf = (namespace: string, memory: string): V1ResourceQuota => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'small', namespace },
  spec: { hard: { 'requests.memory': memory } },
});

async function workerPod(namespace: string) {
  const labelSelector = 'process.dataprocessing.dev/slave';
  const [pod] = (await cluster().core.listNamespacedPod({ namespace, labelSelector })).items;
  return { name: pod?.metadata?.name ?? '', uid: pod?.metadata?.uid };
}

describe.skipIf(obstacle !== undefined)('troubles of pods', () => {
  beforeAll(importEngines);

  test('a quota is named, and a raised one is used', async (context) => {
    const namespace = await createNamespace(context);
    const scene = await openPodScene(namespace);
    await create(quotaOf(namespace, '3Gi'));
    const id = await createCluster(scene.peer(), wanted);
    await tells(
      scene,
      id,
      /gets no more pods: .*exceeded quota: small, requested: requests\.memory=\S+, .*: raise the quota of the namespace, or choose smaller flavors or fewer machines/,
    );
    await cluster().objects.patch(quotaOf(namespace, '6Gi'));
    await untilActive(scene, id);

    // Whoever drains a node evicts its pods.
    const evicted = await workerPod(namespace);
    await cluster().core.createNamespacedPodEviction({
      name: evicted.name,
      namespace,
      body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: evicted.name, namespace } },
    });
    await comes(async () => expect((await workerPod(namespace)).uid).not.toBe(evicted.uid));
    await comes(async () => {
      expect((await readCluster(scene.peer(), id)).status).toBe('Active');
      const pod = await cluster().core.readNamespacedPod({ name: evicted.name, namespace });
      expect(pod.status?.containerStatuses?.map(({ ready }) => ready)).toEqual([true]);
    });
    await removeCluster(scene, id);
    await comes(async () => expect(await leftInPods(namespace)).toEqual([]));
  });

  test('an evicted worker hands over its work: no task of a job counts as failed', async (context) => {
    const namespace = await createNamespace(context);
    const scene = await openPodScene(namespace);
    const id = await createCluster(scene.peer(), sparkInPods(2));
    await untilActive(scene, id);
    const bytes = await buildJar(spark?.folder ?? '', 'dev/bench-engines/programs/WordCount.java');
    const job = await createJob(scene.peer(), 'Spark', { name: 'count.jar', bytes });
    const configs = {
      'edp.java.main_class': 'WordCount',
      // The first failure of a task ends the job.
      'spark.task.maxFailures': '1',
    };
    const file = '/etc/passwd';
    const execution = await run(scene.peer(), job, id, { configs, args: [file, '60'] });
    const { name } = await workerPod(namespace);
    await comes(async () => {
      const log = await readLog(scene.peer(), execution);
      // Both executors have tasks of the last stage.
      expect(log).toMatch(/Starting task 1\.0 in stage 2\.0/);
    });
    await cluster().core.deleteNamespacedPod({ name, namespace });
    expect(await untilEnded(scene, execution)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await readLog(scene.peer(), execution)).toContain('decommission');
    await removeCluster(scene, id);
  });

  test('a node without room is named, and so is an image that nobody has', async (context) => {
    const namespace = await createNamespace(context);
    const scene = await openPodScene(namespace);
    const huge: Wanted = { ...wanted, groups: wanted.groups.map((group) => ({ ...group, count: 1, flavor_id: '5' })) };
    const large = await createCluster(scene.peer(), huge);
    await tells(
      scene,
      large,
      /pod \S+ cannot be scheduled: .*Insufficient memory.*: choose smaller flavors, remove what else is there, or add nodes/,
    );
    await removeCluster(scene, large);

    const images = join(scene.root, 'images.yaml');
    writeFileSync(images, 'spark: {reference: "localhost/nothing:1"}\n');
    const other = await openPodScene(namespace, ['--engine-images', images]);
    const id = await createCluster(other.peer(), wanted);
    await tells(other, id, /pod \S+ cannot pull image localhost\/nothing:1: .*: check --engine-images/);
    await removeCluster(other, id);
    await comes(async () => expect(await leftInPods(namespace)).toEqual([]));
  });
});
