// Jobs over HTTP, on a cluster of real processes.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock, systemGet } from '../../../../../src/lib/system.ts';
import { ProcessProvisioner } from '../../../../../src/service/backends/processes/clusters/process-provisioner.ts';
import { usualFlavors } from '../../../../../src/service/engines/flavors.ts';
import { createSeededRandom } from '../../../../../src/service/model/records/identifiers.ts';
import { createServer } from '../../../../../src/service/program/server.ts';
import {
  base,
  createCluster,
  created,
  createSource,
  upload,
} from '../../../../contract/sections/jobs/section-4-6-support.ts';
import { connect, type Json } from '../../../../contract/support.ts';
import { limitMs } from '../../../../support/patience.ts';
import { tinyEngine } from '../clusters/tiny-engine.ts';
import { openJobs } from './job-scene.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };

/** A service with an Active cluster, and a folder of job files. */
async function scene() {
  const engine = tinyEngine('vanilla', '1.2.1', ['namenode', 'datanode']);
  const opened = openJobs({ engines: [engine] });
  const { root, folders } = opened;
  const jobFiles = join(root, 'job-files');
  mkdirSync(jobFiles);
  const jobs = opened.create({ jobFiles });
  const limits = { flavors: usualFlavors, memory: undefined, allowsAffinity: false };
  const options = { folders, engines: [engine], clock: systemClock, log, get: systemGet, limits };
  const provisioner = new ProcessProvisioner(options);
  const seed = Math.floor(Math.random() * 2 ** 32);
  const random = createSeededRandom(seed);
  const server = createServer({ clock: systemClock, random, provisioner, engine: jobs });
  onTestFinished(() => server.close());
  const peer = connect(await server.start());
  const cluster = await createCluster(peer);
  const path = `${base}/clusters/${cluster['id']}`;
  const status = async () => (await peer.get(path)).body?.cluster?.status;
  await vi.waitFor(async () => expect(await status()).toBe('Active'), limitMs);
  const endCluster = async () => {
    await peer.remove(path);
    await vi.waitFor(async () => expect(await status()).toBeUndefined(), limitMs);
  };
  onTestFinished(endCluster);
  const binary = async (name: string, url: string) =>
    created(await peer.post(`${base}/job-binaries`, { name, url })).id;
  const stored = async (name: string, text: string) =>
    binary(name, `internal-db://${created(await upload(peer, name, text)).id}`);
  const execute = async (main: string, fields: object = {}, ofJob: object = {}): Promise<string> => {
    const job = created(
      await peer.post(`${base}/jobs`, { name: `job-${main}`, type: 'Shell', mains: [main], ...ofJob }),
    );
    const body = { cluster_id: cluster['id'], ...fields };
    return created(await peer.post(`${base}/jobs/${job.id}/execute`, body)).id;
  };
  const runPath = (id: string) => `${base}/job-executions/${id}`;
  const read = async (id: string): Promise<Json> => (await peer.get(runPath(id))).body.job_execution;
  const comes = (id: string, to: string) =>
    vi.waitFor(async () => expect((await read(id))['info']).toMatchObject({ status: to }), limitMs);
  return { ...opened, peer, jobFiles, binary, stored, execute, read, comes, runPath, endCluster };
}

test('a job runs, shows its output, and leaves nothing when it is deleted', async () => {
  const { peer, stored, execute, comes, read, runPath, files } = await scene();
  const job_configs = { params: { NAME: 'world' }, args: ['hello'] };
  const id = await execute(await stored('main.sh', 'echo "$1 $NAME"'), { job_configs });
  await comes(id, 'SUCCEEDED');
  expect(await read(id)).toMatchObject({ return_code: 0, engine_job_id: expect.stringMatching(/^\d+$/) });
  const { urls } = (await read(id))['info'];
  expect(urls).toEqual({ Logs: `${runPath(id)}/logs` });
  expect((await peer.get(urls['Logs'])).text).toBe('hello world\n');
  expect((await peer.remove(runPath(id))).status).toBe(204);
  expect(existsSync(files.paths(id).folder)).toBe(false);
  await files.sweep();
});

