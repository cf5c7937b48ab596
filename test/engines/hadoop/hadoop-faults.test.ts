// A real Hadoop whose service is killed, and whose processes are. Files and jobs survive.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isAlive, readRecord } from '../../../src/service/backends/processes/clusters/process-record.ts';
import { base } from '../../contract/sections/jobs/section-4-6-support.ts';
import { readFile, writeFile } from '../hdfs/hdfs.ts';
import {
  comes,
  createCluster,
  leftIn,
  processesBelow,
  readCluster,
  removeCluster,
  type Scene,
  untilActive,
  untilEnded,
} from '../support.ts';
import {
  clusterOf,
  execute,
  fileOf,
  isMissing,
  machinesOf,
  openHadoop,
  readNodes,
  scale,
  untilScaled,
} from './hadoop-scene.ts';

/** More files than one machine has, and the input of jobs, which is one task for each machine. */
async function writeFiles(page: string): Promise<void> {
  for (let index = 0; index < 4; index += 1) await writeFile(page, `/kept/${index}.txt`, `line ${index}\n`);
  for (let index = 0; index < 2; index += 1) await writeFile(page, `/in/${index}.txt`, `line ${index}\n`);
}

async function checkFiles(page: string): Promise<void> {
  for (let index = 0; index < 4; index += 1) expect(await readFile(page, `/kept/${index}.txt`)).toBe(`line ${index}\n`);
}

/** A service that dies at the moment when the condition holds. */
async function killedWhen(scene: Scene, condition: () => Promise<void> | void): Promise<void> {
  await comes(async () => condition());
  await scene.restart();
}

describe.skipIf(isMissing)('Hadoop', () => {
  test('a service that is killed while a cluster is made, and while it shrinks, finishes both, and neither data nor jobs are lost', async () => {
    const scene = await openHadoop();
    const id = await createCluster(scene.peer(), clusterOf(2));
    const [master] = await machinesOf(scene, id, 'master');
    // It makes its file system now.
    await killedWhen(scene, () => expect(existsSync(fileOf(scene, id, master, 'namenode.process'))).toBe(true));
    const cluster = await untilActive(scene, id);
    const [hdfs, yarn]: [string, string] = [cluster.info.HDFS['Web UI'], cluster.info.YARN['Web UI']];
    await writeFiles(hdfs);

    // There is room for one task on a machine.
    const run = await execute(scene, id, 15, 1200);
    const workers = await machinesOf(scene, id, 'workers');
    await comes(async () => {
      const nodes = await readNodes(yarn);
      for (const { internal_ip } of workers) expect(nodes[internal_ip].numContainers).toBeGreaterThan(0);
    });
    await scale(scene, id, 1);
    await killedWhen(scene, async () =>
      expect((await readNodes(yarn))[workers[1].internal_ip].state).toBe('DECOMMISSIONING'),
    );
    const ended = await untilEnded(scene, run);
    expect(ended, JSON.stringify(ended)).toMatchObject({ status: 'SUCCEEDED' });
    await untilScaled(scene, id, 1);
    await checkFiles(hdfs);

    await removeCluster(scene, id);
    expect((await scene.peer().remove(`${base}/job-executions/${run}`)).status).toBe(204);
    await comes(async () => expect([processesBelow(scene.root), leftIn(scene.root)]).toEqual([[], []]));
  });

  test('each process that is killed is started again, one that is being drained, too, and files and jobs survive', async () => {
    const scene = await openHadoop();
    const id = await createCluster(scene.peer(), clusterOf(2, ['historyserver']));
    const hdfs: string = (await untilActive(scene, id)).info.HDFS['Web UI'];
    await writeFiles(hdfs);
    const [[master], [worker, leaving]] = [
      await machinesOf(scene, id, 'master'),
      await machinesOf(scene, id, 'workers'),
    ];
    for (const [machine, name] of [
      [worker, 'datanode'],
      [worker, 'nodemanager'],
      [master, 'namenode'],
      [master, 'resourcemanager'],
      [master, 'historyserver'],
    ]) {
      const record = fileOf(scene, id, machine, `${name}.process`);
      const before = readRecord(record);
      process.kill(before?.pid ?? 0, 'SIGKILL');
      await comes(async () => {
        const description = `${name} on ${machine.instance_name} has ended: .*; it runs again after try \\d+$`;
        const { status, status_description } = await readCluster(scene.peer(), id);
        expect([status, status_description]).toEqual(['Active', expect.stringMatching(new RegExp(description))]);
      });
      const now = readRecord(record);
      expect([now?.pid !== before?.pid, now && isAlive(now)]).toEqual([true, true]);
    }
    await checkFiles(hdfs);

    // The name node is told that the machine leaves when nothing runs on it any more.
    const excluded = fileOf(scene, id, master, 'conf/dfs.exclude');
    const port = 9900 + Number(leaving.internal_ip.split('.')[3]);
    await scale(scene, id, 1);
    await comes(async () => expect(readFileSync(excluded, 'utf8')).toContain(`:${port}\n`));
    process.kill(readRecord(fileOf(scene, id, leaving, 'datanode.process'))?.pid ?? 0, 'SIGKILL');
    await untilScaled(scene, id, 1);
    await checkFiles(hdfs);
    const run = await execute(scene, id, 0);
    expect(await untilEnded(scene, run)).toMatchObject({ status: 'SUCCEEDED' });
    await removeCluster(scene, id);
  });

  test.each(['namenode', 'resourcemanager'])('a job ends when the %s is killed while its tasks run', async (head) => {
    const scene = await openHadoop();
    const id = await createCluster(scene.peer(), clusterOf(1));
    const cluster = await untilActive(scene, id);
    await writeFiles(cluster.info.HDFS['Web UI']);
    const [[master], [worker]] = [await machinesOf(scene, id, 'master'), await machinesOf(scene, id, 'workers')];
    const run = await execute(scene, id, 20);
    // The one that asks for containers, and at least one task.
    await comes(async () =>
      expect((await readNodes(cluster.info.YARN['Web UI']))[worker.internal_ip].numContainers).toBeGreaterThan(1),
    );
    process.kill(readRecord(fileOf(scene, id, master, `${head}.process`))?.pid ?? 0, 'SIGKILL');
    await untilEnded(scene, run);
    await removeCluster(scene, id);
  });
});
