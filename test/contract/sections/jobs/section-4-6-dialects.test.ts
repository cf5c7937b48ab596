// Section 4.6 in the words and with the habits of upstream: v1.1 only, unknown fields, URL schemes, unset fields, early types.
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../support/clock.ts';
import { expectWords, type Json, needsJobType, ours, type Peer, serve, timestamp, unknownId } from '../../support.ts';
import {
  base,
  createBinary,
  createCluster,
  created,
  createJob,
  createSource,
  placeOf,
  refused,
  statusOf,
  swift,
  upload,
  usual,
  words,
} from './section-4-6-support.ts';

const all = ['neutral', 'sahara', 'savanna'] as const;
const collections = ['data-sources', 'job-binaries', 'job-binary-internals', 'jobs', 'job-executions'];
const keys = ['data_sources', 'binaries', 'binaries', 'jobs', 'job_executions'];

async function execute(peer: Peer, dialect: (typeof all)[number]): Promise<Json> {
  const [job, cluster] = [await createJob(peer, dialect), await createCluster(peer, dialect)];
  const [input, output] = [await createSource(peer), await createSource(peer, { name: 'out', url: placeOf('out') })];
  const body = { cluster_id: cluster.id, input_id: input.id, output_id: output.id };
  return created(await peer.post(`${base}/jobs/${job.id}/execute`, body));
}

describe.each(all)('%s: routes', (dialect) => {
  test('are there under v1.1 only; those of v1.0 under both', async () => {
    const peer = await serve({ dialect });
    for (const [index, path] of collections.entries()) {
      expect((await peer.get(`/v1.1/t/${path}`)).body).toEqual({ [keys[index] ?? '']: [] });
      expect((await peer.get(`/v1.0/t/${path}`)).status).toBe(404);
      expect((await peer.get(`/v1.0/t/${path}/${unknownId}`)).status).toBe(404);
    }
    expect((await peer.put('/v1.0/t/job-binary-internals/x', 'bytes')).status).toBe(404);
    for (const version of ['v1.0', 'v1.1'])
      for (const path of ['plugins', 'images', 'node-group-templates', 'cluster-templates', 'clusters'])
        expect((await peer.get(`/${version}/t/${path}`)).status).toBe(200);
  });

  test.each([
    ['PUT', 'data-sources', 'GET, POST'],
    ['PUT', `jobs/${unknownId}`, 'GET, DELETE'],
    ['POST', 'job-binary-internals', 'GET'],
    ['POST', 'job-executions', 'GET'],
    ['POST', `job-executions/${unknownId}/cancel`, 'GET'],
    ['GET', `jobs/${unknownId}/execute`, 'POST'],
  ])('%s %s: 405, telling the methods', async (method, path, methods) => {
    const { status, body } = await (await serve({ dialect })).send(method, `${base}/${path}`);
    expect(status).toBe(405);
    expectWords(body, methods);
  });

  test('the words of others are foreign: unknown fields are refused', async () => {
    const peer = await serve({ dialect });
    const bodies: readonly (readonly [string, object])[] = [
      ['data-sources', swift],
      ['job-binaries', { name: 'b', url: 'swift://c/o', extra: { user: 'u', password: 'p' } }],
      ['jobs', { name: 'j', type: 'Pig', mains: [unknownId] }],
    ];
    for (const [path, body] of bodies) {
      const reply = await peer.post(`${base}/${path}`, { ...body, more: 1, id: unknownId });
      expect(refused(reply)).toEqual([400, 'VALIDATION_ERROR']);
      if (!ours) continue;
      const lines = reply.body.error_message.split('\n').slice(0, 2);
      expect(lines).toEqual(['more: unknown field', 'id: unknown field']);
    }
  });
});