test('a job that fails says why', async () => {
  const { stored, execute, comes, read } = await scene();
  const id = await execute(await stored('fails.sh', 'echo "there is no hope" >&2; exit 3'));
  await comes(id, 'FAILED');
  expect(await read(id)).toMatchObject({ return_code: 3, info: { message: 'there is no hope' } });
});

test('files below the folder of job files can be binaries and data sources', async () => {
  const { peer, jobFiles, binary, execute, comes, runPath } = await scene();
  writeFileSync(join(jobFiles, 'main.sh'), 'echo "from $1"');
  writeFileSync(join(jobFiles, 'in.txt'), '');
  const url = `file://${join(jobFiles, 'in.txt')}`;
  const source = await createSource(peer, { type: 'hdfs', url, credentials: undefined });
  const main = await binary('main.sh', `file://${join(jobFiles, 'main.sh')}`);
  const id = await execute(main, { input_id: source['id'], job_configs: { args: [source['id']] } });
  await comes(id, 'SUCCEEDED');
  expect((await peer.get(`${runPath(id)}/logs`)).text).toBe(`from ${url}\n`);
});

test('references to data sources become their URLs, and each run has outputs of its own', async () => {
  const { peer, jobFiles, stored, execute, comes, runPath, read } = await scene();
  const source = (name: string, url: string) => createSource(peer, { name, type: 'hdfs', url, credentials: undefined });
  const output = await source('out', `file://${jobFiles}/out-%JOB_EXEC_ID%`);
  await source('words', `file://${jobFiles}/words.txt`);
  const configs = {
    'edp.substitute_data_source_for_name': true,
    'edp.substitute_data_source_for_uuid': true,
    'edp.dataprocessing.dev/execution': 'mine',
  };
  const job_configs = { configs, args: ['datasource://words'], params: { OUT: output['id'] } };
  const id = await execute(await stored('main.sh', 'echo "$1 $OUT"'), { job_configs });
  await comes(id, 'SUCCEEDED');
  const urls = [`file://${jobFiles}/words.txt`, `file://${jobFiles}/out-${id}`];
  expect((await peer.get(`${runPath(id)}/logs`)).text).toBe(`${urls.join(' ')}\n`);
  expect(await read(id)).toMatchObject({ job_configs, data_source_urls: { [output['id']]: urls[1] } });
});

test('values of the interface of a job reach its program', async () => {
  const { peer, jobFiles, stored, execute, comes, runPath } = await scene();
  const input = await createSource(peer, { type: 'hdfs', url: `file://${jobFiles}/in`, credentials: undefined });
  const argument = (name: string, mapping_type: string, location: string, value_type: string) => ({
    name,
    mapping_type,
    location,
    value_type,
    required: true,
  });
  const described = [argument('in', 'args', '0', 'data_source'), argument('who', 'params', 'NAME', 'string')];
  const id = await execute(
    await stored('main.sh', 'echo "$1 $NAME"'),
    { interface: { in: input['id'], who: 'world' } },
    { interface: described },
  );
  await comes(id, 'SUCCEEDED');
  expect((await peer.get(`${runPath(id)}/logs`)).text).toBe(`file://${jobFiles}/in world\n`);
});

test('a cluster that is deleted takes its runs with it, but not what they wrote', async () => {
  const { peer, stored, execute, comes, read, runPath, endCluster, root } = await scene();
  const id = await execute(await stored('long.sh', 'echo begun; sleep 1000'));
  await comes(id, 'RUNNING');
  await vi.waitFor(async () => expect((await peer.get(`${runPath(id)}/logs`)).text).toBe('begun\n'), limitMs);
  await endCluster();
  expect((await read(id))['info'].status).toBe('KILLED');
  expect((await peer.get(`${runPath(id)}/logs`)).text).toBe('begun\n');
  expect(readdirSync(root).toSorted()).toEqual(['job-files', 'runs']);
});
