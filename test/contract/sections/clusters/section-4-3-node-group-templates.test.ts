// Section 4.3: node group templates.
import { describe, expect, test } from 'vitest';
import {
  bundledOnly,
  configTarget,
  createWorkers,
  expectWords,
  type Json,
  masterGroup,
  masters,
  onlyIn,
  oursOnly,
  pluginFields,
  promised,
  scene,
  serve,
  startBody,
  unknownId,
  uuid,
  worker,
  workers,
} from '../../support.ts';

const path = '/v1.0/t/node-group-templates';

describe('section 4.3 rule 1: reading', () => {
  test('section 4 rule 4: GET: 200, in order of creation', async () => {
    const peer = await serve();
    expect((await peer.get(path)).body).toEqual({ node_group_templates: [] });
    await createWorkers(peer, { name: 'b' });
    await createWorkers(peer, { name: 'a' });
    const { status, body } = await peer.get(path);
    expect(status).toBe(200);
    expect(body.node_group_templates.map((template: Json) => template.name)).toEqual(['b', 'a']);
  });

  test('GET one: 200, and the same as the answer to its creation and its row in the list', async () => {
    const peer = await serve();
    const created = await peer.post(path, workers);
    const { status, body } = await peer.get(`${path}/${created.body.node_group_template.id}`);
    expect(status).toBe(200);
    expect(body).toEqual(created.body);
    expect((await peer.get(path)).body.node_group_templates).toEqual([body.node_group_template]);
  });

  test('section 7 rule 3: GET one that is not there: 404', async () => {
    const peer = await serve();
    const { status, body } = await peer.get(`${path}/${unknownId}`);
    expect(status).toBe(404);
    expect(body).toMatchObject({ error_code: 404, error_name: 'NOT_FOUND' });
  });
});

