// Section 4.1: configuration files become cluster templates.
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  bundledOnly,
  errorBody,
  expectWords,
  onlyIn,
  oursOnly,
  type Peer,
  serve,
  startBody,
  unknownId,
  uuid,
} from '../../support.ts';

const path = '/v1.0/t/plugins/vanilla/1.2.1/convert-config';
const templates = '/v1.0/t/cluster-templates';
const master = { name: 'master', count: 1, flavor_id: '3', node_processes: ['namenode', 'jobtracker'] };
const worker = {
  name: 'worker',
  count: 4,
  flavor_id: '2',
  node_processes: ['datanode', 'tasktracker'],
  node_configs: { HDFS: { 'Data Node Heap Size': 2048 } },
  volumes_per_node: 2,
  volumes_size: 100,
};
const file = {
  name: 'from-file',
  description: 'What we run elsewhere',
  cluster_configs: { HDFS: { 'dfs.replication': '2' } },
  anti_affinity: ['datanode'],
  node_groups: [master, worker],
};
const send = (peer: Peer, body: unknown, at = path, type = 'application/json') =>
  peer.send('POST', at, body, { 'content-type': type });

describe('section 4.1: convert-config', () => {
  beforeEach(() => {
    onlyIn('neutral');
    oursOnly('the format of the file');
    bundledOnly('the processes');
  });

  test('202, a cluster template of this plugin and version whose groups are described in full', async () => {
    const peer = await serve();
    const { status, body } = await send(peer, file);
    expect(status).toBe(202);
    const full = { volume_mount_prefix: '/volumes/disk' };
    expect(body).toEqual({
      cluster_template: {
        ...file,
        id: expect.stringMatching(uuid),
        plugin_name: 'vanilla',
        bigdata_version: '1.2.1',
        node_groups: [
          { ...master, ...full, node_configs: {}, volumes_per_node: 0, volumes_size: 10 },
          { ...worker, ...full },
        ],
      },
    });
    for (const group of body.cluster_template.node_groups) expect(group).not.toHaveProperty('node_group_template_id');
  });

  test('with a name in the path: the template has that name, decoded', async () => {
    const peer = await serve();
    const { status, body } = await send(peer, file, `${path}/by%2Dpath`);
    expect([status, body.cluster_template.name]).toEqual([202, 'by-path']);
    const { name: _, ...nameless } = file;
    expect((await send(peer, nameless, `${path}/other.json`)).body.cluster_template.name).toBe('other');
  });

  test('both forms keep the template: it is listed, and clusters start from it', async () => {
    const peer = await serve();
    const one = (await send(peer, file)).body.cluster_template;
    const two = (await send(peer, file, `${path}/named`)).body.cluster_template;
    expect((await peer.get(templates)).body).toEqual({ cluster_templates: [one, two] });
    const start = await peer.post('/v1.0/t/clusters', { ...startBody, cluster_template_id: two.id });
    expect([start.status, start.body.cluster.node_groups[1].count]).toEqual([202, 4]);
  });

  test.each(['text/plain', 'application/octet-stream', 'application/json; charset=utf-8', 'application/yaml'])(
    'a file of type %s is taken',
    async (type) => {
      const peer = await serve();
      expect((await send(peer, JSON.stringify(file), path, type)).status).toBe(202);
    },
  );

  test.each(['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'a form of type %s is not',
    async (type) => {
      const peer = await serve();
      const { status, body } = await send(peer, JSON.stringify(file), path, type);
      expect([status, body]).toEqual([400, errorBody(400, 'INVALID_DATA')]);
    },
  );

  test.each([
    ['', 'it is empty'],
    [' \n', 'it is empty'],
    [undefined, 'it is empty'],
    ['<configuration/>', 'it is not JSON'],
    ['{"name": ', 'it is not JSON'],
    ['[]', 'it is not a JSON object'],
    ['null', 'it is not a JSON object'],
    ['"text"', 'it is not a JSON object'],
  ])('a file that cannot be read, %j, is told', async (text, why) => {
    const peer = await serve();
    const { status, body } = await send(peer, text, `${path}/named`);
    expect([status, body]).toEqual([400, errorBody(400, 'MALFORMED_REQUEST_BODY')]);
    expect(body.error_message).toContain(`cannot read configuration file: ${why}`);
  });

  test.each([
    [{ name: undefined }, 'VALIDATION_ERROR', 'name: is required'],
    [{ name: 'a b' }, 'VALIDATION_ERROR', 'name: '],
    [{ node_groups: undefined }, 'VALIDATION_ERROR', 'node_groups: is required'],
    [{ hosts: [] }, 'VALIDATION_ERROR', 'hosts: unknown field'],
    [
      { node_groups: [{ name: 'g', count: 1, node_group_template_id: unknownId }] },
      'VALIDATION_ERROR',
      'node_groups[0][node_group_template_id]: unknown field',
    ],
    [{ node_groups: [{ ...master, flavor_id: '77' }] }, 'NOT_FOUND', '77'],
    [{ node_groups: [{ ...master, node_processes: ['wizard'] }] }, 'INVALID_REFERENCE', 'wizard'],
    [{ cluster_configs: { HDFS: { magic: true } } }, 'INVALID_REFERENCE', 'magic'],
    [{ plugin_name: 'spark' }, 'INVALID_DATA', 'its plugin_name is "spark", not vanilla'],
    [{ bigdata_version: '2.7.1' }, 'INVALID_DATA', 'its bigdata_version is "2.7.1", not 1.2.1'],
  ])('%j is refused: 400 %s, and nothing is kept', async (fields, name, text) => {
    const peer = await serve();
    const { status, body } = await send(peer, { ...file, ...fields });
    expect([status, body]).toEqual([400, errorBody(400, name)]);
    expectWords(body, text);
    expect((await peer.get(templates)).body.cluster_templates).toEqual([]);
  });

  test('plugin and version may be in the file when they are those of the path', async () => {
    const peer = await serve();
    const { status } = await send(peer, { ...file, plugin_name: 'vanilla', bigdata_version: '1.2.1' });
    expect(status).toBe(202);
  });

  test('a name that is in use is refused', async () => {
    const peer = await serve();
    await send(peer, file);
    for (const at of [path, `${path}/from-file`]) {
      const { status, body } = await send(peer, file, at);
      expect([status, body]).toEqual([400, errorBody(400, 'NAME_ALREADY_EXISTS')]);
    }
  });

  test.each(['none/1.2.1', 'vanilla/0.0'])('404 for %s, which the path names', async (at) => {
    const peer = await serve();
    for (const below of ['', '/named']) {
      const { status, body } = await send(peer, file, `/v1.0/t/plugins/${at}/convert-config${below}`);
      expect([status, body]).toEqual([404, errorBody(404, 'NOT_FOUND')]);
    }
  });

  test('GET: 405', async () => {
    const peer = await serve();
    expect((await peer.get(path)).status).toBe(405);
    expect((await peer.get(`${path}/named`)).status).toBe(405);
  });

  test('files at random are refused with 400 or taken with 202', async () => {
    const peer = await serve();
    const field = fc.constantFrom(...Object.keys(file), 'plugin_name', 'bigdata_version', 'status');
    const changed = fc.tuple(field, fc.jsonValue()).map(([key, value]) => JSON.stringify({ ...file, [key]: value }));
    const text = fc.oneof(fc.string(), fc.json(), changed);
    const property = fc.asyncProperty(text, fc.constantFrom('', '/named'), async (content, below) => {
      const { status, body } = await send(peer, content, path + below, 'text/plain');
      if (status !== 202) expect([status, body]).toEqual([400, errorBody(400, body.error_name)]);
    });
    await fc.assert(property, { numRuns: 150 });
  });
});

describe('the branded dialects', () => {
  beforeEach(() => bundledOnly('the processes'));

  test('savanna converts with a name in the path only, in its own words', async () => {
    const peer = await serve({ dialect: 'savanna' });
    const unnamed = await send(peer, file);
    expect([unnamed.status, Object.keys(unnamed.body)]).toEqual([404, ['error', 'error_message']]);
    const { status, body } = await send(peer, { ...file, hadoop_version: '1.2.1' }, `${path}/named`);
    expect(status).toBe(202);
    expect(body.cluster_template).toMatchObject({
      name: 'named',
      hadoop_version: '1.2.1',
      node_groups: [master, worker],
    });
    const wrong = await send(peer, { ...file, hadoop_version: '1.1.2' }, `${path}/wrong`);
    expect(wrong.body.error_message).toContain('its hadoop_version is "1.1.2", not 1.2.1');
  });

  test('sahara has no plugin that converts anything', async () => {
    const peer = await serve({ dialect: 'sahara' });
    expect((await send(peer, file)).status).toBe(404);
    const { status, body } = await send(peer, file, `${path}/named`);
    expect([status, body.error_name]).toEqual([400, 'INVALID_REFERENCE']);
    expect((await peer.get('/v1.1/t/cluster-templates')).body.cluster_templates).toEqual([]);
  });
});
