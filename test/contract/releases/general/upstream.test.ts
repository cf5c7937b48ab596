// Where the branded dialects differ from the interface as written: words, defaults, start and scale answers, error shapes.
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../support/clock.ts';
import {
  expectWords,
  imageId,
  type Json,
  masterGroup,
  networkId,
  type Peer,
  pool,
  scene,
  serve,
  unknownId,
  until,
  worker,
} from '../../support.ts';

const branded = ['sahara', 'savanna'] as const;
const workers = {
  name: 'workers',
  plugin_name: scene.plugin,
  hadoop_version: scene.version,
  node_processes: scene.workers,
  flavor_id: scene.flavors.workers,
};
const inline = masterGroup;
const start = {
  name: 'cluster-1',
  plugin_name: scene.plugin,
  hadoop_version: scene.version,
  default_image_id: imageId,
  neutron_management_network: networkId,
  node_groups: [inline],
};
const path = '/v1.1/t/clusters';

async function createActive(peer: Peer, fields: object = {}): Promise<Json> {
  const { body } = await peer.post(path, { ...start, ...fields });
  const reply = await until(
    () => peer.get(`${path}/${body.cluster.id}`),
    ({ body: answer }) => answer.cluster.status === 'Active',
  );
  return reply.body.cluster;
}

