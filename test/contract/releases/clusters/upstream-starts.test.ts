// Starting clusters of late releases: what is refused first when more than one thing is wrong.
import { describe, expect, test } from 'vitest';
import { imageId, onlyHere, type Reply, serve, unknownId } from '../../support.ts';
import { at, cluster, inline, template } from '../general/upstream-support.ts';

const refused = ({ status, body }: Reply) => [status, body.error_name];

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
