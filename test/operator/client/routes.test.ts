// Every request of the interface against literal servers: what goes out in each dialect, and what becomes of answers that no good service gives.

import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/lib/system.ts';
import { fixedToken } from '../../../src/operator/client/credentials.ts';
import { templateOf } from '../../../src/operator/client/http/path-template.ts';
import type { ServiceOptions } from '../../../src/operator/client/http/settings.ts';
import { createService, type Service } from '../../../src/operator/client/service.ts';
import { dialects } from '../../../src/wire/dialect.ts';
import { ServiceError } from '../../../src/wire/errors/errors.ts';
import { routes } from '../../../src/wire/routes.ts';
import { type Call, calls, goodAnswer, id, type Made } from './support/calls.ts';
import { type Scripted, serve, serveRaw } from './support/servers.ts';

const token = 'gAAAAABtokenOfTheOperator';

function serviceAt(endpoint: string, more: Partial<ServiceOptions> = {}): Service {
  const service = createService({
    endpoint,
    tenant: 't',
    dialect: 'neutral',
    credentials: fixedToken(token),
    clock: systemClock,
    timeoutMs: 5000,
    limits: { requestsPerSecond: 10_000, burst: 1000, maxInFlight: 10 },
    ...more,
  });
  onTestFinished(() => service.close());
  return service;
}

/** Makes the call with a permit of its own. */
async function make(service: Service, call: Pick<Call, 'make'>): Promise<unknown> {
  const permit = await service.budget.take({ user: 'test', withinMs: 1000 });
  if (permit === undefined) throw new Error('no permit');
  return call.make({ service, permit } satisfies Made).finally(() => permit.release());
}

async function failure(service: Service, call: Pick<Call, 'make'>): Promise<ServiceError> {
  const error = await make(service, call).catch((reason: unknown) => reason);
  if (!(error instanceof ServiceError)) throw new Error('no ServiceError', { cause: error });
  expect(JSON.stringify([error, error.message, error.stack])).not.toContain(token);
  return error;
}

/** As a socket sees it: one answer, then the end. */
const answering = (head: string, body: string | Buffer) =>
  serveRaw((socket) => {
    socket.write(`HTTP/1.1 ${head}\r\n\r\n`);
    socket.end(body);
  });

const named = calls.map((call) => [call.name, call] as const);
const bytewise = named.filter(([, { key, line }]) => key === undefined && line.startsWith('GET'));
/** What may have thousands of configurations. */
const detailed = calls.filter(({ line }) => /\/config-hints\/|GET .*\/plugins\/[^/]+\/[^/]+$/.test(line));
/** Read at once: all but the lists that are read row by row. */
const whole = named.filter(
  ([name, call]) => call.key !== undefined && !/^list (?!plugins)/.test(name) && !detailed.includes(call),
);
const structured = named.filter(([, { key }]) => key !== undefined);

describe.each(dialects)('%s: what is sent', (dialect) => {
  test.each(named)('%s', async (_name, call) => {
    const server = await serve(() => ({ status: 200, body: goodAnswer(call) }));
    await make(serviceAt(server.url, { dialect }), call);
    const [request, ...more] = server.received;
    const prefix = dialect === 'sahara' ? '/v1.1/' : '/v1.0/';
    expect(`${request?.method} ${request?.url}`).toBe(call.line.replace('/V/', prefix));
    expect(request?.headers).toMatchObject({ 'x-auth-token': token, accept: 'application/json' });
    expect(more).toEqual([]);
    expect(templateOf(call.line.split('/').slice(3))).not.toBe('other');
  });
});

