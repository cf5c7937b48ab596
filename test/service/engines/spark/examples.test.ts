// The examples with settings of Spark are jobs that the service runs, with what their comments promise.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Manifest, readManifests } from '../../../../dev/demo/manifests.ts';
import { bundledPlugins } from '../../../../src/service/engines/index.ts';
import { readRequirements } from '../../../../src/service/engines/packages/requirements.ts';
import { sparkJob } from '../../../../src/service/engines/spark/jobs/jobs.ts';
import { sparkReleases } from '../../../../src/service/engines/spark/releases.ts';
import { blocksIn, readPage } from '../../../e2e/support/documents.ts';
import { run } from '../run-of-a-job.ts';
import { sparkWith } from './spark-folder.ts';

const work = '/runs/run-1/work';

interface Spec {
  readonly content?: { readonly fileName: string; readonly inline: string };
  readonly configs?: Readonly<Record<string, string>>;
  readonly bigdataVersion?: string;
}

const specOf = ({ spec }: Manifest): Spec => spec as Spec;

/** What an example has, in the order of its file. */
async function read(name: string) {
  const manifests = await readManifests(join('examples', name));
  const files = manifests.flatMap((each) => specOf(each).content ?? []);
  const all = manifests.map((each) => specOf(each).configs);
  const configs: Readonly<Record<string, string>> = all.findLast((each) => each !== undefined) ?? {};
  return { manifests, files, configs };
}

/** What the service runs for it. */
async function programOf(name: string, isImage = false) {
  const { files, configs } = await read(name);
  const [lib, main] = files.map(({ fileName }) => `${work}/${fileName}`);
  const home = { folder: sparkWith('python/lib/pyspark.zip'), java: '/bin/java', python: '/usr/bin/python3', isImage };
  const paths = { mains: [main ?? `${work}/wordcount.py`], libs: lib === undefined ? [] : [lib] };
  return sparkJob(home).program(run({ ...paths, folder: work, configs }));
}
const confOf = ({ files }: Awaited<ReturnType<typeof programOf>>) => files?.['.spark/run.conf']?.split('\n') ?? [];

test('Python packages: the list is one that the service takes, of a lib that the job has', async () => {
  const { environment } = await programOf('python-packages/job.yaml');
  expect(environment).toMatchObject({ from: 'requirements.txt' });
  const [requirements] = (await read('python-packages/job.yaml')).files;
  expect(readRequirements(requirements?.inline ?? '').lines).toHaveLength(2);
});

test.each([false, true])('options of Java: the driver gets the file of the job, in an image: %s', async (isImage) => {
  const program = await programOf('java-options/job.yaml', isImage);
  expect(program.files?.['.spark/java.options']).toContain(`-Dlog4j2.configurationFile=${work}/log4j2.properties`);
  expect(program.args).not.toContain('-XX:+UseSerialGC');
  expect(confOf(program)).toContain('spark.executor.extraJavaOptions=-Duser.timezone=Europe/Paris');
});

test('dynamic allocation: the settings are those of the guide', async () => {
  const { configs } = await read('dynamic-allocation/job.yaml');
  const blocks = blocksIn(readPage('docs/how-to/bundled-service/real-jobs.md'), 'yaml');
  const guide = parse(blocks.find((text) => text.includes('spark.dynamicAllocation.enabled')) ?? '') as { spec: Spec };
  expect(configs).toEqual(guide.spec.configs);
  expect(confOf(await programOf('dynamic-allocation/job.yaml'))).toContain('spark.dynamicAllocation.maxExecutors=4');
});

test('another version of Spark: real clusters and simulated ones have it, and it is not the default', async () => {
  const [cluster] = (await read('spark-versions/cluster.yaml')).manifests;
  const version = cluster && specOf(cluster).bigdataVersion;
  const real = sparkReleases.map((release) => release.version);
  expect(real.slice(1)).toContain(version);
  const simulated = bundledPlugins.find(({ name }) => name === 'spark')?.versions.map((each) => each.version);
  expect(simulated).toContain(version);
});
