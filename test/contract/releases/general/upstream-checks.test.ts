// What upstream checks besides the form of a body, in its order, and what a start that it refuses may leave behind.
import { describe, expect, test } from 'vitest';
import { created, refused } from '../../sections/jobs/section-4-6-support.ts';
import {
  bundledOnly,
  expectWords,
  imageId,
  master,
  patience,
  serve,
  unknownId,
  untilActive,
  worker,
} from '../../support.ts';
import { at, cluster, groupTemplate, inline, late, make, template } from './upstream-support.ts';

const branded = ['sahara', 'savanna'] as const;
/** One that nobody has registered. */
const unregistered = '91d3f7b4-5e20-4c8a-b6f9-0a7d2e4c8b13';

describe.each(branded)('%s: refused', (dialect) => {
  const group = (fields: object) => ({ node_groups: [{ ...inline, ...fields }] });

  test.each([
    ['node-group-templates', { image_id: unregistered }, 'INVALID_REFERENCE'],
    ['node-group-templates', { node_processes: [worker, worker] }, 'INVALID_DATA'],
    ['node-group-templates', { volumes_per_node: 1 }, 'INVALID_REFERENCE'],
    ['cluster-templates', { default_image_id: unregistered }, 'INVALID_REFERENCE'],
    ['cluster-templates', { anti_affinity: [worker, worker] }, 'INVALID_DATA'],
    ['cluster-templates', group({ image_id: unregistered }), 'INVALID_REFERENCE'],
    ['cluster-templates', group({ node_processes: [master, master] }), 'INVALID_DATA'],
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
    expectWords(body, told);
  });

  test('a group to resize that is not there, whatever it is called', async () => {
    const peer = await serve({ dialect });
    const { id } = created(await peer.post(at('clusters'), cluster));
    await expect
      .poll(
        async () => refused(await peer.put(at(`clusters/${id}`), { resize_node_groups: [{ name: '1_x ', count: 1 }] })),
        patience,
      )
      .toEqual([400, 'INVALID_REFERENCE']);
  });
});

describe.each(branded)('%s: a template for another plugin', (dialect) => {
  test('can be used as far as the plugin knows what is in it', async () => {
    bundledOnly('the processes');
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

describe('a start beyond the quota', () => {
  const node_groups = [{ ...inline, count: 3 }];
  const catalog = { quota: 2 };

  test.each(branded)(
    '%s: leaves a row without machines, which is in the way of its name and of nothing else',
    async (dialect) => {
      const peer = await serve({ dialect, catalog });
      expect(refused(await peer.post(at('clusters'), { ...cluster, node_groups }))).toEqual([400, 'QUOTA_ERROR']);
      const [row, ...others] = (await peer.get(at('clusters'))).body.clusters;
      expect(others).toEqual([]);
      expect(row).toMatchObject({
        name: cluster.name,
        status: 'Error',
        status_description: expect.stringContaining('cannot place 3 machines'),
        node_groups: [{ name: 'master', count: 3, instances: [] }],
      });
      expect(refused(await peer.post(at('clusters'), cluster))).toEqual([400, 'NAME_ALREADY_EXISTS']);
      const two = { node_groups: [{ ...inline, count: 2 }] };
      expect((await peer.post(at('clusters'), { ...cluster, name: 'other', ...two })).status).toBe(202);
      expect((await peer.remove(at(`clusters/${row.id}`))).status).toBe(204);
      await expect.poll(async () => (await peer.get(at(`clusters/${row.id}`))).status, patience).toBe(404);
    },
  );

  test.each([...branded, 'neutral'] as const)(
    '%s: so does a scale, which leaves its cluster as it is',
    async (dialect) => {
      const peer = await serve({ dialect, catalog });
      const { neutron_management_network: _, hadoop_version, ...rest } = cluster;
      const plain = { ...rest, bigdata_version: hadoop_version, user_keypair_id: 'k' };
      const { id } = created(await peer.post(at('clusters'), dialect === 'neutral' ? plain : cluster));
      const before = await untilActive(peer, id);
      const resize_node_groups = [{ name: 'master', count: 3 }];
      const refusal = await peer.put(at(`clusters/${id}`), { resize_node_groups });
      expect(refused(refusal)).toEqual([400, 'QUOTA_ERROR']);
      const { status_description, ...after } = (await peer.get(at(`clusters/${id}`))).body.cluster;
      const { status_description: _before, ...same } = before;
      expect(after).toEqual({ ...same, updated_at: after.updated_at });
      if (dialect === 'neutral') expect(status_description).toBeUndefined();
      else expect(status_description).toContain('cannot place 3 machines');
      expect(
        (await peer.put(at(`clusters/${id}`), { resize_node_groups: [{ name: 'master', count: 2 }] })).status,
      ).toBe(202);
      expect(await untilActive(peer, id)).toMatchObject({ node_groups: [{ count: 2 }] });
    },
  );

  test('neutral: leaves nothing', async () => {
    const peer = await serve({ catalog });
    const { name, plugin_name, hadoop_version: bigdata_version, default_image_id } = cluster;
    const body = { name, plugin_name, bigdata_version, default_image_id, user_keypair_id: 'k', node_groups };
    expect(refused(await peer.post(at('clusters'), body))).toEqual([400, 'QUOTA_ERROR']);
    expect((await peer.get(at('clusters'))).body.clusters).toEqual([]);
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
