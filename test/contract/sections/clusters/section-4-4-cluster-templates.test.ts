// Section 4.4: cluster templates.
import { describe, expect, test } from 'vitest';
import {
  bundledOnly,
  configs,
  configTarget,
  createWorkers,
  expectWords,
  type Json,
  masterGroup,
  networkId,
  onlyIn,
  oursOnly,
  pluginFields,
  promised,
  scene,
  serve,
  spoken,
  startBody,
  unknownId,
  uuid,
  worker,
} from '../../support.ts';

const path = '/v1.0/t/cluster-templates';
const plain = { name: 'small', ...pluginFields };
const inline = masterGroup;

describe('section 4.4 rule 1: POST', () => {
  test('202; referenced groups are expanded with the attributes of their template', async () => {
    const peer = await serve();
    const id = await createWorkers(peer, {
      node_configs: configs({ number: 2048 }),
      volumes_per_node: 2,
      volumes_size: 20,
    });
    const node_groups = [{ name: 'worker', count: 3, node_group_template_id: id }, inline];
    const { status, body } = await peer.post(path, { ...plain, node_groups });
    expect(status).toBe(202);
    expect(body.cluster_template).toEqual({
      ...plain,
      id: expect.stringMatching(uuid),
      cluster_configs: {},
      anti_affinity: [],
      node_groups: [
        {
          name: 'worker',
          count: 3,
          node_group_template_id: id,
          flavor_id: scene.flavors.workers,
          node_processes: scene.workers,
          node_configs: configs({ number: 2048 }),
          volumes_per_node: 2,
          volumes_size: 20,
          volume_mount_prefix: promised(expect.any(String), '/volumes/disk'),
        },
        {
          ...inline,
          node_configs: {},
          volumes_per_node: promised(expect.any(Number), 0),
          volumes_size: promised(expect.any(Number), spoken === 'neutral' ? 10 : 0),
          volume_mount_prefix: promised(expect.any(String), '/volumes/disk'),
        },
      ],
    });
  });

  test('carries what was sent', async () => {
    const peer = await serve();
    const sent = {
      ...plain,
      description: 'for tests',
      cluster_configs: configs({ general: false, text: '2' }),
      anti_affinity: [worker],
      network_management_network: networkId,
    };
    const { body } = await peer.post(path, sent);
    expect(body.cluster_template).toEqual({ ...sent, id: expect.any(String), node_groups: [] });
  });

  test('later changes of the referenced template cannot happen: the expansion is what counts', async () => {
    const peer = await serve();
    const id = await createWorkers(peer);
    const { body } = await peer.post(path, {
      ...plain,
      node_groups: [{ name: 'g', count: 1, node_group_template_id: id }],
    });
    expect((await peer.get(`${path}/${body.cluster_template.id}`)).body).toEqual(body);
  });

  test('an identifier without hyphens is understood', async () => {
    oursOnly('that identifiers may lack hyphens');
    const peer = await serve();
    const id = await createWorkers(peer);
    const group = { name: 'g', count: 1, node_group_template_id: id.replaceAll('-', '') };
    const { status, body } = await peer.post(path, { ...plain, node_groups: [group] });
    expect(status).toBe(202);
    expect(body.cluster_template.node_groups[0].node_group_template_id).toBe(id);
  });

  const refuse = async (fields: object, name: string, text: string) => {
    const peer = await serve();
    const { status, body } = await peer.post(path, { ...plain, ...fields });
    expect([status, body.error_name]).toEqual([400, name]);
    expectWords(body, text);
    expect((await peer.get(path)).body.cluster_templates).toEqual([]);
  };

  test.each([
    [{ node_groups: [{ ...inline, flavor_id: '77' }] }, 'NOT_FOUND', '77'],
    [{ node_groups: [{ name: 'g', count: 1, node_group_template_id: unknownId }] }, 'NOT_FOUND', unknownId],
    [{ node_groups: [inline, inline] }, 'INVALID_DATA', 'master'],
    [{ node_groups: [{ ...inline, node_processes: ['wizard'] }] }, 'INVALID_REFERENCE', 'wizard'],
    [{ node_groups: [{ ...inline, node_processes: undefined }] }, 'VALIDATION_ERROR', 'node_groups[0]'],
    [{ node_groups: [{ name: 'g', count: 1 }] }, 'VALIDATION_ERROR', 'node_groups[0]'],
    [{ node_groups: [{ ...inline, count: '1' }] }, 'VALIDATION_ERROR', 'node_groups[0][count]'],
    [{ cluster_configs: { [configTarget]: { wrong: '1' } } }, 'INVALID_REFERENCE', 'wrong'],
    [{ anti_affinity: ['wizard'] }, 'INVALID_REFERENCE', 'wizard'],
    [{ plugin_name: 'none' }, 'INVALID_REFERENCE', 'none'],
    [{ bigdata_version: '0' }, 'INVALID_REFERENCE', '0'],
    [{ name: undefined }, 'VALIDATION_ERROR', 'name: is required'],
    [{ node_groups: 'all' }, 'VALIDATION_ERROR', 'node_groups'],
  ])('section 4.4 rule 2: %j is refused: 400 %s', refuse);

  test.each([
    [{ node_groups: [{ ...inline, floating_ip_pool: 'p' }] }, 'VALIDATION_ERROR', 'node_groups[0][floating_ip_pool]'],
    [{ default_image_id: unknownId }, 'VALIDATION_ERROR', 'default_image_id: unknown field'],
  ])('of upstream alone: %j is refused: 400 %s', async (fields, name, text) => {
    onlyIn('neutral');
    await refuse(fields, name, text);
  });

  test('section 2: a group by template carries only name, count and the identifier', async () => {
    onlyIn('neutral');
    const peer = await serve();
    const id = await createWorkers(peer);
    const group = { name: 'g', count: 1, node_group_template_id: id, flavor_id: scene.flavors.masters };
    const { status, body } = await peer.post(path, { ...plain, node_groups: [group] });
    expect([status, body.error_name]).toEqual([400, 'VALIDATION_ERROR']);
    expectWords(body, 'node_groups[0][flavor_id]');
  });

  test('a group by template of another plugin version is refused', async () => {
    // Upstream asks only whether the plugin knows what the template says.
    onlyIn('neutral');
    bundledOnly('a second version');
    const peer = await serve();
    const id = await createWorkers(peer, { bigdata_version: '1.1.2' });
    const reply = await peer.post(path, {
      ...plain,
      node_groups: [{ name: 'g', count: 1, node_group_template_id: id }],
    });
    expect([reply.status, reply.body.error_name]).toEqual([400, 'INVALID_REFERENCE']);
  });

  test('section 4 rule 5: a name is used once', async () => {
    const peer = await serve();
    await peer.post(path, plain);
    const { status, body } = await peer.post(path, plain);
    expect([status, body.error_name]).toEqual([400, 'NAME_ALREADY_EXISTS']);
  });
});

