// Runs of jobs in pods that do not come to their end by themselves.
import { beforeAll, describe, expect, test } from 'vitest';
import { runName } from '../../src/service/backends/pods/api/names.ts';
import { base } from '../contract/sections/jobs/section-4-6-support.ts';
import {
  comes,
  createCluster,
  createJob,
  readLog,
  readRun,
  removeCluster,
  run,
  type Scene,
  untilActive,
  untilEnded,
} from '../engines/support.ts';
import { cluster, createNamespace } from './support/cluster.ts';
import { findObstacle, importEngines, leftInPods, openPodScene, sparkInPods } from './support/engine-pods.ts';

const obstacle = findObstacle();
const wanted = sparkInPods(1);

/** A run whose program has printed its first line. */
async function running(scene: Scene, cluster_id: string): Promise<string> {
  const name = `long-${Math.random()}.sh`;
  const job = await createJob(scene.peer(), 'Shell', { name, bytes: 'echo begin; sleep 3600\n' });
  const execution = await run(scene.peer(), job, cluster_id, {});
  await comes(async () => expect((await readRun(scene.peer(), execution)).info.status).toBe('RUNNING'));
  await comes(async () => expect(await readLog(scene.peer(), execution)).toBe('begin\n'));
  return execution;
}

async function podsOf(namespace: string, execution: string): Promise<readonly string[]> {
  const labelSelector = `batch.kubernetes.io/job-name=${runName(execution)}`;
  const { items } = await cluster().core.listNamespacedPod({ namespace, labelSelector });
  return items.map(({ metadata }) => metadata?.name ?? '');
}

describe.skipIf(obstacle !== undefined)('a run in a pod', () => {
  beforeAll(importEngines);

  test('is cancelled, fails with its pod and with its cluster, and never starts again', async (context) => {
    const namespace = await createNamespace(context);
    const scene = await openPodScene(namespace);
    const began = performance.now();
    const id = await createCluster(scene.peer(), wanted);
    await untilActive(scene, id);
    console.info(`Spark in pods was Active after ${((performance.now() - began) / 1000).toFixed(1)} s`);

    const cancelled = await running(scene, id);
    const asked = performance.now();
    await scene.peer().get(`${base}/job-executions/${cancelled}/cancel`);
    expect((await untilEnded(scene, cancelled)).status).toBe('KILLED');
    console.info(`a run in a pod was killed after ${((performance.now() - asked) / 1000).toFixed(1)} s`);
    expect([await podsOf(namespace, cancelled), await readLog(scene.peer(), cancelled)]).toEqual([[], 'begin\n']);

    // As the loss of its node does.
    const lost = await running(scene, id);
    const [pod = ''] = await podsOf(namespace, lost);
    await cluster().core.deleteNamespacedPod({ name: pod, namespace, gracePeriodSeconds: 0 });
    const { status, message } = await untilEnded(scene, lost);
    expect([status, message]).toEqual(['FAILED', expect.stringContaining('pod')]);
    expect((await podsOf(namespace, lost)).filter((name) => name !== pod)).toEqual([]);

    const orphaned = await running(scene, id);
    await removeCluster(scene, id);
    expect((await untilEnded(scene, orphaned)).status).toBe('KILLED');
    for (const each of [cancelled, lost, orphaned]) await scene.peer().remove(`${base}/job-executions/${each}`);
    await comes(async () => expect(await leftInPods(namespace)).toEqual([]));
  });

  test('keeps its output once, also when the service is killed', async (context) => {
    const namespace = await createNamespace(context);
    const scene = await openPodScene(namespace);
    const id = await createCluster(scene.peer(), wanted);
    await untilActive(scene, id);
    const printing = async (bytes: string) => {
      const job = await createJob(scene.peer(), 'Shell', { name: `print-${Math.random()}.sh`, bytes });
      const execution = await run(scene.peer(), job, id, {});
      await comes(async () => expect(await readLog(scene.peer(), execution)).toMatch(/^1\n/));
      return execution;
    };
    const numbers = (to: number) => Array.from({ length: to }, (_, index) => `${index + 1}\n`).join('');

    const slow = await printing('for i in $(seq 1 80); do echo $i; sleep 0.1; done\n');
    await scene.restart();
    expect((await untilEnded(scene, slow)).status).toBe('SUCCEEDED');
    expect(await readLog(scene.peer(), slow)).toBe(numbers(80));
    await removeCluster(scene, id);
  });
});
