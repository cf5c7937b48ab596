// Connections on which every call fails or hangs, and what those on another one cost beside them.
import { expect, inject, test, vi } from 'vitest';
import type { LogFields } from '../../../src/lib/ports.ts';
import { systemClock } from '../../../src/lib/system.ts';
import { own } from '../../operator/kinds/support/replies.ts';
import { limitMs } from '../../support/patience.ts';
import { type Fault, type FaultProxy, openFront } from '../../support/service/service-proxy.ts';
import { specs, World } from './world.ts';

const noisyCount = 100;
const goodCount = 12;
const noisyConnections = ['noisy-a', 'noisy-b', 'noisy-c', 'noisy-d', 'noisy-e'];
const clusterNames = ['good-a', 'good-b'];

interface Cost {
  /** Passes over the resources of the good Connection. */
  readonly passes: number;
  readonly requests: number;
  readonly writes: readonly string[];
  /** How long it took. */
  readonly seconds: number;
}

interface Noise {
  readonly fault: Fault;
  /** How many calls have met it when the good resources come. */
  readonly atLeast: number;
  /** How many Connections are noisy; one without it. */
  readonly connections?: number;
}

/** Passes by the name of their resource, as the log tells them. */
function passCounter() {
  const passes: string[] = [];
  const note = ({ name, durationMs, kind }: LogFields): void => {
    if (durationMs !== undefined && kind !== 'Connection' && name !== undefined) passes.push(name);
  };
  return { passes, log: { debug: note, info: note, warn: note, error: note } };
}

const goodCluster = (count: number) => ({
  connectionRef: { name: 'good' },
  pluginName: 'vanilla',
  bigdataVersion: '1.2.1',
  defaultImageID: specs.small.defaultImageID,
  userKeypairID: 'demo',
  nodeGroups: [{ name: 'all', count, flavorID: '3', nodeProcesses: ['namenode', 'jobtracker', 'datanode'] }],
});

export const numbered = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}-${n}`);

async function makeNoise(world: World, { fault, atLeast, connections = 1 }: Noise): Promise<FaultProxy> {
  const proxy = await openFront(world.service.url);
  const rooms = noisyConnections.slice(0, connections);
  const patient = { timeoutSeconds: 600, pollSeconds: 1, limits: { maxInFlight: 16 } };
  for (const name of rooms) await world.apply('Connection', name, { endpoint: proxy.url, tenantID: name, ...patient });
  for (const name of rooms) await world.ready('Connection', name);
  const rule = proxy.on({}, fault);
  const noisy = rooms.flatMap((name) => numbered(name, noisyCount / connections).map((worker) => ({ name, worker })));
  await Promise.all(
    noisy.map(({ name, worker }) =>
      world.apply('NodeGroupTemplate', worker, { ...specs.worker, connectionRef: { name } }),
    ),
  );
  await vi.waitFor(() => expect(rule.hits).toBeGreaterThanOrEqual(atLeast), limitMs);
  return proxy;
}

/** Creates, awaits and scales the good resources, beside the noise if there is any. */
async function cost(noise?: Noise): Promise<Cost> {
  const { passes, log } = passCounter();
  await using world = await World.create({ log });
  await world.operate(systemClock);
  const endpoint = world.service.url;
  await world.apply('Connection', 'good', { endpoint, tenantID: 'good', pollSeconds: 3_600 });
  await world.ready('Connection', 'good');
  const proxy = noise && (await makeNoise(world, noise));
  try {
    world.forget();
    const since = performance.now();
    const spec = { ...specs.worker, connectionRef: { name: 'good' } };
    const templates = numbered('good', goodCount);
    await Promise.all(templates.map((name) => world.apply('NodeGroupTemplate', name, spec)));
    await Promise.all(clusterNames.map((name) => world.apply('Cluster', name, goodCluster(1))));
    await Promise.all(templates.map((name) => world.ready('NodeGroupTemplate', name)));
    await Promise.all(clusterNames.map((name) => world.ready('Cluster', name)));
    await Promise.all(clusterNames.map((name) => world.apply('Cluster', name, goodCluster(3))));
    const scaled = await Promise.all(clusterNames.map((name) => world.ready('Cluster', name)));
    expect(scaled.map(({ status }) => status?.nodes)).toEqual(['3/3', '3/3']);
    // All of this while not one of the calls that hang has come to an end.
    if (noise?.fault.act === 'hang') expect(world.failures).toEqual([]);
    else if (noise) await expect.poll(() => world.failures.length, { timeout: limitMs }).toBeGreaterThan(0);
    const good = world.external.filter((line) => line.includes('/good/'));
    return {
      seconds: (performance.now() - since) / 1_000,
      passes: passes.filter((name) => name.startsWith('good')).length,
      requests: good.length,
      writes: good
        .filter((line) => !line.startsWith('GET'))
        .map((line) => line.replace(/[0-9a-f-]{36}/, '<id>'))
        .toSorted(),
    };
  } finally {
    await proxy?.close();
  }
}

const html = { 'content-type': 'text/html' };

const noises = {
  'one that hangs': { fault: { act: 'hang' }, atLeast: 16 },
  // Each of them keeps as many requests waiting as it may.
  'each of five that hang': { fault: { act: 'hang' }, atLeast: 80, connections: 5 },
  'one that fails': { fault: own(500, 'INTERNAL_SERVER_ERROR', 'Internal Server Error'), atLeast: noisyCount },
  // Nobody answers it: what is left to be created waits for the Connection from the second call on.
  'one that breaks': { fault: { act: 'lose', after: 'nothing' }, atLeast: 16 },
  'one that accepts nobody': {
    fault: { act: 'answer', reply: { status: 401, headers: html, body: 'who?' } },
    atLeast: 5,
  },
} satisfies Readonly<Record<string, Noise>>;

type NoiseName = keyof typeof noises;

/** For every run. */
export const someNoises: readonly NoiseName[] = ['each of five that hang'];
export const otherNoises = (Object.keys(noises) as NoiseName[]).filter((name) => !someNoises.includes(name));

export function besideNoises(names: readonly NoiseName[]): void {
  /** Measured once. */
  let quiet: Cost | undefined;

  test.skipIf(inject('kubeconfig') === '').each(names)('%s does not slow down the other Connections', async (name) => {
    quiet ??= await cost();
    const beside = await cost(noises[name]);
    expect(beside.writes).toEqual(quiet.writes);
    // A poll more or less is chance; a pass or a request for each of the noisy ones would be many.
    const slack = goodCount;
    // While the clusters are at work, one list a second serves both: on a busy computer they take longer.
    const polls = Math.ceil(Math.max(0, beside.seconds - quiet.seconds));
    expect(beside.passes).toBeLessThanOrEqual(quiet.passes + slack + polls * clusterNames.length);
    expect(beside.requests).toBeLessThanOrEqual(quiet.requests + slack + polls);
  });
}
