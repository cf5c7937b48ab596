// Real Spark clusters in pods, and real jobs on them.
import { join } from 'node:path';
import type { V1StatefulSet } from '@kubernetes/client-node';
import { beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { buildJar } from '../../dev/demo/jar.ts';
import { lookNear } from '../../src/service/engines/homes/find.ts';
import { sparkSource } from '../../src/service/engines/spark/source.ts';
import { base } from '../contract/sections/jobs/section-4-6-support.ts';
import {
  comes,
  createCluster,
  createJob,
  readCluster,
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
if (obstacle !== undefined) console.warn(`The tests of clusters in pods are skipped: ${obstacle}`);

const root = join(import.meta.dirname, '..', '..');
const spark = lookNear(sparkSource, process.env);

interface Opened {
  readonly namespace: string;
  readonly scene: Scene;
  readonly id: string;
}

const scale = ({ scene, id }: Opened, count: number) =>
  scene.peer().put(`${base}/clusters/${id}`, { resize_node_groups: [{ name: 'workers', count }] });

async function workersOf({ namespace }: Opened): Promise<V1StatefulSet> {
  const { items } = await cluster().objects.list<V1StatefulSet>('apps/v1', 'StatefulSet', namespace);
  const found = items.find(({ metadata }) => metadata?.labels?.['dataprocessing.dev/node-group'] === 'workers');
  if (found === undefined) throw new Error('the workers have no StatefulSet');
  return found;
}

const readyWorkers = async (opened: Opened) => (await workersOf(opened)).status?.readyReplicas;

/** A cluster whose service was killed while it was made. */
async function openCluster(context: TestContext): Promise<Opened> {
  const namespace = await createNamespace(context);
  const scene = await openPodScene(namespace);
  const id = await createCluster(scene.peer(), sparkInPods(2));
  await comes(async () => expect((await leftInPods(namespace)).join(' ')).toContain('StatefulSet'));
  await scene.restart();
  await untilActive(scene, id);
  return { namespace, scene, id };
}

/** A job runs while the service is killed and the cluster loses its workers but for one. */
async function runWhileKilled(opened: Opened): Promise<string> {
  const { scene, id } = opened;
  const bytes = 'echo "from $(hostname)"; sleep 10; echo done\n';
  const job = await createJob(scene.peer(), 'Shell', { name: 'say.sh', bytes });
  const execution = await run(scene.peer(), job, id, {});
  await comes(async () => expect((await readRun(scene.peer(), execution)).info.status).toBe('RUNNING'));
  await scene.restart();
  await scale(opened, 1);
  await untilActive(scene, id);
  expect(await untilEnded(scene, execution)).toMatchObject({ status: 'SUCCEEDED' });
  expect(await readLog(scene.peer(), execution)).toMatch(/^from run-\w+-\w+\ndone\n$/);
  return execution;
}

async function countWords({ scene, id }: Opened, jar: Buffer): Promise<string> {
  const job = await createJob(scene.peer(), 'Spark', { name: 'count.jar', bytes: jar });
  const configs = { 'edp.java.main_class': 'WordCount' };
  const execution = await run(scene.peer(), job, id, { configs, args: ['file:///etc/passwd'] });
  expect(await untilEnded(scene, execution)).toMatchObject({ status: 'SUCCEEDED' });
  return execution;
}

/** Somebody takes the workers away. */
async function takeWorkers(opened: Opened): Promise<void> {
  const { namespace, scene, id } = opened;
  const name = (await workersOf(opened)).metadata?.name ?? '';
  const metadata = { name, namespace };
  await cluster().objects.patch({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata,
    spec: { replicas: 0 },
  } as V1StatefulSet);
  await comes(async () => {
    const { status_description } = await readCluster(scene.peer(), id);
    expect(status_description).toContain(`StatefulSet ${name} was changed by somebody else, and put back`);
  });
  await comes(async () => expect(await readyWorkers(opened)).toBe(1));
}

describe.skipIf(obstacle !== undefined)('Spark in pods', () => {
  let jar: Buffer;
  beforeAll(async () => {
    await importEngines();
    jar = await buildJar(spark?.folder ?? '', join(root, 'dev/bench-engines/programs/WordCount.java'));
  });

  test('a cluster runs jobs, is scaled, is put back, outlives the service, and leaves nothing', async (context) => {
    const opened = await openCluster(context);
    const { namespace, scene, id } = opened;
    const executions = [await countWords(opened, jar), await runWhileKilled(opened)];
    await takeWorkers(opened);
    await scale(opened, 2);
    await untilActive(scene, id);
    expect(await readyWorkers(opened)).toBe(2);
    for (const each of executions) await scene.peer().remove(`${base}/job-executions/${each}`);
    await removeCluster(scene, id);
    await comes(async () => expect(await leftInPods(namespace)).toEqual([]));
  });
});
