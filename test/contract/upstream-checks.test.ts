// What upstream checks besides the form of a body, in its order; and what early releases take and tell.
import { describe, expect, test } from 'vitest';
import { created, createSource, refused, swift } from './section-4-6-support.ts';
import { imageId, serve, unknownId } from './support.ts';
import { at, change, cluster, groupTemplate, inline, late, make, template } from './upstream-support.ts';

const branded = ['sahara', 'savanna'] as const;
/** One that nobody has registered. */
const unregistered = '91d3f7b4-5e20-4c8a-b6f9-0a7d2e4c8b13';

describe.each(branded)('%s: refused', (dialect) => {
  const group = (fields: object) => ({ node_groups: [{ ...inline, ...fields }] });

  test.each([
    ['node-group-templates', { image_id: unregistered }, 'INVALID_REFERENCE'],
    ['node-group-templates', { node_processes: ['datanode', 'datanode'] }, 'INVALID_DATA'],
    ['node-group-templates', { volumes_per_node: 1 }, 'INVALID_REFERENCE'],
    ['cluster-templates', { default_image_id: unregistered }, 'INVALID_REFERENCE'],
    ['cluster-templates', { anti_affinity: ['datanode', 'datanode'] }, 'INVALID_DATA'],
    ['cluster-templates', group({ image_id: unregistered }), 'INVALID_REFERENCE'],
    ['cluster-templates', group({ node_processes: ['namenode', 'namenode'] }), 'INVALID_DATA'],
    ['clusters', { default_image_id: unregistered }, 'INVALID_REFERENCE'],
    ['clusters', group({ image_id: unregistered }), 'INVALID_REFERENCE'],
  ])('%s with %j', async (path, fields, name) => {
    const bodies = { 'node-group-templates': groupTemplate, 'cluster-templates': template, clusters: cluster };
    const peer = await serve({ dialect });
    const reply = await peer.post(at(path), { ...bodies[path as keyof typeof bodies], ...fields });
    expect(refused(reply)).toEqual([400, name]);
  });

  test('an image that the cloud does not have is one that is not registered', async () => {
    const catalog = { images: [{ id: imageId, name: 'here', registered: true }] };
    const peer = await serve({ dialect, catalog });
    const reply = await peer.post(at('clusters'), { ...cluster, default_image_id: unknownId });
    expect(refused(reply)).toEqual([400, 'INVALID_REFERENCE']);
  });

  test.each([
    [{ node_configs: { Nothing: {} }, flavor_id: '77', node_processes: ['none'] }, 'Nothing'],
    [{ flavor_id: '77', node_processes: ['none'] }, '77'],
    [{ node_processes: ['none'], image_id: unregistered }, 'none'],
    [{ image_id: unregistered, volumes_per_node: 1 }, unregistered],
  ])('%j: for the first of its problems', async (fields, told) => {
    const peer = await serve({ dialect });
    const { body } = await peer.post(at('node-group-templates'), { ...groupTemplate, ...fields });
    expect(body.error_message).toContain(told);
  });

  test('a group to resize that is not there, whatever it is called', async () => {
    const peer = await serve({ dialect });
    const { id } = created(await peer.post(at('clusters'), cluster));
    await expect
      .poll(async () =>
        refused(await peer.put(at(`clusters/${id}`), { resize_node_groups: [{ name: '1_x ', count: 1 }] })),
      )
      .toEqual([400, 'INVALID_REFERENCE']);
  });
});

describe.each(branded)('%s: a template for another plugin', (dialect) => {
  test('can be used as far as the plugin knows what is in it', async () => {
    const peer = await serve({ dialect });
    const { id } = created(
      await peer.post(at('node-group-templates'), { ...groupTemplate, node_processes: ['tasktracker'] }),
    );
    const node_groups = [{ ...inline, node_processes: ['jobtracker'] }];
    const { id: template_id } = created(await peer.post(at('cluster-templates'), { ...template, node_groups }));
    const by = { node_groups: [{ name: 'g', count: 1, node_group_template_id: id }] };
    const other = await peer.post(at('cluster-templates'), { ...template, name: 'o', hadoop_version: '1.1.2', ...by });
    expect([other.status, other.body.error_name]).toEqual([202, undefined]);
    const spark = { plugin_name: 'spark', hadoop_version: '1.6.0' };
    const foreign = await peer.post(at('cluster-templates'), { ...template, name: 'f', ...spark, ...by });
    expect(refused(foreign)).toEqual([400, 'INVALID_REFERENCE']);
    const { node_groups: _, ...start } = cluster;
    const begun = await peer.post(at('clusters'), { ...start, ...spark, cluster_template_id: template_id });
    expect(refused(begun)).toEqual([400, 'INVALID_REFERENCE']);
  });
});

test('sahara: a group that asks for volumes says itself how large they are, whatever its template has', async () => {
  const peer = await late();
  const { id } = await make(peer, 'node-group-templates', { volumes_per_node: 1, volumes_size: 5 });
  const by = { name: 'g', count: 1, node_group_template_id: id };
  const post = (fields: object) =>
    peer.post(at('cluster-templates'), { ...template, node_groups: [{ ...by, ...fields }] });
  expect(refused(await post({ volumes_per_node: 2 }))).toEqual([400, 'INVALID_REFERENCE']);
  expect((await post({ volumes_per_node: 2, volumes_size: 5 })).status).toBe(202);
});

