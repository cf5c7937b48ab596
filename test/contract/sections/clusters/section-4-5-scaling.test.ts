// Section 4.5: scaling clusters.
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../support/clock.ts';
import {
  bundledOnly,
  createActive,
  createWorkers,
  type Json,
  onlyIn,
  ours,
  oursOnly,
  type Peer,
  promised,
  scene,
  serve,
  startBody,
  unknownId,
  untilActive,
  worker,
} from '../../support.ts';

const path = '/v1.0/t/clusters';
const counts = (cluster: Json) =>
  Object.fromEntries(cluster.node_groups.map((group: Json) => [group.name, group.count]));
const idsOf = (cluster: Json): string[] => cluster.node_groups[0].instances.map(({ instance_id }: Json) => instance_id);
const names = (cluster: Json, group: string): string[] =>
  cluster.node_groups
    .find(({ name }: Json) => name === group)
    .instances.map(({ instance_name }: Json) => instance_name.slice(-3));

async function scale(peer: Peer, id: string, body: object): Promise<Json> {
  const reply = await peer.put(`${path}/${id}`, body);
  expect(reply.status).toBe(202);
  expect(reply.body.cluster).toMatchObject({ id, status: 'Validating' });
  return untilActive(peer, id);
}

describe('section 4.5 rule 4: resize', () => {
  test('202, Validating; up adds machines, and those there were stay', async () => {
    const peer = await serve();
    const before = await createActive(peer);
    const after = await scale(peer, before.id, { resize_node_groups: [{ name: 'workers', count: 4 }] });
    expect(counts(after)).toEqual({ workers: 4, master: 1 });
    expect(names(after, 'workers')).toEqual(
      promised(expect.objectContaining({ length: 4 }), ['001', '002', '003', '004']),
    );
    expect(idsOf(after)).toEqual(expect.arrayContaining(idsOf(before)));
    if (ours) expect(after.node_groups[0].instances.slice(0, 2)).toEqual(before.node_groups[0].instances);
    for (const { internal_ip } of after.node_groups[0].instances)
      expect(internal_ip).toMatch(scene.bundled ? /^10\./ : /./);
  });

  test('down takes the machines with the highest numbers', async () => {
    const peer = await serve();
    const before = await createActive(peer);
    const after = await scale(peer, before.id, { resize_node_groups: [{ name: 'workers', count: 1 }] });
    expect(counts(after)).toEqual({ workers: 1, master: 1 });
    expect(idsOf(before)).toEqual(expect.arrayContaining(idsOf(after)));
    if (ours) expect(after.node_groups[0].instances).toEqual(before.node_groups[0].instances.slice(0, 1));
  });

  test('to nothing removes the group, which can then only be added', async () => {
    bundledOnly('the layouts');
    const peer = await serve();
    const { id } = await createActive(peer);
    expect(counts(await scale(peer, id, { resize_node_groups: [{ name: 'workers', count: 0 }] }))).toEqual({
      master: 1,
    });
    const again = await peer.put(`${path}/${id}`, { resize_node_groups: [{ name: 'workers', count: 2 }] });
    expect([again.status, again.body.error_name]).toEqual([400, 'INVALID_REFERENCE']);
    const template = await createWorkers(peer, { name: 'again' });
    const added = { add_node_groups: [{ name: 'workers', count: 1, node_group_template_id: template }] };
    expect(counts(await scale(peer, id, added))).toEqual({ master: 1, workers: 1 });
  });

  test('to the same count is a round that changes nothing', async () => {
    const peer = await serve();
    const before = await createActive(peer);
    const after = await scale(peer, before.id, { resize_node_groups: [{ name: 'workers', count: 2 }] });
    expect(after.node_groups).toEqual(before.node_groups);
  });
});

