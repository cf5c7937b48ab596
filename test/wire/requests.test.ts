// Requests are exact: what a service would refuse is refused here, and nothing that it takes is.
import { describe, expect, test } from 'vitest';
import { clusterCreate, clusterScale } from '../../src/wire/cluster.ts';
import { clusterTemplateCreate, nodeGroupRequest } from '../../src/wire/cluster-template.ts';
import { imageRegister, imageTags } from '../../src/wire/image.ts';
import { nodeGroupTemplateCreate } from '../../src/wire/node-group-template.ts';
import { cpuMs } from '../support/cpu.ts';

const id = 'ea34d320-09d7-4dc1-acbf-75b57cec81c9';
const template = {
  name: 'workers',
  plugin_name: 'vanilla',
  bigdata_version: '1.1.2',
  flavor_id: '2',
  node_processes: ['datanode'],
};
const start = {
  name: 'c',
  plugin_name: 'vanilla',
  bigdata_version: '1.1.2',
  default_image_id: id,
  user_keypair_id: 'key',
};

describe('node group template', () => {
  const takes = (fields: object) => nodeGroupTemplateCreate.safeParse({ ...template, ...fields }).success;

  test.each([
    {},
    { volumes_per_node: 0 },
    { volumes_per_node: 2, volumes_size: 10, volume_mount_prefix: '/volumes/disk' },
    { node_configs: { HDFS: { a: 'x', b: 1, c: true } } },
    { floating_ip_pool: 'public', description: '' },
  ])('takes %j', (fields) => expect(takes(fields)).toBe(true));

  test.each([
    { node_processes: [] },
    { flavor_id: 2 },
    { volumes_per_node: -1 },
    { volumes_per_node: null },
    { volumes_size: 0 },
    { volumes_size: 1.5 },
    { volume_mount_prefix: 'volumes' },
    { volume_mount_prefix: '/volumes/' },
    { node_configs: { HDFS: { a: 1.5 } } },
    { node_configs: { HDFS: { a: null } } },
    { node_configs: { HDFS: 'x' } },
    { id },
    { hadoop_version: '1' },
  ])('refuses %j', (fields) => expect(takes(fields)).toBe(false));

  test.each(Object.keys(template))('needs %s', (field) => expect(takes({ [field]: undefined })).toBe(false));
});

describe('names', () => {
  const takes = (name: string) => nodeGroupTemplateCreate.safeParse({ ...template, name }).success;

  test.each(['a', 'A1', 'my-cluster', 'a.b-c.d', 'x'.repeat(50)])('takes %s', (name) => expect(takes(name)).toBe(true));

  test.each(['', '1a', 'a_b', 'a-', '-a', 'a..b', '.a', 'a.', 'a.1b', 'a b', 'a\n', 'é', 'x'.repeat(51)])(
    'refuses %j',
    (name) => expect(takes(name)).toBe(false),
  );

  test('a huge name is refused in no time', () => {
    const before = cpuMs();
    expect(takes('a-'.repeat(1_000_000))).toBe(false);
    expect(cpuMs() - before).toBeLessThan(2000);
  });
});

describe('groups', () => {
  const takes = (fields: object) => nodeGroupRequest.safeParse({ name: 'g', count: 1, ...fields }).success;

  test.each([
    { node_group_template_id: id },
    { node_group_template_id: id.replaceAll('-', '') },
    { flavor_id: '1', node_processes: ['a'] },
    { node_group_template_id: id, count: 0 },
    { node_group_template_id: id, node_configs: { HDFS: {} } },
  ])('takes %j', (fields) => expect(takes(fields)).toBe(true));

  test.each([
    {},
    { flavor_id: '1' },
    { node_processes: ['a'] },
    { node_group_template_id: 'no-uuid' },
    { node_group_template_id: id, count: 1.5 },
    { node_group_template_id: id, count: '1' },
    { node_group_template_id: id, instances: [] },
  ])('refuses %j', (fields) => expect(takes(fields)).toBe(false));

  test('a cluster template may have none', () => {
    const { flavor_id: _, node_processes: __, ...fields } = template;
    expect(clusterTemplateCreate.safeParse(fields).success).toBe(true);
    expect(clusterTemplateCreate.safeParse({ ...fields, node_groups: [] }).success).toBe(true);
  });
});

describe('start', () => {
  const takes = (fields: object) => clusterCreate.safeParse({ ...start, ...fields }).success;

  test.each([
    { cluster_template_id: id },
    { node_groups: [{ name: 'g', count: 1, node_group_template_id: id }] },
    { cluster_template_id: id, cluster_configs: { general: { a: true } }, anti_affinity: ['datanode'] },
    { cluster_template_id: id, user_keypair_id: 'my key_1' },
  ])('takes %j', (fields) => expect(takes(fields)).toBe(true));

  test.each([
    { cluster_template_id: 7 },
    { default_image_id: 'ubuntu' },
    { user_keypair_id: 'a/b' },
    { user_keypair_id: null },
    { status: 'Active' },
    { anti_affinity: 'datanode' },
  ])('refuses %j', (fields) => expect(takes(fields)).toBe(false));
});

describe('scale', () => {
  test.each([
    { resize_node_groups: [{ name: 'g', count: 0 }] },
    { add_node_groups: [{ name: 'h', count: 2, node_group_template_id: id }] },
    { resize_node_groups: [{ name: 'g', count: 1 }], add_node_groups: [] },
  ])('takes %j', (body) => expect(clusterScale.safeParse(body).success).toBe(true));

  test.each([
    {},
    { resize_node_groups: [] },
    { resize_node_groups: [{ name: 'g', count: -1 }] },
    { resize_node_groups: [{ name: 'g', count: 1, node_group_template_id: id }] },
    { add_node_groups: [{ name: 'h', count: 2 }] },
    { resize: [] },
  ])('refuses %j', (body) => expect(clusterScale.safeParse(body).success).toBe(false));
});

describe('images', () => {
  test('registration needs a user name; its description is optional', () => {
    expect(imageRegister.safeParse({ username: 'ubuntu' }).success).toBe(true);
    expect(imageRegister.safeParse({ username: 'ubuntu', description: null }).success).toBe(false);
    expect(imageRegister.safeParse({ description: 'x' }).success).toBe(false);
  });

  test.each([[[]], [['vanilla', '1.1.2', 'a_b-c']]])('tags %j pass', (tags) => {
    expect(imageTags.safeParse({ tags }).success).toBe(true);
  });

  test.each([[['']], [['a b']], [['-a']], [['a.']], ['a']])('tags %j do not', (tags) => {
    expect(imageTags.safeParse({ tags }).success).toBe(false);
  });
});
