// Requests over real sockets to a server that behaves as badly as it can.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiError } from '../../../src/kube/api-error.ts';
import type { RequestReport } from '../../../src/kube/http/call.ts';
import { type ApiTransport, createTransport } from '../../../src/kube/http/transport.ts';
import { status } from '../../operator/kube/support/objects.ts';
import { until } from '../../operator/kube/support/ports.ts';
import {
  answer,
  type PlainConfig,
  plainConfig,
  type ScriptedServer,
  scriptServer,
  secretToken,
} from '../../operator/kube/support/scripted-server.ts';
import { ManualClock, settle } from '../../support/clock.ts';

let server: ScriptedServer;
let transport: ApiTransport;
let config: PlainConfig;
let clock: ManualClock;
let reports: RequestReport[];

beforeEach(async () => {
  server = await scriptServer(answer(200, { kind: 'Cluster' }));
  clock = new ManualClock();
  config = plainConfig(server.url);
  reports = [];
  transport = createTransport({ config, clock, onRequest: (report) => reports.push(report) });
});

afterEach(async () => {
  await transport.close();
  await server[Symbol.asyncDispose]();
});

const path = '/apis/dataprocessing.dev/v1alpha1/namespaces/a/clusters/b';

async function failure(outcome: Promise<unknown>): Promise<ApiError> {
  return outcome.then(
    () => {
      throw new Error('the request succeeded');
    },
    (error: ApiError) => error,
  );
}

describe('a command in a container', () => {
  it('has two minutes, whatever the caller has', async () => {
    const pods = createTransport({ config, clock });
    server.behave(() => {});
    const target = { namespace: 'a', pod: 'b', container: 'c' };
    const failed = failure(pods.exec(target, ['wait'], new AbortController().signal));
    await until('the request', () => server.requests.length > 0);
    await clock.advance(120_000);
    expect(await failed).toMatchObject({
      category: 'unreachable',
      message: 'cannot run wait in container c in pod a/b: it has not ended within 120000 ms',
    });
    await pods.close();
  });
});

describe('a request', () => {
  it('sends its parts and answers parsed JSON', async () => {
    const query = { fieldManager: 'x/y', force: true, limit: 5, absent: undefined };
    const body = { text: 'ä' };
    const sent = transport.request({ method: 'PATCH', path, query, body, contentType: 'application/merge-patch+json' });
    expect(await sent).toEqual({ kind: 'Cluster' });
    expect(server.requests[0]).toMatchObject({
      method: 'PATCH',
      url: `${path}?fieldManager=x%2Fy&force=true&limit=5`,
      headers: {
        'content-type': 'application/merge-patch+json',
        accept: 'application/json',
        authorization: `Bearer ${secretToken}-0`,
        'user-agent': 'dataprocessing-operator',
      },
    });
    expect(server.bodies).toEqual([JSON.stringify(body)]);
  });

  it('without a body has no content type', async () => {
    await transport.request({ method: 'GET', path });
    expect(server.requests[0]?.headers['content-type']).toBeUndefined();
    expect(server.requests[0]?.url).toBe(path);
  });

  it('goes below the path of the server', async () => {
    const nested = createTransport({ config: plainConfig(`${server.url}/clusters/c1/`), clock });
    await nested.request({ method: 'GET', path });
    expect(server.requests[0]?.url).toBe(`/clusters/c1${path}`);
    await nested.close();
  });

  it('shares connections with all others', async () => {
    for (let index = 0; index < 50; index += 1) await transport.request({ method: 'GET', path });
    expect(server.connections()).toBeLessThanOrEqual(2);
    await Promise.all(Array.from({ length: 8 }, () => transport.request({ method: 'GET', path })));
    for (let index = 0; index < 50; index += 1) await transport.request({ method: 'GET', path });
    expect(server.connections()).toBeLessThanOrEqual(9);
  });

  it('leaves no timer behind', async () => {
    await transport.request({ method: 'GET', path });
    server.behave(answer(500, 'no'));
    await failure(transport.request({ method: 'GET', path }));
    expect(clock.pending).toBe(0);
  });
});

