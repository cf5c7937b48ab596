// Section 4.5: starting, reading and deleting clusters.
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../support/clock.ts';
import {
  bundledOnly,
  configs,
  configTarget,
  createActive,
  createWorkers,
  expectWords,
  type Json,
  master,
  masterGroup,
  needsOptions,
  onlyIn,
  oursOnly,
  type Peer,
  pluginFields,
  scene,
  serve,
  startBody,
  unknownId,
  until,
  untilActive,
  uuid,
} from '../../support.ts';

const path = '/v1.0/t/clusters';
const inline = masterGroup;
const withGroups = { ...startBody, node_groups: [inline] };

async function createTemplate(peer: Peer, fields: object = {}): Promise<string> {
  const plain = { name: 'small', ...pluginFields, node_groups: [inline] };
  return (await peer.post('/v1.0/t/cluster-templates', { ...plain, ...fields })).body.cluster_template.id;
}

describe('section 4.5 rule 1: start', () => {
  test('202, Waiting, instances listed per group; their addresses come later', async () => {
    const peer = await serve({ clock: new ManualClock() });
    const id = await createWorkers(peer);
    const node_groups = [{ name: 'worker', count: 2, node_group_template_id: id }, inline];
    const { status, body } = await peer.post(path, { ...startBody, node_groups });
    expect(status).toBe(202);
    expect(body.cluster).toMatchObject({
      ...startBody,
      status: 'Waiting',
      info: {},
      cluster_configs: {},
      anti_affinity: [],
    });
    expect(body.cluster.node_groups.map((group: Json) => [group.name, group.count, group.instances])).toEqual([
      [
        'worker',
        2,
        [
          { instance_name: 'cluster-1-worker-001', instance_id: expect.stringMatching(uuid), volumes: [] },
          { instance_name: 'cluster-1-worker-002', instance_id: expect.stringMatching(uuid), volumes: [] },
        ],
      ],
      ['master', 1, [{ instance_name: 'cluster-1-master-001', instance_id: expect.stringMatching(uuid), volumes: [] }]],
    ]);
  });

  test('instances keep their identifiers when the addresses come', async () => {
    onlyIn('neutral');
    const peer = await serve();
    const { cluster } = (await peer.post(path, withGroups)).body;
    const active = await untilActive(peer, cluster.id);
    const ids = (from: Json) => from.node_groups[0].instances.map((instance: Json) => instance.instance_id);
    expect(ids(active)).toEqual(ids(cluster));
    expect(active.node_groups[0].instances[0].internal_ip).toMatch(scene.bundled ? /^10\./ : /./);
  });

  test('from a template: its groups, configurations and affinity', async () => {
    const peer = await serve();
    const cluster_configs = configs({ text: '2', general: false });
    const id = await createTemplate(peer, { cluster_configs, anti_affinity: [master] });
    const { status, body } = await peer.post(path, { ...startBody, cluster_template_id: id });
    expect(status).toBe(202);
    expect(body.cluster).toMatchObject({
      cluster_template_id: id,
      cluster_configs,
      anti_affinity: [master],
    });
    expect(body.cluster.node_groups[0]).toMatchObject(inline);
  });

  test('own configurations are merged over those of the template, name by name', async () => {
    needsOptions('text', 'flag', 'general');
    const peer = await serve();
    const id = await createTemplate(peer, {
      cluster_configs: configs({ text: '2', flag: true }),
    });
    const own = configs({ text: '1', general: true });
    const { body } = await peer.post(path, {
      ...startBody,
      cluster_template_id: id,
      cluster_configs: own,
      anti_affinity: [],
    });
    expect(body.cluster.cluster_configs).toEqual(configs({ text: '1', flag: true, general: true }));
  });

  test('section 4.5 rule 2: either a template or groups: not both, not none', async () => {
    onlyIn('neutral');
    oursOnly('which of both counts');
    const peer = await serve();
    const id = await createTemplate(peer);
    for (const body of [startBody, { ...withGroups, cluster_template_id: id }]) {
      const reply = await peer.post(path, body);
      expect([reply.status, reply.body.error_name]).toEqual([400, 'VALIDATION_ERROR']);
      expectWords(reply.body, 'exactly one of cluster_template_id and node_groups');
    }
  });

  test.each(['name', 'plugin_name', 'bigdata_version', 'default_image_id', 'user_keypair_id'])(
    'section 4.5 rule 2: needs %s',
    async (field) => {
      if (['default_image_id', 'user_keypair_id'].includes(field)) {
        onlyIn('neutral');
        oursOnly(`that ${field} is needed`);
      }
      const peer = await serve();
      const { status, body } = await peer.post(path, { ...withGroups, [field]: undefined });
      expect([status, body.error_name]).toEqual([400, 'VALIDATION_ERROR']);
      expectWords(body, `${field}: is required`);
    },
  );

  const refuse = async (fields: object, name: string) => {
    if (name === 'QUOTA_ERROR') bundledOnly('the quota');
    if ('name' in fields) oursOnly('names of machines');
    const peer = await serve();
    const { status, body } = await peer.post(path, { ...withGroups, ...fields });
    expect([status, body.error_name]).toEqual([400, name]);
    expect((await peer.get(path)).body.clusters).toEqual([]);
  };

  test.each([
    [{ plugin_name: 'none' }, 'INVALID_REFERENCE'],
    [{ bigdata_version: '0' }, 'INVALID_REFERENCE'],
    [{ cluster_configs: { [configTarget]: { wrong: 1 } } }, 'INVALID_REFERENCE'],
    [{ anti_affinity: ['wizard'] }, 'INVALID_REFERENCE'],
    [{ node_groups: [{ name: 'g', count: 1, node_group_template_id: unknownId }] }, 'NOT_FOUND'],
    [{ node_groups: undefined, cluster_template_id: unknownId }, 'NOT_FOUND'],
    [{ node_groups: [{ ...inline, flavor_id: '77' }] }, 'NOT_FOUND'],
    [{ node_groups: [inline, inline] }, 'INVALID_DATA'],
    [{ node_groups: [{ ...inline, count: 10_001 }] }, 'QUOTA_ERROR'],
    [{ name: 'x'.repeat(50) }, 'INVALID_DATA'],
    [{ default_image_id: 'ubuntu' }, 'VALIDATION_ERROR'],
    [{ status: 'Active' }, 'VALIDATION_ERROR'],
  ])('section 4.5 rule 2: %j is refused: 400 %s, and leaves nothing behind', refuse);

  test.each([
    [{ network_management_network: unknownId }, 'VALIDATION_ERROR'],
    [{ user_keypair_id: null }, 'VALIDATION_ERROR'],
  ])('of upstream alone: %j is refused: 400 %s', async (fields, name) => {
    onlyIn('neutral');
    await refuse(fields, name);
  });

  test('a group without machines is possible', async () => {
    bundledOnly('the layouts');
    const peer = await serve();
    const { status, body } = await peer.post(path, { ...startBody, node_groups: [{ ...inline, count: 0 }] });
    expect(status).toBe(202);
    const active = await untilActive(peer, body.cluster.id);
    expect(active.node_groups[0]).toMatchObject({ count: 0, instances: [] });
  });

  test('images can be configured', async () => {
    const peer = await serve({ catalog: { images: [{ id: unknownId, name: 'own', registered: true }] } });
    expect((await peer.post(path, withGroups)).body.error_name).toBe('NOT_FOUND');
    expect((await peer.post(path, { ...withGroups, default_image_id: unknownId })).status).toBe(202);
  });
});

