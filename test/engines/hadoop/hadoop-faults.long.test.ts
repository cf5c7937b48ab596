// A real Hadoop whose resource manager dies while it waits for the containers on a machine that leaves, and one whose node manager hangs.
import { describe, expect, test } from 'vitest';
import { readRecord } from '../../../src/service/backends/processes/clusters/process-record.ts';
import { writeFile } from '../hdfs/hdfs.ts';
import { comes, createCluster, removeCluster, untilActive } from '../support.ts';
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

describe.skipIf(isMissing)('Hadoop', () => {
  test('a resource manager that is killed does not keep a machine from leaving', async () => {
    const scene = await openHadoop();
    const id = await createCluster(scene.peer(), clusterOf(2));
    const cluster = await untilActive(scene, id);
    for (let index = 0; index < 2; index += 1)
      await writeFile(cluster.info.HDFS['Web UI'], `/in/${index}.txt`, `line ${index}\n`);
    // There is room for one task on a machine.
    await execute(scene, id, 600, 1200);
    const workers = await machinesOf(scene, id, 'workers');
    const page: string = cluster.info.YARN['Web UI'];
    await comes(async () => {
      const nodes = await readNodes(page);
      for (const { internal_ip } of workers) expect(nodes[internal_ip].numContainers).toBeGreaterThan(0);
    });
    await scale(scene, id, 1);
    await comes(async () => expect((await readNodes(page))[workers[1].internal_ip].state).toBe('DECOMMISSIONING'));
    const [master] = await machinesOf(scene, id, 'master');
    process.kill(readRecord(fileOf(scene, id, master, 'resourcemanager.process'))?.pid ?? 0, 'SIGKILL');
    await comes(async () => expect(await machinesOf(scene, id, 'workers')).toHaveLength(1));
    await untilScaled(scene, id, 1);
    await removeCluster(scene, id);
  });

  test('a node manager that hangs is lost after seconds, not after the ten minutes of Hadoop, and comes back', async () => {
    const scene = await openHadoop();
    const id = await createCluster(scene.peer(), clusterOf(1));
    const page: string = (await untilActive(scene, id)).info.YARN['Web UI'];
    const [worker] = await machinesOf(scene, id, 'workers');
    const stateOf = async () => (await readNodes(page))[worker.internal_ip].state;
    await comes(async () => expect(await stateOf()).toBe('RUNNING'));
    const { pid = 0 } = readRecord(fileOf(scene, id, worker, 'nodemanager.process')) ?? {};
    const since = performance.now();
    process.kill(pid, 'SIGSTOP');
    await comes(async () => expect(await stateOf()).toBe('LOST'));
    const seconds = (performance.now() - since) / 1000;
    console.info(`YARN has noticed a node manager that hangs after ${seconds.toFixed(1)} s`);
    // 20 s, a third of that between two looks, and a slow machine.
    expect(seconds).toBeLessThan(120);
    process.kill(pid, 'SIGCONT');
    await comes(async () => expect(await stateOf()).toBe('RUNNING'));
    await removeCluster(scene, id);
  });
});
