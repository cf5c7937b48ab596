// Clusters of thousands of machines, and those of which hardly anything can be read: they are watched, scaled and deleted like others.
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import type { Reply } from '../../operator/kinds/support/backend.ts';
import { fastClock } from '../../support/fast-clock.ts';
import { limitMs } from '../../support/patience.ts';
import { type FaultProxy, openFront } from '../../support/service/service-proxy.ts';
import { specs, World } from '../support/world.ts';

const patience = { timeout: limitMs, interval: 100 };

const clusterOf = (workers: number) => ({
  pluginName: 'vanilla',
  bigdataVersion: '1.2.1',
  defaultImageID: specs.small.defaultImageID,
  userKeypairID: 'demo',
  nodeGroups: [
    { name: 'head', count: 1, flavorID: '3', nodeProcesses: ['namenode', 'jobtracker'] },
    { name: 'worker', count: workers, flavorID: '3', nodeProcesses: ['datanode', 'tasktracker'] },
  ],
});

/** A world whose operator runs and reaches the service by the proxy. */
async function openWorld(): Promise<{ readonly world: World; readonly front: FaultProxy }> {
  const world = await World.create();
  const front = await openFront(world.service.url);
  onTestFinished(async () => {
    await world[Symbol.asyncDispose]();
    await front.close();
  });
  await world.apply('Connection', 'default', { endpoint: front.url, tenantID: 'demo', pollSeconds: 1 });
  await world.operate(fastClock(4));
  await world.ready('Connection', 'default');
  return { world, front };
}

describe.skipIf(inject('kubeconfig') === '')('a cluster', () => {
  test('of 5,000 machines is started, scaled and deleted', async () => {
    const { world } = await openWorld();
    await world.apply('Cluster', 'etl', clusterOf(4_999));
    const started = await world.ready('Cluster', 'etl');
    expect(started.status).toMatchObject({ nodes: '5000/5000', instances: { length: 50 } });
    await world.apply('Cluster', 'etl', clusterOf(5_199));
    expect((await world.ready('Cluster', 'etl')).status?.nodes).toBe('5200/5200');
    await world.apply('Cluster', 'etl', clusterOf(4_500));
    expect((await world.ready('Cluster', 'etl')).status?.nodes).toBe('4501/4501');
    await world.delete('Cluster', 'etl');
    await world.gone('Cluster', 'etl');
    expect(await world.remote('clusters')).toEqual([]);
  });
});

type Row = Record<string, unknown>;

/** Every answer about clusters has this in the place of each of them. */
function distort(front: FaultProxy, change: (row: Row) => Row) {
  const changed = (body: string): string => {
    const answer = JSON.parse(body) as { cluster?: Row; clusters?: Row[] };
    if (answer.cluster) answer.cluster = change(answer.cluster);
    if (answer.clusters) answer.clusters = answer.clusters.map(change);
    return JSON.stringify(answer);
  };
  const reply = (real: Reply): Reply => (real.status === 200 ? { ...real, body: changed(real.body) } : real);
  return front.on({ method: 'GET', collection: 'clusters' }, { act: 'rewrite', reply });
}

const machines = Array.from({ length: 130_000 }, (_, n) => ({ instance_name: `etl-${n}` }));
const distortions: readonly (readonly [string, (row: Row) => Row])[] = [
  ['nested too deep', (row) => ({ ...row, info: JSON.parse(`{"a":${'['.repeat(500)}${']'.repeat(500)}}`) as unknown })],
  ['whose groups are nonsense', (row) => ({ ...row, node_groups: 'nonsense' })],
  [
    'with more machines than anybody can have',
    (row) => ({ ...row, node_groups: [{ name: 'worker', count: 1, instances: machines }] }),
  ],
];

const excess: readonly (readonly [string, (row: Row) => Row])[] = [
  ['long', (row) => ({ ...row, info: { a: { b: 'x'.repeat(1_500_000) } } })],
];

describe.skipIf(inject('kubeconfig') === '')('a cluster with addresses that nobody can read', () => {
  test.each(excess)('%s: goes on as ever without them', async (_what, change) => {
    const { world, front } = await openWorld();
    distort(front, change);
    await world.apply('Cluster', 'etl', clusterOf(2));
    await world.ready('Cluster', 'etl');
    await world.apply('Cluster', 'etl', clusterOf(3));
    expect((await world.ready('Cluster', 'etl')).status).toMatchObject({ nodes: '4/4', endpoints: [] });
    await world.delete('Cluster', 'etl');
    await world.gone('Cluster', 'etl');
    expect(await world.remote('clusters')).toEqual([]);
  });
});

describe.skipIf(inject('kubeconfig') === '')('a cluster of which only id, name and state can be read', () => {
  test.each(distortions)(
    '%s: it is not changed, keeps what is known of it, and can be deleted',
    async (_what, change) => {
      const { world, front } = await openWorld();
      await world.apply('Cluster', 'etl', clusterOf(2));
      await world.ready('Cluster', 'etl');
      const rule = distort(front, change);
      // What was seen before is too old by then.
      await expect.poll(() => rule.hits, patience).toBeGreaterThan(2);
      await world.apply('Cluster', 'etl', clusterOf(3));
      const told = async () => JSON.stringify((await world.get('Cluster', 'etl'))?.status?.conditions);
      await expect.poll(told, patience).toMatch(/cannot be read|not follow the API/);
      expect((await world.get('Cluster', 'etl'))?.status?.nodes).toMatch(/^3\//);
      expect(front.sent.filter(({ method }) => method === 'PUT')).toEqual([]);
      await world.delete('Cluster', 'etl');
      await world.gone('Cluster', 'etl');
      rule.lift();
      expect(await world.remote('clusters')).toEqual([]);
    },
  );

  test('is not deleted without its name', async () => {
    const { world, front } = await openWorld();
    await world.apply('Cluster', 'etl', clusterOf(2));
    await world.ready('Cluster', 'etl');
    const rule = distort(front, ({ name: _name, ...row }) => ({ ...row, node_groups: 'nonsense' }));
    // What was seen before is too old by then.
    await expect.poll(() => rule.hits, patience).toBeGreaterThan(2);
    await world.delete('Cluster', 'etl');
    await expect
      .poll(async () => JSON.stringify((await world.get('Cluster', 'etl'))?.status?.conditions), patience)
      .toContain('entries in its list that cannot be read');
    expect(front.sent.filter(({ method }) => method === 'DELETE')).toEqual([]);
    rule.lift();
    await world.gone('Cluster', 'etl');
    expect(await world.remote('clusters')).toEqual([]);
  });
});
