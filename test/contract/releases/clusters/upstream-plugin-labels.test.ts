// Labels of plugins in late upstream releases: shown with every plugin, changed by a tenant for itself, and minded by starts, scales and runs.
import { describe, expect, test } from 'vitest';
import { refused } from '../../sections/jobs/section-4-6-support.ts';
import {
  bundledOnly,
  cannotTry,
  expectWords,
  type Json,
  type Peer,
  pluginPath,
  scene,
  serve,
  untilActive,
} from '../../support.ts';
import { at, kinds, late, make, show } from '../general/upstream-support.ts';

const patch = (peer: Peer, body: unknown, plugin = scene.plugin, tenant = 't') =>
  peer.send('PATCH', at(`plugins/${plugin}`, tenant), body);
const off = { enabled: { status: false } };
const plugin = async (peer: Peer, name: string, tenant = 't'): Promise<Json> =>
  (await peer.get(at(`plugins/${name}`, tenant))).body.plugin;

/** Whether each label is true, without the words for people. */
const told = (labels: Json) => Object.fromEntries(Object.keys(labels).map((name) => [name, labels[name].status]));

describe('sahara: labels', () => {
  test('are in all answers about a plugin', async () => {
    bundledOnly('the labels');
    const peer = await late();
    const { plugins } = (await peer.get(at('plugins'))).body;
    expect(plugins.map(({ name, plugin_labels }: Json) => [name, told(plugin_labels)])).toEqual([
      ['spark', { enabled: true }],
      ['vanilla', { enabled: true }],
      ['fake', { enabled: true, hidden: true }],
      ['flink', { enabled: true }],
    ]);
    const vanilla = await plugin(peer, 'vanilla');
    expect(plugins).toContainEqual(vanilla);
    expect(vanilla.plugin_labels.enabled).toEqual({ status: true, mutable: true, description: expect.any(String) });
    expect(told(vanilla.version_labels['1.2.1'])).toEqual({ enabled: true });
    const { plugin: detailed } = (await peer.get(at(`${pluginPath}`))).body;
    const { plugin_labels, version_labels } = vanilla;
    expect(detailed).toMatchObject({ plugin_labels, version_labels, required_image_tags: scene.imageTags });
  });

  test.each(['v1.0', 'v1.1'])('are changed one by one, for the tenant alone, under %s', async (version) => {
    bundledOnly('the labels');
    const peer = await late();
    const body = { plugin_labels: { hidden: { status: false } }, version_labels: { '0.1': off } };
    const reply = await peer.send('PATCH', `/${version}/t/plugins/fake`, body);
    const after = await plugin(peer, 'fake');
    expect([reply.status, reply.body]).toEqual([202, { plugin: after }]);
    expect(told(after.plugin_labels)).toEqual({ enabled: true, hidden: false });
    expect(told(after.version_labels['0.1'])).toEqual({ enabled: false });
    expect(told((await plugin(peer, 'fake', 'other')).version_labels['0.1'])).toEqual({ enabled: true });
    expect((await patch(peer, { plugin_labels: { enabled: {} } }, 'fake')).body.plugin).toEqual(after);
    expect((await patch(peer, {}, 'fake')).body.plugin).toEqual(after);
  });

  test.each([
    [{ plugin_labels: { hidden: { status: true } } }, 'INVALID_DATA', 'it has no such label'],
    [{ plugin_labels: { stable: { status: true } } }, 'INVALID_DATA', 'it has no such label'],
    [{ version_labels: { '1.1.2': { deprecated: { status: true } } } }, 'INVALID_DATA', 'it has no such label'],
    [{ version_labels: { '2.3': off } }, 'INVALID_DATA', 'plugin vanilla has no such version'],
    [{ version_labels: { 9: off } }, 'VALIDATION_ERROR', 'version_labels[9]: unknown field'],
    [{ plugin_labels: { good: { status: true } } }, 'VALIDATION_ERROR', 'unknown field'],
    [{ plugin_labels: { enabled: { status: 'no' } } }, 'VALIDATION_ERROR', 'plugin_labels[enabled][status]: '],
    [{ plugin_labels: { enabled: { mutable: true } } }, 'VALIDATION_ERROR', 'unknown field'],
    [{ title: 'x' }, 'VALIDATION_ERROR', 'title: unknown field'],
  ])('%j: %s, and nothing changes', async (body, name, text) => {
    const { plugin_labels = {}, version_labels = {} }: Json = body;
    if (['1.1.2', '2.3'].some((version) => version in version_labels)) bundledOnly('the versions');
    const peer = await late();
    const before = await plugin(peer, scene.plugin);
    const label = Object.keys(plugin_labels).find((each) => each !== 'enabled' && each in before.plugin_labels);
    if (label !== undefined) cannotTry(`plugin ${scene.plugin} has the label ${label}`);
    const reply = await patch(peer, { plugin_labels: off, ...body });
    expect(refused(reply)).toEqual([400, name]);
    expectWords(reply.body, text);
    expect((await plugin(peer, scene.plugin)).plugin_labels).toEqual(before.plugin_labels);
  });

  test('of a plugin that is not there: 404', async () => {
    expect(refused(await patch(await late(), {}, 'nothing'))).toEqual([404, 'NOT_FOUND']);
  });
});

describe.each([
  ['a plugin', { plugin_labels: off }],
  ['a version', { version_labels: { [scene.version]: off } }],
])('sahara: %s that is not enabled', (_, body) => {
  test('starts no clusters, scales none and runs nothing on them; other tenants and templates do not mind', async () => {
    const peer = await late();
    const cluster = await make(peer, 'clusters', { is_public: true });
    await untilActive(peer, cluster.id);
    const job = await make(peer, 'jobs', { is_public: true });
    expect((await patch(peer, body)).status).toBe(202);
    const grow = { resize_node_groups: [{ name: 'master', count: 2 }] };
    const execute = (tenant: string) => peer.post(at(`jobs/${job.id}/execute`, tenant), { cluster_id: cluster.id });
    for (const reply of [
      await kinds.clusters.create(peer, { name: 'other' }),
      await peer.put(at(`clusters/${cluster.id}`), grow),
      await execute('t'),
    ]) {
      expect(refused(reply)).toEqual([400, 'INVALID_REFERENCE']);
      expectWords(reply.body, 'it is not enabled');
    }
    expect((await show(peer, 'clusters', cluster.id)).status).toBe('Active');
    expect((await execute('other')).status).toBe(202);
    expect((await kinds['node-group-templates'].create(peer)).status).toBe(202);
    const on = JSON.parse(JSON.stringify(body).replace('false', 'true')) as object;
    expect((await patch(peer, on)).status).toBe(202);
    expect((await peer.put(at(`clusters/${cluster.id}`), grow)).status).toBe(202);
  });
});

describe.each(['neutral', 'savanna'] as const)('%s', (dialect) => {
  test('has no labels, and no way to change them', async () => {
    const peer = await serve({ dialect });
    expect(Object.keys(await plugin(peer, scene.plugin))).toEqual(['name', 'title', 'description', 'versions']);
    expect((await patch(peer, {})).status).toBe(405);
  });
});