describe('answers that no good service gives', () => {
  test.each(named)('%s: a redirect is not followed, and the token stays here', async (_name, call) => {
    const elsewhere = await serve(() => ({ body: goodAnswer(call) }));
    const here = await serve(() => ({ status: 307, headers: { location: `${elsewhere.url}/v1.0/t/plugins` } }));
    const error = await failure(serviceAt(here.url), call);
    expect(error).toMatchObject({ category: 'malformed', certainty: 'open', status: 307 });
    expect(error.why).toContain('redirects are not followed');
    expect([here.received.length, elsewhere.received.length]).toEqual([1, 0]);
  });

  test.each(named)('%s: an answer that breaks off is none', async (_name, call) => {
    const server = await answering('200 OK\r\ncontent-length: 500', goodAnswer(call));
    expect(await failure(serviceAt(server.url), call)).toMatchObject({ category: 'unreachable', certainty: 'open' });
  });

  test.each(named)('%s: nor is one whose chunks have no end', async (_name, call) => {
    const server = await answering('200 OK\r\ntransfer-encoding: chunked', '5\r\n{"a":\r\n');
    expect(await failure(serviceAt(server.url), call)).toMatchObject({ category: 'unreachable', certainty: 'open' });
  });

  test.each(named)('%s: one that is too large is not read, told or not', async (_name, call) => {
    const whole = 'x'.repeat(40_000);
    const told = await answering('200 OK\r\ncontent-length: 40000', whole);
    const untold = await answering(
      '200 OK\r\ntransfer-encoding: chunked',
      `${(40_000).toString(16)}\r\n${whole}\r\n0\r\n\r\n`,
    );
    for (const server of [told, untold]) {
      const error = await failure(serviceAt(server.url, { maxAnswerBytes: 30_000 }), call);
      expect([error.category, error.why]).toEqual([
        'malformed',
        expect.stringMatching(/^the answer is too large to be read: it has .*30 KiB/),
      ]);
    }
  });

  const outlined = whole.filter(([, { key }]) => key === 'cluster');
  test.each(outlined)('%s: one of more than 8 MiB is not read either', async (_name, call) => {
    const server = await serve(() => ({ body: ' '.repeat(8 * 1024 * 1024 + 1) }));
    const error = await failure(serviceAt(server.url), call);
    expect([error.category, error.why]).toEqual(['malformed', expect.stringContaining('it has more than 8192 KiB')]);
  });

  const atOnce = whole.filter((one) => !outlined.includes(one));
  test.each(atOnce)('%s: nor is one that is read of more than 1 MiB, or of too many values', async (_name, call) => {
    const answers = {
      'it has more than 1024 KiB': ' '.repeat(1024 * 1024 + 1),
      'with 30 KiB where at most 1024 KiB and 8000 values are read': `{"x":[${'1,'.repeat(15_000)}1]}`,
    };
    for (const [says, body] of Object.entries(answers)) {
      const server = await serve(() => ({ body }));
      const error = await failure(serviceAt(server.url), call);
      expect([error.category, error.why]).toEqual(['malformed', expect.stringContaining(says)]);
    }
  });

  test.each(detailed)('$name: thousands of values are read, and no end of them', async (call) => {
    const good = JSON.parse(goodAnswer(call)) as Record<string, object>;
    const withValues = (count: number) =>
      JSON.stringify(
        Object.fromEntries(
          Object.entries(good).map(([key, value]) => [key, { ...value, x: Array.from({ length: count }, () => 1) }]),
        ),
      );
    const server = await serve(() => ({ body: withValues(100_000) }));
    await make(serviceAt(server.url), call);
    const endless = await serve(() => ({ body: withValues(200_000) }));
    expect((await failure(serviceAt(endless.url), call)).why).toContain('too large to be read');
  });

  test.each(structured)('%s: a page is no answer, whatever it is labelled as', async (_name, call) => {
    for (const type of ['text/html; charset=utf-8', 'application/json']) {
      const server = await serve(() => ({ headers: { 'content-type': type }, body: '<html>Log in first</html>' }));
      const error = await failure(serviceAt(server.url), call);
      expect([error.category, error.certainty]).toEqual(['malformed', 'open']);
    }
  });

  test.each(structured)('%s: what is compressed although nobody asked for it is no answer', async (_name, call) => {
    const server = await answering('200 OK\r\ncontent-encoding: gzip', gzipSync(goodAnswer(call)));
    expect((await failure(serviceAt(server.url), call)).category).toBe('malformed');
  });

  test.each(structured)('%s: any type will do for a good one', async (_name, call) => {
    const server = await serve(() => ({ headers: { 'content-type': 'text/plain' }, body: goodAnswer(call) }));
    await make(serviceAt(server.url), call);
  });

  test.each(structured)('%s: JSON of something else is none', async (_name, call) => {
    for (const body of ['{}', '[]', 'null', JSON.stringify({ [call.key ?? '']: 7 })]) {
      const server = await serve(() => ({ body }));
      expect((await failure(serviceAt(server.url), call)).category).toBe('malformed');
    }
  });
});

