// Jobs of Spark in pods that read and write S3.
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, inject, type TestContext, test } from 'vitest';
import { buildJar } from '../../dev/demo/jar.ts';
import { s3aInImage } from '../../dev/image/engines.ts';
import { readImages } from '../../src/service/backends/pods/manifests/engine-images.ts';
import { lookNear } from '../../src/service/engines/homes/find.ts';
import { imageIn } from '../../src/service/engines/image.ts';
import { sparkSource } from '../../src/service/engines/spark/source.ts';
import { base, created } from '../contract/sections/jobs/section-4-6-support.ts';
import { createCluster, createJob, readLog, removeCluster, untilActive, untilEnded } from '../engines/support.ts';
import { buildS3Server, keys, startS3Server } from '../support/service/s3-server.ts';
import { createNamespace } from './support/cluster.ts';
import { findObstacle, findS3Jars, importEngines, openPodScene, sparkInPods } from './support/engine-pods.ts';

const obstacle = findObstacle();
const root = join(import.meta.dirname, '..', '..');
const spark = lookNear(sparkSource, process.env);

/** A cluster whose image has the jars for S3, and a server that its pods reach. */
async function openWithS3(context: TestContext) {
  const program = await buildS3Server();
  if (program === undefined) return context.skip('there is no S3 server');
  context.onTestFinished(() => rmSync(dirname(program), { recursive: true }));
  const s3 = await startS3Server(program, 'data', inject('podsHost'));
  const images = join(dirname(program), 'images.json');
  const { reference } = imageIn(readImages(undefined), 'spark');
  writeFileSync(images, JSON.stringify({ spark: { reference, s3a: s3aInImage } }));
  const scene = await openPodScene(await createNamespace(context), ['--engine-images', images]);
  const id = await createCluster(scene.peer(), sparkInPods(1));
  await untilActive(scene, id);
  return { s3, scene, id };
}

describe.skipIf(obstacle !== undefined)('S3 in pods', () => {
  beforeAll(importEngines);

  test.skipIf(findS3Jars() === undefined)(
    'jobs read and write S3, with keys that the service does not show',
    async (context) => {
      const { s3, scene, id } = await openWithS3(context);
      await s3.put('data/in/text.txt', 'b\na\nb\n');
      const sources = await Promise.all(
        ['in/text.txt', 'out'].map(async (path) => {
          const credentials = { ...keys, endpoint: s3.endpoint };
          const body = { name: `source-${path.slice(0, 2)}`, type: 's3', url: `s3a://data/${path}`, credentials };
          return created(await scene.peer().post(`${base}/data-sources`, body))['id'] as string;
        }),
      );
      const bytes = await buildJar(spark?.folder ?? '', join(root, 'test/engines/programs/CountLines.java'));
      const job = await createJob(scene.peer(), 'Spark', { name: 'count.jar', bytes });
      const [input_id, output_id] = sources;
      const job_configs = { configs: { 'edp.java.main_class': 'CountLines' }, args: sources };
      const body = { cluster_id: id, input_id, output_id, job_configs };
      const execution = created(await scene.peer().post(`${base}/jobs/${job}/execute`, body))['id'] as string;
      expect(await untilEnded(scene, execution)).toMatchObject({ status: 'SUCCEEDED' });
      expect(await s3.read('data/out/part-00000')).toBe('a 1\nb 2\n');
      expect(await readLog(scene.peer(), execution)).not.toContain(keys.secretkey);
      await removeCluster(scene, id);
    },
  );
});
