// PUT of cluster templates in late upstream releases, and how they change with their node group templates.
import { describe, expect, test } from 'vitest';
import { refused } from '../../sections/jobs/section-4-6-support.ts';
import {
  configs,
  expectWords,
  imageId,
  type Json,
  networkId,
  ours,
  type Peer,
  promised,
  scene,
  timestamp,
  unknownId,
  worker,
} from '../../support.ts';
import { at, cluster, inline, late, make, show, template } from '../general/upstream-support.ts';

const groups = 'node-group-templates';
const templates = 'cluster-templates';
const put = (peer: Peer, path: string, body: unknown, tenant = 't') => peer.put(at(path, tenant), body);

/** A cluster template with two groups from one node group template. */
async function pair(peer: Peer, fields: object = {}): Promise<{ readonly group: Json; readonly whole: Json }> {
  const group = await make(peer, groups);
  const node_groups = [
    { name: 'one', count: 1, node_group_template_id: group.id, flavor_id: scene.flavors.large },
    { name: 'two', count: 2, node_group_template_id: group.id },
    inline,
  ];
  return { group, whole: await make(peer, templates, { node_groups, ...fields }) };
}

describe('sahara: the cluster templates with it', () => {
  test('change with it: their groups are made anew, but for their number', async () => {
    const peer = await late();
    const { group, whole } = await pair(peer);
    expect((await put(peer, `${groups}/${group.id}`, { flavor_id: scene.flavors.small, name: 'renamed' })).status).toBe(
      202,
    );
    const after = await show(peer, templates, whole.id);
    const small = scene.flavors.small;
    const of = (...fields: readonly string[]) =>
      after.node_groups.map((group: Json) => fields.map((field) => group[field]).join(' ')).toSorted();
    expect(of('count', 'flavor_id')).toEqual([`1 ${small}`, `2 ${small}`, `1 ${inline.flavor_id}`].toSorted());
    // In late releases, the groups get the name of the node group template.
    if (ours) expect(of('name', 'count')).toEqual(['master 1', 'one 1', 'two 2']);
    const ids = ({ node_groups }: Json): readonly string[] =>
      node_groups.filter((each: Json) => each.node_group_template_id === group.id).map(({ id }: Json) => id);
    expect(ids(after)).toHaveLength(2);
    for (const id of ids(after)) expect(ids(whole)).not.toContain(id);
    expect(after.updated_at).not.toBeNull();
  });

  test.each([
    ['has a cluster', {}, async (peer: Peer, id: string) => start(peer, id), 'cluster-1'],
    ['is protected', { is_protected: true }, async () => {}, 'it is protected'],
  ] as const)('one that %s keeps it as it is', async (_, fields, befall, text) => {
    const peer = await late();
    const { group, whole } = await pair(peer, fields);
    await befall(peer, whole.id);
    const reply = await put(peer, `${groups}/${group.id}`, { flavor_id: scene.flavors.small });
    expect(refused(reply)).toEqual([400, 'UPDATE_FAILED']);
    expectWords(reply.body, text);
    expect(await show(peer, groups, group.id)).toMatchObject({ flavor_id: scene.flavors.workers, updated_at: null });
    expect(await show(peer, templates, whole.id)).toEqual({ ...whole });
  });

  test('so does one of another tenant', async () => {
    const peer = await late();
    const group = await make(peer, groups, { is_public: true });
    const node_groups = [{ name: 'g', count: 1, node_group_template_id: group.id }];
    expect((await peer.post(at(templates, 'other'), { ...template, node_groups })).status).toBe(202);
    const reply = await put(peer, `${groups}/${group.id}`, { flavor_id: scene.flavors.small });
    const refusal = [400, 'UPDATE_FAILED'];
    // Late releases do not find the cluster template of the other tenant.
    const failure = [500, 'INTERNAL_SERVER_ERROR'];
    expect(refused(reply)).toEqual(promised(expect.toBeOneOf([refusal, failure]), refusal));
    expect(await show(peer, groups, group.id)).toMatchObject({ flavor_id: scene.flavors.workers });
  });

  test('a cluster that was made from the group alone does not', async () => {
    const peer = await late();
    const group = await make(peer, groups);
    const node_groups = [inline, { name: 'g', count: 1, node_group_template_id: group.id }];
    await make(peer, 'clusters', { node_groups });
    expect((await put(peer, `${groups}/${group.id}`, { flavor_id: scene.flavors.small })).status).toBe(202);
  });
});

async function start(peer: Peer, cluster_template_id: string): Promise<void> {
  const { node_groups: _, ...body } = cluster;
  expect((await peer.post(at('clusters'), { ...body, cluster_template_id })).status).toBe(202);
}

const named = { plugin_name: template.plugin_name, hadoop_version: template.hadoop_version };

