// A service under siege: a thousand slow connections and ten thousand hostile requests a minute. Who behaves is answered within a second
// of the time in which there was a core for it, and memory stays. SIEGE_SECONDS says for how long, SIEGE_SLOW against how many.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as dial, type Socket } from 'node:net';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createDocument } from '../../src/service/api/openapi/document.ts';
import { connect, type Json, type Peer, peerOf } from '../contract/peer.ts';
import { type ServiceProcess, startInspected } from '../service/support/process.ts';
import { servedMs } from '../support/cpu.ts';
import { limitMs } from '../support/patience.ts';
import { type Document, prepare } from '../support/service/openapi.ts';
import { fire, type Range } from './campaign.ts';
import { asCurl, createAgent, type Shot } from './exchange.ts';
import { furnish, tenant } from './furniture.ts';
import { shots } from './shots.ts';

const numberOf = (name: string, usual: number): number => Number(process.env[name] ?? usual);
const seconds = numberOf('SIEGE_SECONDS', 600);
const slowOnes = numberOf('SIEGE_SLOW', 1000);
const perMinute = 10_000;
const token = 'good';
const dialect = 'neutral';
/** What compilers, buffers and allocators may take or give back between two looks at a process. */
const slackBytes = 48 * 1024 * 1024;
/** What objects may be held for the requests of one moment, and not for those of another. */
const slackHeldBytes = 16 * 1024 * 1024;
/** The memory that the manifest of the service grants. */
const grantedBytes = 512 * 1024 * 1024;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Again and again until the siege is over. */
async function keep(isOver: () => boolean, everyMs: number, act: () => Promise<unknown> | void): Promise<void> {
  for (let due = performance.now(); !isOver(); due += everyMs) {
    await act();
    await pause(Math.max(due + everyMs - performance.now(), 0));
  }
}

/** Connections that begin requests and say no more than a byte now and then; who is thrown out comes back. */
function besiege({ url }: ServiceProcess, isOver: () => boolean) {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const head = `POST /v1.1/${tenant}/clusters HTTP/1.1\r\nhost: localhost\r\nx-auth-token: ${token}\r\n`;
  const texts = ['', 'POST /', head, `${head}content-type: application/json\r\ncontent-length: 90000\r\n\r\n{"a`];
  const counts = { ended: 0, told: 0 };
  const open = (index: number): void => {
    if (isOver()) return;
    const socket = dial(Number(port), hostname, () => sockets.add(socket));
    socket.on('error', () => {});
    socket.on('data', (chunk) => (counts.told += String(chunk).startsWith('HTTP/1.1 408 ') ? 1 : 0));
    socket.on('close', () => {
      counts.ended += 1;
      sockets.delete(socket);
      setTimeout(open, 100, index);
    });
    socket.write(texts[index % texts.length] ?? '');
  };
  for (let index = 0; index < slowOnes; index += 1) open(index);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { sockets, counts };
}

const rssBytes = ({ pid }: ServiceProcess): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

/**
 * The memory of the service once all garbage is collected, in bytes: what its objects hold, and the whole process without the free part of the heap. How much
 * garbage and free memory there is at a moment says nothing, and can be more than all that is held.
 */
async function measure(service: ServiceProcess): Promise<{ readonly held: number; readonly whole: number }> {
  const [, address = ''] = /Debugger listening on (ws:\S+)/.exec(service.errors()) ?? [];
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const ask = async (id: number, method: string): Promise<Json> => {
    socket.send(JSON.stringify({ id, method }));
    for (;;) {
      const [{ data }] = (await once(socket, 'message')) as [{ readonly data: string }];
      const answer = JSON.parse(data) as Json;
      if (answer.id === id) return answer.result;
    }
  };
  await ask(1, 'HeapProfiler.collectGarbage');
  const { usedSize, totalSize, backingStorageSize } = await ask(2, 'Runtime.getHeapUsage');
  socket.close();
  return { held: usedSize + backingStorageSize, whole: rssBytes(service) - (totalSize - usedSize) };
}

const collections = [
  'job-executions',
  'jobs',
  'job-binaries',
  'job-binary-internals',
  'data-sources',
  'clusters',
  'cluster-templates',
  'node-group-templates',
];

const idsIn = async (peer: Peer, path: string): Promise<readonly string[]> => {
  const { body } = await peer.get(`/v1.1/${tenant}/${path}`);
  return (Object.values(body as object)[0] as Json[]).map(({ id }) => id as string);
};

