// The job of the examples on a real Spark cluster. `npm test` simulates engines; spark.test.ts tells the other stories.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildJar } from '../../../dev/demo/jar.ts';
import { sparkSource } from '../../../src/service/engines/spark/source.ts';
import { base } from '../../contract/sections/jobs/section-4-6-support.ts';
import { findEngine } from '../engines.ts';
import {
  comes,
  createCluster,
  createJob,
  leftIn,
  openScene,
  processesBelow,
  readLog,
  removeCluster,
  run,
  sparkCluster,
  untilActive,
  untilEnded,
} from '../support.ts';

const spark = findEngine(sparkSource);
const hasCompiler = spawnSync('javac', ['-version']).error === undefined;
if (!hasCompiler) console.warn('The test of a real Spark cluster is skipped: there is no javac. A JDK installs it');

test.skipIf(spark === undefined || !hasCompiler)('a Spark cluster counts words and leaves nothing behind', async () => {
  const { folder = '', version = '', java = '' } = spark ?? {};
  const scene = await openScene(['--spark', folder, '--java', java]);
  const cluster = await createCluster(scene.peer(), sparkCluster(version, 1));
  await untilActive(scene, cluster);

  const text = join(scene.root, 'files', 'text.txt');
  writeFileSync(text, 'Clusters run jobs. Jobs need clusters, and clusters need names.');
  const bytes = await buildJar(folder, 'examples/spark/WordCount.java');
  const job = await createJob(scene.peer(), 'Spark', { name: 'word-count', bytes });
  const configs = { 'edp.java.main_class': 'WordCount' };
  const counted = await run(scene.peer(), job, cluster, { configs, args: [text, '1'] });
  expect(await untilEnded(scene, counted)).toMatchObject({ status: 'SUCCEEDED' });
  expect(await readLog(scene.peer(), counted)).toMatch(/^ +3 clusters$/m);

  await removeCluster(scene, cluster);
  await scene.peer().remove(`${base}/job-executions/${counted}`);
  await comes(async () => expect([processesBelow(scene.root), leftIn(scene.root)]).toEqual([[], []]));
});