describe.each(branded)('%s: words', (dialect) => {
  test('answers speak as requests do', async () => {
    const peer = await serve({ dialect });
    const { status, body } = await peer.post('/v1.0/t/node-group-templates', workers);
    expect(status).toBe(202);
    expect(body.node_group_template).toMatchObject({
      ...workers,
      tenant_id: 't',
      volumes_size: 0,
      volumes_per_node: 0,
    });
    expect(body.node_group_template).not.toHaveProperty('bigdata_version');
  });

  test('the neutral word is a foreign one, and problems are told in the words of the request', async () => {
    const peer = await serve({ dialect });
    const { hadoop_version, ...rest } = workers;
    const { status, body } = await peer.post('/v1.1/t/node-group-templates', {
      ...rest,
      bigdata_version: hadoop_version,
    });
    expect([status, body.error_name]).toEqual([400, 'VALIDATION_ERROR']);
    expectWords(body, 'hadoop_version: is required');
    expectWords(body, 'bigdata_version: unknown field');
  });

  test('fields that were never set read as null', async () => {
    const peer = await serve({ dialect });
    const { cluster } = (await peer.post(path, start)).body;
    expect(cluster).toMatchObject({ description: null, user_keypair_id: null, cluster_template_id: null });
    expect(cluster.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
  });

  test('volumes need a size', async () => {
    const peer = await serve({ dialect });
    const reply = await peer.post('/v1.1/t/node-group-templates', { ...workers, volumes_per_node: 1 });
    expect([reply.status, reply.body.error_name]).toEqual([400, 'INVALID_REFERENCE']);
  });
});

describe.each(branded)('%s: start', (dialect) => {
  test('Validating, without instances', async () => {
    const peer = await serve({ dialect, clock: new ManualClock() });
    const { status, body } = await peer.post(path, start);
    expect(status).toBe(202);
    expect(body.cluster).toMatchObject({ status: 'Validating', neutron_management_network: networkId });
    expect(body.cluster.node_groups[0]).toMatchObject({ count: 1, instances: [] });
  });

  test('takes a template together with groups, which replace those of the template', async () => {
    const peer = await serve({ dialect });
    const plain = { plugin_name: scene.plugin, hadoop_version: scene.version, default_image_id: imageId };
    const template = {
      ...plain,
      name: 'ct',
      node_groups: [inline, { ...inline, name: 'other' }],
      neutron_management_network: networkId,
    };
    const { cluster_template: created } = (await peer.post('/v1.1/t/cluster-templates', template)).body;
    expect(created.default_image_id).toBe(imageId);
    const { plugin_name, hadoop_version } = start;
    const body = {
      name: 'c',
      plugin_name,
      hadoop_version,
      cluster_template_id: created.id,
      description: 'mine',
      node_groups: [inline],
    };
    const reply = await peer.post(path, body);
    expect(reply.status).toBe(202);
    expect(reply.body.cluster).toMatchObject({ default_image_id: imageId, description: 'mine' });
    expect(reply.body.cluster.node_groups.map(({ name }: Json) => name)).toEqual(['master']);
  });

  test('groups may override fields of their template, and have a pool', async () => {
    const peer = await serve({ dialect });
    const { node_group_template: template } = (await peer.post('/v1.1/t/node-group-templates', workers)).body;
    const group = {
      name: 'g',
      count: 1,
      node_group_template_id: template.id,
      flavor_id: scene.flavors.large,
      floating_ip_pool: pool,
    };
    const { cluster } = (await peer.post(path, { ...start, node_groups: [inline, group] })).body;
    expect(cluster.node_groups[1]).toMatchObject({
      flavor_id: scene.flavors.large,
      floating_ip_pool: pool,
      node_processes: workers.node_processes,
    });
  });

  test('an image has to be given somewhere', async () => {
    const peer = await serve({ dialect });
    const { status, body } = await peer.post(path, { ...start, default_image_id: undefined });
    expect([status, body.error_name]).toEqual([400, 'NOT_FOUND']);
  });

  test('a used name is NAME_ALREADY_EXISTS', async () => {
    const peer = await serve({ dialect });
    await peer.post(path, start);
    expect((await peer.post(path, start)).body.error_name).toBe('NAME_ALREADY_EXISTS');
  });
});

test('sahara needs a network, savanna does not', async () => {
  const body = { ...start, neutron_management_network: undefined };
  const late = await (await serve({ dialect: 'sahara' })).post(path, body);
  expect([late.status, late.body.error_name]).toEqual([400, 'NOT_FOUND']);
  expect((await (await serve({ dialect: 'savanna' })).post(path, body)).status).toBe(202);
});

test('null is not set for late releases, and a mistake for early ones', async () => {
  const body = { ...workers, description: null };
  const at = '/v1.1/t/node-group-templates';
  expect((await (await serve({ dialect: 'sahara' })).post(at, body)).status).toBe(202);
  expect((await (await serve({ dialect: 'savanna' })).post(at, body)).status).toBe(400);
});

describe('states', () => {
  async function watch(dialect: 'sahara' | 'savanna', operate?: object) {
    const clock = new ManualClock();
    const peer = await serve({ dialect, clock, stageMs: 100 });
    const { cluster } = (await peer.post(path, start)).body;
    if (operate !== undefined) {
      await clock.advance(10_000);
      await peer.put(`${path}/${cluster.id}`, operate);
    }
    const seen: string[] = [];
    for (;;) {
      seen.push((await peer.get(`${path}/${cluster.id}`)).body.cluster.status);
      if (clock.pending === 0) return seen.join(' > ');
      await clock.advance(100);
    }
  }
  const grow = { resize_node_groups: [{ name: 'master', count: 2 }] };
  const shrink = { resize_node_groups: [{ name: 'master', count: 0 }] };
  const starting = 'Validating > InfraUpdating > Spawning > Waiting > Preparing > Configuring > Starting > Active';
  const scaling = 'Validating > Decommissioning > Scaling > Scaling: Spawning > Scaling: Waiting > Scaling: Preparing';

  test.each([
    ['sahara', undefined, starting],
    ['savanna', undefined, starting],
    ['sahara', grow, `${scaling} > Configuring > Active`],
    ['sahara', shrink, `${scaling} > Active`],
    ['savanna', grow, 'Validating > Scaling > Adding Instances > Configuring > Active'],
    ['savanna', shrink, 'Validating > Scaling > Decommissioning > Deleting Instances > Active'],
  ] as const)('%s %j', async (dialect, operate, words) => {
    expect(await watch(dialect, operate)).toBe(words);
  });
});

describe.each(branded)('%s: scale', (dialect) => {
  test('the answer has the old counts, and added groups are empty', async () => {
    const peer = await serve({ dialect });
    const group = { count: 1, flavor_id: scene.flavors.small, node_processes: [worker] };
    const { id } = await createActive(peer, { node_groups: [inline, { ...group, name: 'worker' }] });
    const reply = await peer.put(`${path}/${id}`, {
      resize_node_groups: [{ name: 'worker', count: 3 }],
      add_node_groups: [{ ...group, name: 'more', count: 2 }],
    });
    expect(reply.status).toBe(202);
    expect(reply.body.cluster.status).toBe('Validating');
    expect(reply.body.cluster.node_groups.map(({ name, count }: Json) => [name, count])).toEqual([
      ['master', 1],
      ['worker', 1],
      ['more', 0],
    ]);
    const { body } = await until(
      () => peer.get(`${path}/${id}`),
      (answer) => answer.body.cluster.status === 'Active',
    );
    expect(body.cluster.node_groups.map(({ name, count, instances }: Json) => [name, count, instances.length])).toEqual(
      [
        ['master', 1, 1],
        ['worker', 3, 3],
        ['more', 2, 2],
      ],
    );
  });
});

describe.each(branded)('%s: error shapes', (dialect) => {
  test("the service's own end with an identifier that is never the same", async () => {
    const peer = await serve({ dialect });
    const messages = await Promise.all(
      [1, 2].map(async () => (await peer.get(`${path}/${unknownId}`)).body.error_message),
    );
    expect(new Set(messages).size).toBe(2);
    for (const message of messages) expect(message).toMatch(/\nError ID: [0-9a-f-]{36}$/);
  });

  test.each([
    ['GET', '/v1.1/t/nothing', 404],
    ['PATCH', '/v1.1/t/clusters', 405],
    ['GET', '/v1.1/t/clusters/', 404],
  ])('the framework has its own: %s %s', async (method, at, status) => {
    const peer = await serve({ dialect });
    const reply = await peer.send(method, at);
    expect(reply.status).toBe(status);
    expect(reply.body).toEqual({ error: status, error_message: expect.any(String) });
  });

  test('so has the identity middleware', async () => {
    const peer = await serve({ dialect, grants: [{ token: 'secret' }] });
    const reply = await peer.get(path);
    expect(reply.status).toBe(401);
    expect(reply.body).toEqual({ error: { code: 401, title: 'Unauthorized', message: expect.any(String) } });
    expect(reply.headers.get('www-authenticate')).toMatch(/^Keystone uri=/);
  });
});

test('instances list volumes in early releases only', async () => {
  for (const dialect of branded) {
    const { node_groups } = await createActive(await serve({ dialect }));
    expect('volumes' in node_groups[0].instances[0]).toBe(dialect === 'savanna');
  }
});
