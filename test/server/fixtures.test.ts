// Fixtures: what a file becomes, what is said of one that cannot be used, and loading into a store that has things already.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadFixtures } from '../../src/server/fixtures.ts';
import { parseFixtures, readFixtures } from '../../src/server/fixtures-file.ts';
import { createSeededRandom } from '../../src/server/identifiers.ts';
import { createServer, type ServerOptions } from '../../src/server/server.ts';
import { createMemoryStore } from '../../src/server/store.ts';
import { systemClock } from '../../src/system.ts';
import { connect, type Json, type Peer, unknownId, until } from '../contract/support.ts';

const root = join(import.meta.dirname, '..', '..');
const example = join(root, 'examples', 'service', 'fixtures.yaml');
const documented = /```yaml\n(.*?)```/s.exec(readFileSync(join(root, 'docs', 'fixtures.md'), 'utf8'))?.[1] ?? '';
const log = { debug() {}, info() {}, warn() {}, error() {} };

type Options = ServerOptions & { readonly store: NonNullable<ServerOptions['store']> };
const optionsOf = (more: Partial<ServerOptions> = {}): Options => ({
  clock: systemClock,
  random: createSeededRandom(7),
  store: createMemoryStore(),
  ...more,
});

/** A service with these options that has loaded the text. */
async function load(text: string, options: Options = optionsOf()): Promise<Peer> {
  loadFixtures(options, parseFixtures(text), log);
  const server = createServer(options);
  onTestFinished(() => server.close());
  return connect(await server.start());
}
const inTenant = (sections: object, tenant = 'demo') => JSON.stringify({ tenants: { [tenant]: sections } });
const rows = async (peer: Peer, path: string, tenant = 'demo'): Promise<readonly Json[]> =>
  Object.values((await peer.get(`/v1.1/${tenant}/${path}`)).body as object)[0];

const worker = {
  name: 'worker',
  plugin_name: 'vanilla',
  bigdata_version: '1.2.1',
  flavor_id: '2',
  node_processes: ['datanode'],
};
const group = { name: 'worker', count: 1, node_group_template_id: 'worker' };
const cluster = {
  name: 'c',
  plugin_name: 'vanilla',
  bigdata_version: '1.2.1',
  default_image_id: 'ubuntu-22.04-prepared',
  user_keypair_id: 'key',
  node_groups: [group],
};

describe('the file of the examples', () => {
  test('is what the service has: every object once, all connected, and under way', async () => {
    const peer = await load(readFileSync(example, 'utf8'));
    const [words, counts] = await rows(peer, 'data-sources');
    const [master, slave] = await rows(peer, 'node-group-templates');
    const [template] = await rows(peer, 'cluster-templates');
    expect(template.node_groups).toMatchObject([
      { name: 'master', count: 1, node_group_template_id: master.id, flavor_id: '3' },
      { name: 'worker', count: 3, node_group_template_id: slave.id, volumes_size: 100 },
    ]);
    const id = '6f1d2c3b-4a59-4e87-96a5-b4c3d2e1f001';
    const image = '2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58';
    const { body } = await until(
      () => peer.get(`/v1.1/demo/clusters/${id}`),
      (reply) => reply.body.cluster.status === 'Active',
    );
    expect(body.cluster).toMatchObject({ cluster_template_id: template.id, default_image_id: image });
    const [job] = await rows(peer, 'jobs');
    const [internal] = await rows(peer, 'job-binary-internals');
    expect(job.mains).toMatchObject([{ name: 'count', url: `internal-db://${internal.id}` }]);
    expect((await peer.get(`/v1.1/demo/job-binaries/${job.mains[0].id}/data`)).text).toMatch(/^words = LOAD/);
    const { body: run } = await until(
      () => peer.get('/v1.1/demo/job-executions/6f1d2c3b-4a59-4e87-96a5-b4c3d2e1f002'),
      (reply) => reply.body.job_execution.info.status === 'SUCCEEDED',
    );
    expect(run.job_execution).toMatchObject({ job_id: job.id, cluster_id: id, input_id: words.id });
    expect(run.job_execution.output_id).toBe(counts.id);
    expect((await peer.get(`/v1.1/demo/images/${image}`)).body.image.tags).toEqual(['vanilla', '2.7.1']);
  });

  test('has the same identifiers for the same seed', async () => {
    const ids = async (seed: number) => {
      const peer = await load(readFileSync(example, 'utf8'), optionsOf({ random: createSeededRandom(seed) }));
      return (await rows(peer, 'node-group-templates')).map(({ id }) => id);
    };
    expect(await ids(1)).toEqual(await ids(1));
    expect(await ids(1)).not.toEqual(await ids(2));
  });
});

test('so is the one of the documentation', async () => {
  const peer = await load(documented);
  const [only] = await rows(peer, 'clusters');
  expect(only).toMatchObject({ id: '6f1d2c3b-4a59-4e87-96a5-b4c3d2e1f001', name: 'analytics' });
  expect(only.node_groups[0].instances).toHaveLength(3);
});

