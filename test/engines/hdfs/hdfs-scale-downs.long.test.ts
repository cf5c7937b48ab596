// Many scale-downs of HDFS whose files are being written: no byte is lost that hsync or close has acknowledged. `HDFS_SCALE_DOWNS=200` makes it as many, and
// `HDFS_CLUSTERS=4` spreads them over as many clusters, which change at the same time.
import { describe, expect, test } from 'vitest';
import { isMissing, openHadoop } from '../hadoop/hadoop-scene.ts';
import { createCluster, removeCluster, untilActive } from '../support.ts';
import { checkFile, filesOf, hdfsCluster, type RoundResult, scaleDown } from './hdfs-writers.ts';

const rounds = Number(process.env['HDFS_SCALE_DOWNS'] ?? 25);
const clusters = Number(process.env['HDFS_CLUSTERS'] ?? 1);
const machines = 3;

/** One line of JSON. */
function print(results: readonly RoundResult[]): void {
  const sum = (of: (result: RoundResult) => number | boolean) =>
    results.reduce((all, each) => all + Number(of(each)), 0);
  const figures = {
    scaleDowns: results.length,
    withKilledWriters: sum(({ wasKilled }) => wasKilled),
    thatWaitedForOpenFiles: sum(({ hasWaited }) => hasWaited),
    files: sum(({ files }) => files),
    failedCloses: sum(({ failedCloses }) => failedCloses),
    acknowledgedBytes: sum(({ ackedBytes }) => ackedBytes),
  };
  console.info(JSON.stringify(figures));
}

describe.skipIf(isMissing)('HDFS', () => {
  test(`loses no acknowledged byte in ${rounds} scale-downs`, { timeout: rounds * 600_000 }, async () => {
    const scene = await openHadoop();
    const results: RoundResult[] = [];
    const shrink = async (first: number) => {
      const id = await createCluster(scene.peer(), hdfsCluster(machines));
      await untilActive(scene, id);
      const start = await filesOf(scene, id);
      const reader = await start();
      const numbers = Array.from({ length: rounds }, (_, number) => number).filter(
        (number) => number % clusters === first,
      );
      for (const number of numbers) {
        results.push(await scaleDown({ scene, id, start, reader, machines, number }));
        print(results);
      }
      for (const number of numbers)
        for (let index = 0; index < 6; index += 1) await checkFile(reader, `/open/${number}-${index}`, 1);
      await removeCluster(scene, id);
    };
    await Promise.all(Array.from({ length: clusters }, (_, first) => shrink(first)));
    expect(results).toHaveLength(rounds);
    expect(results.some(({ hasWaited }) => hasWaited)).toBe(true);
  });
});
