// Section 4.6: jobs, and the hints for their configuration.
import { beforeEach, describe, expect, test } from 'vitest';
import {
  bundledOnly,
  expectWords,
  hasEnded,
  needsJobType,
  onlyIn,
  oursOnly,
  type Peer,
  scene,
  serve,
  unknownId,
  until,
  uuid,
} from '../../support.ts';
import {
  base,
  createBinary,
  createCluster,
  created,
  createJob,
  refused,
  removeRun,
  stamps,
} from './section-4-6-support.ts';

const path = `${base}/jobs`;

/** Ids by the words that the tables below use for them. */
async function withBinaries(peer: Peer, fields: { mains?: readonly string[]; libs?: readonly string[] }) {
  const ids = new Map([['unknown', unknownId]]);
  for (const name of ['one', 'two']) ids.set(name, (await createBinary(peer, name)).id);
  const read = (names?: readonly string[]) => names?.map((name) => ids.get(name));
  return { ...fields, mains: read(fields.mains), libs: read(fields.libs) };
}

describe('section 4.6 rule 3: POST jobs', () => {
  test('section 4.6 rule 1: 202 with whole binaries in mains and libs', async () => {
    onlyIn('neutral', 'sahara');
    const peer = await serve();
    const [main, lib] = [await createBinary(peer, 'main'), await createBinary(peer, 'lib')];
    const sent = { name: 'job', type: 'Pig', description: 'counts', streaming: false };
    const reply = await peer.post(path, { ...sent, mains: [main.id], libs: [lib.id] });
    expect(reply.status).toBe(202);
    expect(reply.body).toEqual({
      job: {
        id: expect.stringMatching(uuid),
        name: 'job',
        type: 'Pig',
        description: 'counts',
        mains: [main],
        libs: [lib],
        interface: [],
        ...stamps,
      },
    });
    const { job } = reply.body;
    expect((await peer.get(path)).body).toEqual({ jobs: [job] });
    expect((await peer.get(`${path}/${job.id}`)).body).toEqual({ job });
    expect(refused(await peer.get(`${path}/${unknownId}`))).toEqual([404, 'NOT_FOUND']);
  });

  const needsMains = ['Pig', 'Hive', 'Shell', 'Spark', 'Storm', 'Storm.Pyleus'];
  const needsLibs = ['Java', 'MapReduce'];
  test.each([
    ...needsMains.map((type) => ({ type, mains: ['one'] })),
    ...needsMains.map((type) => ({ type, mains: ['one'], libs: ['two'] })),
    ...needsLibs.map((type) => ({ type, libs: ['one', 'two'] })),
    { type: 'Java', mains: [], libs: ['one'] },
    { type: 'MapReduce.Streaming' },
    { type: 'MapReduce.Streaming', libs: ['one'] },
  ])('%j is taken', async ({ type, ...fields }) => {
    const peer = await serve();
    created(await peer.post(path, { name: 'job', type, ...(await withBinaries(peer, fields)) }));
  });

  test.each([
    ...needsMains.map((type) => ({ type, libs: ['one'], error: 'INVALID_DATA' })),
    ...needsMains.map((type) => ({ type, mains: ['one'], libs: ['two', 'one'], error: 'INVALID_DATA' })),
    ...needsLibs.map((type) => ({ type, error: 'INVALID_DATA' })),
    ...needsLibs.map((type) => ({ type, libs: ['one'], mains: ['two'], error: 'INVALID_DATA' })),
    { type: 'MapReduce.Streaming', mains: ['one'], error: 'INVALID_DATA' },
    { type: 'Pig', mains: ['unknown'], error: 'NOT_FOUND' },
    { type: 'Pig', mains: ['one'], libs: ['unknown'], error: 'NOT_FOUND' },
    { type: 'Pig', mains: ['one', 'one'], error: 'VALIDATION_ERROR' },
    { type: 'Jar', libs: ['one'], error: 'VALIDATION_ERROR' },
    { type: 'pig', mains: ['one'], error: 'VALIDATION_ERROR' },
  ])('%j is refused', async ({ type, error, ...fields }) => {
    if (type === 'Jar') onlyIn('neutral', 'sahara');
    const peer = await serve();
    const reply = await peer.post(path, { name: 'job', type, ...(await withBinaries(peer, fields)) });
    expect(refused(reply)).toEqual([400, error]);
    expect((await peer.get(path)).body).toEqual({ jobs: [] });
  });

  test.each([
    [{ name: undefined }, 'name: is required'],
    [{ name: '.x' }, 'name: '],
    [{ name: 'x'.repeat(51) }, 'name: '],
    [{ type: undefined }, 'type: is required'],
    [{ mains: 'all' }, 'mains: '],
    [{ mains: [''] }, 'mains[0]: '],
    [{ libs: null }, 'libs: '],
    [{ description: null }, 'description: '],
    [{ streaming: 'yes' }, 'streaming: '],
    [{ interface: [{ name: 'a' }] }, 'interface[0][mapping_type]'],
    [{ cluster_id: unknownId }, 'cluster_id: unknown field'],
  ])('%j is refused: 400 VALIDATION_ERROR', async (fields, text) => {
    const peer = await serve();
    const reply = await peer.post(path, { name: 'job', type: 'MapReduce.Streaming', ...fields });
    expect(refused(reply)).toEqual([400, 'VALIDATION_ERROR']);
    expectWords(reply.body, text);
  });

  test('section 4 rule 5: a name is used once, which is told last', async () => {
    const peer = await serve();
    const { mains } = await createJob(peer);
    const again = { name: 'job', type: 'Pig', mains: [mains[0].id] };
    expect(refused(await peer.post(path, again))).toEqual([400, 'DB_DUPLICATE_ENTRY']);
    expect(refused(await peer.post(path, { ...again, mains: [unknownId] }))).toEqual([400, 'NOT_FOUND']);
  });
});

