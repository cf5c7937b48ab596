// What executors of a real Spark have when their worker is removed: files of a shuffle and cached partitions, in all releases that are installed.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildJar } from '../../../dev/demo/jar.ts';
import { sparkSources } from '../../../src/service/engines/spark/source.ts';
import type { Json } from '../../contract/peer.ts';
import { base } from '../../contract/sections/jobs/section-4-6-support.ts';
import { type FoundEngine, findEngine } from '../engines.ts';
import {
  comes,
  createCluster,
  createJob,
  openScene,
  readLog,
  removeCluster,
  run,
  type Scene,
  sparkCluster,
  untilActive,
  untilEnded,
} from '../support.ts';

const engines = sparkSources.flatMap((source) => findEngine(source) ?? []);
const hasCompiler = spawnSync('javac', ['-version']).error === undefined;

/** The program at work: it has left its data on so many executors, and goes on when it is told to. */
async function begin(scene: Scene, cluster: string, { folder, version }: FoundEngine, executors: number) {
  const file = join(scene.root, 'files', `${version}-goes-on`);
  const bytes = await buildJar(folder, 'test/engines/programs/KeptData.java');
  const job = await createJob(scene.peer(), 'Spark', { name: `${version}-kept.jar`, bytes });
  const configs = { 'edp.java.main_class': 'KeptData', 'spark.executor.cores': '1', 'spark.cores.max': `${executors}` };
  const id = await run(scene.peer(), job, cluster, { configs, args: [`${executors}`, file] });
  const said = (what: RegExp) =>
    comes(async () => {
      const [, found = ''] = what.exec(await readLog(scene.peer(), id)) ?? [];
      expect(found).not.toBe('');
      return found;
    });
  const page = `${await said(/^page: (\S+)$/m)}/api/v1/applications`;
  const ask = async (what: string): Promise<Json> => (await fetch(`${page}${what}`)).json();
  const [{ id: application }] = await ask('');
  return {
    ask: (what: string) => ask(`/${application}/${what}`),
    /** Uses its data again. */
    async goOn() {
      writeFileSync(file, '');
      expect(await said(/^second: (.*)$/m), version).toBe('8 3');
    },
    async end() {
      writeFileSync(`${file}.end`, '');
      expect(await untilEnded(scene, id), version).toMatchObject({ status: 'SUCCEEDED' });
    },
  };
}

const scale = async (scene: Scene, cluster: string, name: string, count: number) => {
  const reply = await scene.peer().put(`${base}/clusters/${cluster}`, { resize_node_groups: [{ name, count }] });
  expect(reply.status).toBe(202);
  await untilActive(scene, cluster);
};

const executorsIn = async (ask: (what: string) => Promise<Json>): Promise<readonly Json[]> =>
  (await ask('executors')).filter(({ id }: Json) => id !== 'driver');

async function keepsData(scene: Scene, engine: FoundEngine) {
  const cluster = await createCluster(scene.peer(), sparkCluster(engine.version, 2));
  await untilActive(scene, cluster);
  const program = await begin(scene, cluster, engine, 2);
  const before = await executorsIn(program.ask);
  expect(
    before.map(({ rddBlocks }) => rddBlocks > 0),
    engine.version,
  ).toEqual([true, true]);
  await scale(scene, cluster, 'workers', 1);
  expect(await executorsIn(program.ask), engine.version).toHaveLength(1);
  await program.goOn();
  const stages: readonly Json[] = await program.ask('stages');
  expect(stages.filter(({ attemptId, status }) => attemptId > 0 || status === 'FAILED')).toEqual([]);
  const maps = stages.filter(({ name, status }) => name.startsWith('mapToPair') && status !== 'SKIPPED');
  expect(maps, engine.version).toHaveLength(1);
  const [cached] = await program.ask('storage/rdd');
  expect(cached, engine.version).toMatchObject({ name: 'cached', numPartitions: 8, numCachedPartitions: 8 });
  await program.end();
  await removeCluster(scene, cluster);
}

async function losesTheOnlyOne(scene: Scene, engine: FoundEngine) {
  const { groups, ...rest } = sparkCluster(engine.version, 1);
  const more = { name: 'more', count: 1, node_processes: ['slave'] };
  const cluster = await createCluster(scene.peer(), { ...rest, groups: [...groups, more] });
  const { node_groups } = await untilActive(scene, cluster);
  const program = await begin(scene, cluster, engine, 1);
  const [executor] = await executorsIn(program.ask);
  const group = node_groups.find(({ instances }: Json) =>
    instances.some(({ internal_ip }: Json) => executor?.hostPort.startsWith(`${internal_ip}:`)),
  );
  // Nobody can take its data: it goes nevertheless, long before its worker would be removed anyway, and another one computes the data again.
  await scale(scene, cluster, group.name, 0);
  await program.goOn();
  await program.end();
  await removeCluster(scene, cluster);
}

describe.skipIf(engines.length === 0 || !hasCompiler)('Spark that is scaled down', () => {
  const open = () => openScene(['--java', engines[0]?.java ?? '', '--machine-memory', '100000']);

  test('runs no part of a job again: another executor has the files of the shuffle and the cached partitions', async () => {
    const scene = await open();
    for (const engine of engines) await keepsData(scene, engine);
  });

  test('does not wait for the only executor of a job', async () => {
    const scene = await open();
    for (const engine of engines) await losesTheOnlyOne(scene, engine);
  });
});
