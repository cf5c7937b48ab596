// Null in requests: late releases keep it, and show it in place of a default, but for one field that then has its default; early ones refuse it.
import { describe, expect, test } from 'vitest';
import { refused } from '../../sections/jobs/section-4-6-support.ts';
import {
  bundledOnly,
  configs,
  expectWords,
  type Json,
  onlyIn,
  oursOnly,
  type Peer,
  promised,
  serve,
  untilActive,
} from '../../support.ts';
import {
  at,
  cluster,
  groupTemplate,
  inline,
  late,
  make,
  type Path,
  paths,
  show,
  template,
} from './upstream-support.ts';

const nullsOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));

const ofNodes = [
  'node_configs',
  'volumes_size',
  'volume_mount_prefix',
  'volume_type',
  'volumes_availability_zone',
  'volume_local_to_instance',
  'floating_ip_pool',
  'image_id',
  'security_groups',
  'auto_security_group',
  'availability_zone',
  'is_proxy_gateway',
];
const ofAll = ['is_public', 'is_protected'];
const ofGroupTemplates = [...ofNodes, ...ofAll, 'description'];
const ofTemplates = [
  'default_image_id',
  'cluster_configs',
  'anti_affinity',
  'description',
  'neutron_management_network',
  'domain_name',
  ...ofAll,
];

const createGroups = async (peer: Peer, fields: object): Promise<readonly Json[]> =>
  (await make(peer, 'cluster-templates', { node_groups: [{ ...inline, ...fields }] })).node_groups;

