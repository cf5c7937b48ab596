// Section 5: tokens, tenants and content types.
import { describe, expect, test } from 'vitest';
import { errorBody, known, onlyIn, ours, oursOnly, serve, workers } from '../../support.ts';

const path = '/v1.0/t/node-group-templates';
const token = (value: string) => ({ 'x-auth-token': value });

describe('section 5 rule 1: tokens', () => {
  test('without any configured, none is asked for and any is taken', async () => {
    const peer = await serve({ grants: [] });
    expect((await peer.get(path)).status).toBe(200);
    expect((await peer.send('GET', path, undefined, token('whatever'))).status).toBe(200);
  });

  test.each(['GET', 'POST', 'PUT', 'DELETE'])('%s without a token: 401', async (method) => {
    const peer = await serve({ grants: [{ token: 'secret' }] });
    const { status, body, headers } = await peer.send(method, path, method === 'GET' ? undefined : workers);
    expect(status).toBe(401);
    expect(body).toEqual(errorBody(401, 'UNAUTHORIZED', 'tokens'));
    if (ours) expect(headers.get('www-authenticate')).toBeTruthy();
  });

  test.each(['wrong', '', 'secre', 'secret2', 'SECRET'])('token %j: 401, and it is not repeated', async (value) => {
    const peer = await serve({ grants: [{ token: 'secret' }] });
    const { status, text } = await peer.send('GET', path, undefined, token(value));
    expect(status).toBe(401);
    expect(text).not.toContain('secret');
  });

  test('section 5 rule 2: a token without a tenant is good for all of them', async () => {
    const peer = await serve({ grants: [{ token: 'one' }, { token: 'two' }] });
    expect((await peer.send('GET', path, undefined, token('one'))).status).toBe(200);
    expect((await peer.send('GET', '/v1.0/other/clusters', undefined, token('two'))).status).toBe(200);
  });

  test('section 5 rule 2: a token for a tenant is good for that one only', async () => {
    const grants = [
      { token: 'one', tenant: 't' },
      { token: 'two', tenant: 'u' },
      { token: 'two', tenant: 'v w' },
    ];
    const peer = await serve({ grants });
    const status = async (at: string, value: string) => (await peer.send('GET', at, undefined, token(value))).status;
    expect(await status(path, 'one')).toBe(200);
    expect(await status(path, 'two')).toBe(401);
    expect(await status('/v1.1/u/clusters', 'two')).toBe(200);
    expect(await status('/v1.1/v%20w/clusters.json', 'two')).toBe(200);
    expect(await status('/v1.1/u/clusters', 'one')).toBe(401);
  });

  test('a refused request changes nothing', async () => {
    const peer = await serve({ grants: [{ token: 'secret' }] });
    await peer.post(path, workers);
    const { body } = await peer.send('GET', path, undefined, token('secret'));
    expect(body.node_group_templates).toEqual([]);
  });

  test('what exists is not told without a token', async () => {
    oursOnly('what unknown paths answer without a token');
    const peer = await serve({ grants: [{ token: 'secret' }] });
    for (const unknown of ['/v1.0/t/nothing', '/nothing']) expect((await peer.get(unknown)).status).toBe(401);
  });

  test('the root needs no token', async () => {
    oursOnly('what is at the root');
    const peer = await serve({ grants: [{ token: 'secret' }] });
    expect((await peer.get('/')).status).toBe(300);
  });
});

describe('section 5 rule 3: content types', () => {
  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])(
    '%s is taken',
    async (type) => {
      const peer = await serve();
      expect((await peer.send('POST', path, workers, { 'content-type': type })).status).toBe(202);
    },
  );

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/yaml'])('%s: refused', async (type) => {
    const peer = await serve();
    oursOnly('that other types are refused');
    const { status } = await peer.send('POST', path, JSON.stringify(workers), { 'content-type': type });
    expect(String(status)).toEqual(known('415', /^4(00|15)$/));
  });

  test.each(['application/json', '*/*', 'text/html', ''])('Accept %j: the answer is JSON', async (accept) => {
    if (accept === 'text/html') onlyIn('neutral');
    const peer = await serve();
    const reply = await peer.send('GET', path, undefined, { accept });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
  });
});
