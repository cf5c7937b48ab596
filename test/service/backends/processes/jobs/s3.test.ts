// Runs and binaries that use S3: what reaches the program, and where the keys are.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock, systemDownload } from '../../../../../src/lib/system.ts';
import type { ExecutionOrder } from '../../../../../src/service/backends/job-engine.ts';
import { bring } from '../../../../../src/service/backends/runs/binaries.ts';
import type { Engine, EngineJob } from '../../../../../src/service/engines/engine.ts';
import { shellJob } from '../../../../../src/service/engines/jobs/shell-job.ts';
import { s3aOptions } from '../../../../../src/service/engines/s3a/s3a-options.ts';
import { groupOf } from '../../../provisioning/battery.ts';
import { tinyEngine } from '../clusters/tiny-engine.ts';
import { openJobs, orderOf, script } from './job-scene.ts';

const keys = { accesskey: 'AK-of-the-source', secretkey: 'SK-of-the-source', endpoint: 'http://127.0.0.1:9000' };
const source = (id: string, url: string, credentials: object = keys): NonNullable<ExecutionOrder['input']> => ({
  id,
  type: 's3',
  url,
  credentials: { ...credentials },
});

/** A script that shows what its run has got for S3. */
const shows: EngineJob = {
  ...shellJob,
  s3Path: () => ['/s3a/*'],
  program(run) {
    const { s3, configs, ...rest } = run;
    const program = shellJob.program({ ...rest, configs });
    return { ...program, files: { 'run.json': JSON.stringify({ s3, args: run.args, configs }) } };
  },
};
const engineWith = (job: EngineJob): Engine => ({
  ...tinyEngine('vanilla', '1', ['namenode', 'datanode']),
  options: s3aOptions,
  jobs: [job],
});

/** Runs a script to its end, and tells what it got, and what the folder of the run contains. */
async function ran(
  text: string,
  given: Parameters<typeof orderOf>[1] & { readonly output?: ExecutionOrder['output'] },
) {
  const { create, files } = openJobs({ engines: [engineWith(shows)] });
  const jobs = create();
  const order = { ...orderOf(script(text), given), output: given.output };
  await jobs.submit(order);
  const end = await jobs.finish(order);
  const { work } = files.paths(order.execution.id);
  const got = JSON.parse(readFileSync(join(work, 'run.json'), 'utf8'));
  return { end, work, got, read: async () => (await jobs.logs(order, { from: 0, limit: 10_000 }))?.text };
}

/** The files below a folder that contain the text. */
const filesWith = (folder: string, text: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => statSync(join(folder, name)).isFile() && readFileSync(join(folder, name), 'utf8').includes(text),
  );

describe('a run with a data source in S3', () => {
  test('has settings for its bucket, and its keys only in a file that nobody else can read', async () => {
    const input = source('in', 's3://data/in.txt');
    const text = 'env; cat /proc/$$/cmdline; echo "$1"';
    const { end, work, got, read } = await ran(text, { input, args: ['in'] });
    expect(end).toMatchObject({ status: 'SUCCEEDED' });
    expect(got.args).toEqual(['s3a://data/in.txt']);
    expect(got.s3).toMatchObject({
      classPath: ['/s3a/*'],
      settings: {
        'fs.s3a.auth.profile.file': join(work, '.s3-credentials'),
        'fs.s3a.bucket.data.endpoint': keys.endpoint,
        'fs.s3a.bucket.data.auth.profile.name': 'profile-1',
      },
    });
    expect(filesWith(work, keys.secretkey)).toEqual(['.s3-credentials']);
    expect(filesWith(work, keys.accesskey)).toEqual(['.s3-credentials']);
    expect(statSync(join(work, '.s3-credentials')).mode & 0o077).toBe(0);
    expect(await read()).not.toMatch(/[AS]K-of/);
  });

  test('can have the keys in its configs, which do not reach its program', async () => {
    const configs = {
      'fs.s3a.access.key': 'AK-of-the-job',
      'spark.hadoop.fs.s3a.secret.key': 'SK-of-the-job',
      'fs.s3a.endpoint': 'http://127.0.0.1:9001',
    };
    const input = source('in', 's3a://data/in.txt', {});
    const { work, got } = await ran('exit 0', { input, configs });
    expect(got.configs).toEqual({});
    expect(got.s3.settings).toMatchObject({ 'fs.s3a.bucket.data.endpoint': 'http://127.0.0.1:9001' });
    expect(filesWith(work, 'SK-of-the-job')).toEqual(['.s3-credentials']);
  });

  test('does not show the keys when it fails with them', async () => {
    const input = source('in', 's3a://data/in.txt');
    const { end } = await ran('echo "cannot use $(grep secret .s3-credentials)"; exit 1', { input });
    expect(end).toMatchObject({ status: 'FAILED', message: 'cannot use aws_secret_access_key = ***' });
  });

  test('is refused if two data sources disagree about a bucket', async () => {
    const input = source('in', 's3a://data/in.txt');
    const output = source('out', 's3a://data/out', { ...keys, secretkey: 'another' });
    await expect(ran('exit 0', { input, output })).rejects.toThrow(
      'the data sources of bucket data have different credentials: use the same ones',
    );
  });

  test('is refused if its type cannot use S3, or if the jars are missing', async () => {
    const input = source('in', 's3a://data/in.txt');
    const check = (job: EngineJob) => () => {
      const jobs = openJobs({ engines: [engineWith(job)] }).create();
      jobs.checks.run(orderOf(script(''), { input }));
    };
    expect(check(shellJob)).toThrow(
      'cannot run Shell job: its programs cannot use data sources of the type s3: use hdfs',
    );
    const missing = () => {
      throw new Error('there are no jars');
    };
    expect(check({ ...shows, s3Path: missing })).toThrow('cannot run Shell job: there are no jars');
  });
});

