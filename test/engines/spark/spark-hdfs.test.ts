// A real Spark cluster with HDFS and a history server beside it.
import { describe, expect, test } from 'vitest';
import { buildJar } from '../../../dev/demo/jar.ts';
import { hadoopSource } from '../../../src/service/engines/hadoop/source.ts';
import { sparkSource } from '../../../src/service/engines/spark/source.ts';
import { base } from '../../contract/sections/jobs/section-4-6-support.ts';
import type { Json } from '../../contract/support.ts';
import { findEngine } from '../engines.ts';
import { readFile, writeFile } from '../hdfs/hdfs.ts';
import {
  comes,
  createCluster,
  createJob,
  leftIn,
  openScene,
  processesBelow,
  readCluster,
  removeCluster,
  run,
  untilActive,
  untilEnded,
} from '../support.ts';

const [spark, hadoop] = [findEngine(sparkSource), findEngine(hadoopSource)];

const clusterOf = (workers: number) => ({
  plugin: 'spark',
  version: spark?.version ?? '',
  groups: [
    { name: 'master', count: 1, node_processes: ['master', 'namenode', 'historyserver'] },
    { name: 'workers', count: workers, node_processes: ['slave', 'datanode'] },
  ],
});

describe.skipIf(spark === undefined || hadoop === undefined)('Spark with HDFS', () => {
  const [folder, java] = [spark?.folder ?? '', spark?.java ?? ''];

  test('jobs read and write its files, which survive when machines leave, and log what they do there', async () => {
    const scene = await openScene(['--spark', folder, '--hadoop', hadoop?.folder ?? '', '--java', java]);
    const id = await createCluster(scene.peer(), clusterOf(2));
    const { info } = await untilActive(scene, id);
    const page: string = info.HDFS['Web UI'];
    await writeFile(page, '/in/text.txt', 'b\na\nb\n');
    const jar = await buildJar(folder, 'test/engines/programs/CountLines.java');
    const job = await createJob(scene.peer(), 'Spark', { name: 'count.jar', bytes: jar });
    const configs = { 'edp.java.main_class': 'CountLines' };
    // A path is one of the file system of the cluster.
    const args = ['/in/text.txt', `${info.HDFS.NameNode}/out`];
    const counted = await run(scene.peer(), job, id, { configs, args });
    expect(await untilEnded(scene, counted)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await readFile(page, '/out/part-00000')).toBe('a 1\nb 2\n');
    await comes(async () => {
      const shown = await fetch(`${info.Spark['History Server']}/api/v1/applications?status=completed`);
      expect(((await shown.json()) as Json).length).toBe(1);
    });

    // They can be on either machine. The one that leaves hands them over.
    for (let index = 0; index < 4; index += 1) await writeFile(page, `/kept-${index}`, 'text');
    await scene.peer().put(`${base}/clusters/${id}`, { resize_node_groups: [{ name: 'workers', count: 1 }] });
    await comes(async () => {
      const { node_groups, status, status_description } = await readCluster(scene.peer(), id);
      const { instances } = node_groups.find(({ name }: Json) => name === 'workers');
      expect([status, instances.length, status_description]).toEqual(['Active', 1, undefined]);
    });
    expect(await readFile(page, '/out/part-00000')).toBe('a 1\nb 2\n');
    for (let index = 0; index < 4; index += 1) expect(await readFile(page, `/kept-${index}`)).toBe('text');

    await removeCluster(scene, id);
    expect((await scene.peer().remove(`${base}/job-executions/${counted}`)).status).toBe(204);
    await comes(async () => expect([processesBelow(scene.root), leftIn(scene.root)]).toEqual([[], []]));
  });
});