describe('a refused request', () => {
  it('is an error by the table', async () => {
    server.behave(answer(409, status(409, 'the object has been modified')));
    expect(await failure(transport.request({ method: 'PUT', path, body: {} }))).toMatchObject({
      category: 'conflict',
      status: 409,
      message: 'cannot update clusters a/b: 409 the object has been modified',
    });
  });

  it('is throttled with the time the server wants', async () => {
    server.behave(answer(429, status(429, 'too many requests'), { 'retry-after': '7' }));
    expect(await failure(transport.request({ method: 'GET', path }))).toMatchObject({
      category: 'throttled',
      retryAfterMs: 7000,
    });
  });

  it('is told apart when the kind itself is absent', async () => {
    server.behave(answer(404, '404 page not found\n'));
    const error = await failure(transport.request({ method: 'GET', path }));
    expect(error).toMatchObject({
      category: 'unreachable',
      message: expect.stringContaining('does not serve this kind'),
    });
  });

  it('has new credentials the next time when they were refused', async () => {
    server.behave(answer(401, status(401, 'Unauthorized')));
    expect(await failure(transport.request({ method: 'GET', path }))).toMatchObject({ category: 'unreachable' });
    expect(config.renewals()).toBe(1);
    server.behave(answer(200, { kind: 'Cluster' }));
    await transport.request({ method: 'GET', path });
    expect(server.requests[1]?.headers.authorization).toBe(`Bearer ${secretToken}-1`);
  });

  it('is sent once and never repeated', async () => {
    server.behave(answer(500, 'broken'));
    await failure(transport.request({ method: 'POST', path, body: {} }));
    server.behave((request) => request.socket.destroy());
    await failure(transport.request({ method: 'POST', path, body: {} }));
    expect(server.requests).toHaveLength(2);
  });
});

describe('a request without a proper answer', () => {
  it('is unreachable when the connection breaks', async () => {
    server.behave((request) => request.socket.destroy());
    expect(await failure(transport.request({ method: 'GET', path }))).toMatchObject({
      category: 'unreachable',
      status: 0,
    });
  });

  it('is unreachable when the answer breaks off', async () => {
    server.behave((request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"half":', () => request.socket.destroy());
    });
    expect(await failure(transport.request({ method: 'GET', path }))).toMatchObject({ category: 'unreachable' });
  });

  it('is unreachable when nobody listens', async () => {
    await server[Symbol.asyncDispose]();
    const error = await failure(transport.request({ method: 'GET', path }));
    expect(error).toMatchObject({ category: 'unreachable', message: expect.stringContaining('ECONNREFUSED') });
    expect(error.cause).toBeInstanceOf(Error);
  });

  it('is unreachable when the answer is no JSON, which is not quoted', async () => {
    server.behave(answer(200, `<html>${secretToken}`));
    const error = await failure(transport.request({ method: 'GET', path }));
    expect(error).toMatchObject({
      category: 'unreachable',
      message: 'cannot get clusters a/b: the answer is not JSON',
    });
    expect(error.cause).toBeUndefined();
  });

  it.each([
    ['empty', ''],
    ['null', 'null'],
    ['a text', '"ok"'],
    ['an empty object', '{}'],
    ['an object of somebody else', '{"items":[],"metadata":{"resourceVersion":"1"}}'],
  ])('is unreachable when the answer is %s, although its status is 200', async (_what, text) => {
    server.behave(answer(200, text));
    for (const method of ['GET', 'PATCH', 'DELETE'] as const)
      expect(await failure(transport.request({ method, path }))).toMatchObject({ category: 'unreachable', status: 0 });
  });

  it('ends when its time is up', async () => {
    server.behave(() => undefined);
    const outcome = failure(transport.request({ method: 'GET', path, timeoutMs: 500 }));
    await until('the request has arrived', () => server.requests.length === 1);
    await clock.advance(499);
    await clock.advance(1);
    expect(await outcome).toMatchObject({
      category: 'unreachable',
      message: 'cannot get clusters a/b: no answer within 500 ms',
    });
  });

  it('ends after 30 s by itself, also when the answer has begun', async () => {
    server.behave((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"half":');
    });
    const outcome = failure(transport.request({ method: 'GET', path }));
    await until('the request has arrived', () => server.requests.length === 1);
    await clock.advance(30_000);
    expect((await outcome).message).toBe('cannot get clusters a/b: no answer within 30000 ms');
  });

  it.each([
    ['a request', (timeoutMs: number) => transport.request({ method: 'GET', path, timeoutMs })],
    ['a stream', (idleMs: number) => transport.stream({ path, idleMs, signal: new AbortController().signal })],
  ])('with %s given up makes the next ones go over new connections', async (_name, send) => {
    const together = () => Promise.all([1, 2, 3, 4].map(() => transport.request({ method: 'GET', path })));
    await together();
    const dead = new Set(server.requests.map(({ socket }) => socket));
    expect(dead.size).toBe(4);
    // As after a firewall has forgotten them: all of them are open, and none carries anything.
    server.behave((request, response, body) => {
      if (!dead.has(request.socket)) answer(200, { kind: 'Cluster' })(request, response, body);
    });
    const outcome = failure(send(500));
    await until('the request has arrived', () => server.requests.length === 5);
    await clock.advance(500);
    expect((await outcome).category).toBe('unreachable');
    expect(await together()).toHaveLength(4);
  });

  it('ends when its owner gives up', async () => {
    server.behave(() => undefined);
    const owner = new AbortController();
    const outcome = failure(transport.request({ method: 'GET', path, signal: owner.signal }));
    await until('the request has arrived', () => server.requests.length === 1);
    owner.abort(new Error('shutting down'));
    expect((await outcome).message).toBe('cannot get clusters a/b: shutting down');
  });

  it('is not even sent when its owner has given up before', async () => {
    await failure(transport.request({ method: 'GET', path, signal: AbortSignal.abort(new Error('stopped')) }));
    expect(server.requests).toHaveLength(0);
  });

  it('does not wait for a credential plugin that hangs', async () => {
    const hanging = createTransport({ config: { ...config, credentials: () => new Promise(() => undefined) }, clock });
    const outcome = failure(hanging.request({ method: 'GET', path, timeoutMs: 100 }));
    await clock.advance(100);
    expect((await outcome).message).toContain('no answer within 100 ms');
    const signal = AbortSignal.abort(new Error('stopped'));
    expect((await failure(hanging.request({ method: 'GET', path, signal }))).message).toContain('stopped');
    await hanging.close();
  });

  it('says when there are no credentials', async () => {
    const credentials = () => Promise.reject(new Error('cannot obtain credentials of context x: ENOENT'));
    const broken = createTransport({ config: { ...config, credentials }, clock });
    const error = await failure(broken.request({ method: 'GET', path }));
    expect(error).toMatchObject({
      category: 'unreachable',
      message: expect.stringContaining('cannot obtain credentials'),
    });
    await broken.close();
  });
});

