// Upstream's check of tenants, which is older than the interface: whom it refuses, and that it answers in text, never in JSON.
import { describe, expect, test } from 'vitest';
import { type Peer, serve } from '../../support.ts';

const branded = ['sahara', 'savanna'] as const;
const own = '0f4e3d2c-1b0a-4987-8654-3210fedcba98';
const foreign = '11111111-2222-4333-8444-555555555555';
const grants = [{ token: 'secret', tenant: own }];

const list = (peer: Peer, tenant: string, accept: string) =>
  peer.send('GET', `/v1.1/${tenant}/clusters`, undefined, { 'x-auth-token': 'secret', accept });

describe.each(branded)('%s: the answer', (dialect) => {
  test('is text', async () => {
    const peer = await serve({ dialect, grants });
    for (const [to, status] of [
      [`/v1.1/${foreign}/clusters`, 401],
      ['/v1.1', 404],
    ] as const) {
      const reply = await peer.send('GET', to, undefined, { 'x-auth-token': 'secret' });
      expect([reply.status, reply.headers.get('content-type')]).toEqual([status, 'text/plain; charset=UTF-8']);
      expect(reply.text).toContain(status === 401 ? '401 Unauthorized' : '404 Not Found');
      expect(reply.headers.has('www-authenticate')).toBe(false);
    }
  });
});

test('neutral: JSON, whatever is accepted', async () => {
  const { status, body } = await list(await serve({ grants }), foreign, 'text/html');
  expect([status, body]).toEqual([
    401,
    { error_code: 401, error_name: 'UNAUTHORIZED', error_message: expect.any(String) },
  ]);
});

describe('a token for one tenant', () => {
  const plain = own.replaceAll('-', '');
  test.each([
    ['sahara', own, 200],
    ['sahara', foreign, 401],
    ['sahara', plain, 401],
    ['sahara', own.toUpperCase(), 401],
    ['sahara', 'demo', 200],
    ['savanna', own, 200],
    ['savanna', foreign, 401],
    ['savanna', plain, 401],
    ['savanna', 'demo', 401],
    ['neutral', 'demo', 401],
  ] as const)('%s, %s: %d', async (dialect, tenant, status) => {
    const peer = await serve({ dialect, grants });
    expect((await list(peer, tenant, 'application/json')).status).toBe(status);
  });

  test('sahara: what is no identifier stands for its own tenant', async () => {
    const peer = await serve({ dialect: 'sahara', grants });
    const made = await peer.send('PUT', '/v1.1/demo/job-binary-internals/script', 'bytes', {
      'x-auth-token': 'secret',
    });
    expect(made.body.job_binary_internal.tenant_id).toBe(own);
  });

  test('sahara: a token for some names, too, is for what they say', async () => {
    const peer = await serve({ dialect: 'sahara', grants: [...grants, { token: 'secret', tenant: 'demo' }] });
    const at = '/v1.1/demo/job-binary-internals/script';
    const made = await peer.send('PUT', at, 'bytes', { 'x-auth-token': 'secret' });
    expect(made.body.job_binary_internal.tenant_id).toBe('demo');
  });
});
