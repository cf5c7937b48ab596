// Plugins as real services show them: labels and common configurations in late releases, and every field of a configuration.
import { describe, expect, test } from 'vitest';
import { bundledOnly, type Json, onlyHere, serve } from '../../support.ts';

const enabled = { status: true, mutable: true, description: expect.stringMatching(/./) };
const vanilla = {
  name: 'vanilla',
  title: 'Vanilla',
  description: expect.stringMatching(/./),
  versions: ['1.1.2', '1.2.1', '2.7.1', '3.5.0'],
};
const labels = {
  plugin_labels: { enabled },
  version_labels: { '1.1.2': { enabled }, '1.2.1': { enabled }, '2.7.1': { enabled }, '3.5.0': { enabled } },
};
const own = {
  versions: [{ version: '1', processes: { Web: ['server'] }, configs: [] }],
  name: 'own',
  title: 'Own',
  description: '',
};

describe('sahara', () => {
  test('every plugin, and every version of it, has labels', async () => {
    onlyHere('it counts on labels that nobody has changed');
    const peer = await serve({ dialect: 'sahara' });
    const { plugins } = (await peer.get('/v1.1/t/plugins')).body;
    expect(plugins.find(({ name }: Json) => name === vanilla.name)).toEqual({ ...vanilla, ...labels });
    expect((await peer.get('/v1.1/t/plugins/vanilla')).body).toEqual({ plugin: { ...vanilla, ...labels } });
    const { plugin } = (await peer.get('/v1.1/t/plugins/vanilla/2.7.1')).body;
    const { configs: _, node_processes: __, required_image_tags: ___, ...rest } = plugin;
    expect(rest).toEqual({ ...vanilla, ...labels });
    const fake = plugins.find(({ name }: Json) => name === 'fake');
    expect(fake.plugin_labels).toEqual({ enabled, hidden: enabled });
  });

  test('every plugin has the common configurations, and takes them', async () => {
    const peer = await serve({ dialect: 'sahara', catalog: { plugins: [own] } });
    const { configs } = (await peer.get('/v1.1/t/plugins/own/1')).body.plugin;
    expect(configs.map(({ applicable_target, name }: Json) => `${applicable_target}: ${name}`)).toEqual([
      'general: Enable NTP service',
      'general: URL of NTP server',
      'general: Timeout for disk preparing',
      'general: Heat Wait Condition timeout',
      'general: Enable XFS',
    ]);
    expect(configs[2]).toEqual({
      name: 'Timeout for disk preparing',
      description: expect.any(String),
      config_type: 'int',
      config_values: null,
      default_value: 300,
      applicable_target: 'general',
      is_optional: true,
      scope: 'cluster',
      priority: 1,
    });
    const made = await peer.post('/v1.1/t/cluster-templates', {
      name: 'one',
      plugin_name: 'own',
      hadoop_version: '1',
      cluster_configs: { general: { 'Enable XFS': false } },
    });
    expect(made.status).toBe(202);
  });

  test('those that a plugin has itself are there once', async () => {
    bundledOnly('the configurations');
    const { configs } = (await (await serve({ dialect: 'sahara' })).get('/v1.1/t/plugins/spark/2.3')).body.plugin;
    const names = configs.map(({ applicable_target, name }: Json) => `${applicable_target}: ${name}`);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain('general: Enable XFS');
  });
});

test.each(['neutral', 'savanna'] as const)('%s: neither labels nor common configurations', async (dialect) => {
  const peer = await serve({ dialect, catalog: { plugins: [own] } });
  const { plugin } = (await peer.get('/v1.1/t/plugins/own/1')).body;
  expect(plugin).toEqual({
    name: 'own',
    title: 'Own',
    description: '',
    versions: ['1'],
    node_processes: { Web: ['server'] },
    required_image_tags: ['own', '1'],
    configs: [],
  });
});
