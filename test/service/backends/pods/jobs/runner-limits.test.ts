// The port for jobs has the limits of the other port: whoever runs a job can reach it.
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../../../src/lib/system.ts';
import { PodRuns } from '../../../../../src/service/backends/pods/jobs/pod-runs.ts';
import { createRunnerServer, runPath } from '../../../../../src/service/backends/pods/jobs/runner-server.ts';
import { writeSafely } from '../../../../../src/service/model/disk/atomic-files.ts';
import { limitMs } from '../../../../support/patience.ts';

const id = '11111111-2222-4333-8444-555555555555';
const token = 'a-random-token';
const requestMs = 200;
/** More than the buffers of both ends of a connection. */
const bytes = 24 * 1024 ** 2;

async function serve(connections = 100) {
  const folder = mkdtempSync(join(tmpdir(), 'runner-limits-'));
  const runs = new PodRuns(folder);
  runs.token(id, () => token);
  writeSafely(join(runs.paths(id).work, 'large'), 'x'.repeat(bytes));
  runs.publish(id, ['large'], { templates: new Set(), placeholder: '' });
  const warnings: string[] = [];
  const log = { debug() {}, info() {}, error() {}, warn: (_fields: object, text: string) => void warnings.push(text) };
  const app = createRunnerServer({ runs, limits: { requestMs, connections }, clock: systemClock, log });
  const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
  onTestFinished(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });
  const open = (text = ''): Socket => {
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    socket.write(text);
    return socket;
  };
  const count = () =>
    new Promise<number>((resolve, reject) =>
      app.server.getConnections((error, found) => (error === null ? resolve(found) : reject(error))),
    );
  return { open, count, warnings };
}

const get = `GET ${runPath(id)}/files/0 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`;

test.each([
  ['no head', ''],
  ['half a head', 'GET /healthz HTTP/1.1\r\nhost: x\r\n'],
  ['half a body', `POST ${runPath(id)}/start HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nabc`],
])('who sends %s is disconnected', async (_what, text) => {
  const { open } = await serve();
  const socket = open(text).resume();
  await new Promise((resolve) => void socket.once('close', resolve));
});

test('who sends a head or a body that is too large is refused', async () => {
  const { open } = await serve();
  const answerTo = async (text: string) => {
    let answer = '';
    for await (const part of open(text)) answer += String(part);
    return answer;
  };
  expect(await answerTo(`GET /healthz HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`)).toContain(
    ' 431 ',
  );
  const head = `POST ${runPath(id)}/start HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json`;
  expect(await answerTo(`${head}\r\ncontent-length: 9999\r\n\r\n${'x'.repeat(9999)}`)).toContain(' 413 ');
});

test('who does not read an answer is disconnected, and who reads it slowly gets all of it', async () => {
  const { open, count } = await serve();
  open(get).pause();
  await vi.waitFor(async () => expect(await count()).toBe(1), limitMs);
  await vi.waitFor(async () => expect(await count()).toBe(0), limitMs);
  let received = 0;
  for await (const part of open(get.replace('host: x', 'host: x\r\nconnection: close'))) {
    received += (part as Buffer).length;
    if (received % 8 === 0) await delay(5);
  }
  expect(received).toBeGreaterThan(bytes);
});

test('connections beyond the limit are closed at once, and the log tells', async () => {
  const { open, count, warnings } = await serve(2);
  open('GET');
  open('GET');
  await vi.waitFor(async () => expect(await count()).toBe(2), limitMs);
  const third = open('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n').resume();
  let answer = '';
  third.on('data', (part) => (answer += String(part)));
  await new Promise((resolve) => void third.once('close', resolve));
  expect([answer, warnings.length]).toEqual(['', 1]);
});
