// What is said of a command in a container that was not carried out, by the answer of the API server.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Pool } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { exec } from '../../../src/kube/http/pod-exec.ts';

const target = { namespace: 'data', pod: 'workers-0', container: 'slave' };

/** Runs a command at a server that answers so. */
async function execAt(answer: (socket: Socket, key: string) => void, signal = new AbortController().signal) {
  const server = createServer();
  server.on('upgrade', ({ headers }, socket: Socket) => answer(socket, String(headers['sec-websocket-key'])));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const dispatcher = new Pool(base);
  onTestFinished(async () => {
    await dispatcher.destroy();
    server.close();
  });
  return exec(target, ['kill'], { base, dispatcher, headers: {}, signal });
}

const refuse = (status: number) => (socket: Socket) =>
  void socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);

/** Accepts, and sends messages: the first byte of each one names its stream. */
const accept =
  (...messages: readonly string[]) =>
  (socket: Socket, key: string): void => {
    const proof = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    const lines = ['HTTP/1.1 101 Yes', 'upgrade: websocket', 'connection: Upgrade', `sec-websocket-accept: ${proof}`];
    socket.write([...lines, 'sec-websocket-protocol: v5.channel.k8s.io', '', ''].join('\r\n'));
    for (const message of messages) {
      const bytes = Buffer.from(message);
      const size = Buffer.alloc(2);
      size.writeUInt16BE(bytes.length);
      socket.write(Buffer.concat([Buffer.from([0x82, 126]), size, bytes]));
    }
    socket.end(Buffer.from([0x88, 0]));
  };

test.each([
  [400, 'unreachable', 'cannot run kill in container slave in pod data/workers-0: 400 there is no such container'],
  [403, 'forbidden', 'cannot run kill in container slave in pod data/workers-0: 403 the API server does not allow it'],
  [404, 'unreachable', 'cannot run kill in container slave in pod data/workers-0: 404 there is no such pod'],
  [
    503,
    'unreachable',
    'cannot run kill in container slave in pod data/workers-0: 503 the API server does not do it now',
  ],
] as const)('an answer of %i is %s', async (status, category, message) => {
  await expect(execAt(refuse(status))).rejects.toMatchObject({ status, category, message });
});

test('an API server that breaks off is unreachable', async () => {
  const broken = execAt((socket) => socket.destroy());
  await expect(broken).rejects.toMatchObject({ category: 'unreachable', status: 0 });
});

test('a command that succeeds has its output', async () => {
  await expect(execAt(accept('\u0001hello', '\u0003{"status":"Success"}'))).resolves.toBe('hello');
});

test('a command that fails is told with its output, and does not pass', async () => {
  const status = { status: 'Failure', reason: 'NonZeroExitCode', message: 'command terminated with exit code 1' };
  await expect(execAt(accept('\u0002no such signal', `\u0003${JSON.stringify(status)}`))).rejects.toMatchObject({
    category: 'invalid',
    message: expect.stringContaining('command terminated with exit code 1: no such signal'),
  });
});
