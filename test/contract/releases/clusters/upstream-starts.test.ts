// Starting clusters of late releases: many at once, and what is refused first when more than one thing is wrong; templates as files.
import { describe, expect, test } from 'vitest';
import { imageId, type Json, onlyHere, type Peer, type Reply, serve, unknownId } from '../../support.ts';
import { at, cluster, groupTemplate, inline, template } from '../general/upstream-support.ts';

const refused = ({ status, body }: Reply) => [status, body.error_name];
const many = (peer: Peer, fields: object, path = 'clusters/multiple') => {
  onlyHere('it makes clusters whose names no answer tells');
  return peer.post(at(path), { ...cluster, ...fields });
};
const rows = async (peer: Peer): Promise<readonly Json[]> => (await peer.get(at('clusters'))).body.clusters;

describe('sahara: many clusters', () => {
  test.each([
    [1, ['cluster-1-1']],
    [3, ['cluster-1-1', 'cluster-1-2', 'cluster-1-3']],
    [10, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((each) => `cluster-1-${String(each).padStart(2, '0')}`)],
    [0, []],
    [-1, []],
  ])('%d: named by number, and told by their identifiers', async (count, names) => {
    const peer = await serve({ dialect: 'sahara' });
    const { status, body } = await many(peer, { count });
    const made = await rows(peer);
    expect(made.map(({ name }) => name)).toEqual(names);
    expect([status, body]).toEqual([202, { clusters: made.map(({ id }) => id) }]);
    expect(new Set(body.clusters).size).toBe(names.length);
  });

  test('each is a cluster like any other', async () => {
    const peer = await serve({ dialect: 'sahara', stageMs: 60_000 });
    await many(peer, { count: 1 });
    const { body } = await peer.post(at('clusters'), cluster);
    const [made] = await rows(peer);
    const {
      id: _,
      name: __,
      management_public_key: ___,
      node_groups: ____,
      provision_progress: _____,
      ...alike
    } = body.cluster;
    expect(made).toMatchObject(alike);
  });

  test.each([
    ['no count', {}, [400, 'VALIDATION_ERROR']],
    ['a count that is none', { count: '2' }, [400, 'VALIDATION_ERROR']],
    ['more than can be', { count: 1001 }, [400, 'VALIDATION_ERROR']],
    ['an unknown field', { count: 1, colour: 'red' }, [400, 'VALIDATION_ERROR']],
    ['a template that is not there', { count: 0, cluster_template_id: unknownId }, [400, 'NOT_FOUND']],
  ])('%s: none', async (_, fields, answer) => {
    const peer = await serve({ dialect: 'sahara' });
    expect(refused(await many(peer, fields))).toEqual(answer);
    expect(await rows(peer)).toEqual([]);
  });

  test('one name that is taken: none', async () => {
    const peer = await serve({ dialect: 'sahara' });
    await peer.post(at('clusters'), { ...cluster, name: 'cluster-1-2' });
    expect(refused(await many(peer, { count: 2 }))).toEqual([400, 'NAME_ALREADY_EXISTS']);
    expect(await rows(peer)).toHaveLength(1);
  });
});

test.each(['neutral', 'savanna'] as const)('%s starts one at a time', async (dialect) => {
  expect((await many(await serve({ dialect }), { count: 1 })).status).toBe(405);
});

const long = 'a'.repeat(45);
/** What is wrong, from what is refused first to what is refused last. */
const mistakes = [
  ['name', {}, 'NAME_ALREADY_EXISTS'],
  ['plugin', { plugin_name: 'none' }, 'INVALID_REFERENCE', /plugin none/],
  ['version', { hadoop_version: '0' }, 'INVALID_REFERENCE', /version 0/],
  ['template', { cluster_template_id: unknownId }, 'NOT_FOUND', /cluster template/],
  ['no image', { default_image_id: null }, 'NOT_FOUND', /default_image_id/],
  ['configurations', { cluster_configs: { none: {} } }, 'INVALID_REFERENCE', /configure none/],
  [
    'groups',
    { node_groups: [{ ...inline, name: long, node_processes: ['none'] }] },
    'INVALID_REFERENCE',
    /process none/,
  ],
  ['anti-affinity', { anti_affinity: ['nobody'] }, 'INVALID_REFERENCE', /process nobody/],
  ['host names', { node_groups: [{ ...inline, name: long }] }, 'INVALID_DATA', /host name/],
  ['network', { neutron_management_network: null }, 'NOT_FOUND', /network/],
] as const;

describe('sahara: what is refused first', () => {
  test.each(mistakes.map((mistake, index) => [mistake[0], mistake, index] as const))(
    '%s',
    async (_, [, , name, text], index) => {
      onlyHere('it looks for words in messages');
      const peer = await serve({ dialect: 'sahara' });
      if (index === 0) await peer.post(at('clusters'), cluster);
      // Of two that set the same field, the earlier one stands.
      const wrong = Object.assign(
        {},
        ...mistakes
          .slice(index)
          .map(([, fields]) => fields)
          .toReversed(),
      ) as object;
      const { status, body } = await peer.post(at('clusters'), { ...cluster, ...wrong });
      expect([status, body.error_name]).toEqual([400, name]);
      if (text !== undefined) expect(body.error_message).toMatch(text);
    },
  );

  test('host names of a template, before an image that is missing', async () => {
    const peer = await serve({ dialect: 'sahara' });
    const { body } = await peer.post(at('cluster-templates'), {
      ...template,
      node_groups: [{ ...inline, name: long }],
    });
    const { node_groups: _, default_image_id: __, ...rest } = cluster;
    const start = (fields: object) =>
      peer.post(at('clusters'), { ...rest, cluster_template_id: body.cluster_template.id, ...fields });
    expect(refused(await start({}))).toEqual([400, 'INVALID_DATA']);
    expect(refused(await start({ node_groups: [inline] }))).toEqual([400, 'NOT_FOUND']);
    expect((await start({ node_groups: [inline], default_image_id: imageId })).status).toBe(202);
  });
});

describe('sahara: a template as a file', () => {
  test.each([
    [
      'node-group-templates',
      groupTemplate,
      {
        flavor_id: '{flavor_id}',
        floating_ip_pool: '{floating_ip_pool}',
        image_id: '{image_id}',
        security_groups: '{security_groups}',
      },
    ],
    ['cluster-templates', template, { default_image_id: '{default_image_id}', node_groups: '{node_groups}' }],
  ] as const)('%s: all but what is only true here', async (path, body, open) => {
    const peer = await serve({ dialect: 'sahara' });
    const [single, made] = Object.entries<Json>((await peer.post(at(path), body)).body)[0] ?? ['', {}];
    const { id, ...whole } = (await peer.get(at(`${path}/${made.id}`))).body[single];
    const { created_at: _, updated_at: __, tenant_id: ___, is_default: ____, ...rest } = whole;
    const reply = await peer.get(at(`${path}/${id}/export`));
    expect([reply.status, reply.body]).toEqual([200, { [single]: { ...rest, ...open } }]);
    expect(reply.headers.get('content-disposition')).toBe(`attachment; filename=${single}.json`);
    expect(refused(await peer.get(at(`${path}/${unknownId}/export`)))).toEqual([404, 'NOT_FOUND']);
    for (const dialect of ['neutral', 'savanna'] as const)
      expect((await (await serve({ dialect })).get(at(`${path}/${id}/export`))).status).toBe(404);
  });
});
