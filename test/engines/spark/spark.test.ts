// A real Spark cluster, and real jobs on it.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildJar } from '../../../dev/demo/jar.ts';
import { sparkSource } from '../../../src/service/engines/spark/source.ts';
import { base } from '../../contract/sections/jobs/section-4-6-support.ts';
import type { Json } from '../../contract/support.ts';
import { findEngine } from '../engines.ts';
import {
  comes,
  createCluster,
  createJob,
  leftIn,
  openScene,
  processesBelow,
  readCluster,
  readLog,
  readRun,
  removeCluster,
  run,
  type Scene,
  sparkCluster,
  untilActive,
  untilEnded,
} from '../support.ts';

const spark = findEngine(sparkSource);
const execute = promisify(execFile);

/** The text of a page, as a browser shows it. */
async function readPage(url: string, profile: string): Promise<string> {
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'];
  const { stdout } = await execute('chromium', [...flags, `--user-data-dir=${profile}`, '--dump-dom', url]);
  return stdout.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}

const clusterOf = (workers: number) => sparkCluster(spark?.version ?? '', workers);

const scale = (scene: Scene, cluster: string, count: number) =>
  scene.peer().put(`${base}/clusters/${cluster}`, { resize_node_groups: [{ name: 'workers', count }] });

const machines = (cluster: { readonly node_groups: readonly { readonly name: string; readonly count: number }[] }) =>
  cluster.node_groups.find(({ name }) => name === 'workers')?.count;

const readJson = async (url: string): Promise<Json> => (await fetch(url)).json();

/** The workers that the master counts. */
async function aliveWorkers(page: string): Promise<number> {
  const { workers } = (await (await fetch(`${page}/json/`)).json()) as { workers: readonly { state: string }[] };
  return workers.filter(({ state }) => state === 'ALIVE').length;
}

/** The ten most frequent words, counted here. */
function frequencies(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of text
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(Boolean))
    counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

