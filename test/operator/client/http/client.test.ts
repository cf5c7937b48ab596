// One request against real servers: what is sent, what is read, and how each way of failing is judged.
import { Agent, buildConnector, MockAgent } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../src/lib/system.ts';
import { parseBody, readRow } from '../../../../src/operator/client/http/answer.ts';
import { type Client, createClient } from '../../../../src/operator/client/http/client.ts';
import type { ClientOptions, OutgoingRequest, RequestNote } from '../../../../src/operator/client/http/request.ts';
import { createTransport, type Transport } from '../../../../src/operator/client/http/service-transport.ts';
import { Unreadable } from '../../../../src/operator/client/json/cursor.ts';
import {
  fixedToken,
  noCredentials,
  type ServiceCredentials,
} from '../../../../src/operator/client/service-credentials.ts';
import { ServiceError } from '../../../../src/wire/errors/service-error.ts';
import { classify } from '../../../../src/wire/errors/table.ts';
import { routes } from '../../../../src/wire/routes.ts';
import { ManualClock } from '../../../support/clock.ts';
import { closedPort, serve, serveRaw } from '../support/servers.ts';

const token = 'gAAAAABsecretTokenThatNobodyMaySee0123456789';
const get: OutgoingRequest = { method: 'GET', segments: ['clusters', '1'] };
const post: OutgoingRequest = { method: 'POST', segments: ['clusters'], body: { name: 'x' } };

interface Setting extends Partial<Omit<ClientOptions, 'link'>> {
  readonly transport?: Transport;
}

function clientOf(endpoint: string, { transport = ownTransport(), ...more }: Setting = {}): Client {
  return createClient({
    endpoint,
    tenant: 'tenant-1',
    dialect: 'neutral',
    credentials: fixedToken(token),
    clock: systemClock,
    link: { timeoutMs: 5000, transport },
    maxAnswerBytes: 1_000_000,
    ...more,
  });
}

function ownTransport(): Transport {
  const transport = createTransport();
  onTestFinished(() => transport.destroy());
  return transport;
}

async function failure(client: Client, outgoing: OutgoingRequest = post): Promise<ServiceError> {
  const error = await client.request(outgoing, parseBody).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ServiceError)) throw new Error('no ServiceError', { cause: error });
  expect(JSON.stringify([error, error.message, error.stack])).not.toContain(token);
  return error;
}

