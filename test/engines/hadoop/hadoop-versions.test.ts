// Clusters of all releases of Hadoop that are installed, beside each other, each with a job of MapReduce.
import { describe, expect, test } from 'vitest';
import { hadoopSources } from '../../../src/service/engines/hadoop/source.ts';
import { base, created } from '../../contract/sections/jobs/section-4-6-support.ts';
import { type FoundEngine, findEngine } from '../engines.ts';
import { readFile, writeFile } from '../hdfs/hdfs.ts';
import {
  comes,
  createCluster,
  leftIn,
  openScene,
  processesBelow,
  removeCluster,
  type Scene,
  untilActive,
  untilEnded,
} from '../support.ts';
import { clusterOf, job, source } from './hadoop-scene.ts';

const engines = hadoopSources.flatMap((each) => findEngine(each) ?? []);

/** Counts words on YARN, from and to HDFS. */
async function countOn(scene: Scene, cluster: string, { version }: FoundEngine): Promise<void> {
  const page: string = (await untilActive(scene, cluster)).info.HDFS['Web UI'];
  await writeFile(page, '/in/text.txt', `${version}\na\n${version}\n`);
  const [input_id, output_id] = [await source(scene, '/in'), await source(scene, '/out')];
  const configs = { 'edp.streaming.mapper': '/bin/cat', 'edp.streaming.reducer': '/usr/bin/uniq -c' };
  const body = { cluster_id: cluster, input_id, output_id, job_configs: { configs } };
  const streaming = await job(scene, 'MapReduce.Streaming', []);
  const { id } = created(await scene.peer().post(`${base}/jobs/${streaming}/execute`, body));
  expect(await untilEnded(scene, id)).toMatchObject({ status: 'SUCCEEDED' });
  const words = (await readFile(page, '/out/part-00000')).trim().split(/\s+/);
  expect(words).toEqual(['2', version, '1', 'a']);
  await scene.peer().remove(`${base}/job-executions/${id}`);
}

describe.skipIf(engines.length < 2)('several versions of Hadoop', () => {
  test('run clusters and jobs beside each other', async () => {
    const scene = await openScene(['--java', engines[0]?.java ?? '', '--machine-memory', '100000']);
    const { plugin } = (await scene.peer().get(`${base}/plugins/vanilla`)).body;
    expect(plugin.versions).toEqual(engines.map(({ version }) => version));
    const ids = await Promise.all(
      engines.map(({ version }) => createCluster(scene.peer(), { ...clusterOf(1), version })),
    );
    await Promise.all(engines.map((engine, index) => countOn(scene, ids[index] ?? '', engine)));
    for (const id of ids) await removeCluster(scene, id);
    await comes(async () => expect([processesBelow(scene.root), leftIn(scene.root)]).toEqual([[], []]));
  });
});
