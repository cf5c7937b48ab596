// A Spark job in pods whose master is deleted while it runs. The next master has its state, so that the job goes on; without a volume for it, the job says so.
import { join } from 'node:path';
import { beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { buildJar } from '../../../dev/demo/jar.ts';
import { lookNear } from '../../../src/service/engines/homes/find.ts';
import { sparkSource } from '../../../src/service/engines/spark/source.ts';
import { base } from '../../contract/sections/jobs/section-4-6-support.ts';
import {
  comes,
  createCluster,
  createJob,
  readRun,
  removeCluster,
  run,
  type Scene,
  untilActive,
  untilEnded,
} from '../../engines/support.ts';
import { cluster, createNamespace } from '../support/cluster.ts';
import { findObstacle, importEngines, leftInPods, openPodScene, sparkInPods } from '../support/engine-pods.ts';

const spark = lookNear(sparkSource, process.env);

/** The pod is another one, and is ready. */
async function replaceMaster(namespace: string): Promise<void> {
  const labelSelector = 'process.dataprocessing.dev/master=true';
  const find = async () => (await cluster().core.listNamespacedPod({ namespace, labelSelector })).items[0];
  const { metadata } = (await find()) ?? {};
  await cluster().core.deleteNamespacedPod({ name: metadata?.name ?? '', namespace, gracePeriodSeconds: 0 });
  await comes(async () => {
    const now = await find();
    expect(now?.metadata?.uid).not.toBe(metadata?.uid);
    expect(now?.status?.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
  });
}

const progressOf = async (scene: Scene, execution: string): Promise<number> =>
  (await readRun(scene.peer(), execution)).progress ?? 0;

describe.skipIf(findObstacle() !== undefined)('a Spark master whose pod is deleted', () => {
  let jar: Buffer;
  beforeAll(async () => {
    await importEngines();
    jar = await buildJar(
      spark?.folder ?? '',
      join(import.meta.dirname, '../../../dev/bench-engines/programs/WordCount.java'),
    );
  });

  /** A job that has done some of its tasks, and has a minute of work left. */
  async function open(context: TestContext, flags: readonly string[]) {
    const namespace = await createNamespace(context);
    const scene = await openPodScene(namespace, flags);
    const id = await createCluster(scene.peer(), sparkInPods(1));
    await untilActive(scene, id);
    const job = await createJob(scene.peer(), 'Spark', { name: 'count.jar', bytes: jar });
    const configs = { 'edp.java.main_class': 'WordCount' };
    const execution = await run(scene.peer(), job, id, { configs, args: ['file:///etc/passwd', '90'] });
    await comes(async () => expect(await progressOf(scene, execution)).toBeGreaterThan(0));
    await replaceMaster(namespace);
    return { namespace, scene, id, execution };
  }

  async function close({ namespace, scene, id, execution }: Awaited<ReturnType<typeof open>>): Promise<void> {
    await scene.peer().remove(`${base}/job-executions/${execution}`);
    await removeCluster(scene, id);
    await comes(async () => expect(await leftInPods(namespace)).toEqual([]));
  }

  test('has its state again, and the job ends', async (context) => {
    const opened = await open(context, []);
    expect(await untilEnded(opened.scene, opened.execution)).toMatchObject({ status: 'SUCCEEDED' });
    await close(opened);
  });

  test('without a volume for its state, the job says what to do', async (context) => {
    const opened = await open(context, ['--state-size', '0']);
    const { scene, execution } = opened;
    await comes(async () =>
      expect((await readRun(scene.peer(), execution)).info).toMatchObject({
        status: 'RUNNING',
        message: expect.stringMatching(/master was started again without its state.*: cancel it, and run it again/),
      }),
    );
    await scene.peer().get(`${base}/job-executions/${execution}/cancel`);
    expect((await untilEnded(scene, execution)).status).toBe('KILLED');
    await close(opened);
  });
});
