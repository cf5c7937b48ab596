// Answers are read leniently: null is absent, unknown fields and words pass, and only what makes an answer useless is refused.
import { describe, expect, test } from 'vitest';
import type { ZodType } from 'zod';
import { cluster } from '../../src/wire/cluster.ts';
import { clusterTemplate } from '../../src/wire/cluster-template.ts';
import { image } from '../../src/wire/image.ts';
import { nodeGroupTemplate } from '../../src/wire/node-group-template.ts';
import { plugin, pluginDetail } from '../../src/wire/plugin.ts';
import { routes } from '../../src/wire/routes.ts';

const identified: readonly (readonly [string, ZodType])[] = [
  ['node group template', nodeGroupTemplate],
  ['cluster template', clusterTemplate],
  ['cluster', cluster],
  ['image', image],
];

describe.each(identified)('%s', (_name, schema) => {
  test('identifier and name are enough', () => {
    expect(schema.safeParse({ id: 'x', name: 'n' }).success).toBe(true);
  });

  test.each([{ name: 'n' }, { id: 'x' }, { id: null, name: 'n' }, { id: 'x', name: 7 }, 'text', null, [], undefined])(
    'without them it is malformed: %j',
    (value) => expect(schema.safeParse(value).success).toBe(false),
  );

  test('null is absent', () => {
    expect(
      schema.parse({ id: 'x', name: 'n', description: null, node_groups: null, metadata: null }),
    ).not.toHaveProperty('description');
  });

  test('unknown fields are ignored', () => {
    expect(
      schema.parse({ id: 'x', name: 'n', is_public: false, provision_progress: [{ step: null }] }),
    ).not.toHaveProperty('is_public');
  });
});

describe('clusters', () => {
  const read = (fields: object) => cluster.parse({ id: 'x', name: 'n', ...fields });

  test.each(['Active', 'Scaling: Spawning', 'undefined', 'a word of tomorrow'])('status %s passes', (status) => {
    expect(read({ status }).status).toBe(status);
  });

  test('a row before its first status reads as undefined', () => {
    expect(read({ status: null }).status).toBe('undefined');
    expect(read({}).status).toBe('undefined');
  });

  test.each([0, -1, 3, '4', '-2'])('count %j is a number', (count) => {
    expect(read({ node_groups: [{ name: 'g', count }] }).node_groups?.[0]?.count).toBe(Number(count));
  });

  test.each([1.5, 'many', true, undefined])('count %j makes the group useless', (count) => {
    expect(cluster.safeParse({ id: 'x', name: 'n', node_groups: [{ name: 'g', count }] }).success).toBe(false);
  });

  test('instances may lack addresses and have extra ones', () => {
    const instances = [
      { instance_name: 'g-001', instance_id: 'i', internal_ip: null },
      { instance_name: 'g-002', dns_hostname: 'h' },
    ];
    expect(read({ node_groups: [{ name: 'g', count: 2, instances }] }).node_groups?.[0]?.instances).toEqual([
      { instance_name: 'g-001', instance_id: 'i' },
      { instance_name: 'g-002' },
    ]);
  });

  test('of info only target to label to URL is kept', () => {
    const info = { HDFS: { 'Web UI': 'http://h:1', port: 9 }, odd: 'text', list: [1], none: null };
    expect(read({ info }).info).toEqual({ HDFS: { 'Web UI': 'http://h:1' } });
  });

  test('what nobody reads is neither kept nor checked', () => {
    const group = { name: 'g', count: 1 };
    const instances = [{ instance_id: 'i' }];
    const odd = { ...group, flavor_id: {}, updated: 7, instances: [{ ...instances[0], volumes: 'none' }] };
    expect(read({ anti_affinity: 'all', cluster_configs: [1], created_at: 5, node_groups: [odd] })).toEqual({
      id: 'x',
      name: 'n',
      status: 'undefined',
      node_groups: [{ ...group, instances }],
    });
  });
});

describe('cluster templates', () => {
  const read = (fields: object) => clusterTemplate.parse({ id: 'x', name: 'n', ...fields });

  test('odd configuration values pass', () => {
    const cluster_configs = { general: { a: 1.5, b: ['x'], c: { d: 1 }, e: 'text' } };
    expect(read({ cluster_configs }).cluster_configs).toEqual(cluster_configs);
  });

  test('a flavor given as a number is text', () => {
    expect(read({ node_groups: [{ name: 'g', count: 1, flavor_id: 2 }] }).node_groups?.[0]?.flavor_id).toBe('2');
  });
});

describe('plugins', () => {
  test('are named, not identified', () => {
    expect(plugin.parse({ name: 'vanilla', title: null })).toEqual({ name: 'vanilla' });
    expect(plugin.safeParse({ title: 'Vanilla' }).success).toBe(false);
  });

  test('default values may be of any type', () => {
    const configs = ['text', true, 3, null].map((default_value) => ({ name: 'c', default_value, config_type: 'odd' }));
    expect(pluginDetail.parse({ name: 'vanilla', configs }).configs).toHaveLength(4);
  });
});

describe('routes', () => {
  test('each collection has its own path and its own wrapping keys', () => {
    const distinct = (field: 'path' | 'single' | 'plural') =>
      new Set(Object.values(routes).map((route) => route[field])).size;
    // Both kinds of job binaries are listed under the same key.
    expect([distinct('path'), distinct('single'), distinct('plural')]).toEqual([10, 10, 9]);
  });

  test('paths and keys are those of section 2 and 4', () => {
    expect(Object.values(routes).map(({ path, single, plural }) => `${path} ${single} ${plural}`)).toEqual([
      'plugins plugin plugins',
      'images image images',
      'node-group-templates node_group_template node_group_templates',
      'cluster-templates cluster_template cluster_templates',
      'clusters cluster clusters',
      'data-sources data_source data_sources',
      'job-binary-internals job_binary_internal binaries',
      'job-binaries job_binary binaries',
      'jobs job jobs',
      'job-executions job_execution job_executions',
    ]);
  });
});
