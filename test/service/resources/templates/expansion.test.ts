// How requests become records: defaults, templates below own fields, merged configurations.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { NodeGroupTemplateRecord } from '../../../../src/service/model/records/records.ts';
import {
  expandGroup,
  fill,
  mergeConfigs,
  nodeDefaults,
} from '../../../../src/service/resources/templates/expansion.ts';

const template: NodeGroupTemplateRecord = {
  id: 'template',
  name: 'workers',
  description: 'not for groups',
  plugin_name: 'vanilla',
  bigdata_version: '1.2.1',
  created_at: '2014-01-01T00:00:00',
  flavor_id: '2',
  node_processes: ['datanode'],
  node_configs: { HDFS: { a: 1, b: 2 }, general: { c: true } },
  volumes_per_node: 3,
  volumes_size: 30,
  volume_mount_prefix: '/data',
  floating_ip_pool: 'public',
};
const inline = { name: 'g', count: 1, flavor_id: '1', node_processes: ['namenode'] };

describe('groups', () => {
  test('by template have its attributes, and not its name or plugin', () => {
    const group = expandGroup(
      { name: 'g', count: 2, node_group_template_id: 'x' },
      { id: 'i', dialect: 'neutral', template },
    );
    const { name: _, description: __, plugin_name: ___, bigdata_version: ____, created_at: _____, ...shape } = template;
    expect(group).toEqual({ ...shape, id: 'i', name: 'g', count: 2, node_group_template_id: 'template' });
  });

  test('own fields win; configurations are merged', () => {
    const own = { name: 'g', count: 2, node_group_template_id: 'x', flavor_id: '9', node_configs: { HDFS: { b: 3 } } };
    const group = expandGroup(own, { id: 'i', dialect: 'sahara', template });
    expect(group).toMatchObject({
      flavor_id: '9',
      volumes_per_node: 3,
      node_configs: { HDFS: { a: 1, b: 3 }, general: { c: true } },
    });
  });

  test.each([
    ['neutral', 10],
    ['sahara', 0],
    ['savanna', 0],
  ] as const)('without template have the defaults of %s', (dialect, volumes_size) => {
    const group = expandGroup(inline, { id: 'i', dialect, template: undefined });
    const defaults = { node_configs: {}, volumes_per_node: 0, volumes_size, volume_mount_prefix: '/volumes/disk' };
    expect(group).toEqual({ ...inline, ...defaults, id: 'i' });
    expect(nodeDefaults(dialect)).toEqual(defaults);
  });
});

describe('fill', () => {
  test('what is there but undefined counts as absent', () => {
    expect(fill({ a: 1, b: 2 }, { a: undefined, b: 3, c: undefined, d: 4 })).toEqual({ a: 1, b: 3, d: 4 });
  });
});

describe('merged configurations', () => {
  const configs = fc.dictionary(fc.string({ maxLength: 2 }), fc.dictionary(fc.string({ maxLength: 2 }), fc.integer()));

  test('hold every value of the second, and those of the first that it does not have', () => {
    fc.assert(
      fc.property(configs, configs, (below, above) => {
        const merged = mergeConfigs(below, above);
        for (const [target, values] of Object.entries({ ...below, ...above })) {
          for (const name of Object.keys({ ...below[target], ...values })) {
            expect(merged[target]?.[name]).toBe(above[target]?.[name] ?? below[target]?.[name]);
          }
        }
      }),
    );
  });

  test('nothing is neutral on both sides', () => {
    fc.assert(
      fc.property(configs, (some) => {
        expect(mergeConfigs(some, {})).toEqual(some);
        expect(mergeConfigs({}, some)).toEqual(some);
      }),
    );
  });
});
