// How an existing object differs from the request that would make it: by the words of the spec, and without what nobody set.
import { describe, expect, test } from 'vitest';
import { objectDifference } from '../../../../src/operator/reconcile/observe/object-difference.ts';

const identifier = '2b97ba2c-4e0f-4f5d-9c1a-0a1b2c3d4e5f';
const template = {
  description: identifier,
  id: 'id-1',
  name: 'small',
  plugin_name: 'spark',
  hadoop: null,
  cluster_template_id: identifier,
  network_management_network: identifier,
  libs: [{ id: identifier }],
  flavor_id: 2,
  node_processes: ['worker', 'datanode'],
  cluster_configs: { Spark: { cores: 2, 'spark.password': 'theirs' } },
  node_groups: [
    { id: 'g-1', name: 'worker', count: 2, node_group_template_id: 'ngt', volumes_size: 10 },
    { id: 'g-2', name: 'gone', count: 0 },
  ],
  mains: [{ id: 'jb-1', name: 'a' }, { id: 'jb-2' }],
  interface: [{ name: 'rows', mapping_type: 'args', required: true }],
};

describe('an object is equal', () => {
  test.each([
    ['under another name', { name: 'other' }],
    ['where it has more', { plugin_name: 'spark' }],
    ['with a number as text', { flavor_id: '2' }],
    ['with the members of a set in another order', { node_processes: ['datanode', 'worker'] }],
    ['in the options that are set', { cluster_configs: { Spark: { cores: '2' } } }],
    ['in the groups that it has', { node_groups: [{ name: 'worker', count: 2, node_group_template_id: 'ngt' }] }],
    ['in its files, which it lists with more', { mains: ['jb-1', 'jb-2'] }],
    ['in its interface', { interface: [{ name: 'rows', mapping_type: 'args' }] }],
    ['whatever its credentials, which no service tells', { credentials: { user: 'a', password: 'b' }, extra: {} }],
    [
      'with identifiers in upper case or without hyphens',
      {
        cluster_template_id: '2B97BA2C-4E0F-4F5D-9C1A-0A1B2C3D4E5F',
        network_management_network: '2b97ba2c4e0f4f5d9c1a0a1b2c3d4e5f',
        libs: ['2B97BA2C4E0F4F5D9C1A0A1B2C3D4E5F'],
      },
    ],
    ['in nothing where it has nothing', { hadoop: undefined, floating_ips: [] }],
  ])('%s', (_what, wanted) => {
    expect(objectDifference(wanted, template)).toEqual([]);
  });
});

describe('an object differs', () => {
  test.each<[string, Record<string, unknown>, readonly [path: string, want: string, have: string][]]>([
    [
      'in a text that looks like an identifier',
      { description: identifier.toUpperCase() },
      [['spec.description', identifier.toUpperCase(), identifier]],
    ],
    ['where it is to have no interface', { interface: [] }, [['spec.interface', '[]', '["rows"]']]],
    ['in a field', { plugin_name: 'vanilla' }, [['spec.pluginName', 'vanilla', 'spark']]],
    ['in a field that it lacks', { default_image_id: 'x' }, [['spec.defaultImageID', 'x', 'none']]],
    ['in a set', { node_processes: ['worker'] }, [['spec.nodeProcesses', '["worker"]', '["datanode","worker"]']]],
    ['in the order of files', { mains: ['jb-2', 'jb-1'] }, [['spec.mains', '["jb-2","jb-1"]', '["jb-1","jb-2"]']]],
    ['in an option', { cluster_configs: { Spark: { cores: 3 } } }, [['spec.clusterConfigs[Spark][cores]', '3', '2']]],
    [
      'in an option that may be a secret',
      { cluster_configs: { Spark: { 'spark.password': 'mine' } } },
      [['spec.clusterConfigs[Spark][spark.password]', '(secret)', '(secret)']],
    ],
    [
      'in a field of a group',
      { node_groups: [{ name: 'worker', count: 3, floating_ip_pool: 'p' }] },
      [
        ['spec.nodeGroups[worker].count', '3', '2'],
        ['spec.nodeGroups[worker].floatingIPPool', 'p', 'none'],
      ],
    ],
    [
      'in its groups',
      { node_groups: [{ name: 'other', count: 2 }] },
      [
        ['spec.nodeGroups[other]', 'an entry', 'none'],
        ['spec.nodeGroups[worker]', 'none', 'an entry'],
      ],
    ],
    ['where it has something else of the name', { plugin_name: { a: 1 } }, [['spec.pluginName.a', '1', 'none']]],
  ])('%s', (_what, wanted, expected) => {
    const shown = objectDifference(wanted, template).map(({ path, want, have }) => [path, want, have]);
    expect(shown).toEqual(expected);
  });

  test('in a value that is longer than anybody reads', () => {
    const [found] = objectDifference({ description: 'x' }, { description: 'y'.repeat(5_000) });
    expect(found?.have.length).toBeLessThanOrEqual(201);
  });
});