describe('bytes', () => {
  const every = Buffer.from(Array.from({ length: 1024 }, (_, index) => index % 256));
  const upload = (bytes: Uint8Array): Pick<Call, 'make'> => ({
    make: ({ service, permit }) => service.uploadBinary('b', bytes, permit),
  });

  test.each(bytewise)('%s: come as they are, the token and all', async (_name, call) => {
    const whole = Buffer.concat([every, Buffer.from(token), every]);
    const server = await answering(`200 OK\r\ncontent-type: text/html\r\ncontent-length: ${whole.length}`, whole);
    expect(await make(serviceAt(server.url), call)).toEqual(whole);
  });

  test.each(bytewise)('%s: more than 8 MiB are refused', async (_name, call) => {
    const server = await answering(`200 OK\r\ncontent-length: ${8 * 1024 * 1024 + 1}`, '');
    expect((await failure(serviceAt(server.url), call)).why).toContain('too large to be read: it has 8193 KiB');
  });

  test('go as they are, labelled as bytes, with their length', async () => {
    let request = '';
    const server = await serveRaw((socket, text) => {
      request += text;
      if (!request.endsWith('END')) return;
      const body = JSON.stringify({ job_binary_internal: { id, name: 'b' } });
      socket.end(`HTTP/1.1 202 Accepted\r\nconnection: close\r\n\r\n${body}`);
    });
    const bytes = Buffer.from('\u0000\u0007{"bigdata_version": "\r\n\r\n"}END');
    await make(serviceAt(server.url, { dialect: 'sahara' }), upload(bytes));
    const [head = ''] = request.split('\r\n\r\n');
    expect(request.slice(head.length + 4)).toBe(bytes.toString());
    expect(head).toContain('content-type: application/octet-stream');
    expect(head).toContain(`content-length: ${bytes.length}`);
  });

  test('more than 8 MiB are never sent', async () => {
    const server = await serve(() => ({}));
    const error = await failure(serviceAt(server.url), upload(Buffer.alloc(8 * 1024 * 1024 + 1)));
    expect(error).toMatchObject({ category: 'rejected', certainty: 'definite' });
    expect(error.why).toBe('the request is larger than 8 MiB, which is not sent');
    expect(server.received).toEqual([]);
  });
});

describe('a GET that changes something', () => {
  const cancel = calls.filter(({ name }) => name === 'cancel');
  const refresh = calls.filter(({ name }) => name === 'refresh');
  const refusing = () =>
    serve(() => ({ status: 401, headers: { 'www-authenticate': 'Keystone' }, body: { error: { code: 401 } } }));
  const renewing = { token: async () => token, rejected: () => true };
  const sentBy = async (server: Scripted, [call]: readonly Call[]): Promise<number> => {
    if (call === undefined) throw new Error('no such call');
    await failure(serviceAt(server.url, { credentials: renewing }), call);
    return server.received.length;
  };

  test('is sent once where a read is tried again with another token', async () => {
    expect(await sentBy(await refusing(), refresh)).toBe(2);
    expect(await sentBy(await refusing(), cancel)).toBe(1);
  });

  test.each(named.filter(([, { effect }]) => effect))('%s: not by who may not write', async (_name, call) => {
    const server = await serve(() => ({ body: goodAnswer(call) }));
    const error = await failure(serviceAt(server.url, { mayWrite: () => false }), call);
    expect([error.certainty, server.received]).toEqual(['definite', []]);
  });

  test.each(named.filter(([, { effect }]) => !effect))('%s: reading goes on', async (_name, call) => {
    const server = await serve(() => ({ body: goodAnswer(call) }));
    await make(serviceAt(server.url, { mayWrite: () => false }), call);
  });

  test('its answer is the newest that is known of the run', async () => {
    const execution = { id, info: { status: 'KILLED' } };
    const server = await serve(({ url }) => ({
      body: url.endsWith('cancel') ? { job_execution: execution } : { job_executions: [] },
    }));
    const service = serviceAt(server.url);
    await service.inventory.observe(routes.jobExecutions, { notBefore: 0, list: true });
    const [call] = cancel;
    if (call !== undefined) await make(service, call);
    expect(service.inventory.peek(routes.jobExecutions)?.byId(id)).toMatchObject(execution);
  });

  test('an answer about another run is none', async () => {
    const server = await serve(() => ({ body: { job_execution: { id: 'other' } } }));
    for (const call of [...cancel, ...refresh])
      expect((await failure(serviceAt(server.url), call)).why).toContain('it is about another object');
  });
});
