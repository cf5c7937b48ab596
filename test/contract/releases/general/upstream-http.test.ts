// What upstream does with every request: in late releases it needs no tenant in the path.
import { describe, expect, test } from 'vitest';
import { expectWords, type Peer, promised, scene, serve, worker } from '../../support.ts';

const branded = ['sahara', 'savanna'] as const;
const template = {
  name: 'workers',
  plugin_name: scene.plugin,
  hadoop_version: scene.version,
  flavor_id: scene.flavors.workers,
  node_processes: [worker],
};
const at = (peer: Peer, headers: Readonly<Record<string, string>>, to: string) =>
  peer.send('GET', to, undefined, headers);

describe('the tenant in the path', () => {
  test('may be missing in late releases', async () => {
    const peer = await serve({ dialect: 'sahara' });
    const made = await peer.post('/v1.1/node-group-templates.json', template);
    expect(made.status).toBe(202);
    const { id, tenant_id } = made.body.node_group_template;
    expect((await peer.get(`/v1.0/node-group-templates/${id}`)).status).toBe(200);
    expect((await peer.get(`/v1.1/${tenant_id}/node-group-templates/${id}`)).status).toBe(200);
    // A token may be for that tenant.
    expect((await peer.get(`/v1.1/t/node-group-templates/${id}`)).status).toBe(tenant_id === 't' ? 200 : 404);
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
    ['sahara', '/v1.1', 'text/plain'],
    ['sahara', '/v1.1/', 'text/plain'],
    ['sahara', '/v1.1/t', 'application/json'],
    ['savanna', '/v1.1/t', 'text/plain'],
    ['savanna', '/v1.1/t/nothing', 'application/json'],
  ] as const)('%s: the filter that compares it refuses what is too short: %s', async (dialect, to, type) => {
    const { status, headers } = await (await serve({ dialect })).get(to);
    // The type depends on the libraries of the service.
    expect([status, headers.get('content-type')?.split(';')[0]]).toEqual([404, promised(expect.any(String), type)]);
  });
});

test.each(['neutral', ...branded] as const)(
  '%s: the versions need no token, and have whole addresses',
  async (dialect) => {
    const peer = await serve({ dialect, grants: [{ token: 'secret' }] });
    const { status, body } = await peer.get('/?x');
    const link = (path_: string) => [{ rel: 'self', href: `${peer.url}/${path_}/` }];
    const first = { id: 'v1.0', status: 'SUPPORTED', links: link('v1.0') };
    const second = { id: 'v1.1', status: 'CURRENT', links: link('v1.1') };
    // The latest releases have one more, and call only that one current.
    const later = expect.arrayContaining([
      first,
      { ...second, status: expect.stringMatching(/^(CURRENT|SUPPORTED)$/) },
    ]);
    expect([status, body]).toEqual([300, { versions: promised(later, [first, second]) }]);
  },
);

test.each(['neutral', ...branded] as const)('%s: a body that is empty is of no type', async (dialect) => {
  const peer = await serve({ dialect });
  const { status, body } = await peer.send('POST', '/v1.1/t/clusters', '', { 'content-type': 'text/plain' });
  expect([status, body.error_name]).toEqual([400, 'VALIDATION_ERROR']);
  expectWords(body, 'name: is required');
});
