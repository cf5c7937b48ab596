// What is said of a command in a container that was not carried out, by the answer of the API server.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Pool } from 'undici';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startDeadline } from '../../../src/kube/http/deadline.ts';
import { exec, mostOutputBytes } from '../../../src/kube/http/pod-exec.ts';
import { ManualClock } from '../../support/clock.ts';
import { limitMs } from '../../support/patience.ts';

const target = { namespace: 'data', pod: 'workers-0', container: 'slave' };

/** Runs a command at a server that answers so. */
async function execAt(answer: (socket: Socket, key: string) => void, clock = new ManualClock()) {
  const server = createServer();
  server.on('upgrade', ({ headers }, socket: Socket) => answer(socket, String(headers['sec-websocket-key'])));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const dispatcher = new Pool(base);
  onTestFinished(async () => {
    await dispatcher.destroy();
    server.close();
  });
  const deadline = startDeadline({ clock, ms: 1000, parent: undefined, reason: 'it has not ended within 1000 ms' });
  return exec(target, ['kill'], { base, dispatcher, headers: {}, deadline });
}

const refuse = (status: number) => (socket: Socket) =>
  void socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);

/** Accepts. */
function open(socket: Socket, key: string): void {
  const proof = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  const lines = ['HTTP/1.1 101 Yes', 'upgrade: websocket', 'connection: Upgrade', `sec-websocket-accept: ${proof}`];
  socket.write([...lines, 'sec-websocket-protocol: v5.channel.k8s.io', '', ''].join('\r\n'));
}

/** A message: its first byte names its stream. */
function framed(message: string): Buffer {
  const bytes = Buffer.from(message);
  const size = Buffer.alloc(2);
  size.writeUInt16BE(bytes.length);
  return Buffer.concat([Buffer.from([0x82, 126]), size, bytes]);
}

/** Accepts, sends messages, and ends. */
const accept =
  (...messages: readonly string[]) =>
  (socket: Socket, key: string): void => {
    open(socket, key);
    for (const message of messages) socket.write(framed(message));
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

const kib = '\u0001'.padEnd(1024, 'x');
const success = '\u0003{"status":"Success"}';

test('a command that prints as much as it may has all of its output', async () => {
  const most = Array.from({ length: mostOutputBytes / 1024 - 1 }, () => kib);
  await expect(execAt(accept(...most, success))).resolves.toHaveLength(most.length * 1023);
});

test('a command that prints without end fails, and nothing more is read of it', async () => {
  let wire: Socket | undefined;
  const running = execAt((socket, key) => {
    wire = socket.on('error', () => {}).resume();
    open(socket, key);
    const more = (): void => {
      while (!socket.destroyed && socket.write(framed(kib)));
    };
    socket.on('drain', more);
    more();
  });
  await expect(running).rejects.toMatchObject({
    category: 'invalid',
    message: `cannot run kill in container slave in pod data/workers-0: it printed more than ${mostOutputBytes} bytes`,
  });
  // The other side does not answer the end of the WebSocket.
  await vi.waitFor(() => expect(wire?.destroyed).toBe(true), limitMs);
});

test('a command that does not end is given up at the deadline', async () => {
  const clock = new ManualClock();
  let wire: Socket | undefined;
  const running = execAt((socket, key) => {
    wire = socket.on('error', () => {}).resume();
    open(socket, key);
    socket.write(framed('\u0001I am here'));
  }, clock);
  const ended = expect(running).rejects.toMatchObject({
    category: 'unreachable',
    message: 'cannot run kill in container slave in pod data/workers-0: it has not ended within 1000 ms',
  });
  await vi.waitFor(() => expect(wire).toBeDefined(), limitMs);
  await clock.advance(1000);
  await ended;
  await vi.waitFor(() => expect(wire?.readableEnded).toBe(true), limitMs);
});
