// Names and bodies as upstream takes them: underscores in early releases, a line end that it overlooks; and what early ones tell.
import { describe, expect, test } from 'vitest';
import { created, createSource, refused, swift } from '../../sections/jobs/section-4-6-support.ts';
import { imageId, onlyHere, onlyIn, oursOnly, serve } from '../../support.ts';
import { at, cluster, groupTemplate, inline, late, template } from './upstream-support.ts';

const branded = ['sahara', 'savanna'] as const;

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
    oursOnly('which problems a message tells');
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
    onlyHere('it needs names that are not made unique');
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
    onlyHere('it needs names that are not made unique');
    const peer = await serve({ dialect });
    expect((await peer.post(at('data-sources'), named(swift, 'a'.repeat(49)))).status).toBe(202);
    for (const name of ['a'.repeat(50), 'a\n', 'a\r', ''])
      expect(refused(await peer.post(at('data-sources'), named(swift, name)))).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('neutral: is refused', async () => {
    onlyIn('neutral');
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
