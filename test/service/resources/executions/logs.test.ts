// The output of runs over HTTP: all of it, a part, its last lines, or as it grows.
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../../src/lib/system.ts';
import { createSimulatedEngine, type JobEngine } from '../../../../src/service/backends/job-engine.ts';
import { createSeededRandom } from '../../../../src/service/model/records/identifiers.ts';
import { createServer } from '../../../../src/service/program/server.ts';
import { base, createCluster, created, createJob } from '../../../contract/sections/jobs/section-4-6-support.ts';
import { connect, unknownId } from '../../../contract/support.ts';
import { limitMs } from '../../../support/patience.ts';

const simulated = createSimulatedEngine(createSeededRandom(3));

/** A run whose output grows as the test says. With null, it does not have an output yet. */
async function run(text: string | null = '', delayMs = 0) {
  let [written, reads, turn]: [string | null, number, number] = [text, 0, 0];
  const ranges: { readonly limit: number; readonly turn: number }[] = [];
  const end = Promise.withResolvers<void>();
  const engine: JobEngine = {
    ...simulated,
    async finish({ signal }) {
      signal.addEventListener('abort', () => end.resolve());
      await end.promise;
      return { status: 'SUCCEEDED' };
    },
    async logs(_order, { from, limit }) {
      reads += 1;
      ranges.push({ limit, turn });
      setImmediate(() => (turn += 1));
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
      if (written === null) return undefined;
      const bytes = Buffer.from(written);
      const part = bytes.subarray(from, from + limit);
      return { text: part.toString(), next: Math.min(from, bytes.length) + part.length, total: bytes.length };
    },
  };
  const server = createServer({ clock: systemClock, random: createSeededRandom(7), engine });
  onTestFinished(() => server.close());
  const url = await server.start();
  const peer = connect(url);
  const [job, cluster] = [await createJob(peer), await createCluster(peer)];
  const { id } = created(await peer.post(`${base}/jobs/${job['id']}/execute`, { cluster_id: cluster['id'] }));
  const path = `${base}/job-executions/${id}/logs`;
  const ask = (query = '') => fetch(`${url}${path}${query}`);
  const write = (more: string) => {
    written = (written ?? '') + more;
  };
  return { peer, url, path, ask, write, end: end.resolve, reads: () => reads, turns: () => ranges };
}