describe('section 4.3 rule 2: POST', () => {
  test('section 4.3 rule 1: 202, defaults filled in and an identifier assigned', async () => {
    const peer = await serve();
    const { status, body } = await peer.post(path, workers);
    expect(status).toBe(202);
    expect(body.node_group_template).toMatchObject({
      ...workers,
      volumes_per_node: promised(expect.any(Number), 0),
      id: expect.stringMatching(uuid),
    });
  });

  test.each(Object.keys(workers))('needs %s', async (field) => {
    const peer = await serve();
    const { status, body } = await peer.post(path, { ...workers, [field]: undefined });
    expect(status).toBe(400);
    expect(body.error_name).toBe('VALIDATION_ERROR');
    expectWords(body, `${field}: is required`);
  });

  const refuse = async (fields: object, name: string, text: string) => {
    const peer = await serve();
    const { status, body } = await peer.post(path, { ...workers, ...fields });
    expect(status).toBe(400);
    expect(body.error_name).toBe(name);
    expectWords(body, text);
    expect((await peer.get(path)).body.node_group_templates).toEqual([]);
  };

  test.each([
    [{ plugin_name: 'none' }, 'INVALID_REFERENCE', 'none'],
    [{ bigdata_version: '9.9' }, 'INVALID_REFERENCE', '9.9'],
    [{ node_processes: [worker, 'wizard'] }, 'INVALID_REFERENCE', 'wizard'],
    [{ node_configs: { Nothing: {} } }, 'INVALID_REFERENCE', 'Nothing'],
    [{ node_configs: { [configTarget]: { wrong: 'x' } } }, 'INVALID_REFERENCE', 'wrong'],
    [{ flavor_id: '77' }, 'NOT_FOUND', '77'],
    [{ id: unknownId }, 'VALIDATION_ERROR', 'id: unknown field'],
    [{ node_processes: [worker, worker] }, 'INVALID_DATA', worker],
    [{ name: 'has space' }, 'VALIDATION_ERROR', 'name: is not a valid name'],
    [{ volumes_per_node: -1 }, 'VALIDATION_ERROR', 'volumes_per_node'],
    [{ volumes_per_node: null }, 'VALIDATION_ERROR', 'volumes_per_node'],
    [{ node_configs: { [configTarget]: { x: 1.5 } } }, 'VALIDATION_ERROR', `node_configs[${configTarget}][x]`],
  ])('%j is refused: 400 %s', refuse);

  test.each([
    [{ image_id: unknownId }, 'VALIDATION_ERROR', 'image_id: unknown field'],
    [{ hadoop_version: scene.version }, 'VALIDATION_ERROR', 'hadoop_version: unknown field'],
  ])('of upstream alone: %j is refused: 400 %s', async (fields, name, text) => {
    onlyIn('neutral');
    await refuse(fields, name, text);
  });

  test.each([{ description: null }, { floating_ip_pool: null, node_configs: null }, { flavor_id: unknownId }])(
    '%j is taken',
    async (fields) => {
      if (Object.values(fields).includes(null)) onlyIn('neutral', 'sahara');
      if ('flavor_id' in fields) bundledOnly('any flavor');
      const peer = await serve();
      expect((await peer.post(path, { ...workers, ...fields })).status).toBe(202);
    },
  );

  test('all problems of a body are reported at once, each by its path', async () => {
    const peer = await serve();
    const { body } = await peer.post(path, { name: '1', typo: true, node_processes: [7] });
    oursOnly('which problems a message tells');
    const lines = body.error_message.split('\n').map((line: string) => line.split(':')[0]);
    expect(lines.toSorted()).toEqual([
      'bigdata_version',
      'flavor_id',
      'name',
      'node_processes[0]',
      'plugin_name',
      'typo',
    ]);
  });

  test('section 4 rule 5: a name is used once', async () => {
    const peer = await serve();
    await createWorkers(peer);
    const { status, body } = await peer.post(path, workers);
    expect([status, body.error_name]).toEqual([400, 'NAME_ALREADY_EXISTS']);
  });

  test('section 4 rule 5: the case of a name counts', async () => {
    oursOnly('that the case of a name counts');
    const peer = await serve();
    await createWorkers(peer);
    expect((await peer.post(path, { ...workers, name: 'Workers' })).status).toBe(202);
  });

  test('section 4 rule 5: of many at once with one name exactly one is taken', async () => {
    const peer = await serve();
    const replies = await Promise.all(Array.from({ length: 10 }, () => peer.post(path, workers)));
    expect(replies.filter(({ status }) => status === 202)).toHaveLength(1);
  });

  test('flavors can be configured', async () => {
    const peer = await serve({ catalog: { flavors: [{ id: 'm1.huge' }, { id: 'theirs', tenants: ['others'] }] } });
    expect((await peer.post(path, { ...workers, flavor_id: 'm1.huge' })).status).toBe(202);
    expect((await peer.post(path, { ...workers, name: 'x' })).status).toBe(400);
    const { status, body } = await peer.post(path, { ...workers, name: 'x', flavor_id: 'theirs' });
    expect([status, body.error_name]).toEqual([400, 'NOT_FOUND']);
    expect(body.error_message).toMatch(/there is no such flavor; known are m1\.huge$/);
  });
});

describe('section 4 rule 6: DELETE', () => {
  test('section 4 rule 3: 204 without a body, then it is gone and its name is free', async () => {
    const peer = await serve();
    const id = await createWorkers(peer);
    const reply = await peer.remove(`${path}/${id}`);
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect((await peer.get(`${path}/${id}`)).status).toBe(404);
    expect((await peer.remove(`${path}/${id}`)).status).toBe(404);
    expect((await peer.post(path, workers)).status).toBe(202);
  });

  test('refused while a cluster template refers to it', async () => {
    const peer = await serve();
    const id = await createWorkers(peer);
    const groups = [{ name: 'g', count: 1, node_group_template_id: id }];
    const owner = { name: 'ct', ...pluginFields, node_groups: groups };
    const created = await peer.post('/v1.0/t/cluster-templates', owner);
    const { status, body } = await peer.remove(`${path}/${id}`);
    expect([status, body.error_name]).toEqual([400, 'INVALID_REFERENCE']);
    await peer.remove(`/v1.0/t/cluster-templates/${created.body.cluster_template.id}`);
    expect((await peer.remove(`${path}/${id}`)).status).toBe(204);
  });

  test('refused while a cluster refers to it', async () => {
    const peer = await serve();
    const id = await createWorkers(peer);
    const leader = { ...masterGroup, node_processes: masters.node_processes };
    const groups = [{ name: 'g', count: 1, node_group_template_id: id }, leader];
    expect((await peer.post('/v1.0/t/clusters', { ...startBody, node_groups: groups })).status).toBe(202);
    const { status, body } = await peer.remove(`${path}/${id}`);
    expect([status, body.error_name]).toEqual([400, 'INVALID_REFERENCE']);
    expectWords(body, 'cluster-1');
  });
});
