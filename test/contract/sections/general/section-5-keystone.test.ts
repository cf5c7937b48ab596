// Section 5 with an identity service: tokens that a Keystone issued, checked by asking it, and the tenants that they are for.
import { describe, expect, test, vi } from 'vitest';
import { demoAccounts } from '../../../../dev/identity/accounts.ts';
import { createIdentity } from '../../../../dev/identity/identity.ts';
import { serve as serveHttp } from '../../../operator/client/support/servers.ts';
import { type Peer, type Reply, scene, serve, worker } from '../../support.ts';

const project = demoAccounts.projects[0]?.id ?? '';
const user = { name: 'demo', domain: { name: 'Default' }, password: 'demo' };

async function tokenOf(peer: Peer, scope: unknown = { project: { id: project } }): Promise<string> {
  const auth = { identity: { methods: ['password'], password: { user } }, scope };
  return (await peer.post('/v3/auth/tokens', { auth })).headers.get('x-subject-token') ?? '';
}

const list = (peer: Peer, token: string | undefined, tenant = project): Promise<Reply> =>
  peer.send('GET', `/v1.1/${tenant}/clusters`, undefined, token === undefined ? {} : { 'x-auth-token': token });

describe('with the log-ins that are served here', () => {
  test.each(['neutral', 'sahara', 'savanna'] as const)('%s: a token of the project is good for it', async (dialect) => {
    const peer = await serve({ dialect, identity: createIdentity(demoAccounts), keystone: {} });
    const { status, body } = await list(peer, await tokenOf(peer));
    expect([status, body]).toEqual([200, { clusters: [] }]);
  });

  test.each([undefined, '', 'wrong'])('token %j: 401 of the middleware, which says where to log in', async (token) => {
    const peer = await serve({ dialect: 'sahara', identity: createIdentity(demoAccounts), keystone: {} });
    const { status, headers, body } = await list(peer, token);
    expect([status, body]).toEqual([401, { error: { code: 401, title: 'Unauthorized', message: expect.any(String) } }]);
    expect(headers.get('www-authenticate')).toBe(`Keystone uri="${peer.url}/v3"`);
  });

  test('neutral: the same in the shape of section 7', async () => {
    const { status, body } = await list(await serve({ identity: createIdentity(demoAccounts), keystone: {} }), 'wrong');
    expect([status, body.error_code, body.error_name]).toEqual([401, 401, 'UNAUTHORIZED']);
  });

  test('the tenant of another project: 401 of the tenant filter, as text', async () => {
    const peer = await serve({ dialect: 'sahara', identity: createIdentity(demoAccounts), keystone: {} });
    const { status, headers, text } = await list(peer, await tokenOf(peer), '00000000000000000000000000000000');
    expect([status, headers.get('www-authenticate')]).toEqual([401, null]);
    expect(headers.get('content-type')).toMatch(/^text\/(plain|html)/);
    expect(text).toContain('401 Unauthorized');
  });

  test('what does not look like an identifier stands for the project of the token in late upstream', async () => {
    const peer = await serve({ dialect: 'sahara', identity: createIdentity(demoAccounts), keystone: {} });
    const token = await tokenOf(peer);
    const body = {
      name: 'a',
      plugin_name: scene.plugin,
      hadoop_version: scene.version,
      node_processes: [worker],
      flavor_id: scene.flavors.workers,
    };
    const made = await peer.send('POST', '/v1.1/demo/node-group-templates', body, { 'x-auth-token': token });
    expect(made.status).toBe(202);
    const found = await peer.send('GET', `/v1.1/${project}/node-group-templates`, undefined, { 'x-auth-token': token });
    expect(found.body.node_group_templates).toHaveLength(1);
  });

  test.each(['neutral', 'savanna'] as const)('%s compares always', async (dialect) => {
    const peer = await serve({ dialect, identity: createIdentity(demoAccounts), keystone: {} });
    expect((await list(peer, await tokenOf(peer), 'demo')).status).toBe(401);
  });

  test('a token without a project: 503, as text', async () => {
    const peer = await serve({ dialect: 'sahara', identity: createIdentity(demoAccounts), keystone: {} });
    const { status, headers, text } = await list(peer, await tokenOf(peer, 'unscoped'));
    expect([status, text]).toEqual([503, expect.stringContaining('503 Service Unavailable')]);
    expect(headers.get('content-type')).toMatch(/^text\/(plain|html)/);
  });

  test('a token that was called back is good for as long as the word of Keystone is kept', async () => {
    let now = 1_000;
    const clock = { wall: () => now, monotonic: () => now, after: () => () => {} };
    const peer = await serve({ clock, identity: createIdentity(demoAccounts, { clock }), keystone: { cacheMs: 300 } });
    const token = await tokenOf(peer);
    expect((await list(peer, token)).status).toBe(200);
    await peer.send('DELETE', '/v3/auth/tokens', undefined, { 'x-auth-token': token, 'x-subject-token': token });
    now += 299;
    expect((await list(peer, token)).status).toBe(200);
    now += 1;
    expect((await list(peer, token)).status).toBe(401);
  });

  test('an expired token is not, whatever is kept of it', async () => {
    let now = 1_000;
    const clock = { wall: () => now, monotonic: () => now, after: () => () => {} };
    const peer = await serve({ clock, identity: createIdentity(demoAccounts, { clock, tokenMs: 100 }), keystone: {} });
    const token = await tokenOf(peer);
    expect((await list(peer, token)).status).toBe(200);
    now += 100;
    expect((await list(peer, token)).status).toBe(401);
  });
});

describe('with a Keystone elsewhere', () => {
  test('each token is asked about once, by its holder, and so is its project', async () => {
    const asked: string[] = [];
    const onRequest = (method: string, path: string) => void asked.push(`${method} ${path}`);
    const keystone = await serve({ identity: createIdentity(demoAccounts), onRequest });
    const peer = await serve({ dialect: 'sahara', keystone: { authUrl: `${keystone.url}/v3` } });
    const token = await tokenOf(keystone);
    for (const _ of [1, 2, 3]) expect((await list(peer, token)).status).toBe(200);
    expect(asked).toEqual(['POST /v3/auth/tokens', 'GET /v3/auth/tokens?nocatalog']);
    expect((await list(peer, token, '00000000000000000000000000000000')).status).toBe(401);
    for (const _ of [1, 2]) {
      const { status, headers } = await list(peer, 'unknown');
      expect([status, headers.get('www-authenticate')]).toEqual([401, `Keystone uri="${keystone.url}/v3"`]);
    }
    expect(asked).toHaveLength(3);
  });

  test.each<readonly [string, { readonly status?: number; readonly body?: object }]>([
    ['fails', { status: 500 }],
    ['says something else', { body: { hello: 1 } }],
  ])('that %s: 503, and it is logged', async (_name, answer) => {
    const { url } = await serveHttp(() => answer);
    const error = vi.fn();
    const log = { debug() {}, info() {}, warn() {}, error };
    const peer = await serve({ keystone: { authUrl: `${url}/v3/` }, log });
    expect((await list(peer, 'secret-token')).status).toBe(503);
    expect(error).toHaveBeenCalledWith(expect.anything(), 'cannot ask Keystone about a token');
    expect(JSON.stringify(error.mock.calls)).not.toContain('secret-token');
  });

  test('that is not there: 503', async () => {
    const peer = await serve({ keystone: { authUrl: 'http://127.0.0.1:9/v3' } });
    expect((await list(peer, 'any')).status).toBe(503);
  });
});
