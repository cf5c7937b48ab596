// Event logs of real Spark jobs in S3, which another cluster shows when theirs is gone.
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildJar } from '../../../dev/demo/jar.ts';
import { messageOf } from '../../../src/lib/errors.ts';
import { engineCache } from '../../../src/service/engines/homes/find.ts';
import { s3aPath } from '../../../src/service/engines/s3a/jars.ts';
import { sparkSource } from '../../../src/service/engines/spark/source.ts';
import type { Json } from '../../contract/support.ts';
import { buildS3Server, keys, startS3Server } from '../../support/service/s3-server.ts';
import { findEngine } from '../engines.ts';
import {
  comes,
  createCluster,
  createJob,
  openScene,
  readRun,
  removeCluster,
  run,
  sparkCluster,
  untilActive,
  untilEnded,
} from '../support.ts';

const spark = findEngine(sparkSource);

function hasS3(): boolean {
  try {
    s3aPath({ jars: [join(spark?.folder ?? '', 'jars')], cache: engineCache(process.env) });
    return true;
  } catch (error) {
    console.warn(`The test of event logs in S3 is skipped: ${messageOf(error)}`);
    return false;
  }
}

let server: string | undefined;
beforeAll(async () => {
  server = await buildS3Server();
});
afterAll(() => {
  if (server !== undefined) rmSync(dirname(server), { recursive: true });
});

test.skipIf(spark === undefined || !hasS3())(
  'the history server of another cluster shows a job whose cluster is gone',
  async (context) => {
    if (server === undefined) return context.skip('there is no S3 server');
    const { folder = '', version = '', java = '' } = spark ?? {};
    const s3 = await startS3Server(server, 'logs');
    const credentials = join(dirname(server), 'credentials');
    writeFileSync(
      credentials,
      `[default]\naws_access_key_id = ${keys.accesskey}\naws_secret_access_key = ${keys.secretkey}\n`,
      { mode: 0o600 },
    );
    const page = 'https://history.example';
    const scene = await openScene([
      '--spark',
      folder,
      '--java',
      java,
      '--history-credentials',
      credentials,
      '--history-url',
      page,
    ]);
    const { groups, ...rest } = sparkCluster(version, 1);
    const wanted = {
      ...rest,
      cluster_configs: { Spark: { 'spark.eventLog.dir': 's3a://logs/events' }, S3: { 'fs.s3a.endpoint': s3.endpoint } },
      groups: [...groups, { name: 'history', count: 1, node_processes: ['historyserver'] }],
    };

    const first = await createCluster(scene.peer(), wanted);
    await untilActive(scene, first);
    const text = join(scene.root, 'files', 'text.txt');
    writeFileSync(text, 'two words');
    const job = await createJob(scene.peer(), 'Spark', {
      name: 'count',
      bytes: await buildJar(folder, 'dev/bench-engines/programs/WordCount.java'),
    });
    const counted = await run(scene.peer(), job, first, {
      configs: { 'edp.java.main_class': 'WordCount' },
      args: [text],
    });
    expect(await untilEnded(scene, counted)).toMatchObject({ status: 'SUCCEEDED' });
    await removeCluster(scene, first);

    const cluster = await untilActive(scene, await createCluster(scene.peer(), wanted));
    const applications = `${cluster.info.Spark['History Server']}/api/v1/applications?status=completed`;
    await comes(async () => {
      const shown: Json = await (await fetch(applications)).json();
      expect(shown.map(({ name }: Json) => name)).toEqual([counted]);
    });
    expect((await readRun(scene.peer(), counted)).info.urls).toMatchObject({ History: page });
    await removeCluster(scene, cluster.id);
  },
);
