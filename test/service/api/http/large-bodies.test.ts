// Bodies that are too large, on the wire: the refusal reaches who is still sending, and the connection stays usable.
import { once } from 'node:events';
import { connect as open } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { serve } from '../../../contract/support.ts';
import { limitMs } from '../../../support/patience.ts';

const mebibyte = 1024 * 1024;

/** A connection on which the tests write what they like. */
async function dial(url: string) {
  const { hostname, port } = new URL(url);
  const socket = open(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  const heard = (part: string) => vi.waitFor(() => expect(text).toContain(part), limitMs);
  return { socket, heard, text: () => text };
}

const head = (method: string, path: string, length: number) =>
  `${method} ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

test.each([
  ['POST', '/v1.0/t/clusters', 'HTTP/1.1 413'],
  ['PUT', '/v1.1/t/job-binary-internals/x', 'DATA_TOO_BIG'],
])('%s %s is refused before it is sent, and the next request is answered after it', async (method, path, refusal) => {
  const { socket, heard } = await dial((await serve()).url);
  socket.write(head(method, path, 20 * mebibyte));
  await heard(refusal);
  socket.write(Buffer.alloc(20 * mebibyte, 'x'));
  socket.write('GET /v1.0/t/plugins HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await heard('"plugins"');
});

test.each(['sahara', 'savanna'] as const)(
  '%s: an upload is refused when it has been sent, as upstream does',
  async (dialect) => {
    const peer = await serve({ dialect });
    const { socket, heard, text } = await dial(peer.url);
    const length = 20 * mebibyte;
    socket.write(head('PUT', '/v1.1/t/job-binary-internals/x', length));
    socket.write(Buffer.alloc(length - 1, 'x'));
    // The service has the head, and answers others meanwhile.
    for (let asked = 0; asked < 3; asked += 1) expect((await peer.get('/v1.1/t/plugins')).status).toBe(200);
    expect(text()).toBe('');
    socket.write('x');
    await heard('DATA_TOO_BIG');
    socket.write('GET /v1.1/t/plugins HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await heard('"plugins"');
  },
);

test('what would take too long is not waited for', async () => {
  const { socket, heard } = await dial((await serve()).url);
  const ended = once(socket, 'end');
  socket.write(head('POST', '/v1.0/t/clusters', 65 * mebibyte));
  await heard('HTTP/1.1 413');
  await ended;
});
