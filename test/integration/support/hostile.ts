// A service with hostile answers to LIST: the memory of the operator stays bounded, and other Connections are not affected.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, inject, test } from 'vitest';
import { type Running, runProgram } from '../../support/command.ts';
import { servedMs } from '../../support/cpu.ts';
import { limitMs } from '../../support/patience.ts';
import { conditionOf, specs, World } from './world.ts';

const patience = { timeout: limitMs, interval: 50 };
const mebibyte = 1024 * 1024;
/** Of its container. */
const limitMiB = 512;

const chunk = (text: string): string => text.repeat(Math.ceil(65_536 / text.length));

/** Writes so many bytes of this, as fast as they are read. */
async function pour(response: ServerResponse, text: (n: number) => string, bytes: number): Promise<void> {
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  for (let [sent, n] = [0, 0]; sent < bytes && !response.destroyed; n++) {
    const part = text(n);
    sent += part.length;
    // Rejects where the response is closed, which ends the loop.
    if (!response.write(part)) await once(response, 'drain', { signal: closed.signal }).catch(() => undefined);
  }
}

const tinyRows = (n: number): string =>
  Array.from({ length: 2_000 }, (_, i) => `{"id":"${n * 2_000 + i}","name":"n${n * 2_000 + i}"},`).join('');

interface Attack {
  /** In the status of the Connection: what is wrong, and what to do. */
  readonly says: RegExp;
  answer(response: ServerResponse): Promise<void>;
}

const attacks = {
  '2 MiB of garbage': {
    says: /10000 that cannot be read: check that spec\.endpoint is correct/,
    answer: async (response) => {
      response.write('{"clusters":[');
      await pour(response, () => chunk('1,'), 2 * mebibyte);
      response.end('1]}');
    },
  },
  'more than 64 MiB': {
    says: /too large to be read.*Shorten or delete/,
    answer: async (response) => {
      response.write('{"clusters":[{"id":"1","name":"n","x":"');
      await pour(response, () => chunk('x'), 66 * mebibyte);
      response.end('"}]}');
    },
  },
  'a million tiny rows': {
    says: /more than 50000 entries.*delete what is not needed/,
    answer: async (response) => {
      response.write('{"clusters":[');
      await pour(response, tinyRows, 30 * mebibyte);
      response.end('{"id":"x","name":"x"}]}');
    },
  },
  'nested 10,000 deep': {
    says: /no array "clusters".*ask the administrator of the service/,
    answer: async (response) => {
      response.end(`{"clusters":${'{"a":['.repeat(10_000)}${']}'.repeat(10_000)}}`);
    },
  },
  'one that never ends': {
    says: /too large to be read.*Shorten or delete/,
    answer: async (response) => {
      response.write('{"clusters":[{"id":"1","name":"n","node_groups":[');
      await pour(response, () => chunk('{"name":"g","count":1},'), Number.POSITIVE_INFINITY);
    },
  },
} satisfies Readonly<Record<string, Attack>>;

type AttackName = keyof typeof attacks;

/** For every run: it makes the most objects of one answer. */
export const someAttacks: readonly AttackName[] = ['a million tiny rows'];
export const otherAttacks = (Object.keys(attacks) as AttackName[]).filter((name) => !someAttacks.includes(name));

interface Hostile extends AsyncDisposable {
  readonly url: string;
  readonly hits: () => number;
}