describe('section 4.5 rule 5: add', () => {
  test('a group by template comes with its machines', async () => {
    const peer = await serve();
    const { id } = await createActive(peer);
    const template = await createWorkers(peer, { name: 'big', flavor_id: scene.flavors.large });
    const after = await scale(peer, id, {
      add_node_groups: [{ name: 'big', count: 2, node_group_template_id: template }],
    });
    expect(counts(after)).toEqual({ workers: 2, master: 1, big: 2 });
    expect(after.node_groups[2]).toMatchObject({ node_group_template_id: template, flavor_id: scene.flavors.large });
    expect(names(after, 'big')).toEqual(promised(expect.objectContaining({ length: 2 }), ['001', '002']));
  });

  test('both at once', async () => {
    const peer = await serve();
    const { id } = await createActive(peer);
    const template = await createWorkers(peer, { name: 'big' });
    const after = await scale(peer, id, {
      resize_node_groups: [
        { name: 'workers', count: scene.bundled ? 0 : 1 },
        ...(scene.bundled ? [{ name: 'master', count: 2 }] : []),
      ],
      add_node_groups: [{ name: 'big', count: 1, node_group_template_id: template }],
    });
    expect(counts(after)).toEqual(scene.bundled ? { master: 2, big: 1 } : { workers: 1, master: 1, big: 1 });
  });

  test('without machines adds no group', async () => {
    oursOnly('groups without machines');
    const peer = await serve();
    const { id } = await createActive(peer);
    const template = await createWorkers(peer, { name: 'big' });
    const after = await scale(peer, id, {
      add_node_groups: [{ name: 'big', count: 0, node_group_template_id: template }],
    });
    expect(counts(after)).toEqual({ workers: 2, master: 1 });
  });

  test('section 4 rule 6: the template of an added group is in use', async () => {
    const peer = await serve();
    const { id } = await createActive(peer);
    const template = await createWorkers(peer, { name: 'big' });
    await scale(peer, id, { add_node_groups: [{ name: 'big', count: 1, node_group_template_id: template }] });
    expect((await peer.remove(`/v1.0/t/node-group-templates/${template}`)).status).toBe(400);
  });
});

describe('section 4.5 rule 6: refused scales change nothing', () => {
  const group = { name: 'big', count: 1, node_group_template_id: unknownId };

  const refuse = async (body: object, name: string) => {
    if (name === 'QUOTA_ERROR') bundledOnly('the quota');
    const peer = await serve();
    const before = await createActive(peer);
    const reply = await peer.put(`${path}/${before.id}`, body);
    expect([reply.status, reply.body.error_name]).toEqual([400, name]);
    expect((await peer.get(`${path}/${before.id}`)).body.cluster).toEqual(before);
  };

  test.each([
    [{}, 'VALIDATION_ERROR'],
    [{ resize_node_groups: [] }, 'VALIDATION_ERROR'],
    [{ resize_node_groups: [{ name: 'workers', count: -1 }] }, 'VALIDATION_ERROR'],
    [{ resize_node_groups: [{ name: 'workers' }] }, 'VALIDATION_ERROR'],
    [{ resize_node_groups: [{ name: 'workers', count: 1, flavor_id: scene.flavors.small }] }, 'VALIDATION_ERROR'],
    [{ resize_node_groups: { name: 'workers', count: 1 } }, 'VALIDATION_ERROR'],
    [{ resize: [] }, 'VALIDATION_ERROR'],
    [{ resize_node_groups: [{ name: 'none', count: 1 }] }, 'INVALID_REFERENCE'],
    [{ resize_node_groups: [1, 2].map((count) => ({ name: 'workers', count })) }, 'INVALID_DATA'],
    [{ resize_node_groups: [{ name: 'workers', count: 20_000 }] }, 'QUOTA_ERROR'],
    [{ add_node_groups: [group] }, 'NOT_FOUND'],
    [{ add_node_groups: [{ ...group, name: 'workers' }] }, 'INVALID_REFERENCE'],
    [{ add_node_groups: [group, group] }, 'INVALID_DATA'],
  ])('%j: 400 %s', refuse);

  test.each([
    [
      { add_node_groups: [{ name: 'big', count: 1, flavor_id: scene.flavors.small, node_processes: [worker] }] },
      'VALIDATION_ERROR',
    ],
    [{ add_node_groups: [{ ...group, flavor_id: scene.flavors.small }] }, 'VALIDATION_ERROR'],
  ])('groups of their own: %j: 400 %s', async (body, name) => {
    onlyIn('neutral');
    await refuse(body, name);
  });

  test('a cluster that is not Active is not scaled', async () => {
    const clock = new ManualClock();
    const peer = await serve({ clock, stageMs: 100 });
    const groups = [{ name: 'g', count: 1, flavor_id: scene.flavors.small, node_processes: [worker] }];
    const { cluster } = (await peer.post(path, { ...startBody, node_groups: groups })).body;
    const resize = { resize_node_groups: [{ name: 'g', count: 2 }] };
    const refused = await peer.put(`${path}/${cluster.id}`, resize);
    expect([refused.status, refused.body.error_name]).toEqual([400, 'INVALID_REFERENCE']);
    await clock.advance(400);
    expect((await peer.put(`${path}/${cluster.id}`, resize)).status).toBe(202);
    // A newer scale replaces the one under way until that adds machines.
    expect((await peer.put(`${path}/${cluster.id}`, resize)).status).toBe(202);
    await clock.advance(250);
    expect((await peer.put(`${path}/${cluster.id}`, resize)).status).toBe(400);
    await clock.advance(1000);
    expect((await peer.put(`${path}/${cluster.id}`, resize)).status).toBe(202);
    await peer.remove(`${path}/${cluster.id}`);
    expect((await peer.put(`${path}/${cluster.id}`, resize)).status).toBe(400);
  });
});