describe.each(all)('%s: internal binaries', (dialect) => {
  test(`are pointed at by ${words[dialect].internal}, in requests, answers and jobs`, async () => {
    const peer = await serve({ dialect });
    const binary = await createBinary(peer, 'b', dialect);
    expect(binary.url.startsWith(words[dialect].internal)).toBe(true);
    expect((await peer.get(`${base}/job-binaries`)).body.binaries[0].url).toBe(binary.url);
    expect((await peer.get(`${base}/job-binaries/${binary.id}/data`)).text).toBe('the bytes of b');
    const job = created(await peer.post(`${base}/jobs`, { name: 'j', type: 'Pig', mains: [binary.id] }));
    expect(job.mains[0].url).toBe(binary.url);
  });

  test('are not pointed at by the scheme of another', async () => {
    const peer = await serve({ dialect });
    const { id } = created(await upload(peer, 'bytes'));
    const foreign = dialect === 'savanna' ? 'internal-db://' : 'savanna-db://';
    const reply = await peer.post(`${base}/job-binaries`, { name: 'b', url: foreign + id });
    expect(refused(reply)).toEqual([400, 'INVALID_DATA']);
    expectWords(reply.body, words[dialect].internal);
  });

  test('are labelled as pages by upstream', async () => {
    const peer = await serve({ dialect });
    const { id } = created(await upload(peer, 'bytes'));
    const { headers, text } = await peer.get(`${base}/job-binary-internals/${id}/data`);
    expect(text).toBe('bytes');
    const type = dialect === 'neutral' ? 'application/octet-stream' : 'text/html; charset=utf-8';
    expect(headers.get('content-type')).toBe(type);
  });
});

test.each([
  ['sahara', 'container.sahara', 202],
  ['sahara', 'container.other', 400],
  ['neutral', 'container.other', 202],
  ['savanna', 'container.other', 202],
] as const)('%s: a swift container %s is answered %i', async (dialect, container, status) => {
  const peer = await serve({ dialect });
  expect((await peer.post(`${base}/data-sources`, { ...swift, url: `swift://${container}/in` })).status).toBe(status);
});

describe('unset fields', () => {
  const late = { is_public: false, is_protected: false };

  test.each([
    ['sahara', late],
    ['savanna', {}],
  ] as const)('%s leaves them out of the answer to a create, and shows null later', async (dialect, access) => {
    const peer = await serve({ dialect });
    const source = await createSource(peer);
    expect(source).not.toHaveProperty('description');
    expect(source).not.toHaveProperty('updated_at');
    const read = { ...source, description: null, updated_at: null };
    expect((await peer.get(`${base}/data-sources/${source.id}`)).body).toEqual({ data_source: read });
    expect(read).toMatchObject({ tenant_id: 't', created_at: timestamp, ...access });
    const job = await createJob(peer, dialect);
    const binary = (await peer.get(`${base}/job-binaries/${job.mains[0].id}`)).body.job_binary;
    expect(binary).toMatchObject({ description: null, updated_at: null });
    expect((await peer.get(`${base}/jobs/${job.id}`)).body.job.mains).toEqual([binary]);
    expect((await peer.get(`${base}/job-binary-internals`)).body.binaries[0]).toMatchObject({ updated_at: null });
  });

  test('of an execution are null until they are known; late releases tell the name that the engine has for it twice', async () => {
    const clock = new ManualClock();
    const peer = await serve({ dialect: 'sahara', clock, stageMs: 100 });
    const { id, ...begun } = await execute(peer, 'sahara');
    expect(begun.info).toEqual({ status: 'PENDING' });
    const read = async () => (await peer.get(`${base}/job-executions/${id}`)).body.job_execution;
    const unset = { start_time: null, end_time: null, return_code: null, engine_job_id: null, oozie_job_id: null };
    expect(await read()).toMatchObject({ ...unset, ...late });
    await clock.advance(2000);
    const over = await read();
    expect(over.info).toEqual({ status: 'SUCCEEDED' });
    expect(over.engine_job_id).toBeTypeOf('string');
    expect(over.oozie_job_id).toBe(over.engine_job_id);
    await peer.remove(`${base}/clusters/${over.cluster_id}`);
    await clock.advance(2000);
    expect((await read()).cluster_id).toBeNull();
  });
});

describe('a body without a length', () => {
  const stream = () => new Blob([JSON.stringify(usual)]).stream();

  test.each([
    ['neutral', 202],
    ['sahara', 400],
    ['savanna', 400],
  ] as const)('%s: %d, as upstream takes it for an empty one', async (dialect, status) => {
    const peer = await serve({ dialect });
    const headers = { 'content-type': 'application/json' };
    const send = { method: 'POST', body: stream(), headers, duplex: 'half' } as const;
    expect((await peer.fetch(`${base}/data-sources`, send)).status).toBe(status);
    const bytes = { method: 'PUT', body: stream(), duplex: 'half' } as const;
    expect((await peer.fetch(`${base}/job-binary-internals/x`, bytes)).status).toBe(status);
  });
});

