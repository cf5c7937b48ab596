// The server of the page over HTTP: who gets what, and what it does not let anybody do.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../../../src/lib/ports.ts';
import { systemClock } from '../../../../src/lib/system.ts';
import { definitions } from '../../../../src/operator/kinds/index.ts';
import { Reviews } from '../../../../src/operator/web/access/permissions.ts';
import { createApi } from '../../../../src/operator/web/server/api.ts';
import { WebServer } from '../../../../src/operator/web/server/web-server.ts';
import { ManualClock } from '../../../support/clock.ts';
import { objectOf } from '../support.ts';

const servers: WebServer[] = [];
afterEach(async () => Promise.all(servers.splice(0).map(async (server) => server.stop())));

const html = '<!doctype html><title>x</title>';
const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

interface Scene {
  readonly unready?: string;
  readonly objects?: readonly ReturnType<typeof objectOf>[];
  readonly allowed?: (namespace: string) => boolean;
  readonly connections?: number;
  readonly clock?: Clock;
}

/** Answers with the URL. The token `good` is that of `jane`. */
async function serve({
  unready,
  objects = [],
  allowed = () => true,
  connections,
  clock = systemClock,
}: Scene = {}): Promise<string> {
  const request = async ({ body }: { readonly body?: unknown }) => {
    const { kind, spec } = body as {
      kind: string;
      spec: { token?: string; resourceAttributes?: { namespace: string } };
    };
    const { token, resourceAttributes } = spec;
    if (kind === 'SubjectAccessReview') return { status: { allowed: allowed(resourceAttributes?.namespace ?? '') } };
    return { status: { authenticated: token === 'good', user: { username: token === 'good' ? 'jane' : '' } } };
  };
  const sources = {
    definitions,
    list: (kind: string) => objects.filter((one) => one.kind === kind),
    replica: () => ({ name: 'one', leading: false }),
    notes: () => [],
  };
  const reviews = new Reviews({ transport: { request }, clock });
  const answer = createApi({ sources, reviews, clock, unready: () => unready });
  const limits = connections === undefined ? {} : { connections };
  const server = new WebServer({
    host: '127.0.0.1',
    port: 0,
    files: { html, script: 'script', style: 'style' },
    answer,
    log,
    ...limits,
  });
  servers.push(server);
  await server.start();
  return `http://127.0.0.1:${server.port}`;
}

const good = { authorization: 'Bearer good' };

describe('the page', () => {
  test.each([
    ['/', 'text/html; charset=utf-8', html],
    ['/page.js', 'text/javascript; charset=utf-8', 'script'],
    ['/page.css', 'text/css; charset=utf-8', 'style'],
  ])('has %s for everybody', async (path, type, body) => {
    const answer = await fetch(`${await serve()}${path}`);
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([200, type, body]);
  });

  test('loads nothing from elsewhere, runs no script in it, and stands in no frame', async () => {
    const url = await serve();
    for (const path of ['/', '/api/objects', '/missing']) {
      const { headers } = await fetch(`${url}${path}`);
      const policy = headers.get('content-security-policy') ?? '';
      for (const rule of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "trusted-types 'none'"])
        expect(policy.split('; '), path).toContain(rule);
      expect(policy).not.toMatch(/unsafe|http|\*/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('set-cookie')).toBeNull();
    }
  });
});

