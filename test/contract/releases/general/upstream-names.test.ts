// Names and bodies as upstream takes them: underscores in early releases; and what early ones tell.
import { describe, expect, test } from 'vitest';
import { created, createSource, refused, swift } from '../../sections/jobs/section-4-6-support.ts';
import { oursOnly, serve } from '../../support.ts';
import { at, cluster, groupTemplate, inline, late, template } from './upstream-support.ts';

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