describe('savanna: what early releases know', () => {
  const post = async (path: string, body: object) =>
    (await serve({ dialect: 'savanna' })).post(`${base}/${path}`, body);

  test.each([
    ['data-sources', { ...swift, type: 'hdfs', url: 'hdfs://h/p' }],
    ['jobs', { name: 'j', type: 'Java', libs: [unknownId] }],
    ['jobs', { name: 'j', type: 'Pig', mains: [unknownId], interface: [] }],
    ['jobs', { name: 'j', type: 'Pig', mains: [unknownId], streaming: true }],
  ])('%s %j: 400 VALIDATION_ERROR', async (path, body) => {
    expect(refused(await post(path, body))).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('a Jar job has mains or libs', async () => {
    const peer = await serve({ dialect: 'savanna' });
    const { id } = await createBinary(peer, 'b', 'savanna');
    const job = (fields: object) => peer.post(`${base}/jobs`, { name: 'j', type: 'Jar', ...fields });
    expect(refused(await job({}))).toEqual([400, 'INVALID_DATA']);
    expect(refused(await job({ mains: [id], libs: [id] }))).toEqual([400, 'INVALID_DATA']);
    expect(created(await job({ libs: [id] }))).not.toHaveProperty('interface');
  });

  test('an execution needs both data sources, and arguments by name', async () => {
    const peer = await serve({ dialect: 'savanna' });
    const [job, cluster] = [await createJob(peer, 'savanna'), await createCluster(peer, 'savanna')];
    const body = { cluster_id: cluster.id, job_configs: { args: ['x'], job_execution_info: {} }, interface: {} };
    const reply = await peer.post(`${base}/jobs/${job.id}/execute`, body);
    expect(refused(reply)).toEqual([400, 'VALIDATION_ERROR']);
    for (const text of ['input_id', 'output_id', 'args', 'job_execution_info', 'interface'])
      expectWords(reply.body, text);
  });

  test('input and output may be the same', async () => {
    const peer = await serve({ dialect: 'savanna' });
    const [job, cluster] = [await createJob(peer, 'savanna'), await createCluster(peer, 'savanna')];
    const { id } = await createSource(peer);
    const body = { cluster_id: cluster.id, input_id: id, output_id: id };
    expect(created(await peer.post(`${base}/jobs/${job.id}/execute`, body))).toMatchObject(body);
  });

  test('it begins as Pending, and is KILLED when the answer to cancel comes', async () => {
    const clock = new ManualClock();
    const peer = await serve({ dialect: 'savanna', clock, stageMs: 100 });
    const { id, info } = await execute(peer, 'savanna');
    expect(info).toEqual({ status: 'Pending' });
    await clock.advance(800);
    expect(await statusOf(peer, id)).toBe('PREP');
    const { body } = await peer.get(`${base}/job-executions/${id}/cancel`);
    expect(body.job_execution).toMatchObject({ info: { status: 'KILLED' }, end_time: expect.any(String) });
    expect(body.job_execution.oozie_job_id).toBeTypeOf('string');
    expect(body.job_execution).not.toHaveProperty('engine_job_id');
    await clock.advance(1000);
    expect(await statusOf(peer, id)).toBe('KILLED');
  });

  test('one that runs is gone as soon as it is deleted', async () => {
    const peer = await serve({ dialect: 'savanna', clock: new ManualClock() });
    const { id } = await execute(peer, 'savanna');
    expect((await peer.remove(`${base}/job-executions/${id}`)).status).toBe(204);
    expect(await statusOf(peer, id)).toBeUndefined();
  });

  test('hints have arguments by name', async () => {
    const peer = await serve({ dialect: 'savanna' });
    needsJobType('Jar');
    expect((await peer.get(`${base}/jobs/config-hints/Pig`)).body.job_config.args).toEqual({});
    expect((await peer.get(`${base}/jobs/config-hints/Jar`)).status).toBe(200);
    expect((await peer.get(`${base}/jobs/config-hints/Java`)).status).toBe(404);
  });
});
