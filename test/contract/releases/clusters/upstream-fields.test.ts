// Every field of templates and clusters as late and early releases show them, and the fields that only late ones take.
import { describe, expect, test } from 'vitest';
import {
  imageId,
  type Json,
  ours,
  oursOnly,
  type Peer,
  scene,
  serve,
  timestamp,
  unknownId,
  untilActive,
  uuid,
} from '../../support.ts';
import { at, cluster, groupTemplate, inline, template } from '../general/upstream-support.ts';

const id = expect.stringMatching(uuid);
const now = timestamp;
const stamps = { created_at: now, updated_at: null };

const early = { image_id: null, floating_ip_pool: null };
const lateShape = {
  ...early,
  volume_type: null,
  volumes_availability_zone: null,
  volume_local_to_instance: false,
  availability_zone: null,
  security_groups: null,
  auto_security_group: false,
  is_proxy_gateway: false,
  shares: null,
  use_autoconfig: true,
  boot_from_volume: false,
  boot_volume_type: null,
  boot_volume_availability_zone: null,
  boot_volume_local_to_instance: false,
};
const filled = { node_configs: {}, volumes_per_node: 0, volumes_size: 0, volume_mount_prefix: '/volumes/disk' };
const owned = { id, tenant_id: 't', description: null, ...stamps };
const lateOwned = { is_public: false, is_protected: false, use_autoconfig: true, shares: null };

const shapes = { sahara: lateShape, savanna: early } as const;
type Spoken = keyof typeof shapes;
const branded = ['sahara', 'savanna'] as const;

const groupOf = (dialect: Spoken, fields: object = {}) => ({
  ...shapes[dialect],
  ...filled,
  ...inline,
  node_group_template_id: null,
  ...stamps,
  ...(dialect === 'sahara' && { id }),
  ...fields,
});
const definition = { default_image_id: null, neutron_management_network: null, cluster_configs: {}, anti_affinity: [] };

async function post(peer: Peer, path: string, body: object): Promise<Json> {
  const reply = await peer.post(at(path), body);
  expect([reply.status, reply.text]).toEqual([202, reply.text]);
  return Object.values(reply.body)[0];
}
const show = async (peer: Peer, path: string, { id: of }: Json): Promise<Json> =>
  Object.values((await peer.get(at(`${path}/${of}`))).body)[0];

describe.each(branded)('%s: every field', (dialect) => {
  const late = dialect === 'sahara';

  test('of a node group template; what was never set is missing in the answer to its creation', async () => {
    const peer = await serve({ dialect });
    const path = 'node-group-templates';
    const made = await post(peer, path, groupTemplate);
    const whole = {
      ...shapes[dialect],
      ...(late && { ...lateOwned, is_default: false }),
      ...owned,
      ...filled,
      ...groupTemplate,
    };
    expect(await show(peer, path, made)).toEqual(whole);
    const { description: _, image_id: __, updated_at: ___, ...sparse } = whole;
    const { shares: ____, ...lateSparse } = { shares: null, ...sparse };
    expect(made).toEqual(lateSparse);
  });

  test('of a cluster template', async () => {
    const peer = await serve({ dialect });
    const made = await post(peer, 'cluster-templates', template);
    expect(made).toEqual({
      ...owned,
      ...(late && { ...lateOwned, is_default: false, domain_name: null }),
      ...definition,
      ...template,
      node_groups: [groupOf(dialect)],
    });
    expect(await show(peer, 'cluster-templates', made)).toEqual(made);
  });

  test('of a cluster, at first and with its machines', async () => {
    const peer = await serve({ dialect, stageMs: (status) => (status === 'Validating' ? 100 : 0) });
    const made = await post(peer, 'clusters', cluster);
    const whole = {
      ...owned,
      updated_at: now,
      ...(late && { ...lateOwned, domain_name: null, anti_affinity_ratio: 1 }),
      ...definition,
      ...cluster,
      cluster_template_id: null,
      user_keypair_id: null,
      trust_id: null,
      is_transient: false,
      status: 'Validating',
      status_description: '',
      info: {},
      management_public_key: expect.stringMatching(/^ssh-rsa [A-Za-z0-9+/]{372} Generated-by-S[a-z]+\n$/),
    };
    expect(made).toEqual({ ...whole, node_groups: [groupOf(dialect, { instances: [] })] });
    const instance = {
      id,
      instance_id: id,
      instance_name: 'cluster-1-master-001',
      internal_ip: expect.stringMatching(/^10\./),
      management_ip: expect.stringMatching(/^172\./),
      created_at: now,
      updated_at: now,
      ...(late ? { dns_hostname: null, storage_devices_number: 0 } : { volumes: [] }),
    };
    const active = await untilActive(peer, made.id);
    expect(active).toEqual({
      ...whole,
      status: 'Active',
      info: expect.any(Object),
      management_public_key: made.management_public_key,
      node_groups: [groupOf(dialect, { updated_at: now, instances: [instance] })],
    });
    const [shown] = active.node_groups[0].instances;
    expect(shown.id).not.toBe(shown.instance_id);
  });
});

const omitVersion = (body: object) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'hadoop_version'));

