// Clusters of all releases of Spark that are installed, beside each other, each with a job of each kind of program.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildJar } from '../../../dev/demo/jar.ts';
import { findPython, isNoOlder } from '../../../src/service/engines/homes/python.ts';
import { releaseOf } from '../../../src/service/engines/spark/releases.ts';
import { hasHive, hasPython, sparkSources } from '../../../src/service/engines/spark/source.ts';
import { base } from '../../contract/sections/jobs/section-4-6-support.ts';
import { type FoundEngine, findEngine } from '../engines.ts';
import {
  comes,
  createCluster,
  createJob,
  type JobFile,
  leftIn,
  openScene,
  processesBelow,
  readCluster,
  readLog,
  removeCluster,
  run,
  type Scene,
  sparkCluster,
  untilActive,
  untilEnded,
} from '../support.ts';

const engines = sparkSources.flatMap((source) => findEngine(source) ?? []);
const python = findPython(process.env)?.version ?? '0';

const program = `import sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
total = spark.sparkContext.parallelize(range(100), 4).map(lambda number: number + 1).sum()
print('version', spark.version, 'total', total, 'rows', spark.range(7).selectExpr('id * 2 AS twice').count())
`;

/** Runs a job to its successful end, and returns its log. */
async function logOf(scene: Scene, cluster: string, [type, file]: readonly [string, JobFile], configs: object) {
  const job = await createJob(scene.peer(), type, file);
  const execution = await run(scene.peer(), job, cluster, configs);
  const end = await untilEnded(scene, execution);
  const log = await readLog(scene.peer(), execution);
  expect(end, log).toMatchObject({ status: 'SUCCEEDED' });
  await scene.peer().remove(`${base}/job-executions/${execution}`);
  return log;
}

/** What the jobs of a cluster print that tells whether they have worked. */
async function runAll(scene: Scene, cluster: string, { folder, version }: FoundEngine) {
  const text = join(scene.root, 'files', 'text.txt');
  const bytes = await buildJar(folder, 'dev/bench-engines/programs/WordCount.java');
  const name = (end: string) => `${version}${end}`;
  const jar = await logOf(scene, cluster, ['Spark', { name: name('.jar'), bytes }], {
    configs: { 'edp.java.main_class': 'WordCount' },
    args: [text],
  });
  expect(jar).toMatch(/^the \d+$/m);
  if (hasPython(folder) && isNoOlder(python, releaseOf(version).oldestPython)) {
    const printed = await logOf(scene, cluster, ['Spark', { name: name('.py'), bytes: program }], {});
    expect(printed).toContain(`version ${version} total 5050 rows 7`);
  }
  if (hasHive(folder)) {
    const script = `CREATE TABLE numbers (n INT); INSERT INTO numbers VALUES (1), (2); SELECT 'sum', sum(n) FROM numbers;\n`;
    expect(await logOf(scene, cluster, ['Hive', { name: name('.hql'), bytes: script }], {})).toMatch(/^sum\t3$/m);
  }
}

/** Each release of the master has its own page of an application. */
async function checkLoad(scene: Scene, cluster: string, { folder, version }: FoundEngine) {
  const loadOf = async () => (await readCluster(scene.peer(), cluster)).info.Load?.workers;
  await comes(async () => expect(await loadOf(), version).toMatchObject({ wantedNodes: 0, busyNodes: 0 }));
  const bytes = await buildJar(folder, 'test/engines/programs/Idle.java');
  const job = await createJob(scene.peer(), 'Spark', { name: `${version}-idle.jar`, bytes });
  // It keeps its executors, and the only worker has 2 of the 5 cores that it may have.
  const configs = { 'edp.java.main_class': 'Idle', 'spark.executor.cores': '1', 'spark.cores.max': '5' };
  const execution = await run(scene.peer(), job, cluster, { configs });
  await comes(async () => expect(await loadOf(), version).toMatchObject({ wantedNodes: 3, busyNodes: 1 }));
  await scene.peer().get(`${base}/job-executions/${execution}/cancel`);
  await untilEnded(scene, execution);
  await comes(async () => expect(await loadOf(), version).toMatchObject({ wantedNodes: 0, busyNodes: 0 }));
  await scene.peer().remove(`${base}/job-executions/${execution}`);
}

describe.skipIf(engines.length < 2)('several versions of Spark', () => {
  test('run clusters and jobs beside each other', async () => {
    const scene = await openScene(['--java', engines[0]?.java ?? '', '--machine-memory', '100000']);
    copyFileSync('README.md', join(scene.root, 'files', 'text.txt'));
    const { plugin } = (await scene.peer().get(`${base}/plugins/spark`)).body;
    const versions = engines.map(({ version }) => version);
    expect(plugin.versions).toEqual(versions);

    const ids = await Promise.all(engines.map(({ version }) => createCluster(scene.peer(), sparkCluster(version, 1))));
    for (const id of ids) await untilActive(scene, id);
    const running = processesBelow(scene.root).length;
    expect(running).toBe(2 * engines.length);
    const jobs = engines.map((engine, index) => runAll(scene, ids[index] ?? '', engine));
    await Promise.all(jobs);

    for (const id of ids) await removeCluster(scene, id);
    await comes(async () => expect([processesBelow(scene.root), leftIn(scene.root)]).toEqual([[], []]));
  });

  test('tell what a job waits for that may have more than its cluster has', async () => {
    const scene = await openScene(['--java', engines[0]?.java ?? '', '--machine-memory', '100000']);
    const checks = engines.map(async (engine) => {
      const id = await createCluster(scene.peer(), sparkCluster(engine.version, 1));
      await untilActive(scene, id);
      await checkLoad(scene, id, engine);
      await removeCluster(scene, id);
    });
    await Promise.all(checks);
  });
});
