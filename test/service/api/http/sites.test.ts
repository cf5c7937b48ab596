// Web pages and foreign names: what a browser could be made to send is refused, on either port, and clients go on as before.

import { request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { demoAccounts } from '../../../../dev/identity/accounts.ts';
import { createIdentity } from '../../../../dev/identity/identity.ts';
import { createSeededRandom } from '../../../../src/service/model/records/identifiers.ts';
import type { ServerOptions } from '../../../../src/service/program/options.ts';
import { createServer } from '../../../../src/service/program/server.ts';
import { parse } from '../../../contract/peer.ts';
import { type Json, type Peer, serve, workers } from '../../../contract/support.ts';
import { ManualClock } from '../../../support/clock.ts';
import { runService } from '../../support/process.ts';

const path = '/v1.0/t/node-group-templates';

interface Answer {
  readonly status: number;
  readonly body: Json;
}

/** With headers that fetch would not let pass. */
function send(url: string, headers: Readonly<Record<string, string>>, method = 'GET', body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = request(url, { method, headers: { ...headers, ...length } }, (reply) => {
      let text = '';
      reply.on('data', (chunk) => (text += String(chunk)));
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body: parse(text) }));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const foreign = [
  ['Origin of another site', { origin: 'http://evil.example' }],
  ['Origin of another port', { origin: 'http://127.0.0.1:1' }],
  ['Origin null', { origin: 'null' }],
  ['Origin that is no URL', { origin: 'evil' }],
  ['Sec-Fetch-Site cross-site', { 'sec-fetch-site': 'cross-site' }],
  ['Sec-Fetch-Site same-site', { 'sec-fetch-site': 'same-site' }],
] as const;

const protections: readonly (readonly [string, Partial<ServerOptions>])[] = [
  ['without a log-in', {}],
  ['with tokens', { grants: [{ token: 'good' }] }],
  ['with a Keystone', { keystone: {}, identity: createIdentity(demoAccounts) }],
];

describe('a page of another site', () => {
  test.each(foreign)('%s: 403, and nothing is done', async (_what, headers) => {
    const peer = await serve();
    const json = { ...headers, 'content-type': 'application/json' };
    const refused = await send(peer.url + path, json, 'POST', JSON.stringify(workers));
    expect([refused.status, refused.body.error_name]).toEqual([403, 'FORBIDDEN']);
    expect((await send(peer.url + path, headers)).status).toBe(403);
    expect((await peer.get(path)).body.node_group_templates).toEqual([]);
  });

  test.each(protections)('%s, on every path', async (_what, options) => {
    const peer = await serve(options);
    for (const at of ['/', '/openapi.json', path, '/nothing', '/v3/auth/tokens']) {
      const { status } = await send(peer.url + at, { 'x-auth-token': 'good', origin: 'http://evil.example' });
      expect([at, status]).toEqual([at, 403]);
    }
  });

  test.each(['sahara', 'savanna'] as const)('%s says so as its framework would', async (dialect) => {
    const peer = await serve({ dialect });
    const { status, body } = await send(peer.url + path, { origin: 'null' });
    expect([status, body]).toEqual([403, { error: 403, error_message: expect.stringContaining('another site') }]);
  });

  test.each([
    ['of its own', ({ url }: Peer) => ({ origin: url, 'sec-fetch-site': 'same-origin' })],
    ['in the address bar', () => ({ 'sec-fetch-site': 'none' })],
    ['behind a proxy with TLS', () => ({ host: 'localhost', origin: 'https://localhost' })],
  ])('a page %s is let in', async (_what, headersFor) => {
    const peer = await serve();
    expect((await send(peer.url + path, headersFor(peer))).status).toBe(200);
  });
});

describe('a name in Host', () => {
  const statusOf = async (peer: Peer, host: string, more = {}) =>
    (await send(peer.url + path, { host, ...more })).status;

  test.each(['evil.example', 'evil.example:8386', '127.0.0.1.evil.example', '10.1.2.3', 'a b', 'evil@localhost', '1'])(
    '%s, without a log-in: 403',
    async (host) => expect(await statusOf(await serve(), host)).toBe(403),
  );

  test('the refusal names the flag that allows it', async () => {
    const { body } = await send((await serve()).url + path, { host: 'evil.example' });
    expect(body.error_message).toBe('cannot take request: the name in Host is not allowed; add it with --allowed-host');
  });

  test.each(['localhost', 'LOCALHOST:1', '127.0.0.1', '127.8.9.1:80', '[::1]:8386', ''])(
    '%j is loopback: taken',
    async (host) => expect(await statusOf(await serve(), host)).toBe(200),
  );

  test('a name that the service was given is taken, and its pages', async () => {
    const peer = await serve({ allowedHosts: ['service.example'] });
    const origin = 'https://service.example';
    expect(await statusOf(peer, 'service.example:8386')).toBe(200);
    expect(await statusOf(peer, 'Service.Example', { origin })).toBe(200);
    expect(await statusOf(peer, 'other.example')).toBe(403);
  });

  test('with a log-in any is taken: of a Service, of an Ingress; a page knows no token', async () => {
    const peer = await serve({ grants: [{ token: 'good' }] });
    expect(await statusOf(peer, 'service.some-namespace.svc:8386', { 'x-auth-token': 'good' })).toBe(200);
  });

  test('with a log-in, too, only those that were given, once there are some', async () => {
    const peer = await serve({ grants: [{ token: 'good' }], allowedHosts: ['service.example'] });
    expect(await statusOf(peer, 'evil.example', { 'x-auth-token': 'good' })).toBe(403);
  });

  test('the account of the demo is no log-in: everybody knows its password', async () => {
    const peer = await serve({ keystone: {}, identity: createIdentity(demoAccounts) });
    expect(await statusOf(peer, 'evil.example')).toBe(403);
  });
});

describe('an address that others can reach', () => {
  const start = (options: Partial<ServerOptions>, host: string) => {
    const server = createServer({ clock: new ManualClock(), random: createSeededRandom(1), ...options });
    onTestFinished(() => server.close());
    return server.start({ host });
  };

  test.each(['0.0.0.0', '::', '192.0.2.1'])('%s is refused without a log-in', async (host) => {
    await expect(start({}, host)).rejects.toThrow(`cannot listen on ${host}: `);
  });

  test('is refused for the account of the demo, which everybody knows', async () => {
    const options = { keystone: {}, identity: createIdentity(demoAccounts) };
    await expect(start(options, '0.0.0.0')).rejects.toThrow('--auth-url');
  });

  test('is listened on with a log-in', async () => {
    expect(await start({ grants: [{ token: 'good' }] }, '0.0.0.0')).toMatch(/^http:/);
  });

  test('the process says so in one line, with what to do', async () => {
    const { code, output, errors } = await runService('--port', '0', '--host', '0.0.0.0', '--log-level', 'silent');
    expect([code, output]).toEqual([1, '']);
    expect(errors).toMatch(/^cannot listen on 0\.0\.0\.0: .*--token.*\n$/);
  });
});

describe('a body', () => {
  const labels = [
    [undefined, 'is missing'],
    ['text/plain', 'is text/plain'],
    ['application/x-www-form-urlencoded', 'is application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x', 'is multipart/form-data'],
    ['json', 'is not the name of a type'],
  ] as const;

  test.each(labels)('of type %s: 415, and nothing is done', async (type, why) => {
    const peer = await serve();
    const headers = type === undefined ? {} : { 'content-type': type };
    const { status, body } = await send(peer.url + path, headers, 'POST', JSON.stringify(workers));
    expect([status, body.error_name]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    expect(body.error_message).toContain(why);
    expect((await peer.get(path)).body.node_group_templates).toEqual([]);
  });

  test('that is empty needs no type', async () => {
    const { status, body } = await send((await serve()).url + path, {}, 'POST');
    expect([status, body.error_name]).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('of bytes is taken as it comes: clients send these without a type', async () => {
    const { status } = await send(`${(await serve()).url}/v1.1/t/job-binary-internals/x`, {}, 'PUT', 'bytes');
    expect(status).toBe(202);
  });

  test('of a log-in is refused in the shape of Keystone', async () => {
    const peer = await serve({ identity: createIdentity(demoAccounts) });
    const { status, body } = await send(`${peer.url}/v3/auth/tokens`, { 'content-type': 'text/plain' }, 'POST', '{}');
    expect([status, body.error.code]).toEqual([415, 415]);
  });
});