describe('what is sent', () => {
  test('path, tenant, token and headers of a read', async () => {
    const server = await serve(() => ({ body: { cluster: 1 } }));
    const client = clientOf(`${server.url}/base/path//`);
    const segments = ['clusters', 'a/b ü?#%'] as const;
    expect(await client.request({ ...get, segments }, parseBody)).toEqual({ cluster: 1 });
    const [request] = server.received;
    expect(request?.url).toBe('/base/path/v1.0/tenant-1/clusters/a%2Fb%20%C3%BC%3F%23%25');
    expect(request?.headers).toMatchObject({ 'x-auth-token': token, accept: 'application/json' });
    expect(request?.headers).not.toHaveProperty('content-type');
    expect(request?.body).toBe('');
  });

  test('a body goes whole, with its length, in the words of the dialect', async () => {
    const server = await serve(() => ({ status: 202, body: {} }));
    const client = clientOf(server.url, { dialect: 'sahara', credentials: noCredentials() });
    await client.request({ ...post, body: { name: 'ü', bigdata_version: '1' } }, parseBody);
    const [request] = server.received;
    expect(request?.url).toBe('/v1.1/tenant-1/clusters');
    expect(request?.body).toBe('{"name":"ü","hadoop_version":"1"}');
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json', 'content-length': '34' });
    expect(request?.headers).not.toHaveProperty('transfer-encoding');
    expect(request?.headers).not.toHaveProperty('x-auth-token');
  });

  test.each(['', '.', '..'])('the segment "%s" would name another resource and is not sent', async (id) => {
    const server = await serve(() => ({ body: {} }));
    const error = await failure(clientOf(server.url), { ...get, method: 'DELETE', segments: ['clusters', id] });
    expect([error.category, error.certainty, server.received.length]).toEqual(['rejected', 'definite', 0]);
  });

  test.each([
    ['ftp://x', /start with http:\/\/ or https:\/\//],
    ['nonsense', /not a URL/],
    ['http://user:hidden@x', /must not contain a user/],
    ['http://x/?a=b', /query/],
    ['http://x/#f', /fragment/],
  ])('the endpoint %s is refused', (endpoint, why) => {
    expect(() => clientOf(endpoint)).toThrow(why);
    expect(() => clientOf(endpoint)).not.toThrow(/hidden/);
  });

  test('the moment of sending is told after the token is there', async () => {
    const server = await serve(() => ({ body: {} }));
    const steps: string[] = [];
    const credentials: ServiceCredentials = {
      token: async () => {
        steps.push('token');
        return 't';
      },
      rejected: () => false,
    };
    await clientOf(server.url, { credentials }).request({ ...get, onSend: () => steps.push('send') }, parseBody);
    expect(steps).toEqual(['token', 'send']);
  });
});

describe('refusals', () => {
  test('401 tells the credentials which token it was', async () => {
    const server = await serve(() => ({ status: 401, body: { error: { code: 401, message: `bad ${token}` } } }));
    const rejected: string[] = [];
    const credentials = { ...fixedToken(`${token}\n`), rejected: (one: string) => rejected.push(one) < 0 };
    const error = await failure(clientOf(server.url, { credentials }));
    expect([error.category, error.certainty, rejected]).toEqual(['unauthorized', 'definite', [token]]);
    expect(error.detail).toBe('bad ***');
  });

  /** Good from the second log-in on; `tokens` are those that were given out. */
  const renewing = () => {
    const tokens: string[] = [];
    const rejected: string[] = [];
    const credentials: ServiceCredentials = {
      token: async () => {
        tokens.push(`${token}-${rejected.length}`);
        return `${token}-${rejected.length}`;
      },
      rejected: (one) => rejected.push(one) > 0,
    };
    return { tokens, rejected, credentials };
  };
  const bad = { status: 401, body: { error: { code: 401, message: 'expired' } } };

  test('a read is sent once more with another token, and nobody hears of the first one', async () => {
    const server = await serve(({ headers }) => (headers['x-auth-token'] === `${token}-1` ? { body: { ok: 1 } } : bad));
    const { rejected, credentials } = renewing();
    const notes: RequestNote[] = [];
    const client = clientOf(server.url, { credentials, onRequest: (note) => void notes.push(note) });
    expect(await client.request(get, parseBody)).toEqual({ ok: 1 });
    expect([server.received.length, rejected, notes.map(({ status }) => status)]).toEqual([2, [`${token}-0`], [200]]);
  });

  test('a read whose second token is refused, too, is not sent a third time', async () => {
    const server = await serve(() => bad);
    const { tokens, rejected, credentials } = renewing();
    expect((await failure(clientOf(server.url, { credentials }), get)).category).toBe('unauthorized');
    expect([server.received.length, tokens, rejected]).toEqual([2, [`${token}-0`, `${token}-1`], tokens]);
  });

  test('a write is not sent again: it had no effect, and its attempt is closed', async () => {
    const server = await serve(() => bad);
    const { rejected, credentials } = renewing();
    expect((await failure(clientOf(server.url, { credentials }), post)).certainty).toBe('definite');
    expect([server.received.length, rejected]).toEqual([1, [`${token}-0`]]);
  });

  const page = '<html><head><title>401 Unauthorized</title></head><body>no</body></html>';
  const libraryJson = JSON.stringify({ message: 'no', code: '401 Unauthorized', title: 'Unauthorized' });
  test.each([
    ['text, by the filter of tenants: it is not about the token', {}, 'no', 0],
    ['a page: it is not, either', {}, page, 0],
    ['the JSON that a library writes for a page: nor is it', {}, libraryJson, 0],
    ['text with a challenge: it is', { 'www-authenticate': 'Keystone uri="http://a"' }, 'no', 2],
  ])('a 401 in %s', async (_name, headers, body, refusals) => {
    const server = await serve(() => ({
      status: 401,
      headers: { 'content-type': 'text/plain', ...headers },
      body,
    }));
    const { rejected, credentials } = renewing();
    await failure(clientOf(server.url, { credentials }), get);
    expect(rejected).toHaveLength(refusals);
  });

  test('the service’s own refusal keeps its text', async () => {
    const body = { error_code: 400, error_name: 'QUOTA_ERROR', error_message: 'too many\nError ID: 1' };
    const server = await serve(() => ({ status: 400, body }));
    const error = await failure(clientOf(server.url));
    expect(error).toMatchObject({
      errorName: 'QUOTA_ERROR',
      detail: 'too many',
      certainty: 'answered',
      ownShape: true,
    });
    expect(error.request).toEqual({ method: 'POST', path: '/v1.0/tenant-1/clusters' });
  });

  test('a redirect is not followed', async () => {
    const target = await serve(() => ({ body: {} }));
    const server = await serve(() => ({ status: 307, headers: { location: `${target.url}/v1.0` } }));
    const error = await failure(clientOf(server.url));
    expect([error.category, error.certainty, target.received.length]).toEqual(['malformed', 'answered', 0]);
    expect(error.why).toContain(`redirects to ${target.url}/v1.0;`);
  });

  test('429 keeps the time that was asked for', async () => {
    const server = await serve(() => ({ status: 429, headers: { 'retry-after': '7' } }));
    expect(await failure(clientOf(server.url))).toMatchObject({ category: 'throttled', retryAfterMs: 7000 });
  });

  test('nothing is sent twice', async () => {
    const server = await serve(() => ({ status: 503 }));
    await failure(clientOf(server.url));
    await failure(clientOf(server.url), get);
    expect(server.received).toHaveLength(2);
  });
});

describe('answers that are none', () => {
  test.each([
    ['nothing', ''],
    ['cut JSON', '{"cluster": {'],
    ['a page', '<html><body>hello</body></html>'],
  ])('%s', async (_, body) => {
    const server = await serve(() => ({ status: 202, body }));
    expect(await failure(clientOf(server.url))).toMatchObject({
      category: 'malformed',
      certainty: 'open',
      status: 202,
    });
  });

  test('what the reader finds wrong is said; its bugs stay bugs', async () => {
    const server = await serve(() => ({ body: {} }));
    const client = clientOf(server.url);
    const read = (error: Error) =>
      client.request(get, () => {
        throw error;
      });
    await expect(read(new Unreadable('it has no "cluster"'))).rejects.toMatchObject({
      category: 'malformed',
      why: 'the answer does not follow the API: it has no "cluster"',
    });
    await expect(read(new TypeError('bug'))).rejects.toBeInstanceOf(TypeError);
  });

  test('an answer that is nested too deeply is no answer, and no bug', async () => {
    const depth = 7_900;
    const server = await serve(() => ({ body: `{"image":${'['.repeat(depth)}${']'.repeat(depth)}}` }));
    const read = (body: Buffer) => readRow(routes.images, 'neutral', body);
    const error = await clientOf(server.url)
      .request(get, read)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ category: 'malformed', why: expect.stringContaining('64 levels') });
  });

  test('the memory of a long one is given back once it is read, however it was read', async () => {
    const server = await serve(() => ({ body: { clusters: ['x'.repeat(100_000)] } }));
    const client = clientOf(server.url);
    const bodies: Buffer[] = [];
    const keep = (body: Buffer) => {
      bodies.push(body);
      return body.byteLength;
    };
    expect(await client.request(get, keep)).toBeGreaterThan(100_000);
    const broken = client.request(get, (body) => {
      keep(body);
      throw new TypeError('bug');
    });
    await expect(broken).rejects.toBeInstanceOf(TypeError);
    expect(bodies.map(({ byteLength }) => byteLength)).toEqual([0, 0]);
  });

  test('a token that a good answer repeats is masked, also where JSON escapes it', async () => {
    const odd = 'quote"back\\slash-4711';
    const server = await serve(({ headers }) => ({ body: { said: `you sent ${String(headers['x-auth-token'])}.` } }));
    for (const credentials of [fixedToken(token), fixedToken(odd)]) {
      const client = clientOf(server.url, { credentials });
      expect(await client.request(get, parseBody)).toEqual({ said: 'you sent ***.' });
    }
  });

  test('a token as short as a word could be a part of any name, and leaves answers as they are', async () => {
    const server = await serve(() => ({ body: { id: 'demo-1' } }));
    const client = clientOf(server.url, { credentials: fixedToken('demo') });
    expect(await client.request(get, parseBody)).toEqual({ id: 'demo-1' });
  });
});