/** What attackers could make goes away again: what is kept must not look like what leaks. */
async function createJanitor(peer: Peer): Promise<() => Promise<void>> {
  const own = new Set((await Promise.all(collections.map((path) => idsIn(peer, path)))).flat());
  return async () => {
    for (const path of collections)
      for (const id of await idsIn(peer, path)) if (!own.has(id)) await peer.remove(`/v1.1/${tenant}/${path}/${id}`);
  };
}

/** Sends the shots one after the other, at the rate, over some connections; tells what was wrong with answers. */
function bombard(range: Omit<Range, 'agent'>, all: readonly Shot[], isOver: () => boolean) {
  const agents = Array.from({ length: 20 }, createAgent);
  onTestFinished(() => agents.forEach((agent) => agent.destroy()));
  const state = { sent: 0, problems: [] as string[] };
  const begun = performance.now();
  const due = () => ((performance.now() - begun) / 60_000) * perMinute;
  const one = async (index: number): Promise<void> => {
    const [shot, agent] = [all[index % all.length], agents[index % agents.length]];
    if (shot === undefined || agent === undefined) return;
    const found = await fire({ ...range, agent }, shot);
    if (found.length > 0) state.problems.push(`${found.join('\n')}\n${asCurl(range.url, shot)}`);
  };
  const ended = keep(isOver, 100, async () => {
    const from = state.sent;
    state.sent = Math.max(from, Math.floor(due()));
    await Promise.all(Array.from({ length: state.sent - from }, (_, index) => one(from + index)));
  });
  return { state, ended };
}

async function open() {
  const patience = ['--request-timeout-ms', String(Math.min(60_000, seconds * 250))];
  const flags = ['--token', `${token}=${tenant}`, '--stage-ms', '0', '--log-level', 'error', ...patience];
  const service = await startInspected(...flags);
  const anybody = connect(service.url);
  const headers = { 'x-auth-token': token };
  const peer = peerOf({ ...anybody, send: (method, path, body) => anybody.send(method, path, body, headers) });
  const pool = await furnish(anybody, dialect, token);
  const document = createDocument({ dialect, logIn: 'tokens' }) as Document;
  prepare(document);
  const all = fc.sample(shots({ document, tenant, pool, token }), 5000);
  return { service, peer, document, all };
}

test(`${slowOnes} slow connections and ${perMinute} hostile requests a minute, for ${seconds} s`, {
  timeout: (seconds + 120) * 1000,
}, async () => {
  const { service, peer, document, all } = await open();
  const clean = await createJanitor(peer);
  let end = Number.POSITIVE_INFINITY;
  const isOver = () => performance.now() >= end;
  const { sockets, counts } = besiege(service, isOver);
  await vi.waitFor(() => expect(sockets.size).toBe(slowOnes), limitMs);
  end = performance.now() + seconds * 1000;
  const { state, ended } = bombard({ url: service.url, dialect, document }, all, isOver);
  const [waits, memory]: [number[], number[]] = [[], []];
  // Other tests run beside this one: what they take from the service and from the prober is not the fault of the service.
  const probing = keep(isOver, 250, async () => {
    const begun = servedMs(service.pid);
    expect((await peer.get(`/v1.1/${tenant}/plugins`)).status).toBe(200);
    waits.push(servedMs(service.pid) - begun);
  });
  const watching = keep(isOver, 1000, () => void memory.push(rssBytes(service)));
  const measuring = pause((seconds / 5) * 1000).then(() => measure(service));
  await Promise.all([measuring, ended, probing, watching, keep(isOver, 2000, clean)]);
  const [early, late] = [await measuring, await measure(service)];
  expect.soft(state.problems).toEqual([]);
  expect(state.sent).toBeGreaterThan((perMinute / 60) * seconds * 0.9);
  expect.soft(counts.told, 'slow requests that were answered 408').toBeGreaterThan(slowOnes);
  expect.soft(Math.max(...waits), 'ms for the slowest good answer').toBeLessThan(1000);
  expect.soft(Math.max(...memory), 'bytes at the most').toBeLessThan(grantedBytes);
  expect.soft(late.held - early.held, 'bytes more that objects hold at the end').toBeLessThan(slackHeldBytes);
  expect(late.whole - early.whole, 'bytes more of the process at the end').toBeLessThan(slackBytes);
});
