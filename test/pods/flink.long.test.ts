// A real Flink cluster in pods, and a real job on it.
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildJar } from '../../dev/demo/jar.ts';
import { flinkSource, jarFolder } from '../../src/service/engines/flink/source.ts';
import { lookNear } from '../../src/service/engines/homes/find.ts';
import { base } from '../contract/sections/jobs/section-4-6-support.ts';
import {
  comes,
  createCluster,
  createJob,
  flinkCluster,
  readLog,
  readRun,
  removeCluster,
  run,
  type Scene,
  untilActive,
  untilEnded,
} from '../engines/support.ts';
import { createNamespace } from './support/cluster.ts';
import { findObstacle, importEngines, leftInPods, openPodScene } from './support/engine-pods.ts';

const flink = lookNear(flinkSource, process.env);
const obstacle = findObstacle() ?? (flink === undefined ? 'npm run engines -- flink installs Flink' : undefined);
if (obstacle !== undefined) console.warn(`The tests of Flink in pods are skipped: ${obstacle}`);

describe.skipIf(obstacle !== undefined)('Flink in pods', () => {
  let jar: Buffer;
  beforeAll(async () => {
    await importEngines();
    const program = join(import.meta.dirname, '..', 'engines', 'programs', 'CountWords.java');
    jar = await buildJar(flink?.folder ?? '', program, jarFolder);
  });

  async function countWords(scene: Scene, cluster: string, pauseMs: number): Promise<string> {
    const job = await createJob(scene.peer(), 'Java', undefined, [{ name: `words${Math.random()}.jar`, bytes: jar }]);
    const configs = { 'edp.java.main_class': 'CountWords', 'parallelism.default': '1' };
    return run(scene.peer(), job, cluster, { configs, args: [`${pauseMs}`, 'to', 'be', 'or', 'not', 'to', 'be'] });
  }

  test('a cluster counts words, grows and shrinks, cancels a job, and goes without a trace', async (context) => {
    const namespace = await createNamespace(context);
    const scene = await openPodScene(namespace);
    const id = await createCluster(scene.peer(), flinkCluster(flink?.version ?? '', 1));
    await untilActive(scene, id);

    const counted = await countWords(scene, id, 0);
    const end = await untilEnded(scene, counted);
    const log = await readLog(scene.peer(), counted);
    expect(end, log).toMatchObject({ status: 'SUCCEEDED' });
    expect(log).toMatch(/^be 2$/m);

    for (const count of [2, 1]) {
      await scene.peer().put(`${base}/clusters/${id}`, { resize_node_groups: [{ name: 'workers', count }] });
      await comes(async () => expect((await untilActive(scene, id)).node_groups[1].count).toBe(count));
    }

    const long = await countWords(scene, id, 600_000);
    await comes(async () => expect((await readRun(scene.peer(), long)).info.status).toBe('RUNNING'));
    await scene.peer().get(`${base}/job-executions/${long}/cancel`);
    await comes(async () => expect((await readRun(scene.peer(), long)).info.status).toBe('KILLED'));

    await removeCluster(scene, id);
    for (const each of [counted, long])
      expect((await scene.peer().remove(`${base}/job-executions/${each}`)).status).toBe(204);
    await comes(async () => expect(await leftInPods(namespace)).toEqual([]));
  });
});