describe('requests that were never sent', () => {
  test('nobody listens', async () => {
    const error = await failure(clientOf(await closedPort()));
    expect([error.category, error.certainty, error.why]).toEqual([
      'unreachable',
      'definite',
      'the service cannot be reached: connection refused',
    ]);
  });

  test('the name is unknown', async () => {
    const error = await failure(clientOf('http://does-not-exist.invalid'));
    expect([error.category, error.certainty]).toEqual(['unreachable', 'definite']);
  });

  test('the caller gave up before', async () => {
    const server = await serve(() => ({ body: {} }));
    const error = await failure(clientOf(server.url), { ...post, signal: AbortSignal.abort() });
    expect([error.category, error.certainty, server.received.length]).toEqual(['unreachable', 'definite', 0]);
  });

  test('the time is over while connecting, and nothing is sent later', async () => {
    const clock = new ManualClock();
    const requests: string[] = [];
    const server = await serveRaw((_, head) => void requests.push(head));
    let connectNow = () => {};
    const connected = Promise.withResolvers<void>();
    const open = buildConnector({});
    const transport = new Agent({
      connect: (options, callback) => {
        connectNow = () =>
          open(options, (...result: Parameters<typeof callback>) => {
            callback(...result);
            connected.resolve();
          });
      },
    });
    const asked = failure(clientOf(server.url, { clock, transport }));
    await clock.advance(5000);
    expect(await asked).toMatchObject({ certainty: 'definite', why: 'the service did not answer in time' });
    connectNow();
    await connected.promise;
    await transport.close();
    expect(requests).toEqual([]);
  });

  test('no token is to be had', async () => {
    const server = await serve(() => ({ body: {} }));
    const login = classify({ method: 'POST', path: '/auth' }, { phase: 'unanswered', code: 'DEADLINE' });
    const credentials = { token: () => Promise.reject(login), rejected: () => false };
    const error = await failure(clientOf(server.url, { credentials }));
    expect([error.category, error.certainty, server.received.length]).toEqual(['unreachable', 'definite', 0]);
    expect(error.why).toBe('no token could be obtained: the service did not answer in time');
  });

  test('the token does not come in time', async () => {
    const clock = new ManualClock();
    const credentials = { token: () => new Promise<string>(() => undefined), rejected: () => false };
    const asked = failure(clientOf('http://127.0.0.1:9', { credentials, clock }));
    await clock.advance(5000);
    expect(await asked).toMatchObject({ category: 'unauthorized', certainty: 'definite' });
  });

  test.each(['two\nlines', 'ü', '', 'a b'])('the token %j fits no header', async (bad) => {
    const credentials = { token: async () => bad, rejected: () => false };
    const error = await failure(clientOf('http://127.0.0.1:9', { credentials }));
    expect([error.category, error.certainty]).toEqual(['unauthorized', 'definite']);
  });

  test('the connections are closed', async () => {
    const transport = createTransport();
    await transport.destroy();
    const error = await failure(clientOf('http://127.0.0.1:9', { transport }));
    expect([error.category, error.certainty, error.why]).toEqual([
      'unreachable',
      'definite',
      'the connection to the service is closed',
    ]);
  });

  test('TLS is spoken to a server that has none', async () => {
    const server = await serve(() => ({ body: {} }));
    const error = await failure(clientOf(server.url.replace('http:', 'https:')));
    expect([error.category, error.certainty]).toEqual(['unreachable', 'definite']);
  });
});

