// Bodies and answers that are under way take no more memory together than there is for them.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect as open, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fastify from 'fastify';
import { expect, onTestFinished, test, vi } from 'vitest';
import { demoAccounts } from '../../../../dev/identity/accounts.ts';
import { createIdentity } from '../../../../dev/identity/identity.ts';
import { limitBodies } from '../../../../src/service/api/http/memory-budget.ts';
import { type Json, type Peer, serve } from '../../../contract/support.ts';
import { limitMs } from '../../../support/patience.ts';

const mebibyte = 1024 * 1024;
const upload = 5 * mebibyte;

/** An upload of which only the beginning is sent. Resolves to what is answered so far. */
async function begin(url: string, tenant: string, bytes = upload) {
  const { hostname, port } = new URL(url);
  const socket = open(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk))).on('error', () => undefined);
  const path = `/v1.1/${tenant}/job-binary-internals/x-${Math.random()}`;
  socket.write(`PUT ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/octet-stream\r\n`);
  socket.write(`content-length: ${bytes}\r\n\r\nbegin`);
  return { socket, text: () => text };
}

type Upload = Awaited<ReturnType<typeof begin>>;

const refused = (uploads: readonly Upload[]) => uploads.filter(({ text }) => text().includes('HTTP/1.1 503'));

/** Finishes the upload that has begun. */
const finish = (socket: Socket): boolean => socket.write(Buffer.alloc(upload - 'begin'.length));

const post = (url: string, tenant: string) =>
  fetch(`${url}/v1.1/${tenant}/data-sources`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'd', type: 'hdfs', url: '/d' }),
  });

test('uploads of one tenant beyond its half are refused, and those of another tenant and small bodies are not', async () => {
  const { url } = await serve();
  const uploads = await Promise.all(Array.from({ length: 150 }, () => begin(url, 'a')));
  await vi.waitFor(() => expect(refused(uploads)).toHaveLength(146), limitMs);
  expect(refused(uploads)[0]?.text()).toMatch(/^retry-after: 1\r$/m);
  expect(refused(uploads)[0]?.text()).toContain('send the request again later');

  const others = await Promise.all(Array.from({ length: 150 }, () => begin(url, 'b')));
  await vi.waitFor(() => expect(refused(others)).toHaveLength(146), limitMs);
  for (const tenant of ['a', 'b', 'c']) expect((await post(url, tenant)).status).toBe(202);
});

test('a body that has ended, in whatever way, makes room', async () => {
  const { url } = await serve();
  const first = await Promise.all(Array.from({ length: 4 }, () => begin(url, 'a')));
  const fifth = await begin(url, 'a');
  await vi.waitFor(() => expect(refused([fifth])).toHaveLength(1), limitMs);
  const [finished, broken] = first;
  finish(finished?.socket as Socket);
  await vi.waitFor(() => expect(finished?.text()).toContain('HTTP/1.1 202'), limitMs);
  broken?.socket.destroy();
  await vi.waitFor(async () => {
    const next = await begin(url, 'a');
    finish(next.socket);
    await vi.waitFor(() => expect(next.text()).toContain('HTTP/1.1'), limitMs);
    expect(next.text()).toContain('HTTP/1.1 202');
  }, limitMs);
});