describe('sahara: PUT /cluster-templates/{id}', () => {
  test.each(['v1.0', 'v1.1'])('202 with what it has become, under %s', async (version) => {
    const peer = await late();
    const before = await make(peer, templates);
    const change = {
      name: 'renamed',
      description: 'mine',
      cluster_configs: configs({ text: '2' }),
      anti_affinity: [worker],
      default_image_id: imageId,
      neutron_management_network: networkId,
      is_protected: true,
    };
    const reply = await peer.put(`/${version}/t/${templates}/${before.id}`, change);
    const after = await show(peer, templates, before.id);
    expect([reply.status, reply.body]).toEqual([202, { cluster_template: after }]);
    expect(after).toMatchObject({ ...change, node_groups: before.node_groups, updated_at: timestamp });
  });

  test('groups that are given replace all others; null leaves none', async () => {
    const peer = await late();
    const { group, whole } = await pair(peer);
    const node_groups = [{ name: 'only', count: 3, node_group_template_id: group.id }];
    const { body } = await put(peer, `${templates}/${whole.id}`, { node_groups });
    expect(body.cluster_template.node_groups).toMatchObject([{ ...node_groups[0], flavor_id: scene.flavors.workers }]);
    const cleared = { node_groups: null, anti_affinity: null, cluster_configs: null, description: null };
    expect((await put(peer, `${templates}/${whole.id}`, cleared)).body.cluster_template).toMatchObject({
      node_groups: [],
      anti_affinity: null,
      cluster_configs: null,
      description: null,
    });
  });

  test.each([
    [{ name: null }, 'VALIDATION_ERROR', 'name: '],
    [{ plugin_name: null }, 'VALIDATION_ERROR', 'plugin_name: '],
    [{ status: 'x' }, 'VALIDATION_ERROR', 'status: unknown field'],
    [{ node_groups: [{ name: 'g' }] }, 'VALIDATION_ERROR', 'node_groups[0][count]: is required'],
    [{ plugin_name: 'fake' }, 'INVALID_REFERENCE', 'hadoop_version has to be given'],
    [{ hadoop_version: '9' }, 'INVALID_REFERENCE', 'its versions are'],
    [{ ...named, cluster_configs: { no: {} } }, 'INVALID_REFERENCE', 'no such target'],
    [{ anti_affinity: ['nothing'] }, 'INVALID_REFERENCE', 'cannot run process nothing'],
    [{ ...named, node_groups: [inline, inline] }, 'INVALID_DATA', 'master is named twice'],
    [{ ...named, node_groups: [{ ...inline, node_processes: ['none'] }] }, 'INVALID_REFERENCE', 'process none'],
    [
      {
        ...named,
        node_groups: [{ name: 'g', count: 1, node_group_template_id: unknownId }],
      },
      'NOT_FOUND',
      'cannot find node group template',
    ],
  ])('%j: %s', async (body, name, text) => {
    const peer = await late();
    const { id } = await make(peer, templates);
    const before = await show(peer, templates, id);
    const reply = await put(peer, `${templates}/${id}`, body);
    expect(refused(reply)).toEqual([400, name]);
    expectWords(reply.body, text);
    expect(await show(peer, templates, id)).toEqual(before);
  });

  test.each([
    ['its groups', { node_groups: [{ ...inline, node_processes: ['none'], flavor_id: '77' }] }, 400],
    ['the names of its groups', { node_groups: [inline, inline] }, 400],
    // Late releases start the cluster.
    ['its configurations', { cluster_configs: { no: { such: 1 } } }, promised(202, 400)],
  ])('%s are not checked unless the plugin is given; the start of a cluster answers', async (_, body, answer) => {
    const peer = await late();
    const { id } = await make(peer, templates);
    expect((await put(peer, `${templates}/${id}`, body)).body.cluster_template).toMatchObject(body);
    const { node_groups: __, ...begin } = cluster;
    expect((await peer.post(at('clusters'), { ...begin, cluster_template_id: id })).status).toBe(answer);
  });

  test('as long as a cluster was made from it, it stays as it is', async () => {
    const peer = await late();
    const { id } = await make(peer, templates);
    await start(peer, id);
    const reply = await put(peer, `${templates}/${id}`, { description: 'mine' });
    expect(refused(reply)).toEqual([400, 'UPDATE_FAILED']);
    expectWords(reply.body, 'cluster-1');
  });

  test('404 for one that is not there; a used name is DB_DUPLICATE_ENTRY', async () => {
    const peer = await late();
    const { id } = await make(peer, templates);
    await make(peer, templates, { name: 'taken' });
    expect(refused(await put(peer, `${templates}/${unknownId}`, {}))).toEqual([404, 'NOT_FOUND']);
    expect(refused(await put(peer, `${templates}/${id}`, { name: 'taken' }))).toEqual([400, 'DB_DUPLICATE_ENTRY']);
  });
});