describe.skipIf(spark === undefined)('Spark', () => {
  let jar: Buffer;
  const open = () => openScene(['--spark', spark?.folder ?? '', '--java', spark?.java ?? '']);
  beforeAll(async () => {
    jar = await buildJar(spark?.folder ?? '', 'dev/bench-engines/programs/WordCount.java');
  });

  /** Counts the words of a text, and works for some seconds more. */
  async function countWords(scene: Scene, cluster: string, seconds = 0): Promise<string> {
    const file = join(scene.root, 'files', 'text.txt');
    writeFileSync(file, readFileSync('README.md'));
    const job = await createJob(scene.peer(), 'Spark', { name: `count${Math.random()}`, bytes: jar });
    const args = [file, ...(seconds > 0 ? [String(seconds)] : [])];
    return run(scene.peer(), job, cluster, { configs: { 'edp.java.main_class': 'WordCount' }, args });
  }

  /** Runs outlive their cluster, and go with their executions. */
  async function nothingIsLeft(scene: Scene, ...runs: readonly string[]): Promise<void> {
    for (const id of runs) expect((await scene.peer().remove(`${base}/job-executions/${id}`)).status).toBe(204);
    await comes(async () => expect([processesBelow(scene.root), leftIn(scene.root)]).toEqual([[], []]));
  }

  test('a cluster comes up, counts words, grows and shrinks under a job, and goes without a trace', async () => {
    const scene = await open();
    const id = await createCluster(scene.peer(), clusterOf(2));
    const cluster = await untilActive(scene, id);
    const page: string = cluster.info.Spark['Web UI'];
    expect(await aliveWorkers(page)).toBe(2);

    const first = await countWords(scene, id);
    expect(await untilEnded(scene, first)).toMatchObject({ status: 'SUCCEEDED' });

    const counted = await countWords(scene, id, 12);
    await comes(async () => expect((await readRun(scene.peer(), counted)).info.status).toBe('RUNNING'));
    await scale(scene, id, 3);
    await comes(async () => expect(machines(await untilActive(scene, id))).toBe(3));
    expect(await aliveWorkers(page)).toBe(3);
    await scale(scene, id, 1);
    await comes(async () => expect(machines(await untilActive(scene, id))).toBe(1));
    expect(await untilEnded(scene, counted)).toMatchObject({ status: 'SUCCEEDED' });
    const log = await readLog(scene.peer(), counted);
    const expected = frequencies(readFileSync('README.md', 'utf8'));
    const told = log.split('\n').flatMap((line) => {
      const [, word = '', count = ''] = /^([a-z]+) (\d+)$/.exec(line) ?? [];
      return word === '' ? [] : [[word, Number(count)] as const];
    });
    expect(told).toHaveLength(10);
    for (const [word, count] of told) expect([word, count]).toEqual([word, expected.get(word)]);

    await removeCluster(scene, id);
    await nothingIsLeft(scene, first, counted);
  });

  test('the history server shows a job that has ended', async () => {
    const scene = await open();
    const { groups, ...rest } = clusterOf(1);
    const history = { name: 'history', count: 1, node_processes: ['historyserver'] };
    const cluster = await untilActive(
      scene,
      await createCluster(scene.peer(), { ...rest, groups: [...groups, history] }),
    );
    const page: string = cluster.info.Spark['History Server'];
    const counted = await countWords(scene, cluster.id);
    expect(await untilEnded(scene, counted)).toMatchObject({ status: 'SUCCEEDED' });
    const shown = await comes(async () => {
      const [application] = await readJson(`${page}/api/v1/applications?status=completed`);
      expect(application?.attempts[0]).toMatchObject({ completed: true });
      return application;
    });
    const jobs = await readJson(`${page}/api/v1/applications/${shown.id}/jobs`);
    expect(jobs.map(({ status }: Json) => status)).toContain('SUCCEEDED');
    await removeCluster(scene, cluster.id);
    await nothingIsLeft(scene, counted);
  });

  test.skipIf(!existsSync('/usr/bin/chromium'))('the page of the master shows its workers in a browser', async () => {
    const scene = await open();
    const cluster = await untilActive(scene, await createCluster(scene.peer(), clusterOf(2)));
    const text = await readPage(cluster.info.Spark['Web UI'], join(scene.root, 'browser'));
    expect(/Workers: (\d+) Alive/.exec(text)?.[1]).toBe('2');
    await removeCluster(scene, cluster.id);
  });

  test('a service that is killed finds its cluster again, and finishes what it was doing', async () => {
    const scene = await open();
    const id = await createCluster(scene.peer(), clusterOf(1));
    await comes(async () => expect(processesBelow(scene.root)).not.toEqual([]));
    await scene.restart();
    await untilActive(scene, id);
    const before = processesBelow(scene.root);

    const counted = await countWords(scene, id, 5);
    await comes(async () => expect((await readRun(scene.peer(), counted)).info.status).toBe('RUNNING'));
    await scene.restart();
    expect(await untilEnded(scene, counted)).toMatchObject({ status: 'SUCCEEDED' });

    await scale(scene, id, 2);
    await comes(async () => expect((await readCluster(scene.peer(), id)).status).not.toBe('Active'));
    await scene.restart();
    const grown = await untilActive(scene, id);
    expect([machines(grown), await aliveWorkers(grown.info.Spark['Web UI'])]).toEqual([2, 2]);
    // Those that ran are the same ones.
    expect(processesBelow(scene.root)).toEqual(expect.arrayContaining([...before]));

    await scene.peer().remove(`${base}/clusters/${id}`);
    await scene.restart();
    await comes(async () => expect((await scene.peer().get(`${base}/clusters/${id}`)).status).toBe(404));
    await nothingIsLeft(scene, counted);
  });

  test('a process that is killed is started again', async () => {
    const scene = await open();
    const cluster = await untilActive(scene, await createCluster(scene.peer(), clusterOf(1)));
    const page: string = cluster.info.Spark['Web UI'];
    for (const pid of processesBelow(scene.root)) {
      process.kill(pid, 'SIGKILL');
      await comes(async () => expect(processesBelow(scene.root)).not.toContain(pid));
      await comes(async () => expect(await aliveWorkers(page)).toBe(1));
      await comes(async () => expect(processesBelow(scene.root)).toHaveLength(2));
    }
    await removeCluster(scene, cluster.id);
  });
});
