// Names, types and bounds of fields, as real services have them where section 8 shows none.
import { describe, expect, test } from 'vitest';
import {
  bundledOnly,
  configs,
  configTarget,
  expectWords,
  imageId,
  master,
  onlyIn,
  ours,
  pluginFields,
  scene,
  serve,
  smallGroup,
  startBody,
  worker,
  workers,
} from '../../support.ts';

const inline = smallGroup;
const plain = { ...pluginFields };

/** A body of each kind with this name, and where it goes. */
const named: readonly (readonly [kind: string, path: string, body: (name: string) => object])[] = [
  ['node group template', 'node-group-templates', (name) => ({ ...workers, name })],
  ['cluster template', 'cluster-templates', (name) => ({ ...plain, name })],
  ['cluster', 'clusters', (name) => ({ ...startBody, node_groups: [inline], name })],
  [
    'group of a cluster template',
    'cluster-templates',
    (name) => ({ ...plain, name: 'x', node_groups: [{ ...inline, name }] }),
  ],
  ['group of a cluster', 'clusters', (name) => ({ ...startBody, name: 'x', node_groups: [{ ...inline, name }] })],
];

describe.each(named)('the name of a %s', (kind, path, body) => {
  test.each(['a', 'Z', 'a1', 'my-name', 'a.b', 'a-1.b-2.c', 'x'.repeat(44)])('may be %s', async (name) => {
    const peer = await serve();
    expect((await peer.post(`/v1.0/t/${path}`, body(name))).status).toBe(202);
  });

  test.each(['', ' ', '1a', '-a', 'a-', 'a_b', 'a b', 'a/b', '.a', 'a.', 'a..b', 'a.1', 'ä', 'a\n', 'x'.repeat(51)])(
    'may not be %j',
    async (name) => {
      // Releases of upstream overlook a line end; early ones take underscores where a name is no host's.
      if (name.endsWith('\n')) onlyIn('neutral');
      if (name === 'a_b' && kind !== 'cluster') onlyIn('neutral', 'sahara');
      const peer = await serve();
      const reply = await peer.post(`/v1.0/t/${path}`, body(name));
      expect([reply.status, reply.body.error_name]).toEqual([400, 'VALIDATION_ERROR']);
      expectWords(reply.body, 'name');
    },
  );

  test.each([null, 7, true, ['a'], { a: 1 }])('is a string, not %j', async (name) => {
    const peer = await serve();
    // A wrong type is what this is about.
    expect((await peer.post(`/v1.0/t/${path}`, body(name as unknown as string))).status).toBe(400);
  });
});

describe('host names', () => {
  const start = (name: string, group: string) => ({ ...startBody, name, node_groups: [{ ...inline, name: group }] });

  test('cluster and group together have at most 49 characters', async () => {
    const peer = await serve();
    expect((await peer.post('/v1.0/t/clusters', start('c'.repeat(25), 'g'.repeat(24)))).status).toBe(202);
    const reply = await peer.post('/v1.0/t/clusters', start('d'.repeat(25), 'g'.repeat(25)));
    expect([reply.status, reply.body.error_name]).toEqual([400, 'INVALID_DATA']);
    expectWords(reply.body, 'longer than 64 characters');
  });

  test('a cluster template does not know the name of the cluster, so it takes long ones', async () => {
    const peer = await serve();
    const body = { ...plain, name: 'x', node_groups: [{ ...inline, name: 'g'.repeat(50) }] };
    expect((await peer.post('/v1.0/t/cluster-templates', body)).status).toBe(202);
  });
});

describe('fields of a node group template', () => {
  const post = async (fields: object) =>
    (await (await serve()).post('/v1.0/t/node-group-templates', { ...workers, ...fields })).status;

  test.each([
    { volumes_per_node: 0 },
    { volumes_per_node: 5, volumes_size: 1 },
    { volume_mount_prefix: '/a' },
    { volume_mount_prefix: '/a/b-c_d/e1' },
    { node_configs: {} },
    { node_configs: scene.options.text ? { [configTarget]: {} } : {} },
    { node_configs: configs({ text: '1', flag: false, number: 1 }) },
    { flavor_id: 'd720a061-2a38-4a70-b45a-0b70a1c4f3a4' },
    { description: '' },
  ])('%j is taken', async (fields) => {
    if ('flavor_id' in fields) bundledOnly('any flavor');
    expect(await post(fields)).toBe(202);
  });

  test.each([
    { volumes_per_node: 1.5 },
    { volumes_per_node: '1' },
    { volumes_size: 0 },
    { volumes_size: -1 },
    { volume_mount_prefix: '' },
    { volume_mount_prefix: 'a' },
    { volume_mount_prefix: '/a/' },
    { volume_mount_prefix: '/a b' },
    { node_configs: [] },
    { node_configs: { [configTarget]: [] } },
    { node_configs: { [configTarget]: { x: null } } },
    { node_configs: { [configTarget]: { x: {} } } },
    { node_processes: [] },
    { node_processes: worker },
    { node_processes: [''] },
    { flavor_id: 2 },
    { flavor_id: '' },
    { flavor_id: '0' },
    { description: 7 },
  ])('%j is refused', async (fields) => expect(await post(fields)).toBe(400));
});

describe('fields of a cluster', () => {
  const post = async (fields: object) =>
    (await serve()).post('/v1.0/t/clusters', { ...startBody, node_groups: [inline], ...fields });

  test.each([
    { user_keypair_id: 'My key_1-2' },
    { default_image_id: imageId.replaceAll('-', '') },
    { default_image_id: imageId.toUpperCase() },
    { anti_affinity: [] },
    { node_groups: [] },
    { node_groups: [{ ...inline, count: -1 }] },
    { description: 'text' },
  ])('%j is taken', async (fields) => {
    if ('node_groups' in fields) bundledOnly('the layouts');
    const { status, body } = await post(fields);
    // Others may not have that key pair, and may compare identifiers as texts.
    const isUnknown = !ours && ['NOT_FOUND', 'INVALID_REFERENCE'].includes(body.error_name);
    expect([status, body]).toEqual([isUnknown ? 400 : 202, body]);
  });

  test.each([
    { user_keypair_id: '' },
    { user_keypair_id: 'a.b' },
    { default_image_id: imageId.slice(1) },
    { default_image_id: `${imageId}0` },
    { anti_affinity: master },
    { anti_affinity: [1] },
    { node_groups: {} },
    { node_groups: [null] },
    { node_groups: [{ ...inline, count: null }] },
    { cluster_configs: { [configTarget]: 1 } },
    { instances: [] },
  ])('%j is refused', async (fields) => expect((await post(fields)).status).toBe(400));
});
