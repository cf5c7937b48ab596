// The example of Iceberg: a job writes a table on S3, and the next one queries it, also as it was before.
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Manifest, readManifests } from '../../../dev/demo/manifests.ts';
import { hasPython, sparkSource } from '../../../src/service/engines/spark/source.ts';
import { base, created } from '../../contract/sections/jobs/section-4-6-support.ts';
import { buildS3Server, keys, startS3Server } from '../../support/service/s3-server.ts';
import { findEngine, findS3aPart } from '../engines.ts';
import { findMavenRepository } from '../maven-repository.ts';
import { createCluster, createJob, openScene, readLog, sparkCluster, untilActive, untilEnded } from '../support.ts';

const example = join(import.meta.dirname, '../../../examples/iceberg');
const manifests: readonly Manifest[] = (
  await Promise.all(['write.yaml', 'query.yaml'].map((file) => readManifests(join(example, file))))
).flat();

type Spec = Readonly<Record<string, unknown>>;
const specOf = (name: string): Spec =>
  manifests.find(({ metadata, kind }) => kind !== 'Secret' && metadata.name === name)?.['spec'] as Spec;
const configsOf = (name: string) => specOf(name)['configs'] as Readonly<Record<string, string>>;

const [group = '', artifact = '', version = ''] = (configsOf('lake-write-1')['spark.jars.packages'] ?? '').split(':');
const repository = await findMavenRepository(
  `${group.replaceAll('.', '/')}/${artifact}/${version}/${artifact}-${version}.pom`,
);
const [spark, s3a] = [findEngine(sparkSource), findS3aPart()];

let server: string | undefined;
beforeAll(async () => {
  server = await buildS3Server();
  // With nothing in the cache of Go, it takes minutes.
});
afterAll(() => {
  if (server !== undefined) rmSync(dirname(server), { recursive: true });
});

const canRun = repository !== undefined && s3a !== undefined && spark !== undefined && hasPython(spark.folder);

describe.skipIf(!canRun)('a table of Iceberg on S3', () => {
  test('is written by a job, and queried by the next one, also as it was', async (context) => {
    if (server === undefined) context.skip('there is no S3 server');
    const s3 = await startS3Server(server ?? '', 'data');
    const flags = ['--spark', spark?.folder ?? '', '--java', spark?.java ?? '', '--maven-repository', repository ?? ''];
    const scene = await openScene(flags);
    const cluster = await createCluster(scene.peer(), sparkCluster(spark?.version ?? '', 1));
    await untilActive(scene, cluster);
    const { fileName, inline } = specOf('statements')['content'] as {
      readonly fileName: string;
      readonly inline: string;
    };
    const job = await createJob(scene.peer(), 'Spark', { name: fileName, bytes: inline });
    const { type, url } = specOf('lake');
    const credentials = { ...keys, endpoint: s3.endpoint };
    const source = await scene.peer().post(`${base}/data-sources`, { name: 'lake', type, url, credentials });
    const input_id = created(source)['id'];

    const execute = async (name: string): Promise<string> => {
      const job_configs = { configs: configsOf(name), args: specOf(name)['args'] };
      const body = { cluster_id: cluster, input_id, job_configs };
      const { id } = created(await scene.peer().post(`${base}/jobs/${job}/execute`, body));
      const end = await untilEnded(scene, id);
      const log = await readLog(scene.peer(), id);
      expect(end, log).toMatchObject({ status: 'SUCCEEDED' });
      return log;
    };

    await execute('lake-write-1');
    const log = await execute('lake-query-1');
    expect(log).toMatch(/\|now\|\n\+-+\+\n\|3 +\|\n/);
    expect(log).toMatch(/\|monday\|\n\+-+\+\n\|tea +\|\n\|coffee\|\n\+/);
    expect(log).not.toContain('cocoa');
    expect(s3.requests.some((line) => line.includes('/data/warehouse/shop/orders/metadata/'))).toBe(true);
  });
});
