// Jobs of real engines that read and write S3, at a server that checks their signatures.
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { buildJar } from '../../dev/demo/jar.ts';
import { hadoopSource } from '../../src/service/engines/hadoop/source.ts';
import { sparkSource } from '../../src/service/engines/spark/source.ts';
import { base, created } from '../contract/sections/jobs/section-4-6-support.ts';
import { limitMs } from '../support/patience.ts';
import { buildS3Server, keys, startS3Server } from '../support/service/s3-server.ts';
import { findEngine, findS3aPart } from './engines.ts';
import {
  comes,
  createCluster,
  leftIn,
  openScene,
  processesBelow,
  readLog,
  readRun,
  removeCluster,
  type Scene,
  untilActive,
  untilEnded,
} from './support.ts';

const [spark, hadoop] = [findEngine(sparkSource), findEngine(hadoopSource)];

const s3a = findS3aPart();

async function create(scene: Scene, path: string, body: object): Promise<string> {
  const name = `name-${Math.random().toString(36).slice(2)}`;
  return created(await scene.peer().post(`${base}/${path}`, { name, ...body }))['id'];
}

/** Two data sources in the bucket, with the keys. */
async function sources(scene: Scene, endpoint: string) {
  const credentials = { ...keys, endpoint };
  const source = (url: string) => create(scene, 'data-sources', { type: 's3', url, credentials });
  return { input_id: await source('s3://data/in/text.txt'), output_id: await source('s3a://data/out') };
}

/** Files below the folder that contain the text. */
const filesWith = (folder: string, text: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const file = join(folder, name);
    try {
      return statSync(file).isFile() && readFileSync(file, 'latin1').includes(text);
    } catch {
      // It has been removed.
      return false;
    }
  });

/** Command lines and environments of the processes that belong to the scene. */
const visible = (scene: Scene): string =>
  processesBelow(scene.root)
    .flatMap((pid) => ['cmdline', 'environ'].map((name) => `/proc/${pid}/${name}`))
    .map((file) => (existsSync(file) ? readFileSync(file, 'latin1') : ''))
    .join('\n');

/** Waits for the end of the run, and looks for the secret wherever others could see it. */
async function endsInSecret(scene: Scene, id: string) {
  const ended = async () => {
    expect(visible(scene)).not.toContain(keys.secretkey);
    const { info } = await readRun(scene.peer(), id);
    expect(['SUCCEEDED', 'FAILED']).toContain(info.status);
    return info;
  };
  // A look at all processes takes a while.
  const info = await vi.waitFor(ended, { timeout: limitMs, interval: 1000 });
  const answers = await Promise.all(
    [`job-executions/${id}`, 'job-executions', 'data-sources', 'job-binaries', 'jobs'].map(
      async (path) => (await scene.peer().get(`${base}/${path}`)).text,
    ),
  );
  expect([...answers, await readLog(scene.peer(), id)].join('\n')).not.toContain(keys.secretkey);
  const machines = join(scene.root, 'machines');
  // Only the program needed the file with the keys.
  await vi.waitFor(() => expect(filesWith(machines, keys.secretkey)).toEqual([]), limitMs);
  return info;
}

let server: string | undefined;
beforeAll(async () => {
  server = await buildS3Server();
  // With nothing in the cache of Go, it takes minutes.
});
afterAll(() => {
  if (server !== undefined) rmSync(dirname(server), { recursive: true });
});

