// Section 4.1: reading plugins.
import { describe, expect, test } from 'vitest';
import { bundledPlugins } from '../../../../src/service/engines/index.ts';
import {
  bundledOnly,
  type Json,
  onlyIn,
  ours,
  pluginFields,
  pluginPath,
  promised,
  scene,
  serve,
} from '../../support.ts';

/** Not every option has one. */
const hasDefault = ({ default_value }: Json): boolean => default_value !== undefined && default_value !== null;

describe('section 4.1 rule 1', () => {
  test('GET plugins: 200, all in short form', async () => {
    const peer = await serve();
    const { status, body } = await peer.get('/v1.0/t/plugins');
    expect(status).toBe(200);
    const bundled = bundledPlugins.map(({ name }) => name);
    const names = body.plugins.map((plugin: { name: string }) => plugin.name);
    expect(names).toEqual(scene.bundled ? bundled : expect.arrayContaining([scene.plugin]));
    const fields = ['name', 'title', 'description', 'versions'];
    for (const plugin of body.plugins)
      expect(Object.keys(plugin)).toEqual(ours ? fields : expect.arrayContaining(fields));
  });

  test('every version of every plugin has a detailed form', async () => {
    const peer = await serve();
    const { plugins } = (await peer.get('/v1.0/t/plugins')).body;
    for (const { name, versions } of plugins) {
      for (const version of versions) {
        const { status, body } = await peer.get(`/v1.0/t/plugins/${name}/${version}`);
        expect(status).toBe(200);
        const tags = promised(expect.any(Array), scene.bundled ? [name, version] : expect.any(Array));
        expect(body.plugin).toMatchObject({ name, required_image_tags: tags });
        expect(body.plugin.versions.toSorted()).toEqual(versions.toSorted());
      }
    }
  });

  test('configurations belong to what the version runs, or to the cluster in general', async () => {
    onlyIn('neutral');
    bundledOnly('the options');
    const peer = await serve();
    for (const at of ['vanilla/1.1.2', 'vanilla/2.7.1', 'spark/2.3']) {
      const { configs, node_processes } = (await peer.get(`/v1.0/t/plugins/${at}`)).body.plugin;
      const targets = ['general', ...Object.keys(node_processes)];
      for (const { applicable_target } of configs) expect(targets).toContain(applicable_target);
      const kinds = configs.map((config: Json) => `${config.config_type} ${config.scope} ${config.is_optional}`);
      expect(kinds).toEqual(expect.arrayContaining(['string node false', 'string node true', 'bool cluster true']));
      expect(new Set(configs.map(({ priority }: Json) => priority))).toEqual(new Set([1, 2]));
    }
  });

  test('section 4.1 rule 2: what a version shows as default can be set', async () => {
    const peer = await serve();
    const at = scene.bundled ? 'plugins/spark/2.3' : pluginPath;
    const { configs } = (await peer.get(`/v1.0/t/${at}`)).body.plugin;
    const cluster_configs: Record<string, Record<string, unknown>> = {};
    for (const { applicable_target: target, name, default_value } of configs.filter(hasDefault))
      cluster_configs[target] = { ...cluster_configs[target], [name]: default_value };
    const plugin = scene.bundled ? { plugin_name: 'spark', bigdata_version: '2.3' } : pluginFields;
    const template = { name: 'ct', ...plugin, cluster_configs };
    const { status, body } = await peer.post('/v1.0/t/cluster-templates', template);
    expect([status, body.cluster_template.cluster_configs]).toEqual([202, cluster_configs]);
  });

  test('upstream has numbers where the interface as written has text', async () => {
    bundledOnly('the options');
    const read = async (dialect: 'neutral' | 'sahara' | 'savanna') => {
      const peer = await serve({ dialect });
      const { configs } = (await peer.get(`/v1.0/t/${pluginPath}`)).body.plugin;
      const config = configs.find(({ name }: Json) => name === 'Name Node Heap Size');
      return [config.config_type, config.default_value];
    };
    expect(await read('neutral')).toEqual(['string', '1024']);
    expect(await read('sahara')).toEqual(['int', 1024]);
    expect(await read('savanna')).toEqual(['int', 1024]);
  });

  test('section 4 rule 2: a suffix is no part of the version', async () => {
    const peer = await serve();
    const { body } = await peer.get(`/v1.0/t/${pluginPath}.json`);
    expect(body.plugin.required_image_tags).toEqual(promised(expect.any(Array), scene.imageTags));
  });

  test.each(['/v1.0/t/plugins/none', '/v1.0/t/plugins/none/1', `/v1.0/t/plugins/${scene.plugin}/0.0`])(
    'section 7 rule 3: %s: 404',
    async (path) => {
      const peer = await serve();
      const { status, body } = await peer.get(path);
      expect(status).toBe(404);
      expect(body).toMatchObject({ error_code: 404, error_name: 'NOT_FOUND' });
    },
  );

  test.each(['POST', 'PUT', 'DELETE', 'PATCH'])('section 7 rule 5: %s plugins: 405', async (method) => {
    const peer = await serve();
    expect((await peer.send(method, '/v1.0/t/plugins')).status).toBe(405);
  });
});
