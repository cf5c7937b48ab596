// A real HDFS whose machines leave while files are open, or while a data node is dead: nothing that was acknowledged is lost, and the cluster says why it waits.
import { describe, expect, test } from 'vitest';
import { readRecord } from '../../../src/service/backends/processes/clusters/process-record.ts';
import { fileOf, isMissing, machinesOf, openHadoop, scale, untilScaled } from '../hadoop/hadoop-scene.ts';
import { comes, createCluster, readCluster, removeCluster, untilActive } from '../support.ts';
import { checkFile, filesOf, hdfsCluster, printed, untilSaid } from './hdfs-writers.ts';

const paths = Array.from({ length: 6 }, (_, index) => `/open/${index}`);

/** A cluster of two data nodes, and a program that holds files open on both of them. */
async function open(cluster_configs = {}) {
  const scene = await openHadoop();
  const id = await createCluster(scene.peer(), { ...hdfsCluster(2), cluster_configs });
  await untilActive(scene, id);
  const start = await filesOf(scene, id);
  const writer = await start();
  for (const path of paths) await writer.send(`write ${path}`);
  for (const path of paths) await printed(writer, 'acked', path);
  return { scene, id, start, writer };
}

describe.skipIf(isMissing)('HDFS', () => {
  test('a machine that alone has the end of an open file stays until the file is closed, and after the deadline', async () => {
    const { scene, id, writer } = await open({
      HDFS: { 'Data Node Decommission Timeout': 20, 'dfs.permissions.enabled': true },
    });
    await scale(scene, id, 1);
    const waits =
      /^draining .*, for 20 s at most: no other machine has all blocks of (\/open\/\d \(open\)(, )?)+.*recoverLease/;
    expect(await untilSaid(scene, id, waits)).toBeDefined();
    await comes(async () => {
      const { status, status_description, node_groups } = await readCluster(scene.peer(), id);
      const workers = node_groups.find(({ name }: { readonly name: string }) => name === 'workers');
      expect([status, workers.instances.length]).toEqual(['Active', 2]);
      expect(status_description).toMatch(/has not been drained within 20 s: no other machine has all blocks of \/open/);
    });
    for (const path of paths) await writer.send(`close ${path}`);
    const lengths = await Promise.all(paths.map((path) => printed(writer, 'closed', path)));
    await scale(scene, id, 1);
    await untilScaled(scene, id, 1);
    for (const [index, path] of paths.entries()) await checkFile(writer, path, Number(lengths[index]));
    await removeCluster(scene, id);
  });

  test('a machine leaves when the leases of open files are recovered, as the cluster advises, and what was acknowledged is there', async () => {
    const { scene, id, start, writer } = await open();
    await scale(scene, id, 1);
    expect(
      await untilSaid(scene, id, /\(open\).*: end them, and run hdfs debug recoverLease -path FILE$/),
    ).toBeDefined();
    await writer.kill();
    const lengths = await Promise.all(paths.map((path) => printed(writer, 'acked', path)));
    const other = await start();
    for (const path of paths) await other.send(`recover ${path}`);
    for (const path of paths) await printed(other, 'recovered', path);
    await untilScaled(scene, id, 1);
    for (const [index, path] of paths.entries()) await checkFile(other, path, Number(lengths[index]));
    await removeCluster(scene, id);
  });

  test('a data node that hangs is said to be dead, with what is on it alone, and leaves after the remedy', async () => {
    const { scene, id, writer } = await open();
    for (const path of paths) await writer.send(`close ${path}`);
    const lengths = await Promise.all(paths.map((path) => printed(writer, 'closed', path)));
    const [, leaving] = await machinesOf(scene, id, 'workers');
    const pid = readRecord(fileOf(scene, id, leaving, 'datanode.process'))?.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    await scale(scene, id, 1);
    const dead = /its data node is dead, and no other machine has all blocks of \/open\/.*: end its process/;
    expect(await untilSaid(scene, id, dead)).toBeDefined();
    process.kill(pid, 'SIGKILL');
    await untilScaled(scene, id, 1);
    for (const [index, path] of paths.entries()) await checkFile(writer, path, Number(lengths[index]));
    await removeCluster(scene, id);
  });
});
