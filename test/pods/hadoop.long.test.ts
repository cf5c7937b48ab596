// A real Hadoop cluster in pods: its blocks and its jobs survive a change of its size.
import type { KubernetesObject, V1PersistentVolumeClaim } from '@kubernetes/client-node';
import { beforeAll, describe, expect, inject, type TestContext, test } from 'vitest';
import { podOfHost } from '../../src/service/backends/pods/api/names.ts';
import { base } from '../contract/sections/jobs/section-4-6-support.ts';
import { readAudit } from '../e2e/support/audit.ts';
import { onlyWithPods, used } from '../e2e/support/grants.ts';
import { clusterOf, executeUntil, scale, untilScaled } from '../engines/hadoop/hadoop-scene.ts';
import { readFile, writeFile } from '../engines/hdfs/hdfs.ts';
import {
  comes,
  createCluster,
  readRun,
  removeCluster,
  type Scene,
  untilActive,
  untilEnded,
} from '../engines/support.ts';
import { serviceAccountIn } from './support/account.ts';
import { cluster, createNamespace, execute } from './support/cluster.ts';
import { findObstacle, importEngines, leftInPods, openPodScene } from './support/engine-pods.ts';
import { forward, forwardUrl } from './support/forward.ts';

const obstacle = findObstacle();

const { groups, ...others } = clusterOf(1, ['historyserver']);
const volumes = { volumes_per_node: 1, volumes_size: 1 };
const wanted = { ...others, groups: groups.map((group) => ({ ...group, ...volumes })) };

interface Opened {
  readonly namespace: string;
  readonly scene: Scene;
  readonly id: string;
  /** The page of the name node, at a forwarded port. */
  readonly page: string;
}

async function openCluster(context: TestContext): Promise<Opened> {
  const namespace = await createNamespace(context);
  const scene = await openPodScene(namespace);
  const began = performance.now();
  const id = await createCluster(scene.peer(), wanted);
  const { info } = await untilActive(scene, id);
  console.info(`Hadoop in pods was Active after ${((performance.now() - began) / 1000).toFixed(1)} s`);
  const [, master] = podOfHost(new URL(info.HDFS['Web UI']).hostname);
  for (const [port, part] of [
    [8088, 'cluster'],
    [19_888, 'history'],
  ] as const)
    expect((await fetch(`${await forward(namespace, master, port)}/ws/v1/${part}`)).status).toBe(200);
  return { namespace, scene, id, page: await forward(namespace, master, 9870) };
}

const text = (index: number): string => `line ${index}\n`.repeat(1000);

async function writeFiles({ page }: Opened, indexes: readonly number[]): Promise<void> {
  for (const index of indexes) await writeFile(page, `/kept/${index}.txt`, text(index), forwardUrl);
}

async function checkFiles({ page }: Opened, indexes: readonly number[]): Promise<void> {
  for (const index of indexes) expect(await readFile(page, `/kept/${index}.txt`, forwardUrl)).toBe(text(index));
}

async function resize(opened: Opened, count: number): Promise<void> {
  const { namespace, scene, id } = opened;
  expect((await scale(scene, id, count)).status).toBe(202);
  await untilScaled(scene, id, count);
  // One volume of each machine, and no more.
  await comes(async () => expect(await claimsIn(namespace)).toHaveLength(count + 1));
}

/** The task of the job goes on until it is there. */
const mark = '/machine/tmp/end';

async function endJob(namespace: string): Promise<void> {
  const { items } = await cluster().core.listNamespacedPod({
    namespace,
    labelSelector: 'process.dataprocessing.dev/nodemanager',
  });
  expect(items).toHaveLength(1);
  const pod = items[0]?.metadata?.name ?? '';
  await execute({ namespace, pod, container: 'nodemanager' }, ['touch', mark]);
}

const claimsIn = async (namespace: string): Promise<readonly V1PersistentVolumeClaim[]> =>
  (await cluster().objects.list<V1PersistentVolumeClaim>('v1', 'PersistentVolumeClaim', namespace)).items;

/** Volumes that belong to a claim in the namespace. */
async function volumesOf(namespace: string): Promise<readonly KubernetesObject[]> {
  const { items } = await cluster().core.listPersistentVolume();
  return items.filter(({ spec }) => spec?.claimRef?.namespace === namespace);
}

/** Another pod has the volume of the name node, and its files. */
async function replaceHead(opened: Opened): Promise<Opened> {
  const { namespace, scene, id } = opened;
  const { info } = (await scene.peer().get(`${base}/clusters/${id}`)).body.cluster;
  const [, name] = podOfHost(new URL(info.HDFS['Web UI']).hostname);
  const read = async () => await cluster().core.readNamespacedPod({ namespace, name });
  const { metadata } = await read();
  await cluster().core.deleteNamespacedPod({ namespace, name });
  await comes(async () => {
    const pod = await read();
    expect(pod.metadata?.uid).not.toBe(metadata?.uid);
    expect(pod.status?.containerStatuses?.every(({ ready }) => ready)).toBe(true);
  });
  return { ...opened, page: await forward(namespace, name, 9870) };
}

describe.skipIf(obstacle !== undefined)('Hadoop in pods', () => {
  beforeAll(importEngines);

  test('a cluster keeps its blocks and a running job from one machine to three and back, and leaves nothing', async (context) => {
    const opened = await openCluster(context);
    const { namespace, scene, id, page } = opened;
    await writeFiles(opened, [0, 1]);
    await writeFile(page, '/in/0.txt', 'counted\n', forwardUrl);
    const job = await executeUntil(scene, id, `until test -e ${mark}; do sleep 1; done`);
    await comes(async () => expect((await readRun(scene.peer(), job)).progress).toBeGreaterThan(0));

    await resize(opened, 3);
    await writeFiles(opened, [2, 3, 4, 5]);
    await resize(opened, 1);
    await checkFiles(opened, [0, 1, 2, 3, 4, 5]);
    expect((await readRun(scene.peer(), job)).info.status).toBe('RUNNING');
    await endJob(namespace);
    expect(await untilEnded(scene, job)).toMatchObject({ status: 'SUCCEEDED' });
    const replaced = await replaceHead(opened);
    await comes(async () => checkFiles(replaced, [0, 1, 2, 3, 4, 5]));

    const cancelled = await executeUntil(scene, id, 'sleep 600');
    await comes(async () => expect((await readRun(scene.peer(), cancelled)).info.status).toBe('RUNNING'));
    await scene.peer().get(`${base}/job-executions/${cancelled}/cancel`);
    expect(await untilEnded(scene, cancelled)).toMatchObject({ status: 'KILLED' });
    for (const run of [job, cancelled]) await scene.peer().remove(`${base}/job-executions/${run}`);
    await removeCluster(scene, id);
    await comes(async () => expect([await leftInPods(namespace), await volumesOf(namespace)]).toEqual([[], []]));
    // The service reads its own pod where it is one, and a permission to create leaves no trace. It or the garbage collector, whoever is first, deletes the pod of
    // the cancelled run.
    const seen = used(await readAudit(inject('podsKubeconfig'), serviceAccountIn(namespace)));
    expect(onlyWithPods.filter((word) => word !== 'delete pods' && !seen.includes(word))).toEqual([
      'get pods',
      'create pods/exec',
      'list events',
    ]);
  });
});