describe.skipIf(spark === undefined || hadoop === undefined || s3a === undefined)('S3', () => {
  const flags = ['--spark', spark?.folder ?? '', '--hadoop', hadoop?.folder ?? '', '--java', spark?.java ?? ''];

  async function begin(context: { readonly skip: (why: string) => void }) {
    if (server === undefined) context.skip('there is no S3 server');
    const s3 = await startS3Server(server ?? '', 'data');
    await s3.put('data/in/text.txt', 'b\na\nb\n');
    return { s3, scene: await openScene(flags) };
  }

  test('jobs of Spark come from there, and read and write there', async (context) => {
    const { s3, scene } = await begin(context);
    const jar = await buildJar(spark?.folder ?? '', 'test/engines/programs/CountLines.java');
    await s3.put('data/jars/count lines.jar', new Uint8Array(jar));
    const cluster = await createCluster(scene.peer(), {
      plugin: 'spark',
      version: spark?.version ?? '',
      groups: [
        { name: 'master', count: 1, node_processes: ['master'] },
        { name: 'workers', count: 1, node_processes: ['slave'] },
      ],
    });
    const of = await sources(scene, s3.endpoint);
    const jobOf = async (secretkey: string): Promise<string> => {
      const extra = { ...keys, secretkey, endpoint: s3.endpoint };
      const main = await create(scene, 'job-binaries', { url: 's3://data/jars/count lines.jar', extra });
      return create(scene, 'jobs', { type: 'Spark', mains: [main] });
    };
    const execute = async (job: string): Promise<string> => {
      const job_configs = { configs: { 'edp.java.main_class': 'CountLines' }, args: [of.input_id, of.output_id] };
      const body = { cluster_id: cluster, ...of, job_configs };
      return created(await scene.peer().post(`${base}/jobs/${job}/execute`, body))['id'];
    };
    await untilActive(scene, cluster);

    const counted = await execute(await jobOf(keys.secretkey));
    expect(await endsInSecret(scene, counted)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await s3.read('data/out/part-00000')).toBe('a 1\nb 2\n');
    expect(s3.requests.filter((line) => line.startsWith('403'))).toEqual([]);

    // The server does not let everybody in.
    const refused = await execute(await jobOf('another'));
    const { status, message } = await untilEnded(scene, refused);
    expect([status, message]).toEqual([
      'FAILED',
      expect.stringMatching(/answers with 403: check accesskey, secretkey/),
    ]);
    expect(s3.requests.filter((line) => line.startsWith('403'))).toEqual([
      '403 GET /data/jars/count lines.jar: the signature is another one',
    ]);

    await removeCluster(scene, cluster);
    for (const id of [counted, refused]) await scene.peer().remove(`${base}/job-executions/${id}`);
    await comes(async () => expect([processesBelow(scene.root), leftIn(scene.root)]).toEqual([[], []]));
  });

  test('jobs of MapReduce read and write there', async (context) => {
    const { s3, scene } = await begin(context);
    const cluster = await createCluster(scene.peer(), {
      plugin: 'vanilla',
      version: hadoop?.version ?? '',
      groups: [
        { name: 'master', count: 1, node_processes: ['namenode', 'resourcemanager'] },
        { name: 'workers', count: 1, node_processes: ['datanode', 'nodemanager'] },
      ],
    });
    await s3.put('data/jars/empty.jar', new Uint8Array(Buffer.from(`PK\u0005\u0006${'\0'.repeat(18)}`, 'latin1')));
    const extra = { ...keys, endpoint: s3.endpoint };
    const lib = await create(scene, 'job-binaries', { url: 's3a://data/jars/empty.jar', extra });
    const job = await create(scene, 'jobs', { type: 'MapReduce', libs: [lib] });
    await untilActive(scene, cluster);
    const configs = {
      'mapred.mapper.class': 'org.apache.hadoop.mapred.lib.TokenCountMapper',
      'mapred.reducer.class': 'org.apache.hadoop.mapred.lib.LongSumReducer',
      'mapred.output.key.class': 'org.apache.hadoop.io.Text',
      'mapred.output.value.class': 'org.apache.hadoop.io.LongWritable',
    };
    const of = await sources(scene, s3.endpoint);
    const body = { cluster_id: cluster, ...of, job_configs: { configs } };
    const counted = created(await scene.peer().post(`${base}/jobs/${job}/execute`, body))['id'];
    expect(await endsInSecret(scene, counted)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await s3.read('data/out/part-00000')).toBe('a\t1\nb\t2\n');
    expect(s3.requests.filter((line) => line.startsWith('403'))).toEqual([]);
    await removeCluster(scene, cluster);
  });
});