describe('section 4.6 rule 3: the interface of a job', () => {
  beforeEach(() => oursOnly('values by name'));

  const argument = { name: 'in', mapping_type: 'args', location: '0', required: true };
  const post = async (type: string, list: readonly object[]) =>
    (await serve()).post(path, { name: 'job', type, interface: list });

  test('is kept, with the type of each value', async () => {
    onlyIn('neutral');
    const list = [
      argument,
      { ...argument, name: 'out', location: '1', required: false, default: 'x', value_type: 'string' },
      { ...argument, name: 'heap', mapping_type: 'configs', location: 'heap', value_type: 'number', default: '7' },
    ];
    const peer = await serve();
    const { id: lib } = await createBinary(peer, 'lib');
    const job = created(await peer.post(path, { name: 'job', type: 'Java', libs: [lib], interface: list }));
    expect(job.interface).toEqual([{ ...argument, value_type: 'string' }, list[1], list[2]]);
  });

  test.each([
    ['named twice', [argument, { ...argument, location: '1' }]],
    ['for a place that the type has not', [{ ...argument, mapping_type: 'params' }]],
    ['with a hole in the args', [argument, { ...argument, name: 'b', location: '2' }]],
    ['at no number of the args', [{ ...argument, location: 'first' }]],
    ['optional without a default', [{ ...argument, required: false }]],
    [
      'at one place twice',
      [
        { ...argument, mapping_type: 'configs' },
        { ...argument, name: 'b', mapping_type: 'configs' },
      ],
    ],
    ['whose value would be lost', [{ ...argument, mapping_type: 'configs', location: '__proto__' }]],
    ['whose value could not be given', [{ ...argument, name: '__proto__' }]],
    ['with a default that is no number', [{ ...argument, default: 'x', value_type: 'number' }]],
    ['with a default that is no URL', [{ ...argument, default: 'x', value_type: 'data_source' }]],
  ])('%s: 400 INVALID_DATA', async (_what, list) => {
    const peer = await serve();
    const { id: lib } = await createBinary(peer, 'lib');
    const reply = await peer.post(path, { name: 'job', type: 'Java', libs: [lib], interface: list });
    expect(refused(reply)).toEqual([400, 'INVALID_DATA']);
  });

  test('a default that is an unknown data source: 400 INVALID_REFERENCE', async () => {
    const list = [{ ...argument, mapping_type: 'configs', default: unknownId, value_type: 'data_source' }];
    expect(refused(await post('MapReduce.Streaming', list))).toEqual([400, 'INVALID_REFERENCE']);
  });

  test('a type that takes nothing by name has none', async () => {
    const peer = await serve();
    const { id } = await createBinary(peer, 'main');
    const body = { name: 'job', type: 'Storm.Pyleus', mains: [id], interface: [argument] };
    expect(refused(await peer.post(path, body))).toEqual([400, 'INVALID_DATA']);
  });
});

