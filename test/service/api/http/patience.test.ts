// How long the service waits for a request, and for how many at once: slow heads and bodies, and connections beyond the limit.

import { connect as dial, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ServerOptions } from '../../../../src/service/program/options.ts';
import { type Peer, serve } from '../../../contract/support.ts';
import { limitMs } from '../../../support/patience.ts';
import { startDevService } from '../../support/process.ts';

const path = '/v1.0/t/node-group-templates';
const requestMs = 150;

interface Line {
  readonly socket: Socket;
  /** What has come so far. */
  readonly heard: () => string;
  /** Everything, once the other side has ended it. */
  readonly all: Promise<string>;
}

function open({ url }: Pick<Peer, 'url'>, text = ''): Line {
  const { hostname, port } = new URL(url);
  const socket = dial(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  let all = '';
  socket.on('data', (chunk) => (all += String(chunk)));
  socket.on('error', () => {});
  socket.write(text);
  // Who is refused may hear of it as a reset.
  return { socket, heard: () => all, all: new Promise((resolve) => socket.on('close', () => resolve(all))) };
}

const patient = (options: Partial<ServerOptions> = {}): Promise<Peer> =>
  serve({ limits: { requestMs, connections: 100 }, ...options });

const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n`;
const slow = [
  ['no head at all', ''],
  ['half a head', head],
  ['half a body', `${head}\r\n{"name": `],
  ['half a chunk', `${head.replace('content-length: 100', 'transfer-encoding: chunked')}\r\nff\r\n{`],
  ['half an upload', 'PUT /v1.1/t/job-binary-internals/x HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\nabc'],
] as const;

describe('who is slow', () => {
  test.each(slow)('%s: 408, and the connection is closed', async (_what, text) => {
    expect(await open(await patient(), text).all).toMatch(/^HTTP\/1\.1 408 .*\r\n\r\n\{"error_code":408,.*\}$/s);
  });

  test('is told so in the shape of the dialect', async () => {
    const answer = await open(await patient({ dialect: 'sahara' }), `${head}\r\n{`).all;
    expect(answer).toMatch(/^HTTP\/1\.1 408 .*\r\n\r\n\{"error":408,.*\}$/s);
  });

  test('gains no time by a byte now and then', async () => {
    const { socket, all } = open(await patient(), `${head}\r\n{`);
    const drip = setInterval(() => socket.write(' '), 20);
    expect(await all).toMatch(/^HTTP\/1\.1 408 /);
    clearInterval(drip);
  });

  test('keeps nobody else from being answered', async () => {
    const peer = await patient();
    const lines = Array.from({ length: 50 }, () => open(peer, `${head}\r\n{`));
    expect((await peer.get(path)).status).toBe(200);
    for (const { all } of lines) expect(await all).toMatch(/^HTTP\/1\.1 408 /);
  });
});

test('an answer may take longer than a request', async () => {
  const peer = await patient({ latencyMs: 3 * requestMs });
  expect((await peer.get(path)).status).toBe(200);
});

describe('connections beyond the limit', () => {
  test('are closed at once, and there is room again once one of the others has ended', async () => {
    const peer = await serve({ limits: { requestMs: 60_000, connections: 2 } });
    const get = `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
    const lines = [open(peer, get), open(peer, get)];
    for (const { heard } of lines) await vi.waitFor(() => expect(heard()).toMatch(/^HTTP\/1\.1 200 /), limitMs);
    expect(await open(peer, get).all).toBe('');
    lines[0]?.socket.destroy();
    await vi.waitFor(async () => expect((await peer.get(path)).status).toBe(200), limitMs);
  });
});

test('flags say how long and how many, for the control port, too', async () => {
  const flags = ['--request-timeout-ms', '1000', '--max-connections', '3', '--control-port', '0'];
  const service = await startDevService(...flags);
  const [, control = ''] = await service.lines(3);
  for (const url of [service.url, control.replace('control on ', '')]) {
    expect(await open({ url }, head).all).toMatch(/^HTTP\/1\.1 408 /);
    const lines = Array.from({ length: 20 }, () => open({ url }, head));
    const answers = await Promise.all(lines.map(({ all }) => all));
    expect(answers.filter((text) => text === '').length).toBeGreaterThan(0);
  }
  await service.kill('SIGTERM');
});
