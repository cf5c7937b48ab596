// Answers that nobody reads count, whatever they are: those to changes and refusals, too.
import { once } from 'node:events';
import { connect as open } from 'node:net';
import fastify, { type FastifyReply } from 'fastify';
import { expect, onTestFinished, test, vi } from 'vitest';
import { limitAnswers } from '../../../../src/service/api/http/answer-budget.ts';
import { MemoryBudget } from '../../../../src/service/api/http/memory-budget.ts';
import { fixedDay, serve } from '../../../contract/support.ts';
import { limitMs } from '../../../support/patience.ts';

const mebibyte = 1024 ** 2;

/** Sends requests on a connection, and reads no more than the head of the first answer. */
async function ask(url: string, request: string, times = 1) {
  const { port } = new URL(url);
  const socket = open(Number(port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write(`${request} HTTP/1.1\r\nhost: localhost\r\n\r\n`.repeat(times));
  const [head] = await once(socket, 'data');
  socket.pause();
  return { status: Number(String(head).slice(9, 12)), head: String(head), socket };
}

/** Tenants in their paths. Each answer is so large that no buffer of the system takes it. */
async function room(status: number) {
  const app = fastify();
  let done = 0;
  app.addHook('onRequest', (request, reply, next) => {
    if (request.headers['x-refused'] === undefined) return next();
    void reply.code(401).send('x'.repeat(12 * mebibyte));
  });
  limitAnswers(app, ({ url }) => (url === '/healthz' ? undefined : url));
  const answer = (_request: unknown, reply: FastifyReply) => {
    done += 1;
    return reply.code(status).send('x'.repeat(12 * mebibyte));
  };
  for (const method of ['GET', 'POST', 'DELETE'] as const) app.route({ method, url: '/:tenant', handler: answer });
  app.get('/healthz', () => 'ok');
  app.get('/small/:tenant', () => 'ok');
  onTestFinished(() => app.close());
  return { url: await app.listen({ host: '127.0.0.1', port: 0 }), done: () => done };
}

test('a change is refused before it is carried out when the answers to others are unread', async () => {
  const { url, done } = await room(202);
  const unread = [await ask(url, 'POST /a'), await ask(url, 'POST /a')];
  expect([unread.map(({ status }) => status), done()]).toEqual([[202, 202], 2]);
  const refused = await ask(url, 'POST /a');
  expect([refused.status, done()]).toEqual([503, 2]);
  expect(refused.head).toMatch(/^retry-after: 1\r$/m);
  // What one tenant holds leaves the other one its half.
  expect([(await ask(url, 'POST /b')).status, done()]).toEqual([202, 3]);
  for (const { socket } of unread) socket.destroy();
  await vi.waitFor(async () => expect((await ask(url, 'POST /a')).status).toBe(202), limitMs);
});

test('a removal is carried out all the same: it makes room', async () => {
  const { url } = await room(202);
  for (let index = 0; index < 2; index += 1) await ask(url, 'POST /a');
  expect((await ask(url, 'DELETE /a')).status).toBe(202);
});

test.each(['DELETE', 'POST', 'GET'])(
  '%s: long refusals that nobody reads count, and others take their place',
  async (method) => {
    const { url } = await room(400);
    const statuses: number[] = [];
    for (let index = 0; index < 6; index += 1) statuses.push((await ask(url, `${method} /a`)).status);
    expect(statuses).toEqual([400, 503, 503, 503, 503, 503]);
    expect((await ask(url, `${method} /b`)).status).toBe(400);
  },
);

test('refusals of tokens take nothing of the tenant in the path, and no more than half of all', async () => {
  const { url } = await room(200);
  for (let index = 0; index < 6; index += 1) await ask(url, 'GET /a HTTP/1.1\r\nx-refused: 1\r\nx-rest:');
  expect((await ask(url, 'GET /a')).status).toBe(200);
});

test('what is exempt is answered, whatever is unread', async () => {
  const { url } = await room(202);
  for (const tenant of ['a', 'b', 'c']) for (let index = 0; index < 2; index += 1) await ask(url, `POST /${tenant}`);
  expect((await ask(url, 'GET /small/d')).status).toBe(503);
  expect((await ask(url, 'GET /healthz')).status).toBe(200);
});

test('probes are answered when there is no room for anything', async () => {
  const { url } = await serve();
  const take = vi.spyOn(MemoryBudget.prototype, 'take').mockReturnValue(false);
  onTestFinished(() => take.mockRestore());
  expect((await fetch(`${url}/openapi.json`)).status).toBe(503);
  for (const path of ['/healthz', '/metrics']) expect((await fetch(url + path)).status).toBe(200);
});

test('probes do not queue behind the requests of those without a token', async () => {
  let now = 0;
  // A turn of the event loop serves one request.
  const { url } = await serve({ clock: { ...fixedDay, monotonic: () => (now += 10) } });
  const flood = await ask(url, 'GET /', 1500);
  let text = '';
  flood.socket.on('data', (chunk) => (text += String(chunk))).resume();
  expect((await ask(url, 'GET /healthz')).status).toBe(200);
  const answered = text.split('HTTP/1.1 300').length;
  await vi.waitFor(() => expect(text.split('HTTP/1.1 300').length).toBeGreaterThan(1490), limitMs);
  expect(answered).toBeLessThan(1000);
});