describe('section 4.6 rule 5: DELETE jobs', () => {
  test('204, then it is gone', async () => {
    const peer = await serve();
    const { id } = await createJob(peer);
    const reply = await peer.remove(`${path}/${id}`);
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect(refused(await peer.remove(`${path}/${id}`))).toEqual([404, 'NOT_FOUND']);
  });

  test('refused as long as it has an execution, also one that is over', async () => {
    onlyIn('neutral', 'sahara');
    const peer = await serve();
    const [job, cluster] = [await createJob(peer), await createCluster(peer)];
    const execution = created(await peer.post(`${path}/${job.id}/execute`, { cluster_id: cluster.id }));
    const executions = `${base}/job-executions/${execution.id}`;
    await until(() => peer.get(executions), hasEnded);
    const reply = await peer.remove(`${path}/${job.id}`);
    expect(refused(reply)).toEqual([400, 'DELETION_FAILED']);
    expectWords(reply.body, execution.id);
    await removeRun(peer, execution.id);
    expect((await peer.remove(`${path}/${job.id}`)).status).toBe(204);
  });
});

describe('section 4.6: GET jobs/config-hints', () => {
  test.each([
    ['Pig', ['configs', 'params', 'args']],
    ['Hive', ['configs', 'params']],
    ['MapReduce', ['configs']],
    ['MapReduce.Streaming', ['configs']],
  ])('%s: names, values and what they are for', async (type, keys) => {
    needsJobType(type);
    if (type.startsWith('MapReduce')) onlyIn('neutral', 'sahara');
    const { status, body } = await (await serve()).get(`${path}/config-hints/${type}`);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['job_config']);
    expect(Object.keys(body.job_config)).toEqual(scene.bundled ? keys : expect.arrayContaining(['configs']));
    if (scene.bundled) expect(body.job_config.configs.length).toBeGreaterThan(0);
    for (const hint of body.job_config.configs)
      expect(hint).toMatchObject({ name: expect.any(String), value: expect.any(String) });
  });

  test.each([
    ['Java', { configs: [], args: [] }],
    ['Spark', { configs: [], args: [] }],
    ['Storm', { configs: [], args: [] }],
    ['Storm.Pyleus', { configs: [], args: [] }],
    ['Shell', { configs: [], params: {}, args: [] }],
  ])('%s: nothing in particular', async (type, job_config) => {
    onlyIn('neutral', 'sahara');
    bundledOnly('the hints');
    expect((await (await serve()).get(`${path}/config-hints/${type}`)).body).toEqual({ job_config });
  });

  test.each(['pig', 'Jar', 'nothing'])('%s: 404', async (type) => {
    if (type === 'Jar') onlyIn('neutral', 'sahara');
    expect(refused(await (await serve()).get(`${path}/config-hints/${type}`))).toEqual([404, 'NOT_FOUND']);
  });
});