describe('section 4 rule 3: GET and DELETE', () => {
  test('section 4 rule 4: list and one', async () => {
    const peer = await serve();
    const { body } = await peer.post(path, { ...plain, node_groups: [inline] });
    expect((await peer.get(path)).body).toEqual({ cluster_templates: [body.cluster_template] });
    const one = await peer.get(`${path}/${body.cluster_template.id}`);
    expect([one.status, one.body]).toEqual([200, body]);
    expect((await peer.get(`${path}/${unknownId}`)).status).toBe(404);
  });

  test('204, then it is gone', async () => {
    const peer = await serve();
    const { cluster_template: template } = (await peer.post(path, plain)).body;
    const reply = await peer.remove(`${path}/${template.id}`);
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect((await peer.get(`${path}/${template.id}`)).status).toBe(404);
    expect((await peer.remove(`${path}/${template.id}`)).body.error_name).toBe('NOT_FOUND');
  });

  test('section 4 rule 6: refused while a cluster refers to it', async () => {
    const peer = await serve();
    const { cluster_template: template } = (await peer.post(path, { ...plain, node_groups: [inline] })).body;
    const started = await peer.post('/v1.0/t/clusters', { ...startBody, cluster_template_id: template.id });
    expect(started.status).toBe(202);
    const { status, body } = await peer.remove(`${path}/${template.id}`);
    expect([status, body.error_name]).toEqual([400, 'INVALID_REFERENCE']);
    expectWords(body, 'cluster-1');
    const rows: Json = (await peer.get(path)).body;
    expect(rows.cluster_templates).toHaveLength(1);
  });
});