const share = { id: unknownId, path: '/mnt/data', access_level: 'ro' };
const nodeOptions = {
  volume_type: 'fast',
  volumes_availability_zone: 'here',
  volume_local_to_instance: true,
  availability_zone: 'there',
  security_groups: ['web', unknownId],
  auto_security_group: true,
  is_proxy_gateway: true,
  shares: [share],
  use_autoconfig: false,
};
const clusterOptions = { shares: [{ id: unknownId, path: null }], use_autoconfig: false, domain_name: 'example.org.' };

describe('sahara: the fields of late releases', () => {
  test('are kept, and go from a template into groups, which may have their own', async () => {
    const peer = await serve({ dialect: 'sahara' });
    const made = await post(peer, 'node-group-templates', {
      ...groupTemplate,
      volumes_per_node: 2,
      volumes_size: 5,
      ...nodeOptions,
    });
    expect(made).toMatchObject(nodeOptions);
    const byTemplate = { name: 'g', count: 1, node_group_template_id: made.id };
    const own = { ...inline, ...nodeOptions, description: 'of nobody', is_public: false };
    const node_groups = [byTemplate, { ...byTemplate, name: 'h', security_groups: [], use_autoconfig: true }, own];
    const { node_groups: shown } = await post(peer, 'cluster-templates', {
      ...template,
      ...clusterOptions,
      node_groups,
    });
    expect(shown[0]).toMatchObject(nodeOptions);
    expect(shown[1]).toMatchObject({ ...nodeOptions, security_groups: [], use_autoconfig: true });
    expect(shown[2]).toEqual(groupOf('sahara', nodeOptions));
  });

  test('go from a template into clusters, which may have their own', async () => {
    const peer = await serve({ dialect: 'sahara' });
    const { id: cluster_template_id } = await post(peer, 'cluster-templates', {
      ...template,
      ...clusterOptions,
      description: 'of the template',
      node_groups: [{ ...inline, volumes_per_node: 3, volumes_size: 1 }],
    });
    const { node_groups: _, ...rest } = cluster;
    const like = await post(peer, 'clusters', { ...rest, cluster_template_id });
    expect(like).toMatchObject({ ...clusterOptions, description: 'of the template' });
    const active = await untilActive(peer, like.id);
    expect(active.node_groups[0].instances[0].storage_devices_number).toBe(3);
    const own = { domain_name: null, use_autoconfig: true, shares: [], description: 'mine' };
    expect(await post(peer, 'clusters', { ...rest, name: 'own', cluster_template_id, ...own })).toMatchObject(own);
  });

  test.each([
    ['two shares at one path', [share, { ...share, id: imageId }], 'INVALID_DATA'],
    ['a relative path', [{ ...share, path: 'data' }], 'INVALID_DATA'],
    ['no identifier', [{ path: '/data' }], 'VALIDATION_ERROR'],
    ['another access level', [{ ...share, access_level: 'all' }], 'VALIDATION_ERROR'],
    ['null', null, 'VALIDATION_ERROR'],
  ])('shares with %s are refused', async (_, shares, name) => {
    const peer = await serve({ dialect: 'sahara' });
    for (const [path, body] of [
      ['node-group-templates', groupTemplate],
      ['cluster-templates', template],
    ] as const) {
      const { status, body: answer } = await peer.post(at(path), { ...body, shares });
      expect([status, answer.error_name]).toEqual([400, name]);
    }
  });

  test.each(Object.entries({ ...nodeOptions, is_public: true }))('%s is checked', async (name) => {
    const peer = await serve({ dialect: 'sahara' });
    const { body } = await peer.post(at('node-group-templates'), { ...groupTemplate, [name]: 7 });
    expect(body.error_name).toBe('VALIDATION_ERROR');
    if (ours) expect(body.error_message).toMatch(new RegExp(`^${name}: `));
  });
});

test.each(['is_public', 'is_protected'])('sahara: %s can be sent as false, and is refused as true', async (name) => {
  oursOnly('that nothing is public or protected');
  const peer = await serve({ dialect: 'sahara' });
  for (const [path, body] of [
    ['node-group-templates', groupTemplate],
    ['cluster-templates', template],
    ['clusters', cluster],
  ] as const) {
    const refused = await peer.post(at(path), { ...body, [name]: true });
    expect([refused.status, refused.body.error_name]).toEqual([400, 'VALIDATION_ERROR']);
    expect(refused.body.error_message).toContain(`${name}: must be false`);
    expect(await post(peer, path, { ...body, [name]: false })).toMatchObject({ [name]: false });
  }
});

describe.each(['neutral', 'savanna'] as const)('%s', (dialect) => {
  const word = dialect === 'neutral' ? { bigdata_version: scene.version } : { hadoop_version: scene.version };
  const spoken = (body: object) => ({ ...omitVersion(body), ...word });

  test.each([
    ['node-group-templates', groupTemplate, nodeOptions],
    ['cluster-templates', template, clusterOptions],
    ['clusters', cluster, clusterOptions],
  ])('%s have none of them, nor have their groups', async (path, body, options) => {
    oursOnly('which problems a message tells');
    const peer = await serve({ dialect });
    const refused = async (sent: object) => (await peer.post(at(path), spoken(sent))).body.error_message as string;
    for (const name of Object.keys(options)) {
      expect(await refused({ ...body, ...options })).toContain(`${name}: unknown field`);
      if ('node_groups' in body && name in nodeOptions)
        expect(await refused({ ...body, node_groups: [{ ...inline, ...nodeOptions }] })).toContain(
          `node_groups[0][${name}]: unknown field`,
        );
    }
  });
});
