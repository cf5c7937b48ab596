// Plugins from a file: what the service then offers, and what is said of a file that is wrong.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bundledPlugins } from '../../../../src/service/engines/index.ts';
import { parsePlugins, readPlugins } from '../../../../src/service/resources/plugins/plugins-file.ts';
import { imageId, type Json, serve, unknownId, workers } from '../../../contract/support.ts';

const documented = /```yaml\n(.*?)```/s.exec(
  readFileSync(new URL('../../../../docs/how-to/bundled-service/plugins.md', import.meta.url), 'utf8'),
)?.[1];
const path = '/v1.0/t';

describe('the file of the documentation', () => {
  const plugins = parsePlugins(documented ?? '');

  test('is what the service offers', async () => {
    const peer = await serve({ catalog: { plugins } });
    expect((await peer.get(`${path}/plugins`)).body).toEqual({
      plugins: [
        {
          name: 'vanilla',
          title: 'Vanilla',
          description: 'The distribution as its project releases it',
          versions: ['3.3.6'],
        },
      ],
    });
    expect((await peer.get(`${path}/plugins/vanilla/3.3.6`)).body.plugin).toMatchObject({
      node_processes: { HDFS: ['namenode', 'datanode'], YARN: ['resourcemanager', 'nodemanager'] },
      required_image_tags: ['vanilla', '3.3.6'],
      configs: [
        {
          name: 'dfs.replication',
          description: '',
          default_value: '3',
          config_type: 'string',
          applicable_target: 'HDFS',
          is_optional: true,
          scope: 'cluster',
          priority: 2,
        },
      ],
    });
  });

  test('is what requests are checked against', async () => {
    const peer = await serve({ catalog: { plugins } });
    const create = (fields: object) => peer.post(`${path}/node-group-templates`, { ...workers, ...fields });
    const good = { bigdata_version: '3.3.6', node_processes: ['datanode'] };
    expect((await create(good)).status).toBe(202);
    expect((await create({ name: 'other' })).body.error_name).toBe('INVALID_REFERENCE');
    const { body } = await create({ ...good, name: 'other', node_processes: ['tasktracker'] });
    expect(body.error_message).toContain('cannot run process tasktracker');
  });
});

test('images need the tags that the file tells', async () => {
  const [plugin] = parsePlugins(documented ?? '');
  if (plugin === undefined) throw new Error('there is no plugin in the documentation');
  const versions = plugin.versions.map((version) => ({ ...version, requiredTags: ['gpu'] }));
  const images = [{ id: imageId, name: 'plain', registered: false }];
  const peer = await serve({ catalog: { plugins: [{ ...plugin, versions }], images } });
  await peer.post(`${path}/images/${imageId}`, { username: 'ubuntu', description: '' });
  const start = () =>
    peer.post(`${path}/clusters`, {
      name: 'one',
      plugin_name: 'vanilla',
      bigdata_version: '3.3.6',
      default_image_id: imageId,
      user_keypair_id: 'key',
      node_groups: [{ name: 'master', count: 1, flavor_id: '3', node_processes: ['namenode'] }],
    });
  expect((await start()).body.error_message).toContain('it lacks the tags gpu');
  await peer.post(`${path}/images/${imageId}/tag`, { tags: ['gpu'] });
  expect((await start()).status).toBe(202);
});

test('what a service answers can be pasted', async () => {
  const peer = await serve({ dialect: 'sahara' });
  const told = await Promise.all(
    bundledPlugins.map(async ({ name, title, description, versions }) => ({
      name,
      title,
      description,
      versions: await Promise.all(
        versions.map(async ({ version }) => {
          const { plugin } = (await peer.get(`/v1.1/t/plugins/${name}/${version}`)).body as Json;
          const { node_processes, required_image_tags, configs } = plugin;
          return { version, node_processes, required_image_tags, configs };
        }),
      ),
    })),
  );
  const again = await serve({
    dialect: 'sahara',
    catalog: { plugins: parsePlugins(JSON.stringify({ plugins: told })) },
  });
  for (const { name, versions } of bundledPlugins)
    for (const { version } of versions) {
      const at = `/v1.1/t/plugins/${name}/${version}`;
      expect((await again.get(at)).body).toEqual((await peer.get(at)).body);
    }
});

