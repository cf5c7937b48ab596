// Section 4.6: data sources.
import { describe, expect, test } from 'vitest';
import { bundledOnly, expectWords, onlyIn, oursOnly, scene, serve, unknownId, uuid } from '../../support.ts';
import {
  base,
  createCluster,
  created,
  createJob,
  createSource,
  placeOf,
  refused,
  removeRun,
  stamps,
  swift,
} from './section-4-6-support.ts';

const path = `${base}/data-sources`;
const plain = { name: 'plain', type: 'hdfs', url: 'hdfs://host/path' };

describe('section 4.6 rule 1: POST data-sources', () => {
  test('202 with what was sent, an identifier and the time, and never the credentials', async () => {
    onlyIn('neutral', 'sahara');
    const peer = await serve();
    const { status, body } = await peer.post(path, { ...swift, description: 'for tests' });
    expect(status).toBe(202);
    expect(body).toEqual({
      data_source: {
        id: expect.stringMatching(uuid),
        name: 'input',
        type: 'swift',
        url: 'swift://container/in',
        description: 'for tests',
        ...stamps,
      },
    });
  });

  test.each([
    ['hdfs', '/a/path'],
    ['hdfs', 'relative/path'],
    ['hdfs', 'hdfs://host:8020/a'],
    ['maprfs', '/a/path'],
    ['maprfs', 'maprfs:///a'],
    ['maprfs', 'maprfs:/a'],
    ['manila', `manila://${unknownId}/a`],
    ['s3', 's3://bucket/key'],
    ['s3', 's3a://bucket/key'],
    ['hdfs', `/a/%RANDSTR(1000)%/%RANDSTR(24)%`],
  ])('%s takes %s', async (type, url) => {
    const peer = await serve();
    expect(created(await peer.post(path, { ...plain, type, url })).url).toBe(url);
  });

  test('hdfs takes a long path', async () => {
    oursOnly('how long the URL of a data source may be');
    const url = `/${'x'.repeat(400)}`;
    expect(created(await (await serve()).post(path, { ...plain, url })).url).toBe(url);
  });

  test.each([
    [{ type: 'hdfs', url: 'hdfs:///x' }, 'INVALID_DATA', 'host'],
    [{ type: 'hdfs', url: 'hdfs://:8020/x' }, 'INVALID_DATA', 'host'],
    [{ type: 'hdfs', url: 'swift://c/o' }, 'INVALID_DATA', 'hdfs://'],
    [{ type: 'hdfs', url: '' }, 'INVALID_DATA', 'empty'],
    [{ type: 'maprfs', url: 'hdfs://host/x' }, 'INVALID_DATA', 'maprfs://'],
    [{ type: 'manila', url: 'manila://share/x' }, 'INVALID_DATA', 'manila://'],
    [{ type: 'manila', url: `manila://${unknownId}` }, 'INVALID_DATA', 'path'],
    [{ type: 'manila', url: '/x' }, 'INVALID_DATA', 'manila://'],
    [{ type: 's3', url: 's3://bucket' }, 'INVALID_DATA', 'bucket/object'],
    [{ type: 's3', url: 'https://bucket/key' }, 'INVALID_DATA', 's3a://'],
    [{ type: 's3', url: 's3://b/k', credentials: { user: 'me' } }, 'INVALID_DATA', 'user'],
    [{ type: 's3', url: 's3://b/k', credentials: { ssl: 'yes' } }, 'INVALID_DATA', 'ssl'],
    [{ type: 'swift', url: 'swift://container' }, 'INVALID_DATA', 'swift://container/object'],
    [{ type: 'swift', url: 'swift://container/' }, 'INVALID_DATA', 'swift://container/object'],
    [{ type: 'swift', url: 'swift://c/o' }, 'INVALID_CREDENTIALS', 'user'],
    [{ type: 'swift', url: 'swift://c/o', credentials: { user: 'me' } }, 'INVALID_CREDENTIALS', 'password'],
    [{ url: '/%RANDSTR(0)%' }, 'INVALID_DATA', 'RANDSTR'],
    [{ url: '/%RANDSTR(-3)%' }, 'INVALID_DATA', 'RANDSTR'],
    [{ url: '/%RANDSTR(1000)%/%RANDSTR(25)%' }, 'INVALID_DATA', '1024'],
    [{ type: 'ftp' }, 'VALIDATION_ERROR', 'type: '],
    [{ url: 7 }, 'VALIDATION_ERROR', 'url: '],
    [{ name: '' }, 'VALIDATION_ERROR', 'name: '],
    [{ name: '-x' }, 'VALIDATION_ERROR', 'name: '],
    [{ name: 'a b' }, 'VALIDATION_ERROR', 'name: '],
    [{ name: 'x'.repeat(51) }, 'VALIDATION_ERROR', 'name: '],
    [{ description: null }, 'VALIDATION_ERROR', 'description: '],
    [{ credentials: 'secret' }, 'VALIDATION_ERROR', 'credentials: '],
    [{ id: unknownId }, 'VALIDATION_ERROR', 'id: unknown field'],
    [{ is_public: true }, 'VALIDATION_ERROR', 'is_public: unknown field'],
  ])('section 7 rule 4: %j is refused: 400 %s', async (fields, name, text) => {
    if ('is_public' in fields) onlyIn('neutral', 'savanna');
    // Real clusters have an HDFS of their own, which needs no host.
    if ('url' in fields && /^hdfs:\/\/[/:]/.test(String(fields.url))) bundledOnly('the HDFS');
    const peer = await serve();
    const reply = await peer.post(path, { ...plain, ...fields });
    expect(refused(reply)).toEqual([400, name]);
    // Services that read from there say it in their own words.
    if (scene.bundled) expectWords(reply.body, text);
    expect((await peer.get(path)).body).toEqual({ data_sources: [] });
  });

  test('everything that is missing is told at once', async () => {
    oursOnly('which problems a message tells');
    const { body } = await (await serve()).send('POST', path);
    expect(body.error_message.split('\n')).toEqual(['name: is required', 'type: is required', 'url: is required']);
  });

  test.each(['0', 'a_b-c.d', 'x'.repeat(50)])('%s is a name', async (name) => {
    expect((await (await serve()).post(path, { ...plain, name })).status).toBe(202);
  });

  test('section 4 rule 5: a name is used once in a tenant, and told before anything about the URL', async () => {
    const peer = await serve();
    await createSource(peer, plain);
    expect(refused(await peer.post(path, { ...plain, url: '' }))).toEqual([400, 'NAME_ALREADY_EXISTS']);
    expect((await peer.post('/v1.1/other/data-sources', plain)).status).toBe(202);
  });

  test('section 4 rule 5: the case of a name counts', async () => {
    oursOnly('that the case of a name counts');
    const peer = await serve();
    await createSource(peer, plain);
    expect((await peer.post(path, { ...plain, name: 'PLAIN' })).status).toBe(202);
  });
});