describe('sahara: what is sent as null', () => {
  test.each([
    ['node-group-templates', ofGroupTemplates],
    ['cluster-templates', ofTemplates],
    ['data-sources', ofAll],
    ['job-binaries', ofAll],
    ['jobs', ofAll],
  ] as const)('to %s is null in the answer, and stays so', async (path, names) => {
    const peer = await late();
    const nulls = nullsOf(names);
    const made = await make(peer, path, nulls);
    expect(made).toMatchObject(nulls);
    expect(await show(peer, path, made.id)).toMatchObject(nulls);
    const others = await make(peer, path, { name: 'other' });
    expect(others).toMatchObject({ is_public: false, is_protected: false });
  });

  test('to clusters, too', async () => {
    const peer = await late();
    const nulls = nullsOf(['description', 'domain_name', ...ofAll]);
    const made = await make(peer, 'clusters', nulls);
    expect(made).toMatchObject(nulls);
    expect(await untilActive(peer, made.id)).toMatchObject(nulls);
  });

  test('to clusters as their anti-affinity, too, which then start', async () => {
    const peer = await late();
    const nulls = { anti_affinity: null };
    const made = await make(peer, 'clusters', nulls);
    expect(made).toMatchObject(nulls);
    oursOnly(
      'that a cluster with null for its anti-affinity starts: late releases store the null, and then fail on it',
    );
    expect(await untilActive(peer, made.id)).toMatchObject(nulls);
  });

  test('to clusters as their configurations is merged: nothing', async () => {
    expect(await make(await late(), 'clusters', { cluster_configs: null })).toMatchObject({ cluster_configs: {} });
  });

  test('is true where a plugin may choose what is not configured, whatever the template has', async () => {
    const peer = await late();
    const unset = { use_autoconfig: null };
    const set = { use_autoconfig: true };
    const { id, use_autoconfig } = await make(peer, 'node-group-templates', { use_autoconfig: false });
    expect([use_autoconfig, await make(peer, 'node-group-templates', { ...unset, name: 'other' })]).toEqual([
      false,
      expect.objectContaining(set),
    ]);
    const by = { name: 'g', count: 1, node_group_template_id: id };
    const groups = [{ ...inline, ...unset }, by, { ...by, name: 'h', ...unset }];
    const made = await make(peer, 'cluster-templates', { ...unset, node_groups: groups });
    expect(made).toMatchObject({ ...set, node_groups: [set, { use_autoconfig: false }, set] });
    expect(await make(peer, 'clusters', unset)).toMatchObject(set);
  });

  test('is not missing in a sparse answer; what was not sent is', async () => {
    const peer = await late();
    const made = await make(peer, 'node-group-templates', { image_id: null });
    expect(made).toHaveProperty('image_id', null);
    expect(made).not.toHaveProperty('description');
  });

  test.each([
    ['node-group-templates', 'volumes_per_node'],
    ['node-group-templates', 'shares'],
    ['node-group-templates', 'flavor_id'],
    ['node-group-templates', 'node_processes'],
    ['cluster-templates', 'shares'],
    ['clusters', 'user_keypair_id'],
    ['clusters', 'cluster_template_id'],
    ['clusters', 'is_transient'],
    ['data-sources', 'description'],
    ['job-binaries', 'description'],
    ['jobs', 'description'],
  ] as const)('to %s in %s is refused', async (path, name) => {
    const { status, body } = await (await late()).post(at(path), { [name]: null });
    expect([status, body.error_name, body.error_message]).toEqual([
      400,
      'VALIDATION_ERROR',
      promised(expect.any(String), expect.stringMatching(new RegExp(`^${name}: `, 'm'))),
    ]);
  });

  test('in a group wins over its template, but for what is merged', async () => {
    const peer = await late();
    const node_configs = configs({ text: '2' });
    const own = { volumes_size: 7, volume_mount_prefix: '/data', availability_zone: 'here', node_configs };
    const { id } = await make(peer, 'node-group-templates', { ...own, volume_type: null, floating_ip_pool: null });
    const by = { name: 'g', count: 1, node_group_template_id: id };
    const [plain, over] = (
      await make(peer, 'cluster-templates', {
        node_groups: [by, { ...by, name: 'h', ...nullsOf(Object.keys(own)), volume_type: 'fast' }],
      })
    ).node_groups;
    expect(plain).toMatchObject({ ...own, volume_type: null, floating_ip_pool: null });
    expect(over).toMatchObject({ ...nullsOf(Object.keys(own)), node_configs, volume_type: 'fast' });
  });

  test('in a group of its own stays, and what says nothing of nodes is not shown', async () => {
    const [shown] = await createGroups(await late(), nullsOf(ofGroupTemplates));
    expect(shown).toMatchObject(nullsOf(ofNodes));
    expect(Object.keys(shown)).not.toEqual(expect.arrayContaining(['description']));
    expect(Object.keys(shown)).not.toContain('is_public');
  });

  test('in a start wins over the template, where it still counts as given', async () => {
    bundledOnly('the layouts');
    const peer = await late();
    const { node_groups, default_image_id, neutron_management_network, ...start } = cluster;
    const given = { default_image_id, neutron_management_network, domain_name: 'd.', anti_affinity: null };
    const { id } = await make(peer, 'cluster-templates', { ...given, node_groups });
    const nulls = nullsOf(['default_image_id', 'neutron_management_network', 'domain_name']);
    const reply = await peer.post(at('clusters'), { ...start, cluster_template_id: id, ...nulls, node_groups: null });
    expect([reply.status, reply.body.cluster]).toEqual([
      202,
      expect.objectContaining({ ...nulls, anti_affinity: null, node_groups: [] }),
    ]);
    const like = await peer.post(at('clusters'), { ...start, name: 'like', cluster_template_id: id });
    expect(like.body.cluster).toMatchObject({ ...given, node_groups });
  });

  test('no groups at all is an empty list', async () => {
    expect(await make(await late(), 'cluster-templates', { node_groups: null })).toMatchObject({ node_groups: [] });
  });
});

describe('savanna', () => {
  const early: readonly Path[] = paths.filter((path) => !['jobs', 'job-executions'].includes(path));
  test.each(early)('refuses null in %s', async (path) => {
    const peer = await serve({ dialect: 'savanna' });
    const reply = await peer.post(at(path), { ...template, description: null });
    expect(refused(reply)).toEqual([400, 'VALIDATION_ERROR']);
    expectWords(reply.body, 'description: ');
  });
});

test('neutral: null is as good as not sent', async () => {
  onlyIn('neutral');
  const peer = await serve();
  const { hadoop_version, ...rest } = groupTemplate;
  const body = { ...rest, bigdata_version: hadoop_version, volumes_size: null, node_configs: null, description: null };
  const made = (await peer.post(at('node-group-templates'), body)).body.node_group_template;
  expect(made).toMatchObject({ volumes_size: 10, node_configs: {} });
  expect(made).not.toHaveProperty('description');
});