test('what the cluster says about S3 holds for its runs', () => {
  const seen: unknown[] = [];
  const noting: EngineJob = {
    ...shows,
    program(run) {
      seen.push(run.s3?.settings);
      return shows.program(run);
    },
  };
  const order = orderOf(script(''), { input: source('in', 's3a://data/in', { accesskey: 'A', secretkey: 'S' }) });
  const cluster_configs = { S3: { 'fs.s3a.endpoint': 'http://127.0.0.1:9002', 'fs.s3a.endpoint.region': 'r' } };
  const cluster = { ...order.cluster, cluster_configs, node_groups: [groupOf('master', [])] };
  openJobs({ engines: [engineWith(noting)] })
    .create()
    .checks.run({ ...order, cluster });
  const bucket = 'fs.s3a.bucket.data';
  expect(seen).toMatchObject([{ [`${bucket}.endpoint`]: 'http://127.0.0.1:9002', [`${bucket}.endpoint.region`]: 'r' }]);
});

describe('a binary in S3', () => {
  /** A server that answers with the status, and notes the requests. */
  async function serving(status: number) {
    const requests: IncomingMessage[] = [];
    const server = createServer((request, answer) => {
      requests.push(request);
      answer.writeHead(status, { location: 'http://127.0.0.1:1/elsewhere' }).end('exit 3');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => void server.on('listening', resolve));
    return { requests, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  async function read(url: string, extra: Readonly<Record<string, string | boolean>>) {
    const root = mkdtempSync(join(tmpdir(), 's3-'));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const to = join(root, 'main.sh');
    const signal = new AbortController().signal;
    const reading = { jobFiles: undefined, hdfs: undefined, signal, clock: systemClock, get: systemDownload };
    await bring(to, { id: '1', name: 'main.sh', url, extra, size: undefined, read: () => undefined }, reading);
    return to;
  }

  test('is fetched with a signed request', async () => {
    const { requests, endpoint } = await serving(200);
    const to = await read('s3://data/a b/main.sh', { ...keys, endpoint });
    expect(readFileSync(to, 'utf8')).toBe('exit 3');
    expect(statSync(to).mode & 0o077).toBe(0);
    expect(requests.map(({ url }) => url)).toEqual(['/data/a%20b/main.sh']);
    expect(requests[0]?.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AK-of-the-source\/\d{8}\/us-east-1\/s3/,
    );
    expect(JSON.stringify(requests[0]?.rawHeaders)).not.toContain(keys.secretkey);
  });

  test.each([
    [301, 'answers with 301: set endpoint and region in its extra to those of its bucket'],
    [403, 'answers with 403: check accesskey, secretkey and region in its extra'],
    [404, 'answers with 404: correct its url'],
  ])('is refused when the answer is %d, and no redirect gets the signature', async (status, why) => {
    const { requests, endpoint } = await serving(status);
    await expect(read('s3a://data/main.sh', { ...keys, endpoint })).rejects.toThrow(
      `cannot read job binary main.sh: s3a://data/main.sh ${why}`,
    );
    expect(requests).toHaveLength(1);
  });

  test('has to be the one that its digest names', async () => {
    const { endpoint } = await serving(200);
    await expect(read('s3a://data/main.sh', { ...keys, endpoint, sha256: '0'.repeat(64) })).rejects.toThrow(
      'use the right file, or correct extra',
    );
  });
});