describe('section 4 rule 4: GET and DELETE data-sources', () => {
  test('list and one are what the create answered; there is no other tenant', async () => {
    const peer = await serve();
    const source = await createSource(peer);
    expect((await peer.get(path)).body).toEqual({ data_sources: [source] });
    expect((await peer.get(`${path}.json`)).body).toEqual({ data_sources: [source] });
    const one = await peer.get(`${path}/${source.id}`);
    expect([one.status, one.body]).toEqual([200, { data_source: source }]);
    expect(refused(await peer.get(`${path}/${unknownId}`))).toEqual([404, 'NOT_FOUND']);
    expect(refused(await peer.get(`${path}/${source.name}`))).toEqual([404, 'NOT_FOUND']);
    expect(refused(await peer.get(`/v1.1/other/data-sources/${source.id}`))).toEqual([404, 'NOT_FOUND']);
  });

  test('section 4 rule 3: 204, then it is gone and its name is free', async () => {
    const peer = await serve();
    const source = await createSource(peer);
    const reply = await peer.remove(`${path}/${source.id}`);
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect(refused(await peer.remove(`${path}/${source.id}`))).toEqual([404, 'NOT_FOUND']);
    await createSource(peer);
  });

  test('section 4.6 rule 5: refused as long as an execution refers to it, as input or output', async () => {
    const peer = await serve();
    const [input, output] = [await createSource(peer), await createSource(peer, { name: 'o', url: placeOf('out') })];
    const [job, cluster] = [await createJob(peer), await createCluster(peer)];
    const body = { cluster_id: cluster.id, input_id: input.id, output_id: output.id };
    const execution = created(await peer.post(`${base}/jobs/${job.id}/execute`, body));
    for (const { id } of [input, output]) {
      const reply = await peer.remove(`${path}/${id}`);
      expect(refused(reply)).toEqual([400, 'DELETION_FAILED']);
      expectWords(reply.body, execution.id);
    }
    await removeRun(peer, execution.id);
    expect((await peer.remove(`${path}/${input.id}`)).status).toBe(204);
  });
});