describe('errors', () => {
  it('hold no credentials, neither in words nor in their causes', async () => {
    const errors: ApiError[] = [];
    server.behave(answer(401, status(401, 'Unauthorized')));
    errors.push(await failure(transport.request({ method: 'GET', path })));
    server.behave((request) => request.socket.destroy());
    errors.push(await failure(transport.request({ method: 'GET', path })));
    await server[Symbol.asyncDispose]();
    errors.push(await failure(transport.request({ method: 'GET', path })));
    for (const error of errors) {
      const { inspect } = await import('node:util');
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(secretToken);
    }
  });
});

describe('a stream', () => {
  const streamed = '/apis/dataprocessing.dev/v1alpha1/clusters';
  let owner: AbortController;
  let lines: unknown[];

  beforeEach(() => {
    owner = new AbortController();
    lines = [];
  });

  async function read(idleMs = 1000): Promise<void> {
    const call = { path: streamed, query: { watch: true }, signal: owner.signal, idleMs };
    for await (const line of await transport.stream(call)) lines.push(line);
  }

  it('hands out each line as it comes and ends with the answer', async () => {
    let response_: { write(text: string): unknown; end(): unknown } | undefined;
    server.behave((_request, response) => {
      response.writeHead(200);
      response.write('{"a":1}\n{"a"');
      response_ = response;
    });
    const reading = read();
    await until('the first line is here', () => lines.length === 1);
    response_?.write(':2}\n');
    await until('the second line is here', () => lines.length === 2);
    response_?.end();
    await reading;
    expect(lines).toEqual([{ a: 1 }, { a: 2 }]);
    expect(server.requests[0]?.url).toBe(`${streamed}?watch=true`);
    expect(clock.pending).toBe(0);
  });

  it('fails when it is cut, also within a line', async () => {
    server.behave((request, response) => {
      response.writeHead(200);
      response.write('{"a":1}\n{"a"', () => request.socket.destroy());
    });
    expect(await failure(read())).toMatchObject({ category: 'unreachable' });
    expect(lines).toEqual([{ a: 1 }]);
  });

  it('fails at a line that is no JSON', async () => {
    server.behave((_request, response) => {
      response.writeHead(200);
      response.end('{"a":1}\ngarbage\n{"a":2}\n');
    });
    expect((await failure(read())).message).toContain('a line of 7 bytes is not JSON');
    expect(lines).toEqual([{ a: 1 }]);
  });

  it('fails when it is refused', async () => {
    server.behave(answer(429, status(429, 'storage is (re)initializing'), { 'retry-after': '1' }));
    expect(await failure(read())).toMatchObject({
      category: 'throttled',
      retryAfterMs: 1000,
      message: 'cannot watch clusters: 429 storage is (re)initializing',
    });
    expect(clock.pending).toBe(0);
  });

  it('fails after a silence, which begins anew with each byte', async () => {
    let response_: { write(text: string): unknown } | undefined;
    server.behave((_request, response) => {
      response.writeHead(200);
      response.write('{"a":1}\n');
      response_ = response;
    });
    let failed = false;
    const outcome = failure(read(150_000)).finally(() => (failed = true));
    await until('the first line is here', () => lines.length === 1);
    await clock.advance(149_000);
    response_?.write('{"a":2}\n');
    await until('the second line is here', () => lines.length === 2);
    await clock.advance(149_999);
    await settle();
    expect(failed).toBe(false);
    await clock.advance(1);
    expect(await outcome).toMatchObject({
      category: 'unreachable',
      message: expect.stringContaining('no byte for 150000 ms'),
    });
  });

  it('fails when the server never answers', async () => {
    server.behave(() => undefined);
    const outcome = failure(read(1000));
    await until('the request has arrived', () => server.requests.length === 1);
    await clock.advance(1000);
    expect((await outcome).message).toBe('cannot watch clusters: no byte for 1000 ms');
  });

  it('ends its connection when its owner gives up', async () => {
    let closed = false;
    server.behave((request, response) => {
      request.socket.on('close', () => (closed = true));
      response.writeHead(200);
      response.write('{"a":1}\n');
    });
    const outcome = failure(read());
    await until('the first line is here', () => lines.length === 1);
    owner.abort(new Error('stopped'));
    expect((await outcome).message).toBe('cannot watch clusters: stopped');
    await until('the connection is closed', () => closed);
  });

  it('ends its connection when its reader stops reading', async () => {
    let closed = false;
    server.behave((request, response) => {
      request.socket.on('close', () => (closed = true));
      response.writeHead(200);
      response.write('{"a":1}\n{"a":2}\n');
    });
    const values = await transport.stream({ path: streamed, signal: owner.signal, idleMs: 1000 });
    for await (const _first of values) break;
    await until('the connection is closed', () => closed);
    expect(clock.pending).toBe(0);
  });

  it('that nobody reads may be given up without harm', async () => {
    let closed = false;
    server.behave((request, response) => {
      request.socket.on('close', () => (closed = true));
      response.writeHead(200);
      response.write('{"a":1}\n');
    });
    await transport.stream({ path: streamed, signal: owner.signal, idleMs: 1000 });
    owner.abort(new Error('stopped'));
    await until('the connection is closed', () => closed);
    await settle();
  });

  it('ends when the transport is closed', async () => {
    server.behave((_request, response) => {
      response.writeHead(200);
      response.write('{"a":1}\n');
    });
    const outcome = failure(read());
    await until('the first line is here', () => lines.length === 1);
    await transport.close();
    expect(await outcome).toMatchObject({ category: 'unreachable' });
  });
});

