// A real Flink cluster, and real jobs on it.
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildJar } from '../../dev/demo/jar.ts';
import { flinkSource, jarFolder } from '../../src/service/engines/flink/source.ts';
import { base } from '../contract/sections/jobs/section-4-6-support.ts';
import type { Json } from '../contract/support.ts';
import { findEngine } from './engines.ts';
import {
  comes,
  createCluster,
  createJob,
  flinkCluster,
  leftIn,
  openScene,
  processesBelow,
  readLog,
  readRun,
  removeCluster,
  run,
  type Scene,
  untilActive,
  untilEnded,
} from './support.ts';

const flink = findEngine(flinkSource);

const readJson = async (url: string): Promise<Json> => (await fetch(url)).json();

describe.skipIf(flink === undefined)('Flink', () => {
  let jar: Buffer;
  beforeAll(async () => {
    const program = join(import.meta.dirname, 'programs', 'CountWords.java');
    jar = await buildJar(flink?.folder ?? '', program, jarFolder);
  });

  /** Counts words, each of which takes so many ms. */
  async function countWords(scene: Scene, cluster: string, pauseMs: number): Promise<string> {
    const job = await createJob(scene.peer(), 'Java', undefined, [{ name: `words${Math.random()}.jar`, bytes: jar }]);
    const configs = { 'edp.java.main_class': 'CountWords', 'parallelism.default': '1' };
    return run(scene.peer(), job, cluster, { configs, args: [`${pauseMs}`, 'to', 'be', 'or', 'not', 'to', 'be'] });
  }

  test('a cluster comes up, counts words, grows and shrinks, cancels a job, and goes without a trace', async () => {
    const scene = await openScene(['--flink', flink?.folder ?? '', '--java', flink?.java ?? '']);
    const id = await createCluster(scene.peer(), flinkCluster(flink?.version ?? '', 1));
    const cluster = await untilActive(scene, id);
    const page: string = cluster.info.Flink['Web UI'];
    const workers = async () => (await readJson(`${page}/overview`)).taskmanagers;
    const scale = async (count: number) => {
      await scene.peer().put(`${base}/clusters/${id}`, { resize_node_groups: [{ name: 'workers', count }] });
      await comes(async () => expect((await untilActive(scene, id)).node_groups[1].count).toBe(count));
    };
    expect(await (await fetch(page)).text()).toContain('Apache Flink');
    // Whoever reaches the page can look at it, and upload nothing.
    expect((await fetch(`${page}/jars/upload`, { method: 'POST' })).status).toBe(404);

    const counted = await countWords(scene, id, 0);
    const end = await untilEnded(scene, counted);
    const log = await readLog(scene.peer(), counted);
    expect(end, log).toMatchObject({ status: 'SUCCEEDED' });
    expect(
      log
        .split('\n')
        .filter((line) => /^\w+ \d+$/.test(line))
        .sort(),
    ).toEqual(['be 2', 'not 1', 'or 1', 'to 2']);

    await scale(2);
    expect(await workers()).toBe(2);
    await scale(1);
    // The job manager lists one that has left until it notices.
    await comes(async () => expect(await workers()).toBe(1));

    const long = await countWords(scene, id, 600_000);
    const jobs = async () => ((await readJson(`${page}/jobs`)).jobs as Json[]).map(({ status }) => status);
    await comes(async () => expect(await jobs()).toContain('RUNNING'));
    await scene.peer().get(`${base}/job-executions/${long}/cancel`);
    await comes(async () => expect((await readRun(scene.peer(), long)).info.status).toBe('KILLED'));
    await comes(async () => expect(new Set(await jobs())).toEqual(new Set(['CANCELED', 'FINISHED'])));

    await removeCluster(scene, id);
    for (const each of [counted, long])
      expect((await scene.peer().remove(`${base}/job-executions/${each}`)).status).toBe(204);
    await comes(async () => expect([processesBelow(scene.root), leftIn(scene.root)]).toEqual([[], []]));
  });
});