const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`);

test('is plain text, with its size', async () => {
  const { ask } = await run('hello\n');
  const answer = await ask();
  expect([answer.status, await answer.text()]).toEqual([200, 'hello\n']);
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(answer.headers.get('x-log-bytes')).toBe('6');
});

test('is sent whole, in parts, and by its last lines', async () => {
  const { ask } = await run(lines.join(''));
  const text = async (query: string) => (await ask(query)).text();
  expect(await text('')).toBe(lines.join(''));
  expect(await text('?offset=7&limit=6')).toBe('line 1');
  expect(await text('?limit=0')).toBe('');
  expect(await text('?offset=99999999')).toBe('');
  expect(await text('?tailLines=2')).toBe('line 19998\nline 19999\n');
  expect(await text('?tailLines=15000')).toBe(lines.slice(-15_000).join(''));
  expect(await text('?tailLines=99999')).toBe(lines.join(''));
  expect(await text('?tailLines=0')).toBe('');
});

test.each([
  ['lines', `${'x'.repeat(99)}\n`.repeat(40_000)],
  ['one line', 'x'.repeat(3 * 1024 ** 2)],
])('its last lines are looked for in its last MiB: %s', async (_, written) => {
  const { ask } = await run(written);
  const text = await (await ask('?tailLines=20000')).text();
  expect(written.endsWith(text)).toBe(true);
  expect(Buffer.byteLength(text)).toBeGreaterThan(1024 ** 2 - 101);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 ** 2);
});

test('of its last lines, at most 20,000 are shown, and each byte is looked at once', async () => {
  const { ask } = await run('\n'.repeat(2 * 1024 ** 2));
  const searches = vi.spyOn(Buffer.prototype, 'lastIndexOf');
  onTestFinished(() => searches.mockRestore());
  const text = await (await ask('?tailLines=999999999')).text();
  expect(text).toBe('\n'.repeat(20_000));
  expect(searches.mock.calls.length).toBeLessThan(100);
});

test('a first line that is empty does not belong to the lines after it', async () => {
  const { ask } = await run('\nlast\n');
  expect(await (await ask('?tailLines=1')).text()).toBe('last\n');
  expect(await (await ask('?tailLines=2')).text()).toBe('\nlast\n');
});

test('others are served between the reads in which its last lines are looked for', async () => {
  const { ask, turns } = await run('x'.repeat(3 * 1024 ** 2));
  await (await ask('?tailLines=1')).text();
  // 64 KiB, and twice as much each time.
  const sought = turns().filter(({ limit }) => limit > 64 * 1024);
  expect(sought).toHaveLength(4);
  expect(new Set(sought.map(({ turn }) => turn)).size).toBe(4);
});

test('a HEAD of an output that is followed follows nothing', async () => {
  const { url, path, reads, ask, end, write } = await run('first\n');
  const answer = await fetch(`${url}${path}?follow=true`, { method: 'HEAD' });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  const before = reads();
  // This one is followed, so as many of its reads come in the meantime.
  const followed = ask('?follow=true');
  write('second\n');
  await vi.waitFor(() => expect(reads()).toBeGreaterThan(before + 3), limitMs);
  end();
  expect(await (await followed).text()).toBe('first\nsecond\n');
  const after = reads();
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(reads()).toBe(after);
});

test('is followed until the run ends', async () => {
  const { ask, write, end } = await run('first\n');
  const answer = await ask('?follow=true');
  let text = '';
  const decoder = new TextDecoder();
  const reading = (async () => {
    for await (const chunk of answer.body ?? []) text += decoder.decode(chunk as Uint8Array);
    return 'ended';
  })();
  await vi.waitFor(() => expect(text).toBe('first\n'), limitMs);
  write('second\n');
  await vi.waitFor(() => expect(text).toBe('first\nsecond\n'), limitMs);
  write('last');
  end();
  expect(await reading).toBe('ended');
  expect(text).toBe('first\nsecond\nlast');
});

test.each([
  ['?limit=many', 'limit is no whole number'],
  ['?offset=-1', 'offset is no whole number'],
  ['?tailLines=1&offset=1', 'give either tailLines or offset'],
  ['?follow=yes', 'follow is neither true nor false'],
  ['?follow=true&limit=1', 'give either follow or limit'],
])('is refused with %s: %s', async (query, why) => {
  const { ask } = await run();
  const answer = await ask(query);
  expect([answer.status, await answer.json()]).toEqual([
    400,
    { error_code: 400, error_name: 'INVALID_DATA', error_message: `cannot show logs: ${why}` },
  ]);
});

test('does not exist for unknown executions, for those of other tenants, and for simulated ones', async () => {
  const { peer, path } = await run('a secret');
  const missing = `${base}/job-executions/${unknownId}/logs`;
  expect(await peer.get(missing)).toMatchObject({ status: 404, body: { error_name: 'NOT_FOUND' } });
  expect(await peer.get(path.replace(/^\/v1\.1\/[^/]+/, '/v1.1/other'))).toMatchObject({ status: 404 });
});

test.each([
  ['a silent run', '', 0],
  ['a run that has no output yet', null, 0],
  ['a run whose output is being looked up when they go', '', 100],
])('is looked at by nobody once those who follow %s have gone', async (_, text, delayMs) => {
  const { url, path, reads } = await run(text, delayMs);
  const { hostname, port } = new URL(url);
  const clients = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const client = createConnection(Number(port), hostname);
      await once(client, 'connect');
      // Two of each: the second waits for the end of the first answer.
      const request = `GET ${path}?follow=true HTTP/1.1\r\nHost: ${hostname}:${port}\r\nX-Auth-Token: token\r\n\r\n`;
      client.on('error', () => undefined).write(request + request);
      return client;
    }),
  );
  await vi.waitFor(() => expect(reads()).toBeGreaterThanOrEqual(delayMs > 0 ? 100 : 200), limitMs);
  for (const client of clients) client.destroy();
  // The reads that have begun, and those of polls that have just begun.
  await new Promise((resolve) => setTimeout(resolve, 700));
  const before = reads();
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(reads()).toBe(before);
});
