// Section 2: bodies, wrapping keys and the fields of each resource.
import { describe, expect, test } from 'vitest';
import {
  configs,
  createActive,
  createWorkers,
  imageId,
  type Json,
  onlyIn,
  ours,
  oursOnly,
  pluginFields,
  pluginPath,
  pool,
  promised,
  scene,
  serve,
  spoken,
  startBody,
  timestamp,
  uuid,
  workers,
} from '../../support.ts';

describe('section 2 rule 1: bodies', () => {
  test('all bodies are JSON, and say so', async () => {
    const peer = await serve();
    for (const path of [
      'plugins',
      'images',
      'node-group-templates',
      'cluster-templates',
      'clusters',
      'no-such-thing',
    ]) {
      const reply = await peer.get(`/v1.0/t/${path}`);
      expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
      expect(reply.body).toBeTypeOf('object');
    }
  });

  test.each([
    ['plugins', 'plugins'],
    ['images', 'images'],
    ['node-group-templates', 'node_group_templates'],
    ['cluster-templates', 'cluster_templates'],
    ['clusters', 'clusters'],
  ])('section 2 rule 2: a list of %s is in an object whose one key is %s', async (path, key) => {
    const peer = await serve();
    const { body } = await peer.get(`/v1.0/t/${path}`);
    expect(Object.keys(body)).toEqual([key]);
    expect(body[key]).toBeInstanceOf(Array);
  });

  test('section 2 rule 2: a single resource is in an object whose one key is its singular name', async () => {
    const peer = await serve();
    const cluster = await createActive(peer);
    const group = cluster.node_groups[0].node_group_template_id;
    const template = await peer.post('/v1.0/t/cluster-templates', {
      name: 'ct',
      ...pluginFields,
    });
    const keys = async (path: string) => Object.keys((await peer.get(`/v1.0/t/${path}`)).body);
    expect(await keys(`plugins/${scene.plugin}`)).toEqual(['plugin']);
    expect(await keys(`images/${imageId}`)).toEqual(['image']);
    expect(await keys(`node-group-templates/${group}`)).toEqual(['node_group_template']);
    expect(await keys(`cluster-templates/${template.body.cluster_template.id}`)).toEqual(['cluster_template']);
    expect(await keys(`clusters/${cluster.id}`)).toEqual(['cluster']);
  });
});

describe('section 2 rule 3: plugin', () => {
  test('short form', async () => {
    const peer = await serve();
    const { body } = await peer.get(`/v1.0/t/plugins/${scene.plugin}`);
    expect(body.plugin).toEqual({
      name: scene.plugin,
      title: expect.any(String),
      description: expect.any(String),
      versions: expect.arrayContaining([scene.version]),
    });
  });

  test('detailed form adds processes by target, image tags and configurations', async () => {
    const peer = await serve();
    const { plugin } = (await peer.get(`/v1.0/t/${pluginPath}`)).body;
    expect(Object.values(plugin.node_processes).flat()).toEqual(
      expect.arrayContaining([...scene.masters, ...scene.workers]),
    );
    expect(plugin.required_image_tags).toEqual(scene.imageTags);
    expect(plugin.configs).toBeInstanceOf(Array);
    if (!scene.bundled) return;
    expect(plugin.node_processes.HDFS).toContain('namenode');
    expect(plugin.configs.length).toBeGreaterThan(10);
    expect(new Set(plugin.configs.map((config: { scope: string }) => config.scope))).toContain('node');
  });

  test('configuration objects have the eight fields, with a default of their type', async () => {
    if (spoken !== 'neutral') oursOnly('all fields of an option');
    const peer = await serve();
    const { plugin } = (await peer.get(`/v1.0/t/${pluginPath}`)).body;
    const types: Readonly<Record<string, string>> = {
      string: 'string',
      bool: 'boolean',
      ...(spoken === 'neutral' ? {} : { int: 'number' }),
    };
    for (const config of plugin.configs) {
      expect(Object.keys(config).toSorted()).toEqual([
        'applicable_target',
        'config_type',
        'default_value',
        'description',
        'is_optional',
        'name',
        'priority',
        'scope',
      ]);
      expect(typeof config.default_value).toBe(types[config.config_type]);
      expect(config.priority).toBeTypeOf('number');
    }
  });
});