describe('reports', () => {
  it('name verb, resource, status and duration', async () => {
    await transport.request({ method: 'GET', path });
    await transport.request({ method: 'GET', path: '/api/v1/secrets' });
    await transport.request({ method: 'PATCH', path: `${path}/status`, body: {} });
    await transport.request({ method: 'PUT', path, body: {} });
    await transport.request({ method: 'POST', path: '/api/v1/namespaces/a/events', body: {} });
    await transport.request({ method: 'DELETE', path });
    server.behave((request) => request.socket.destroy());
    await failure(transport.request({ method: 'GET', path }));
    server.behave((_request, response) => response.writeHead(200).end());
    const signal = new AbortController().signal;
    for await (const _none of await transport.stream({ path: '/api/v1/secrets', signal, idleMs: 1 }));
    expect(reports).toEqual([
      { verb: 'get', resource: 'clusters', status: 200, ms: 0 },
      { verb: 'list', resource: 'secrets', status: 200, ms: 0 },
      { verb: 'patch', resource: 'clusters/status', status: 200, ms: 0 },
      { verb: 'update', resource: 'clusters', status: 200, ms: 0 },
      { verb: 'create', resource: 'events', status: 200, ms: 0 },
      { verb: 'delete', resource: 'clusters', status: 200, ms: 0 },
      { verb: 'get', resource: 'clusters', status: 0, ms: 0 },
      { verb: 'watch', resource: 'secrets', status: 200, ms: 0 },
    ]);
  });
});