test('null is pasted as a text that is missing', () => {
  // As GET /plugins/fake/0.1 of a late release answers.
  const config = {
    name: 'Enable Kerberos Security',
    description: null,
    config_type: 'bool',
    config_values: null,
    default_value: false,
    applicable_target: 'Kerberos',
    scope: 'cluster',
    is_optional: true,
    priority: 1,
  };
  const versions = [{ version: '0.1', node_processes: { Kerberos: [] }, configs: [config] }];
  const [plugin] = parsePlugins(
    JSON.stringify({ plugins: [{ name: 'fake', title: null, description: null, versions }] }),
  );
  expect(plugin).toMatchObject({ title: 'fake', description: '', versions: [{ configs: [{ description: '' }] }] });
});

describe('a wrong file', () => {
  const version = { version: '1', node_processes: { HDFS: ['namenode'] } };
  const config = { name: 'a', applicable_target: 'HDFS', default_value: 1 };
  const withVersion = (fields: object) => ({ plugins: [{ name: 'p', versions: [{ ...version, ...fields }] }] });

  test.each<readonly [string, object | string, RegExp]>([
    ['nothing in it', '', /^the file: /],
    ['no plugins', { plugins: [] }, /^plugins: /],
    ['an unknown field', { plugins: [], more: 1 }, /(^|; )more: is not known here; remove it$/],
    ['no versions', { plugins: [{ name: 'p', versions: [] }] }, /^plugins\.0\.versions: /],
    ['a version that is a number', withVersion({ version: 3.1 }), /^plugins\.0\.versions\.0\.version: .*string/],
    [
      'a plugin twice',
      { plugins: [1, 2].map(() => ({ name: 'p', versions: [version] })) },
      /^plugins\.1: p occurs twice$/,
    ],
    ['a version twice', { plugins: [{ name: 'p', versions: [version, version] }] }, /versions\.1: 1 occurs twice$/],
    [
      'a default of another type',
      withVersion({ configs: [{ ...config, config_type: 'bool' }] }),
      /^plugins\.0\.versions\.0\.configs\.0\.default_value: is not of the type that config_type says$/,
    ],
    [
      'a default that is no value',
      withVersion({ configs: [{ ...config, default_value: 1.5 }] }),
      /default_value: must be a text, a whole number or a truth value$/,
    ],
    [
      'text that ends too early, though what there is of it would do',
      `${JSON.stringify(withVersion({})).slice(0, -2)}, {`,
      /^it is neither YAML nor JSON: line 1, column \d+ \(\w+\)$/,
    ],
    ['an unknown type of jobs', withVersion({ job_types: ['Cobol'] }), /job_types\.0: /],
  ])('%s', (_name, told, expected) => {
    expect(() => parsePlugins(typeof told === 'string' ? told : JSON.stringify(told))).toThrow(expected);
  });

  test('is told with its name', () => {
    const folder = mkdtempSync(join(tmpdir(), 'plugins-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'plugins.yaml');
    writeFileSync(file, 'plugins: {');
    expect(() => readPlugins(file)).toThrow(`cannot read plugins ${file}: `);
    expect(() => readPlugins(join(folder, 'none'))).toThrow(/^cannot read plugins .*none: ENOENT/);
  });
});

test('an image of the bundled ones has the tags of the plugins that there are', async () => {
  const peer = await serve({ catalog: { plugins: parsePlugins(documented ?? '') } });
  expect((await peer.get(`${path}/images/${unknownId}`)).body.image.tags).toEqual(['vanilla', '3.3.6']);
});
