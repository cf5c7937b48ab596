// LISTs are read while they come: in whatever pieces, never further than what is read, and a stop in the middle holds up nobody.
import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../../src/lib/ports.ts';
import { systemClock } from '../../../src/lib/system.ts';
import { type Exchanged, exchange, type Sink } from '../../../src/operator/client/http/exchange.ts';
import { createTransport } from '../../../src/operator/client/http/service-transport.ts';
import { createService, type Service } from '../../../src/operator/client/service-client.ts';
import { fixedToken } from '../../../src/operator/client/service-credentials.ts';
import { ServiceError } from '../../../src/wire/errors/service-error.ts';
import { routes } from '../../../src/wire/routes.ts';
import { ManualClock } from '../../support/clock.ts';
import { chunksOf } from './support/chunks.ts';
import { serve, serveRaw } from './support/servers.ts';

const token = 'gAAAAABsecretTokenThatNobodyMaySee0123456789';
const route = routes.nodeGroupTemplates;
const rowOf = (id: string, more: object = {}) => ({ id, name: `größe-${id}`, plugin_name: 'p', ...more });

function serviceAt(endpoint: string, timeoutMs = 5_000): Service {
  const limits = { requestsPerSecond: 20, burst: 1e6, maxInFlight: 10 };
  const where = { endpoint, tenant: 't', dialect: 'neutral', credentials: fixedToken(token) } as const;
  const service = createService({ ...where, clock: systemClock, timeoutMs, limits });
  onTestFinished(() => service.close());
  return service;
}

const listOf = (service: Service) => service.inventory.observe(route, { notBefore: systemClock.monotonic() });

/** Writes each piece when the one before has left. */
async function drip(socket: Socket, pieces: Iterable<Uint8Array>): Promise<void> {
  socket.setNoDelay(true);
  for (const piece of pieces) await new Promise<void>((left) => void socket.write(piece, () => left()));
}

const answerOf = (head: string, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`), body]);

function chunked(body: Buffer): Buffer {
  const chunks = [...chunksOf(body, 11), Buffer.of()];
  return Buffer.concat(
    chunks.flatMap((one) => [Buffer.from(`${one.length.toString(16)}\r\n`), one, Buffer.from('\r\n')]),
  );
}

test.each([
  ['of known length', (body: Buffer) => answerOf(`content-length: ${body.length}`, body)],
  ['to the end of the connection', (body: Buffer) => answerOf('connection: close', body)],
  ['in chunks', (body: Buffer) => answerOf('transfer-encoding: chunked', chunked(body))],
])('a LIST may come in whatever pieces: %s', async (_, framed) => {
  const rows = Array.from({ length: 20 }, (__, index) => rowOf(String(index), { description: `"\\${index}"` }));
  const answer = framed(Buffer.from(JSON.stringify({ node_group_templates: rows })));
  const server = await serveRaw((socket) => void drip(socket, chunksOf(answer, 7)).then(() => socket.end()));
  const view = await listOf(serviceAt(server.url));
  expect([...view.all()]).toEqual(rows);
  expect(view.complete).toBe(true);
});

test('the token is in no row, wherever the answer was cut', async () => {
  const body = Buffer.from(JSON.stringify({ node_group_templates: [rowOf('1', { description: `it is ${token}` })] }));
  const answer = answerOf(`content-length: ${body.length}`, body);
  const server = await serveRaw((socket) => void drip(socket, chunksOf(answer, 9)));
  expect((await listOf(serviceAt(server.url))).byId('1')).toEqual(rowOf('1', { description: 'it is ***' }));
});

test('one that stops in the middle fails in time, and everything else goes on meanwhile', async () => {
  const begun = JSON.stringify({ node_group_templates: [rowOf('1'), rowOf('2')] }).slice(0, -20);
  const server = await serveRaw(
    (socket) => void socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n${begun}`),
  );
  const outcome = listOf(serviceAt(server.url, 500)).catch((error: unknown) => error);
  let turns = 0;
  const timer = setInterval(() => void (turns += 1), 1);
  const error = await outcome;
  clearInterval(timer);
  expect(error).toBeInstanceOf(ServiceError);
  expect(error).toMatchObject({ category: 'unreachable', certainty: 'open' });
  expect(turns).toBeGreaterThan(10);
});

test('no more is read than what reads it is done with', async () => {
  const whole = 'x'.repeat(4_000_000);
  const server = await serve(({ url }) => ({ body: url === '/long' ? whole : 'short' }));
  const taken: Buffer[] = [];
  const gate = Promise.withResolvers<void>();
  const first = Promise.withResolvers<void>();
  const long = send(server.url, '/long', async (chunk) => {
    taken.push(Buffer.from(chunk));
    first.resolve();
    await gate.promise;
  });
  await first.promise;
  expect(await send(server.url, '/short')).toMatchObject({ phase: 'answered', body: Buffer.from('short') });
  expect(taken.length).toBe(1);
  gate.resolve();
  const ended = await long;
  expect(Buffer.concat(taken).toString()).toBe(whole);
  // What stays of it is the beginning.
  expect(ended).toMatchObject({ phase: 'answered', status: 200, body: taken[0] });
});

test('what reading takes is not counted as the time of the service, and what the service takes is', async () => {
  const server = await serve(() => ({ body: 'x'.repeat(4_000_000) }));
  const stalling = await serveRaw(
    (socket) => void socket.write(answerOf('content-length: 5000', Buffer.from('begun'))),
  );
  for (const { origin, phase } of [
    { origin: server.url, phase: 'answered' },
    { origin: stalling.url, phase: 'unanswered' },
  ]) {
    const clock = new ManualClock(0);
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const sink: Sink = () => {
      begun.resolve();
      return gate.promise;
    };
    const answer = send(origin, '/', sink, undefined, clock);
    await begun.promise;
    await clock.advance(60_000);
    gate.resolve();
    if (phase === 'unanswered') {
      await new Promise((resolve) => void setImmediate(resolve));
      await clock.advance(60_000);
    }
    expect((await answer).phase).toBe(phase);
  }
});

test('a refusal does not go to what would read the list', async () => {
  const server = await serve(() => ({ status: 503, body: 'not now' }));
  const answer = await send(server.url, '/', () => Promise.reject(new Error('a refusal was read as a list')));
  expect(answer).toMatchObject({ phase: 'answered', status: 503, body: Buffer.from('not now') });
});

test('who gives up while a piece is read hears so at once', async () => {
  const server = await serve(() => ({ body: 'x'.repeat(4_000_000) }));
  const controller = new AbortController();
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const sink: Sink = async () => {
    begun.resolve();
    await gate.promise;
  };
  const answer = send(server.url, '/', sink, controller.signal);
  await begun.promise;
  controller.abort();
  expect(await answer).toEqual({ phase: 'unanswered', code: 'ABORTED' });
  gate.resolve();
});

async function send(
  origin: string,
  path: string,
  sink?: Sink,
  signal?: AbortSignal,
  clock: Clock = systemClock,
): Promise<Exchanged> {
  const transport = createTransport();
  onTestFinished(() => transport.destroy());
  const message = { origin, path, method: 'GET', headers: {}, body: undefined } as const;
  return exchange(transport, message, { clock, timeoutMs: 5_000, maxBytes: 8_000_000, signal, sink });
}