/** Asks, and reads no more than the head of the answer. */
async function ask(url: string, path: string) {
  const { hostname, port } = new URL(url);
  const socket = open(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  const [head] = await once(socket, 'data');
  socket.pause();
  return { socket, status: Number(String(head).slice(9, 12)), head: String(head) };
}

const row = (name: string) => ({ name, type: 'hdfs', url: '/d', description: 'Ā'.repeat(300_000) });

async function fillRows(peer: Peer, tenant: string) {
  const ids: string[] = [];
  for (let index = 0; index < 12; index += 1) {
    const { status, body } = await peer.post(`/v1.1/${tenant}/data-sources`, row(`d${index}`));
    expect(status).toBe(202);
    ids.push(body.data_source.id);
  }
  return ids;
}

test('lists that nobody reads: one tenant gets at most half of the memory, and small answers and those of others pass', async () => {
  const peer = await serve();
  for (const tenant of ['a', 'b']) await fillRows(peer, tenant);
  const lists = await Promise.all(Array.from({ length: 60 }, () => ask(peer.url, '/v1.1/a/data-sources')));
  const refused = lists.filter(({ status }) => status === 503);
  expect(lists.filter(({ status }) => status === 200).length).toBeGreaterThan(3);
  expect(refused.length).toBeGreaterThan(40);
  expect(refused[0]?.head).toMatch(/^retry-after: 1\r$/m);

  expect((await peer.get('/v1.1/a/job-binaries')).status).toBe(200);
  expect((await peer.get('/v1.1/b/data-sources')).body.data_sources).toHaveLength(12);
  for (const { socket } of lists) socket.destroy();
  await vi.waitFor(async () => expect((await peer.get('/v1.1/a/data-sources')).status).toBe(200), limitMs);
});

test('while answers take the memory of a tenant, what it changes is answered, and /healthz and others are', async () => {
  const peer = await serve();
  const [id] = await fillRows(peer, 'a');
  const lists = await Promise.all(Array.from({ length: 60 }, () => ask(peer.url, '/v1.1/a/data-sources')));
  expect(lists.some(({ status }) => status === 503)).toBe(true);
  expect((await peer.post('/v1.1/a/data-sources', row('more'))).status).toBe(202);
  expect((await peer.remove(`/v1.1/a/data-sources/${id}`)).status).toBe(204);
  expect((await fetch(`${peer.url}/healthz`)).status).toBe(200);
  expect((await fetch(`${peer.url}/v1.1/b/data-sources`)).status).toBe(200);
});

test('bodies that nobody has a token for take nothing of a tenant', async () => {
  const { url } = await serve({ keystone: {}, identity: createIdentity(demoAccounts) });
  const { hostname, port } = new URL(url);
  for (let index = 0; index < 100; index += 1) {
    const socket = open(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined);
    socket.write(
      `POST /v3/a HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 900000\r\n\r\n{`,
    );
  }
  // A token is asked for only when there is room for the body.
  await vi.waitFor(async () => {
    const late = await fetch(`${url}/v3/a`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `"${'x'.repeat(900_000)}"`,
    });
    expect(late.status).toBe(503);
  }, limitMs);
  expect(
    (await fetch(`${url}/v1.1/a/job-binary-internals/x`, { method: 'PUT', body: new Uint8Array(upload) })).status,
  ).toBe(401);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test('an answer that is larger than the share of a tenant passes alone', async () => {
  const peer = await serve({ catalog: { byteQuota: 1e9 } });
  const bytes = new Uint8Array(5 * mebibyte);
  const path = '/v1.1/a/job-binary-internals';
  const uploaded = await fetch(`${peer.url}${path}/x`, { method: 'PUT', body: bytes });
  const { id } = ((await uploaded.json()) as Json).job_binary_internal;
  const reads = await Promise.all(Array.from({ length: 20 }, () => ask(peer.url, `${path}/${id}/data`)));
  expect(reads.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  expect((await fetch(`${peer.url}/v1.1/b/data-sources`)).status).toBe(200);
});

test('the body of a client that went away while its token was checked takes no room', async () => {
  const checks: { readonly pass: () => void; readonly response: ServerResponse }[] = [];
  const app = fastify({ bodyLimit: 2 * upload });
  app.addHook('onRequest', (_request, reply, done) => void checks.push({ pass: done, response: reply.raw }));
  limitBodies(app, () => 'a');
  app.addContentTypeParser('*', (_request: unknown, payload: Readable) => buffer(payload));
  app.put('/binary', () => 'kept');
  onTestFinished(() => app.close());
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  for (let index = 0; index < 20; index += 1) {
    const socket = open(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`PUT /binary HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${upload}\r\n\r\nbegin`);
    await vi.waitFor(() => expect(checks).toHaveLength(index + 1), limitMs);
    socket.destroy();
  }
  await vi.waitFor(() => expect(checks.every(({ response }) => response.closed)).toBe(true), limitMs);
  for (const { pass } of checks.splice(0)) pass();
  const answer = fetch(`${url}/binary`, { method: 'PUT', body: new Uint8Array(upload) });
  await vi.waitFor(() => expect(checks).toHaveLength(1), limitMs);
  checks[0]?.pass();
  expect((await answer).status).toBe(200);
});
