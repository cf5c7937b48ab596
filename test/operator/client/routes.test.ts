// Every request of the interface against literal servers: what goes out in each dialect, and what becomes of answers that no good service gives.
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/lib/system.ts';
import { templateOf } from '../../../src/operator/client/http/address.ts';
import { createService, type Service, type ServiceOptions } from '../../../src/operator/client/service-client.ts';
import { fixedToken } from '../../../src/operator/client/service-credentials.ts';
import { dialects } from '../../../src/wire/dialect.ts';
import { ServiceError } from '../../../src/wire/errors/service-error.ts';
import { routes } from '../../../src/wire/routes.ts';
import { type Call, calls, goodAnswer, type Made } from './support/calls.ts';
import { serve, serveRaw } from './support/servers.ts';

const token = 'gAAAAABtokenOfTheOperator';

function serviceAt(endpoint: string, more: Partial<ServiceOptions> = {}): Service {
  const service = createService({
    endpoint,
    tenant: 't',
    dialect: 'neutral',
    credentials: fixedToken(token),
    clock: systemClock,
    timeoutMs: 5000,
    limits: { requestsPerSecond: 20, burst: 1e6, maxInFlight: 10 },
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
/** Read at once: all but the lists that are read row by row. */
const whole = named.filter(([name, call]) => call.key !== undefined && !/^list (?!plugins)/.test(name));
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
    expect(error).toMatchObject({ category: 'malformed', certainty: 'answered', status: 307 });
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
      '(30 KiB); the limits are 1024 KiB, 8000 values and 64 levels': `{"x":[${'1,'.repeat(15_000)}1]}`,
    };
    for (const [says, body] of Object.entries(answers)) {
      const server = await serve(() => ({ body }));
      const error = await failure(serviceAt(server.url), call);
      expect([error.category, error.why]).toEqual(['malformed', expect.stringContaining(says)]);
    }
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

test('more than 8 MiB are never sent', async () => {
  const server = await serve(() => ({}));
  const body = { description: 'x'.repeat(8 * 1024 * 1024) };
  const error = await failure(serviceAt(server.url), {
    make: ({ service, permit }) => service.create(routes.clusters, body, permit),
  });
  expect(error).toMatchObject({ category: 'rejected', certainty: 'definite' });
  expect(error.why).toBe('the request exceeds 8 MiB; shorten the spec');
  expect(server.received).toEqual([]);
});