describe('requests whose answer was lost', () => {
  test('reset instead of an answer', async () => {
    const server = await serveRaw((socket) => socket.resetAndDestroy());
    expect(await failure(clientOf(server.url))).toMatchObject({ category: 'unreachable', certainty: 'open' });
  });

  test('closed instead of an answer', async () => {
    const server = await serveRaw((socket) => socket.end());
    expect(await failure(clientOf(server.url))).toMatchObject({ category: 'unreachable', certainty: 'open' });
  });

  test.each([
    ['shorter than it says', 'HTTP/1.1 202 Accepted\r\nContent-Length: 100\r\n\r\n{"cluster":'],
    ['a cut chunk', 'HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n{"cluster":'],
    ['a cut head', 'HTTP/1.1 202 Acc'],
  ])('%s', async (_, bytes) => {
    const server = await serveRaw((socket) => socket.end(bytes));
    const error = await failure(clientOf(server.url));
    expect([error.category, error.certainty, error.status]).toEqual(['unreachable', 'open', undefined]);
  });

  test('not HTTP', async () => {
    const server = await serveRaw((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'));
    expect(await failure(clientOf(server.url))).toMatchObject({ category: 'malformed', certainty: 'open' });
  });

  test('no answer at all: the time limit ends it', async () => {
    const clock = new ManualClock();
    const { promise: arrived, resolve } = Promise.withResolvers<void>();
    const server = await serveRaw(() => resolve());
    const asked = failure(clientOf(server.url, { clock }));
    await arrived;
    await clock.advance(5000);
    expect(await asked).toMatchObject({ certainty: 'open', why: 'the service did not answer in time' });
  });

  test('one byte at a time: the time limit counts for the whole answer', async () => {
    const clock = new ManualClock();
    const { promise: dripping, resolve } = Promise.withResolvers<void>();
    const server = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n');
      const drip = (left: number): void => {
        if (left === 0) resolve();
        else if (!socket.destroyed) socket.write(' ', () => drip(left - 1));
      };
      drip(20);
    });
    const asked = failure(clientOf(server.url, { clock }));
    await dripping;
    await clock.advance(5000);
    expect(await asked).toMatchObject({ category: 'unreachable', certainty: 'open' });
  });

  test('the caller gives up after sending', async () => {
    const abort = new AbortController();
    const server = await serveRaw(() => abort.abort());
    const error = await failure(clientOf(server.url), { ...post, signal: abort.signal });
    expect([error.certainty, error.why]).toEqual(['open', 'the request was aborted']);
  });

  test('the connections are closed after sending', async () => {
    const transport = createTransport();
    const server = await serveRaw(() => void transport.destroy());
    expect(await failure(clientOf(server.url, { transport }))).toMatchObject({ certainty: 'open' });
  });

  test('an endless answer is refused, whether it tells its size or not', async () => {
    const told = await serveRaw((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n'));
    const toldError = await failure(clientOf(told.url));
    expect(toldError).toMatchObject({ category: 'malformed', certainty: 'open' });
    expect(toldError.why).toMatch(/too large to be read: it has 97657 KiB, but at most \d+ KiB are read\. /);
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
    const untold = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      const more = (): void => void (!socket.destroyed && socket.write(chunk, (error) => error ?? more()));
      more();
    });
    const error = await failure(clientOf(untold.url));
    expect(error.category).toBe('malformed');
    expect(error.why).toMatch(/^the answer is too large to be read: it has more than \d+ KiB\. Shorten or delete /);
  });

  test('an endless refusal is what its head says, and is not read on', async () => {
    let sent = 0;
    const local = await serveRaw((socket) => {
      socket.write('HTTP/1.1 503 Service Unavailable\r\ntransfer-encoding: chunked\r\n\r\n');
      const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
      const more = (): void => {
        while (!socket.destroyed && socket.write(chunk)) sent += 65_536;
        sent += 65_536;
      };
      socket.on('drain', more);
      more();
    });
    const error = await failure(clientOf(local.url, { maxAnswerBytes: 64 * 1024 * 1024 }));
    expect([error.category, error.status]).toEqual(['serverFault', 503]);
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });

  test('the head of a refusal is enough', async () => {
    const server = await serveRaw((socket) =>
      socket.end('HTTP/1.1 429 Slow\r\nRetry-After: 3\r\nContent-Length: 100\r\n\r\n{'),
    );
    expect(await failure(clientOf(server.url))).toMatchObject({
      category: 'throttled',
      certainty: 'definite',
      retryAfterMs: 3000,
    });
  });

  test('a refusal that breaks off is none of the service’s own', async () => {
    const server = await serveRaw((socket) =>
      socket.end('HTTP/1.1 400 Bad\r\nContent-Length: 100\r\n\r\n{"error_code":400'),
    );
    expect(await failure(clientOf(server.url))).toMatchObject({ category: 'rejected', certainty: 'open' });
  });

  test('early hints are not the answer', async () => {
    const server = await serveRaw((socket) =>
      socket.end('HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'),
    );
    expect(await clientOf(server.url).request(get, parseBody)).toEqual({});
  });
});

describe('counting', () => {
  test('each request is told once, good or bad', async () => {
    const notes: RequestNote[] = [];
    const bodies = ['{}', 'x', ''];
    const server = await serve(() => ({ body: bodies.shift() ?? '' }));
    const onRequest = (note: RequestNote) => void notes.push(note);
    const client = clientOf(server.url, { onRequest });
    await client.request(get, parseBody);
    await failure(client);
    await failure(clientOf(await closedPort(), { onRequest }));
    expect(notes.map(({ method, route, status, category }) => [method, route, status, category])).toEqual([
      ['GET', 'clusters', 200, undefined],
      ['POST', 'clusters', 200, 'malformed'],
      ['POST', 'clusters', undefined, 'unreachable'],
    ]);
    expect(notes.every(({ ms }) => ms >= 0)).toBe(true);
  });
});

describe('another transport', () => {
  test('can stand in for the network', async () => {
    const transport = new MockAgent();
    transport.disableNetConnect();
    transport.get('http://service.test').intercept({ path: '/v1.0/tenant-1/clusters/1' }).reply(200, { cluster: 7 });
    expect(await clientOf('http://service.test', { transport }).request(get, parseBody)).toEqual({ cluster: 7 });
  });
});
