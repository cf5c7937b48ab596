// A real Hadoop cluster: HDFS, YARN and MapReduce.
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { hadoopSource } from '../../src/service/engines/hadoop/source.ts';
import { sparkSource } from '../../src/service/engines/spark/source.ts';
import { base } from '../contract/sections/jobs/section-4-6-support.ts';
import { findEngine } from './engines.ts';
import {
  comes,
  createCluster,
  leftIn,
  openScene,
  processesBelow,
  readCluster,
  removeCluster,
  type Scene,
  untilActive,
} from './support.ts';

const [hadoop, spark] = [findEngine(hadoopSource), findEngine(sparkSource)];

const clusterOf = (workers: number) => ({
  plugin: 'vanilla',
  version: hadoop?.version ?? '',
  groups: [
    { name: 'master', count: 1, node_processes: ['namenode', 'resourcemanager'] },
    { name: 'workers', count: workers, node_processes: ['datanode', 'nodemanager'] },
  ],
});

const scale = (scene: Scene, cluster: string, count: number) =>
  scene.peer().put(`${base}/clusters/${cluster}`, { resize_node_groups: [{ name: 'workers', count }] });

async function untilScaled(scene: Scene, cluster: string, count: number): Promise<void> {
  await comes(async () => {
    const { node_groups, status, status_description } = await readCluster(scene.peer(), cluster);
    const workers = node_groups.find(({ name }: { readonly name: string }) => name === 'workers');
    expect([status, workers.instances.length, status_description]).toEqual(['Active', count, undefined]);
  });
}

/** A file in HDFS, through its REST interface. */
const hdfs = (page: string, path: string, operation: string) => `${page}/webhdfs/v1${path}?op=${operation}`;

/** A data node answers 100 without being asked, which `fetch` takes for a mistake. */
const put = (url: string, text: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method: 'PUT' }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on('error', reject);
    sent.end(text);
  });

async function write(page: string, path: string, text: string): Promise<void> {
  const asked = await fetch(hdfs(page, path, 'CREATE&noredirect=true'), { method: 'PUT' });
  const { Location } = (await asked.json()) as { readonly Location: string };
  expect(await put(Location, text)).toBe(201);
}

const read = async (page: string, path: string): Promise<string> => (await fetch(hdfs(page, path, 'OPEN'))).text();

describe.skipIf(hadoop === undefined || spark === undefined)('Hadoop', () => {
  const open = () =>
    openScene(['--spark', spark?.folder ?? '', '--hadoop', hadoop?.folder ?? '', '--java', spark?.java ?? '']);

  test('a cluster comes up, grows and shrinks while a file survives, and goes without a trace', async () => {
    const scene = await open();
    const id = await createCluster(scene.peer(), clusterOf(1));
    const cluster = await untilActive(scene, id);
    const page: string = cluster.info.HDFS['Web UI'];
    const text = 'a line of text\n'.repeat(1000);
    await write(page, '/kept.txt', text);

    await scale(scene, id, 2);
    await untilScaled(scene, id, 2);
    // It can be on either machine. The one that leaves hands it over.
    for (let index = 0; index < 4; index += 1) await write(page, `/kept-${index}.txt`, text);
    await scale(scene, id, 1);
    await untilScaled(scene, id, 1);
    expect(await read(page, '/kept.txt')).toBe(text);
    for (let index = 0; index < 4; index += 1) expect(await read(page, `/kept-${index}.txt`)).toBe(text);

    // The address of the machine that left is used again.
    await scale(scene, id, 2);
    await untilScaled(scene, id, 2);

    const refused = await scale(scene, id, 0);
    expect(refused.body.error_message).toContain('0 machines with the process datanode');

    await removeCluster(scene, id);
    await comes(async () => expect([processesBelow(scene.root), leftIn(scene.root)]).toEqual([[], []]));
  });
});
