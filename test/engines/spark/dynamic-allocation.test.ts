// A real Spark job that gives its executors back while it needs none, as docs/how-to/bundled-service/real-jobs.md describes it.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { buildJar } from '../../../dev/demo/jar.ts';
import { sparkSource } from '../../../src/service/engines/spark/source.ts';
import { blocksIn, readPage } from '../../e2e/support/documents.ts';
import { findEngine } from '../engines.ts';
import {
  createCluster,
  createJob,
  openScene,
  readLog,
  run,
  sparkCluster,
  untilActive,
  untilEnded,
} from '../support.ts';

const spark = findEngine(sparkSource);
const hasCompiler = spawnSync('javac', ['-version']).error === undefined;

interface Execution {
  readonly spec: { readonly configs: Readonly<Record<string, string>> };
}

/** The settings of the documentation, with shorter times. */
function documented(): Readonly<Record<string, string>> {
  const blocks = blocksIn(readPage('docs/how-to/bundled-service/real-jobs.md'), 'yaml');
  const block = blocks.find((text) => text.includes('spark.dynamicAllocation.enabled'));
  const { configs } = (parse(block ?? '') as Execution).spec;
  return Object.fromEntries(
    Object.entries(configs).map(([name, value]) => [name, /^\d+s$/.test(value) ? '2s' : value]),
  );
}

test.skipIf(spark === undefined || !hasCompiler)('a Spark job gives back executors, and gets others', async () => {
  const { folder = '', version = '', java = '' } = spark ?? {};
  const scene = await openScene(['--spark', folder, '--java', java]);
  const cluster = await createCluster(scene.peer(), sparkCluster(version, 1));
  await untilActive(scene, cluster);
  const bytes = await buildJar(folder, 'test/engines/programs/Idle.java');
  const job = await createJob(scene.peer(), 'Spark', { name: 'idle', bytes });
  const configs = { ...documented(), 'edp.java.main_class': 'Idle' };
  const id = await run(scene.peer(), job, cluster, { configs });
  expect(await untilEnded(scene, id)).toMatchObject({ status: 'SUCCEEDED' });
  expect(await readLog(scene.peer(), id)).toMatch(/first: 7, has executors: true[^]*has no executors[^]*second: 7/);
});