describe('/api/objects', () => {
  test.each([
    ['no token', {}, 'send a bearer token in the header Authorization'],
    ['another scheme', { authorization: 'Basic good' }, 'send a bearer token in the header Authorization'],
    ['a token with spaces', { authorization: 'Bearer good good' }, 'send a bearer token in the header Authorization'],
    ['a wrong token', { authorization: 'Bearer bad' }, 'the token is not valid'],
  ])('is refused with %s', async (_, headers, error) => {
    const answer = await fetch(`${await serve()}/api/objects`, { headers });
    expect([answer.status, await answer.json()]).toEqual([401, { error }]);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('takes no token from the address or a cookie', async () => {
    const url = await serve();
    const cookie = { cookie: 'token=good; authorization=Bearer good' };
    expect((await fetch(`${url}/api/objects?token=good&authorization=Bearer+good`, { headers: cookie })).status).toBe(
      401,
    );
  });

  test('has what the user may list, and says who asked and which replica answers', async () => {
    const objects = [objectOf('Cluster', 'team-a/etl'), objectOf('Cluster', 'team-b/secret')];
    const url = await serve({ objects, allowed: (namespace) => namespace === 'team-a' });
    const answer = await fetch(`${url}/api/objects`, { headers: good });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      user: 'jane',
      replica: { name: 'one', leading: false },
      namespaces: ['team-a'],
      objects: [{ namespace: 'team-a', name: 'etl' }],
      more: 0,
    });
    const other = await fetch(`${url}/api/objects?namespace=team-b`, { headers: good });
    expect([other.status, await other.json()]).toEqual([
      403,
      { error: 'the user jane may not list any kind in the namespace team-b: ask for the role view there' },
    ]);
  });

  test('is not sent again to who has it', async () => {
    const objects = [objectOf('Cluster', 'team-a/etl')];
    const url = await serve({ objects });
    const first = await fetch(`${url}/api/objects`, { headers: good });
    const etag = first.headers.get('etag') ?? '';
    await first.text();
    const again = async () => fetch(`${url}/api/objects`, { headers: { ...good, 'if-none-match': etag } });
    const second = await again();
    expect([second.status, await second.text()]).toEqual([304, '']);
    objects.push(objectOf('Cluster', 'team-a/more'));
    expect((await again()).status).toBe(200);
  });

  test('says why there is nothing yet', async () => {
    const url = await serve({ unready: 'this replica has not read everything yet: clusters' });
    const answer = await fetch(`${url}/api/objects`, { headers: good });
    expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
      503,
      '5',
      { error: 'this replica has not read everything yet: clusters' },
    ]);
  });

  test('is not answered at any rate', async () => {
    const clock = new ManualClock();
    const url = await serve({ clock });
    const ask = async () => (await fetch(`${url}/api/objects`, { headers: good })).status;
    for (let index = 0; index < 60; index += 1) expect(await ask()).toBe(200);
    expect(await ask()).toBe(429);
    clock.leap(1_000);
    expect(await ask()).toBe(200);
  });
});

describe('the server', () => {
  test('knows no other method and no other path', async () => {
    const url = await serve();
    expect((await fetch(`${url}/api/objects`, { method: 'POST', body: 'x', headers: good })).status).toBe(405);
    for (const path of ['/api', '/page.json', '/../package.json', '/index.html'])
      expect((await fetch(`${url}${path}`)).status, path).toBe(404);
    expect((await fetch(`${url}/${'x'.repeat(3_000)}`)).status).toBe(414);
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test('reads no body, and not every header', async () => {
    const { port } = new URL(await serve());
    const send = async (text: string): Promise<string> => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.end(text);
      const parts: Buffer[] = [];
      for await (const part of socket) parts.push(part as Buffer);
      return Buffer.concat(parts).toString().split('\r\n')[0] ?? '';
    };
    expect(await send('GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhello')).toBe(
      'HTTP/1.1 413 Payload Too Large',
    );
    const long = 'x'.repeat(40_000);
    expect(await send(`GET / HTTP/1.1\r\nhost: x\r\nlong: ${long}\r\n\r\n`)).toBe(
      'HTTP/1.1 431 Request Header Fields Too Large',
    );
  });

  test('has a limited number of connections', async () => {
    const { port } = new URL(await serve({ connections: 2 }));
    const open = async () => {
      const socket = connect(Number(port), '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    };
    const [one, two] = [await open(), await open()];
    const third = await open();
    await once(third, 'close');
    expect([one.destroyed, two.destroyed]).toEqual([false, false]);
    for (const socket of [one, two]) socket.destroy();
  });
});