/** Its plugins are as they should be, its other lists are empty, and that of its clusters is the attack. */
async function openHostile(attack: Attack): Promise<Hostile> {
  let hits = 0;
  const server = createServer((request, response) => {
    const [, , , collection = ''] = (request.url ?? '').split('/');
    response.setHeader('content-type', 'application/json');
    if (collection === 'plugins') response.end('{"plugins":[{"name":"vanilla","versions":["1.2.1"]}]}');
    else if (collection === 'clusters') {
      hits += 1;
      void attack.answer(response);
    } else response.end(`{"${collection.replaceAll('-', '_')}":[]}`);
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => void server.once('listening', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hits: () => hits,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The operator in a process of its own. */
function startOperator(world: World): Running {
  const flags = ['--kubeconfig', inject('kubeconfig'), '--namespaces', world.namespace, '--installation', 'hostile'];
  const ports = ['--health-address', '127.0.0.1:0'];
  return runProgram('src/operator/main.ts', [...flags, ...ports]);
}

/** The most memory that the process ever had, in MiB. */
async function peakOf({ pid }: Running): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
}

const cluster = (connection: string, count: number) => ({
  connectionRef: { name: connection },
  pluginName: 'vanilla',
  bigdataVersion: '1.2.1',
  defaultImageID: specs.small.defaultImageID,
  userKeypairID: 'demo',
  nodeGroups: [{ name: 'all', count, flavorID: '3', nodeProcesses: ['namenode', 'jobtracker', 'datanode'] }],
});

interface Scene {
  readonly world: World;
  readonly operator: Running;
}

/** The Cluster `good` of a service that behaves is Ready. */
async function makeGood(world: World): Promise<void> {
  await world.apply('Connection', 'good', { endpoint: world.service.url, tenantID: 'good', pollSeconds: 1 });
  await world.ready('Connection', 'good');
  await world.apply('Cluster', 'good', cluster('good', 1));
  await world.ready('Cluster', 'good');
}

/** Milliseconds from the change of the spec to the request. */
async function scale({ world, operator }: Scene, count: number): Promise<number> {
  const scaled = () => world.external.filter((line) => line.startsWith('PUT')).length;
  const before = scaled();
  await world.apply('Cluster', 'good', cluster('good', count));
  const begun = servedMs(operator.pid);
  await expect.poll(scaled, { ...patience, interval: 10 }).toBeGreaterThan(before);
  const tookMs = servedMs(operator.pid) - begun;
  await world.ready('Cluster', 'good');
  return tookMs;
}

/** Beside an attack, the good Cluster is scaled to each of these counts. The service then goes away, so that the next attack is the only one. */
async function withstand(
  { world, operator }: Scene,
  what: AttackName,
  counts: readonly number[],
): Promise<readonly number[]> {
  await using hostile = await openHostile(attacks[what]);
  const name = `hostile-${counts[0]}`;
  await world.apply('Connection', name, { endpoint: hostile.url, tenantID: 'x', pollSeconds: 1 });
  for (const each of ['a', 'b', 'c']) await world.apply('Cluster', `${name}-${each}`, cluster(name, 1));
  await expect.poll(hostile.hits, { ...patience, message: what }).toBeGreaterThan(1);
  const besideMs: number[] = [];
  for (const count of counts) besideMs.push(await scale({ world, operator }, count));
  const told = async () => conditionOf(await world.get('Connection', name), 'Ready')?.message;
  await expect.poll(told, { ...patience, message: what }).toMatch(attacks[what].says);
  return besideMs;
}

/** One after the other, and by one operator. */
export function withstands(names: readonly AttackName[]): void {
  const all = names.join(', ');
  test.skipIf(inject('kubeconfig') === '')(`stays small and goes on beside services that list ${all}`, async () => {
    await using world = await World.create();
    const operator = startOperator(world);
    await makeGood(world);
    let count = 2;
    const aloneMs = await scale({ world, operator }, count);
    for (const what of names) {
      const besideMs = await withstand({ world, operator }, what, [++count, ++count, ++count]);
      // One of them, and by what it takes alone: the API server may be busy with others at any moment.
      expect(Math.min(...besideMs), what).toBeLessThan(Math.max(1_000, 3 * aloneMs));
      // It can be read as long as the process is there, and tells of all attacks so far.
      expect(await peakOf(operator), what).toBeLessThan(limitMiB);
    }
  });
}