test.each([
  ['node-group-templates', { image_id: unregistered }],
  ['cluster-templates', { default_image_id: unregistered }],
] as const)('sahara: a change of one of %s to %j is refused', async (path, fields) => {
  const peer = await late();
  const { id } = await make(peer, path);
  expect(refused(await change(peer, path, id, fields))).toEqual([400, 'INVALID_REFERENCE']);
});

describe('savanna', () => {
  test('all that is wrong with a body is told at once, also what only late releases know', async () => {
    const peer = await serve({ dialect: 'savanna' });
    const { status, body } = await peer.post(at('cluster-templates'), {
      name: 7,
      domain_name: 'd.',
      colour: 'red',
      node_groups: [{ ...inline, flavor_id: 'm1.small', availability_zone: 'here', count: 'x' }],
    });
    expect([status, body.error_name]).toEqual([400, 'VALIDATION_ERROR']);
    expect(body.error_message.split('\n').map((line: string) => line.split(':')[0])).toEqual(
      expect.arrayContaining([
        'name',
        'plugin_name',
        'hadoop_version',
        'colour',
        'domain_name',
        'node_groups[0][count]',
        'node_groups[0][flavor_id]',
        'node_groups[0][availability_zone]',
      ]),
    );
  });

  test('names of templates and groups take underscores, those of clusters do not', async () => {
    const peer = await serve({ dialect: 'savanna' });
    const named = (body: object) => ({ ...body, name: 'a_b.c_1' });
    expect((await peer.post(at('node-group-templates'), named(groupTemplate))).status).toBe(202);
    expect(
      (await peer.post(at('cluster-templates'), named({ ...template, node_groups: [named(inline)] }))).status,
    ).toBe(202);
    expect((await peer.post(at('clusters'), { ...cluster, node_groups: [named(inline)] })).status).toBe(202);
    expect(refused(await peer.post(at('clusters'), named(cluster)))).toEqual([400, 'VALIDATION_ERROR']);
    for (const name of ['_a', 'a_', '1a', 'a'.repeat(51)])
      expect(refused(await peer.post(at('node-group-templates'), { ...groupTemplate, name }))).toEqual([
        400,
        'VALIDATION_ERROR',
      ]);
  });

  test('sahara: they do not', async () => {
    expect(refused(await (await late()).post(at('node-group-templates'), { ...groupTemplate, name: 'a_b' }))).toEqual([
      400,
      'VALIDATION_ERROR',
    ]);
  });
});

describe('a line end behind a name', () => {
  const named = (body: { readonly name: string }, name = body.name) => ({ ...body, name: `${name}\n` });

  test.each(branded)('%s: is taken, and kept', async (dialect) => {
    const peer = await serve({ dialect });
    const mount = { volume_mount_prefix: '/data\n' };
    const made = created(await peer.post(at('node-group-templates'), { ...named(groupTemplate), ...mount }));
    expect(made).toMatchObject({ name: 'workers\n', ...mount });
    expect((await peer.post(at('node-group-templates'), groupTemplate)).status).toBe(202);
    const whole = created(await peer.post(at('cluster-templates'), { ...template, node_groups: [named(inline)] }));
    expect(whole.node_groups[0].name).toBe('master\n');
    expect((await peer.post(at('clusters'), { ...named(cluster), user_keypair_id: 'key\n' })).status).toBe(202);
    expect((await peer.post(at('data-sources'), named(swift))).status).toBe(202);
    const tagged = await peer.post(at(`images/${imageId}/tag`), { tags: ['own\n'] });
    expect(tagged.body.image.tags).toContain('own\n');
  });

  test.each(branded)('%s: counts, and is alone', async (dialect) => {
    const peer = await serve({ dialect });
    expect((await peer.post(at('data-sources'), named(swift, 'a'.repeat(49)))).status).toBe(202);
    for (const name of ['a'.repeat(50), 'a\n', 'a\r', ''])
      expect(refused(await peer.post(at('data-sources'), named(swift, name)))).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('neutral: is refused', async () => {
    const peer = await serve();
    expect(refused(await peer.post(at('data-sources'), named(swift)))).toEqual([400, 'VALIDATION_ERROR']);
  });
});

describe('what is needed to read the data', () => {
  const extra = { user: 'u', password: 'p' };
  const binary = { name: 'script', url: 'swift://c/o', extra };

  test('is given back by early releases', async () => {
    const peer = await serve({ dialect: 'savanna' });
    const source = await createSource(peer);
    expect(source.credentials).toEqual(swift.credentials);
    expect((await peer.get(at('data-sources'))).body.data_sources).toMatchObject([{ credentials: swift.credentials }]);
    const made = created(await peer.post(at('job-binaries'), binary));
    const job = created(await peer.post(at('jobs'), { name: 'j', type: 'Pig', mains: [made.id] }));
    expect([made.extra, job.mains[0].extra]).toEqual([extra, extra]);
  });

  test('is null there when there is none, and missing in the answer to the create', async () => {
    const peer = await serve({ dialect: 'savanna' });
    const { id: bytes } = created(await peer.send('PUT', at('job-binary-internals/b'), 'bytes'));
    const made = created(await peer.post(at('job-binaries'), { name: 'b', url: `savanna-db://${bytes}` }));
    expect(made).not.toHaveProperty('extra');
    expect((await peer.get(at(`job-binaries/${made.id}`))).body.job_binary).toHaveProperty('extra', null);
  });

  test.each(['neutral', 'sahara'] as const)('is not told by %s', async (dialect) => {
    const peer = await serve({ dialect });
    expect(await createSource(peer)).not.toHaveProperty('credentials');
    expect(created(await peer.post(at('job-binaries'), binary))).not.toHaveProperty('extra');
  });
});