describe('references', () => {
  test('by identifier, by a given one, by name; in whatever order', async () => {
    const id = '11111111-2222-4333-8444-555555555555';
    const sections = {
      cluster_templates: [
        { ...cluster, name: 'by-name', default_image_id: undefined, user_keypair_id: undefined },
        {
          ...cluster,
          name: 'by-id',
          default_image_id: undefined,
          user_keypair_id: undefined,
          node_groups: [{ ...group, node_group_template_id: id }],
        },
      ],
      node_group_templates: [{ id, ...worker }],
    };
    const peer = await load(inTenant(sections));
    const made = await rows(peer, 'cluster-templates');
    expect(made.map(({ node_groups }) => node_groups[0].node_group_template_id)).toEqual([id, id]);
  });

  test('each tenant has its own names, and in late releases sees what others have made public', async () => {
    const { bigdata_version: hadoop_version, ...rest } = worker;
    const small = { name: 'small', plugin_name: 'vanilla', hadoop_version, node_groups: [group] };
    const text = JSON.stringify({
      tenants: {
        two: { cluster_templates: [small] },
        one: { node_group_templates: [{ ...rest, hadoop_version, is_public: true }], cluster_templates: [small] },
      },
    });
    const peer = await load(text, optionsOf({ dialect: 'sahara' }));
    const [own] = await rows(peer, 'node-group-templates', 'one');
    for (const tenant of ['one', 'two'])
      expect((await rows(peer, 'cluster-templates', tenant))[0].node_groups[0].node_group_template_id).toBe(own.id);
  });
});

describe('a file that cannot be used', () => {
  const given = '11111111-2222-4333-8444-555555555555';
  const place = 'tenants.demo';

  test.each([
    ['tenants: {demo: {', 'it is neither YAML nor JSON: line 1, column 18 (BAD_INDENT)'],
    ['a: b\ntenants: "secret', 'it is neither YAML nor JSON: line 2, column 17 (MISSING_CHAR)'],
    ['{}', 'tenants: '],
    [inTenant({ machines: [] }), 'tenants.demo: Unrecognized key: "machines"'],
    [inTenant({ clusters: [{}] }), 'tenants.demo.clusters.0.name: '],
    [inTenant({ clusters: [{ name: 'c', id: 'mine' }] }), 'tenants.demo.clusters.0.id: is not an identifier'],
    [inTenant({ job_executions: [{ job: 'j' }] }), 'tenants.demo.job_executions.0.id: '],
    [inTenant({ job_binary_internals: [{ name: 'b' }] }), 'either text or base64'],
    [inTenant({ job_binary_internals: [{ name: 'b', base64: '?' }] }), 'tenants.demo.job_binary_internals.0.base64: '],
  ])('%s', (text, why) => {
    expect(() => parseFixtures(text)).toThrow(why);
  });

  test.each([
    [{ clusters: [cluster] }, `${place}.clusters[0].node_groups[0].node_group_template_id: there is no node group`],
    [
      { clusters: [{ ...cluster, node_groups: [], default_image_id: 'no' }] },
      'default_image_id: there is no image no; add it',
    ],
    [{ node_group_templates: [{ ...worker, flavor_id: 2, no: 1 }] }, `${place}.node_group_templates[0].flavor_id: `],
    [{ node_group_templates: [{ ...worker, flavor_id: 2, no: 1 }] }, `${place}.node_group_templates[0].no: unknown`],
    [
      { node_group_templates: [{ ...worker, flavor_id: '9' }] },
      `${place}.node_group_templates[0]: cannot use flavor 9`,
    ],
    [{ node_group_templates: [worker, worker] }, `${place}.node_group_templates[1]: worker is there twice`],
    [
      {
        node_group_templates: [
          { id: given, ...worker },
          { ...worker, id: given, name: 'other' },
        ],
      },
      `${place}.node_group_templates[1]: ${given} is there twice`,
    ],
    [{ images: [{ id: unknownId }] }, `${place}.images[0].username: is required`],
    [{ images: [{ id: 'no', username: 'u' }] }, `${place}.images[0]: cannot find image no`],
    [
      { job_executions: [{ id: given, job: 'j', cluster_id: given }] },
      `${place}.job_executions[0].job: there is no job j`,
    ],
    [
      { job_binaries: [{ name: 'b', url: 'internal-db://no' }] },
      `${place}.job_binaries[0].url: there is no job binary`,
    ],
    [{ job_binary_internals: [{ name: 'b', text: '' }] }, `${place}.job_binary_internals[0]: cannot keep binary`],
  ])('%j: nothing has been loaded', async (sections, why) => {
    const options = optionsOf();
    const before = { node_group_templates: [{ ...worker, name: 'before' }] };
    const text = JSON.stringify({ tenants: { first: before, demo: sections } });
    expect(() => loadFixtures(options, parseFixtures(text), log)).toThrow(why);
    expect(options.store.tenants()).toEqual([]);
  });

  test('all that cannot be made is told at once, and what that keeps others from', () => {
    const options = optionsOf({ catalog: { quota: 5 } });
    const big = { ...cluster, node_groups: [{ name: 'g', count: 9, flavor_id: '1', node_processes: ['namenode'] }] };
    const sections = {
      node_group_templates: [worker, { ...worker, name: 'small', flavor: '2' }, { ...worker, name: 'small' }],
      clusters: [
        {
          ...cluster,
          name: 'two',
          cluster_template_id: 'no',
          node_groups: [group, { ...group, name: 'h', node_group_template_id: 'small' }],
        },
        { ...big, name: 'big' },
        { ...cluster, name: 'fine' },
      ],
      jobs: [{ name: 'j', type: 'Shell', mains: ['a', 'b'] }],
    };
    const remedy = 'add it to the file in tenant demo, or use an identifier in UUID form';
    const lines = [
      '5 of 7 objects cannot be made, so none has been:',
      `${place}.node_group_templates[1].flavor: unknown field; remove it`,
      `${place}.node_group_templates[2]: small is there twice; one of the two has to be another`,
      `${place}.clusters[0].cluster_template_id: there is no cluster template no; ${remedy}`,
      `${place}.clusters[0].node_groups[1].node_group_template_id: small cannot be made; mend ${place}.node_group_templates[1]`,
      `${place}.clusters[1]: cannot place 9 machines: there is room for 5; ask for fewer machines, or start with a larger --quota`,
      `${place}.jobs[0].mains[0]: there is no job binary a; ${remedy}`,
      `${place}.jobs[0].mains[1]: there is no job binary b; ${remedy}`,
    ];
    const told = () => loadFixtures(options, parseFixtures(inTenant(sections)), log);
    expect(told).toThrow(new Error(lines.join('\n  ')));
    expect(options.store.tenants()).toEqual([]);
  });

  test('an object that is given by its identifier is missed, too', () => {
    const sections = {
      node_group_templates: [{ ...worker, id: given, flavor_id: '9' }],
      clusters: [{ ...cluster, node_groups: [{ ...group, node_group_template_id: given }] }],
    };
    expect(() => loadFixtures(optionsOf(), parseFixtures(inTenant(sections)), log)).toThrow(
      `node_group_template_id: ${given} cannot be made; mend ${place}.node_group_templates[0]`,
    );
  });

  test('the line names the file', () => {
    expect(() => readFixtures('/nowhere.yaml', () => {})).toThrow('cannot load fixtures /nowhere.yaml: ENOENT');
  });
});