describe('section 2 rule 4: node group template', () => {
  test('carries what was sent', async () => {
    const peer = await serve();
    const sent = {
      ...workers,
      description: 'does the work',
      floating_ip_pool: pool,
      volumes_per_node: 2,
      volumes_size: 20,
      volume_mount_prefix: '/data/disk',
      node_configs: configs({ number: 2048 }),
    };
    const { body } = await peer.post('/v1.0/t/node-group-templates', sent);
    expect(body.node_group_template).toEqual({ ...sent, id: expect.stringMatching(uuid) });
  });

  test('carries values for volumes and configurations when they are omitted', async () => {
    const peer = await serve();
    const { body } = await peer.post('/v1.0/t/node-group-templates', workers);
    expect(body.node_group_template).toEqual({
      ...workers,
      id: expect.stringMatching(uuid),
      volumes_per_node: promised(expect.any(Number), 0),
      volumes_size: promised(expect.any(Number), spoken === 'neutral' ? 10 : 0),
      volume_mount_prefix: promised(expect.any(String), '/volumes/disk'),
      node_configs: {},
    });
  });
});

describe('section 2 rule 5: cluster', () => {
  test('has the fields of the table and no others', async () => {
    const peer = await serve();
    const cluster = await createActive(peer, { description: 'mine' });
    expect(Object.keys(cluster).toSorted()).toEqual([
      'anti_affinity',
      'bigdata_version',
      'cluster_configs',
      'default_image_id',
      'description',
      'id',
      'info',
      'name',
      'node_groups',
      'plugin_name',
      'status',
      'user_keypair_id',
    ]);
    expect(cluster).toMatchObject({ ...startBody, default_image_id: imageId, id: expect.stringMatching(uuid) });
  });

  test('its groups have time stamps without zone', async () => {
    onlyIn('neutral');
    oursOnly('when groups were created');
    const [group] = (await createActive(await serve())).node_groups;
    expect(group.created).toEqual(timestamp);
    expect(group.updated).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
  });

  test('its groups have instances with addresses and volumes', async () => {
    const [group] = (await createActive(await serve())).node_groups;
    expect(group.instances).toHaveLength(2);
    const address = promised(expect.any(String), expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/));
    const fields = ['instance_id', 'instance_name', 'internal_ip', 'management_ip', 'volumes'];
    for (const instance of group.instances) {
      expect(instance).toMatchObject({
        instance_name: promised(expect.any(String), expect.stringMatching(/^cluster-1-workers-00[12]$/)),
        instance_id: promised(expect.any(String), expect.stringMatching(uuid)),
        internal_ip: address,
        management_ip: address,
        // Late releases only count them.
        ...(spoken === 'sahara' ? {} : { volumes: promised(expect.any(Array), []) }),
      });
      if (spoken === 'neutral' && ours) expect(Object.keys(instance).toSorted()).toEqual(fields);
    }
  });

  test('info leads from target to label to URL', async () => {
    const peer = await serve();
    const { info } = await createActive(peer);
    const urls = Object.values<Json>(info ?? {}).flatMap((labels) => Object.values(labels));
    for (const url of urls) expect(url).toBeTypeOf('string');
    if (!scene.bundled) return;
    expect(info.HDFS['Web UI']).toMatch(/^http:\/\//);
    expect(info.MapReduce['Web UI']).toMatch(/^http:\/\//);
  });

  test('section 2 rule 6: identifiers are never the same', async () => {
    const peer = await serve();
    const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => createWorkers(peer, { name: `w${index}` })));
    expect(new Set(ids).size).toBe(20);
  });
});