describe('section 4 rule 4: reading', () => {
  test('GET: 200, all clusters of the tenant as GET of each shows them', async () => {
    const peer = await serve();
    const cluster = await createActive(peer);
    const { status, body } = await peer.get(path);
    expect([status, body]).toEqual([200, { clusters: [cluster] }]);
  });

  test('section 7 rule 3: 404 for one that is not there', async () => {
    const peer = await serve();
    expect((await peer.get(`${path}/${unknownId}`)).status).toBe(404);
    expect((await peer.put(`${path}/${unknownId}`, { nonsense: 1 })).status).toBe(404);
    expect((await peer.remove(`${path}/${unknownId}`)).status).toBe(404);
  });
});

describe('section 4.5 rule 3: DELETE', () => {
  test('204 without a body; Deleting for a moment, then gone and the name free', async () => {
    const clock = new ManualClock();
    const peer = await serve({ clock, stageMs: 100 });
    const { cluster } = (await peer.post(path, withGroups)).body;
    const reply = await peer.remove(`${path}/${cluster.id}`);
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect((await peer.get(`${path}/${cluster.id}`)).body.cluster.status).toBe('Deleting');
    expect((await peer.post(path, withGroups)).body.error_name).toBe('CLUSTER_NAME_ALREADY_EXISTS');
    await clock.advance(100);
    expect((await peer.get(`${path}/${cluster.id}`)).status).toBe(404);
    expect((await peer.post(path, withGroups)).status).toBe(202);
  });

  test.each([0, 100, 200, 300, 400])('possible at any time: %d ms after the start', async (ms) => {
    const clock = new ManualClock();
    const peer = await serve({ clock, stageMs: 100 });
    const { cluster } = (await peer.post(path, withGroups)).body;
    await clock.advance(ms);
    expect((await peer.remove(`${path}/${cluster.id}`)).status).toBe(204);
    await clock.advance(100);
    expect((await peer.get(path)).body.clusters).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  test('can be repeated while it is under way, and does not make it longer', async () => {
    const clock = new ManualClock();
    const peer = await serve({ clock, stageMs: 100 });
    const { cluster } = (await peer.post(path, withGroups)).body;
    await peer.remove(`${path}/${cluster.id}`);
    await clock.advance(60);
    expect((await peer.remove(`${path}/${cluster.id}`)).status).toBe(204);
    await clock.advance(40);
    expect((await peer.remove(`${path}/${cluster.id}`)).status).toBe(404);
  });

  test('frees the machines of the quota', async () => {
    const peer = await serve({ catalog: { quota: 1 } });
    const { cluster } = (await peer.post(path, withGroups)).body;
    expect((await peer.post(path, { ...withGroups, name: 'other' })).body.error_name).toBe('QUOTA_ERROR');
    await peer.remove(`${path}/${cluster.id}`);
    await until(
      () => peer.get(`${path}/${cluster.id}`),
      ({ status }) => status === 404,
    );
    expect((await peer.post(path, { ...withGroups, name: 'other' })).status).toBe(202);
  });
});