describe('a store that has things already', () => {
  const given = '11111111-2222-4333-8444-555555555555';
  const text = inTenant({
    node_group_templates: [{ id: given, ...worker }],
    clusters: [cluster],
    images: [{ id: '2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58', username: 'ubuntu' }],
  });

  test('the same file again changes nothing, whatever has become of what it made', async () => {
    const options = optionsOf();
    const peer = await load(text, options);
    const { body } = await until(
      () => peer.get('/v1.1/demo/clusters'),
      (reply) => reply.body.clusters[0].status === 'Active',
    );
    const path = `/v1.1/demo/clusters/${body.clusters[0].id}`;
    await peer.put(path, { resize_node_groups: [{ name: 'worker', count: 2 }] });
    await until(
      () => peer.get(path),
      (reply) => reply.body.cluster.status === 'Active',
    );
    const before = [await rows(peer, 'clusters'), await rows(peer, 'images'), await rows(peer, 'node-group-templates')];
    loadFixtures(options, parseFixtures(text), log);
    const after = [await rows(peer, 'clusters'), await rows(peer, 'images'), await rows(peer, 'node-group-templates')];
    expect(after).toEqual(before);
    expect(after[0]?.[0].node_groups[0].count).toBe(2);
  });

  test('what was deleted is made again, and refers to what is there', async () => {
    const options = optionsOf();
    const peer = await load(text, options);
    const [made] = await rows(peer, 'clusters');
    await peer.remove(`/v1.1/demo/clusters/${made.id}`);
    await until(
      () => peer.get(`/v1.1/demo/clusters/${made.id}`),
      ({ status }) => status === 404,
    );
    loadFixtures(options, parseFixtures(text), log);
    const [again] = await rows(peer, 'clusters');
    expect(again.id).not.toBe(made.id);
    expect(again.node_groups[0].node_group_template_id).toBe(given);
  });

  test('a name under another identifier, or an identifier of another tenant, is refused', async () => {
    const options = optionsOf();
    await load(text, options);
    const reload = (tenant: string, fields: object) => () =>
      loadFixtures(options, parseFixtures(inTenant({ node_group_templates: [{ ...worker, ...fields }] }, tenant)), log);
    const place = 'node_group_templates[0].id: ';
    expect(reload('demo', { id: unknownId })).toThrow(`tenants.demo.${place}node group template worker is there as`);
    expect(reload('other', { id: given })).toThrow(`tenants.other.${place}tenant demo has it already`);
    expect(reload('demo', { id: given, name: 'renamed' })).not.toThrow();
  });
});
