// Bodies that are under way take no more memory together than there is for them.
import { once } from 'node:events';
import { connect as open, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { serve } from '../../contract/support.ts';

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
  await vi.waitFor(() => expect(refused(uploads)).toHaveLength(146), 10_000);
  expect(refused(uploads)[0]?.text()).toMatch(/^retry-after: 1\r$/m);
  expect(refused(uploads)[0]?.text()).toContain('send the request again later');

  const others = await Promise.all(Array.from({ length: 150 }, () => begin(url, 'b')));
  await vi.waitFor(() => expect(refused(others)).toHaveLength(146), 10_000);
  for (const tenant of ['a', 'b', 'c']) expect((await post(url, tenant)).status).toBe(202);
});

test('a body that has ended, in whatever way, makes room', async () => {
  const { url } = await serve();
  const first = await Promise.all(Array.from({ length: 4 }, () => begin(url, 'a')));
  const fifth = await begin(url, 'a');
  await vi.waitFor(() => expect(refused([fifth])).toHaveLength(1), 10_000);
  const [finished, broken] = first;
  finish(finished?.socket as Socket);
  await vi.waitFor(() => expect(finished?.text()).toContain('HTTP/1.1 202'), 10_000);
  broken?.socket.destroy();
  await vi.waitFor(async () => {
    const next = await begin(url, 'a');
    finish(next.socket);
    await vi.waitFor(() => expect(next.text()).toContain('HTTP/1.1 202'), 1000);
  }, 10_000);
});
