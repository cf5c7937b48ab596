// What upstream does with every request: numbers it, answers in JSON or not at all, and in late releases needs no tenant in the path.
import { describe, expect, test } from 'vitest';
import { expectWords, onlyIn, type Peer, scene, serve, unknownId, worker } from '../../support.ts';

const branded = ['sahara', 'savanna'] as const;
const path = '/v1.1/t/clusters';
const template = {
  name: 'workers',
  plugin_name: scene.plugin,
  hadoop_version: scene.version,
  flavor_id: scene.flavors.workers,
  node_processes: [worker],
};
const at = (peer: Peer, headers: Readonly<Record<string, string>>, to = path) =>
  peer.send('GET', to, undefined, headers);

describe.each(branded)('%s: every answer', (dialect) => {
  test('has a number of its own, refusals too', async () => {
    const peer = await serve({ dialect });
    const paths = [path, path, `${path}/${unknownId}`, '/v1.1/t/nothing', '/', '/v1.1', `${path}/%zz`];
    const ids: (string | null)[] = [];
    for (const each of paths) ids.push((await peer.get(each)).headers.get('x-openstack-request-id'));
    for (const id of ids) expect(id).toMatch(/^req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(new Set(ids).size).toBe(paths.length);
  });

  test('also without a good token', async () => {
    const peer = await serve({ dialect, grants: [{ token: 'secret' }] });
    const { status, headers } = await peer.get(path);
    expect([status, headers.has('x-openstack-request-id')]).toEqual([401, true]);
  });

  test('is labelled as JSON and nothing else', async () => {
    const peer = await serve({ dialect });
    const made = await peer.post('/v1.1/t/node-group-templates', template);
    for (const { headers } of [made, await peer.get(path), await peer.get(`${path}/${unknownId}`)])
      expect(headers.get('content-type')).toBe('application/json');
  });

  test.each(['application/json', '*/*', 'application/*;q=0.5', 'text/html, */*;q=0.1', ''])(
    'comes to who accepts %j',
    async (accept) => {
      expect((await at(await serve({ dialect }), { accept })).status).toBe(200);
    },
  );

  test.each(['text/html', 'application/xml, text/*', 'text/html, application/json;q=0', '*/*;q=0.0'])(
    'does not come to who accepts %j; the suffix asks for it anyway',
    async (accept) => {
      const peer = await serve({ dialect });
      const { status, body } = await at(peer, { accept });
      expect([status, body.error_name]).toEqual([400, 'INVALID_DATA']);
      expect((await at(peer, { accept }, `${path}.json`)).status).toBe(200);
    },
  );
});

test('neutral: JSON whatever is accepted, and no numbers', async () => {
  onlyIn('neutral');
  const { status, headers } = await at(await serve(), { accept: 'text/html' });
  expect([status, headers.has('x-openstack-request-id')]).toEqual([200, false]);
});

test('a refused create makes nothing', async () => {
  const peer = await serve({ dialect: 'sahara' });
  const to = '/v1.1/t/node-group-templates';
  expect((await peer.send('POST', to, template, { accept: 'text/html' })).status).toBe(400);
  expect((await peer.get(to)).body).toEqual({ node_group_templates: [] });
});

describe('the tenant in the path', () => {
  test('may be missing in late releases', async () => {
    const peer = await serve({ dialect: 'sahara' });
    const made = await peer.post('/v1.1/node-group-templates.json', template);
    expect(made.status).toBe(202);
    const { id, tenant_id } = made.body.node_group_template;
    expect((await peer.get(`/v1.0/node-group-templates/${id}`)).status).toBe(200);
    expect((await peer.get(`/v1.1/${tenant_id}/node-group-templates/${id}`)).status).toBe(200);
    expect((await peer.get(`/v1.1/t/node-group-templates/${id}`)).status).toBe(404);
    expect((await peer.get('/v1.1/jobs/config-hints/Pig')).status).toBe(200);
    expect((await peer.get('/v1.0/jobs')).status).toBe(404);
    expect((await peer.send('PUT', '/v1.1/node-group-templates')).status).toBe(405);
  });

  test('is then that of the token', async () => {
    const grants = [
      { token: 'one', tenant: 't' },
      { token: 'two', tenant: 'u' },
    ];
    const peer = await serve({ dialect: 'sahara', grants });
    const { body } = await peer.send('POST', '/v1.1/node-group-templates', template, { 'x-auth-token': 'two' });
    expect(body.node_group_template.tenant_id).toBe('u');
    expect((await at(peer, { 'x-auth-token': 'three' }, '/v1.1/plugins')).status).toBe(401);
  });

  test('is needed by early releases and by the interface as written', async () => {
    expect((await (await serve({ dialect: 'savanna' })).get('/v1.1/plugins')).status).toBe(404);
    expect((await (await serve()).get('/v1.1/plugins')).status).toBe(404);
  });

  test.each([
    ['sahara', '/v1.1', 'text/html'],
    ['sahara', '/v1.1/', 'text/html'],
    ['sahara', '/v1.1/t', 'application/json'],
    ['savanna', '/v1.1/t', 'text/html'],
    ['savanna', '/v1.1/t/nothing', 'application/json'],
  ] as const)('%s: the filter that compares it refuses what is too short: %s', async (dialect, to, type) => {
    const { status, headers } = await (await serve({ dialect })).get(to);
    expect([status, headers.get('content-type')?.split(';')[0]]).toEqual([404, type]);
  });
});

test.each(['neutral', ...branded] as const)(
  '%s: the versions need no token, and have whole addresses',
  async (dialect) => {
    const peer = await serve({ dialect, grants: [{ token: 'secret' }] });
    const { status, body } = await peer.get('/?x');
    const link = (path_: string) => [{ rel: 'self', href: `${peer.url}/${path_}/` }];
    expect([status, body]).toEqual([
      300,
      {
        versions: [
          { id: 'v1.0', status: 'SUPPORTED', links: link('v1.0') },
          { id: 'v1.1', status: 'CURRENT', links: link('v1.1') },
        ],
      },
    ]);
  },
);

test.each([
  ['neutral', null],
  ['sahara', 'application/json'],
  ['savanna', 'application/json'],
] as const)('%s: what is deleted is answered with nothing, labelled as %s', async (dialect, type) => {
  const peer = await serve({ dialect });
  const made = await peer.send('PUT', '/v1.1/t/job-binary-internals/script', 'bytes');
  const gone = await peer.remove(`/v1.1/t/job-binary-internals/${made.body.job_binary_internal.id}`);
  expect([gone.status, gone.text, gone.headers.get('content-type')]).toEqual([204, '', type]);
});

test.each(['neutral', ...branded] as const)('%s: a body that is empty is of no type', async (dialect) => {
  const peer = await serve({ dialect });
  const { status, body } = await peer.send('POST', '/v1.1/t/clusters', '', { 'content-type': 'text/plain' });
  expect([status, body.error_name]).toEqual([400, 'VALIDATION_ERROR']);
  expectWords(body, 'name: is required');
});
