// PUT of node group templates in late upstream releases: what can be changed, and what is refused.
import { describe, expect, test } from 'vitest';
import { refused } from '../../sections/jobs/section-4-6-support.ts';
import {
  bundledOnly,
  configs,
  expectWords,
  imageId,
  type Peer,
  pool,
  scene,
  timestamp,
  unknownId,
} from '../../support.ts';
import { at, groupTemplate, late, make, show } from '../general/upstream-support.ts';

const groups = 'node-group-templates';
const put = (peer: Peer, path: string, body: unknown, tenant = 't') => peer.put(at(path, tenant), body);

describe('sahara: PUT /node-group-templates/{id}', () => {
  test.each(['v1.0', 'v1.1'])('202 with what it has become, under %s', async (version) => {
    bundledOnly('the processes');
    const peer = await late();
    const before = await make(peer, groups);
    const change = {
      name: 'renamed',
      description: 'mine',
      flavor_id: scene.flavors.large,
      node_processes: ['tasktracker'],
      node_configs: { HDFS: { 'dfs.datanode.handler.count': '5' } },
      volumes_per_node: 2,
      volumes_size: 20,
      volume_mount_prefix: '/mnt/data',
      floating_ip_pool: pool,
      image_id: unknownId,
      is_public: true,
    };
    const reply = await peer.put(`/${version}/t/${groups}/${before.id}`, change);
    const after = await show(peer, groups, before.id);
    expect([reply.status, reply.body]).toEqual([202, { node_group_template: after }]);
    expect(after).toMatchObject({ ...change, id: before.id, plugin_name: 'vanilla', created_at: before.created_at });
    expect(after.updated_at).toEqual(timestamp);
  });

  test('what is not given stays, and nothing has to be given', async () => {
    const peer = await late();
    const before = await make(peer, groups, { description: 'mine' });
    const { body } = await put(peer, `${groups}/${before.id}`, { flavor_id: scene.flavors.small });
    const { updated_at: _, ...after } = body.node_group_template;
    expect(after).toMatchObject({ ...before, flavor_id: scene.flavors.small });
    expect((await put(peer, `${groups}/${before.id}`, {})).status).toBe(202);
  });

  test('null is kept where there can be nothing', async () => {
    const peer = await late();
    const fields = { description: 'x', floating_ip_pool: pool, image_id: imageId, volume_mount_prefix: '/a' };
    const sized = { volumes_per_node: 1, volumes_size: 5, node_configs: configs({ text: '2' }) };
    const { id } = await make(peer, groups, { ...fields, ...sized, is_public: true });
    const names = [...Object.keys(fields), 'volumes_size', 'node_configs', 'is_public'];
    const { body } = await put(peer, `${groups}/${id}`, Object.fromEntries(names.map((name) => [name, null])));
    expect(body.node_group_template).toMatchObject({
      description: null,
      floating_ip_pool: null,
      image_id: null,
      volume_mount_prefix: null,
      volumes_size: null,
      node_configs: null,
      is_public: null,
      volumes_per_node: 1,
    });
  });

  test.each([
    [{ name: null }, 'VALIDATION_ERROR', 'name: '],
    [{ flavor_id: null }, 'VALIDATION_ERROR', 'flavor_id: '],
    [{ plugin_name: null }, 'VALIDATION_ERROR', 'plugin_name: '],
    [{ hadoop_version: null }, 'VALIDATION_ERROR', 'hadoop_version: '],
    [{ node_processes: null }, 'VALIDATION_ERROR', 'node_processes: '],
    [{ volumes_per_node: null }, 'VALIDATION_ERROR', 'volumes_per_node: '],
    [{ id: unknownId }, 'VALIDATION_ERROR', 'id: unknown field'],
    [{ bigdata_version: '1.2.1' }, 'VALIDATION_ERROR', 'bigdata_version: unknown field'],
    [{ count: 2 }, 'VALIDATION_ERROR', 'count: unknown field'],
    [{ name: 'no_such_letters' }, 'VALIDATION_ERROR', 'name: '],
    [{ is_protected: 'yes' }, 'VALIDATION_ERROR', 'is_protected: '],
    [{ plugin_name: 'fake' }, 'INVALID_REFERENCE', 'hadoop_version has to be given'],
    [{ plugin_name: 'no', hadoop_version: '1' }, 'INVALID_REFERENCE', 'no such plugin'],
    [{ hadoop_version: '9' }, 'INVALID_REFERENCE', 'its versions are'],
    [{ node_processes: ['nothing'] }, 'INVALID_REFERENCE', 'cannot run process nothing'],
    [{ node_configs: { HDFS: { no: 1 } } }, 'INVALID_REFERENCE', 'no such configuration'],
    [{ flavor_id: '9' }, 'NOT_FOUND', 'no such flavor'],
    [{ volumes_per_node: 1 }, 'INVALID_REFERENCE', 'volumes_size is not given'],
    [[], 'VALIDATION_ERROR', ''],
  ])('%j: %s', async (body, name, text) => {
    const peer = await late();
    const { id } = await make(peer, groups);
    const before = await show(peer, groups, id);
    const reply = await put(peer, `${groups}/${id}`, body);
    expect(refused(reply)).toEqual([400, name]);
    expectWords(reply.body, text);
    expect(await show(peer, groups, id)).toEqual(before);
  });

  test('another plugin comes with its version', async () => {
    bundledOnly('the plugins');
    const peer = await late();
    const { id } = await make(peer, groups);
    const change = { plugin_name: 'spark', hadoop_version: '2.3', node_processes: ['slave'] };
    expect((await put(peer, `${groups}/${id}`, change)).body.node_group_template).toMatchObject(change);
  });

  test('404 for one that is not there, whatever the body is', async () => {
    const peer = await late();
    expect(refused(await put(peer, `${groups}/${unknownId}`, { no: 1 }))).toEqual([404, 'NOT_FOUND']);
  });

  test('a used name is DB_DUPLICATE_ENTRY; its own is no other', async () => {
    const peer = await late();
    const { id } = await make(peer, groups);
    await make(peer, groups, { name: 'taken' });
    expect(refused(await put(peer, `${groups}/${id}`, { name: 'taken' }))).toEqual([400, 'DB_DUPLICATE_ENTRY']);
    expect((await put(peer, `${groups}/${id}`, { name: groupTemplate.name })).status).toBe(202);
    expect((await put(peer, `${groups}/${id}`, { name: 'other' })).status).toBe(202);
    expect((await peer.post(at(groups), groupTemplate)).status).toBe(202);
  });
});
