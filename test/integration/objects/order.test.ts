// The order in which things come and go does not matter, and what runs is not disturbed by what it was made from.
import { describe, expect, inject, test } from 'vitest';
import type { Clock } from '../../../src/lib/ports.ts';
import { systemClock } from '../../../src/lib/system.ts';
import { conditionOf, runCluster, specs, tokenAuth, tokenSecret, World } from '../support/world.ts';

async function nothingIsLeft(world: World): Promise<void> {
  expect(await world.remote('clusters')).toEqual([]);
  expect(await world.remote('cluster-templates')).toEqual([]);
  expect(await world.remote('node-group-templates')).toEqual([]);
}

const all = [
  ['Cluster', 'etl'],
  ['ClusterTemplate', 'small'],
  ['NodeGroupTemplate', 'master'],
  ['NodeGroupTemplate', 'worker'],
  ['Connection', 'default'],
  ['Secret', 'token'],
] as const;

describe.skipIf(inject('kubeconfig') === '')('order', () => {
  test('what waited for the operator longer than its deadline is not told to be late by the first status', async () => {
    await using world = await World.create();
    await world.apply('Cluster', 'etl', specs.cluster);
    const hoursLater: Clock = { ...systemClock, wall: () => systemClock.wall() + 2 * 3_600_000 };
    await world.operate(hoursLater);
    const first = await world.until('Cluster', 'etl', (one) => (one.status?.observedGeneration ?? -1) > 0);
    expect(conditionOf(first, 'Ready')).toMatchObject({ status: 'False', reason: 'DependencyNotReady' });
    expect(conditionOf(first, 'Stalled')).toBeUndefined();
  });

  test.each([
    ['in the order of creation', all],
    ['the other way round', [...all].reverse()],
    ['Connection and Secret first', [...all.slice(4), ...all.slice(0, 4)]],
  ] as const)('everything deleted at once, %s, ends with nothing left in the service', async (_name, order) => {
    await using world = await World.create({ token: 'open-sesame' });
    await world.apply('Secret', 'token', tokenSecret);
    await runCluster(world, tokenAuth);
    for (const [kind, name] of order) await world.delete(kind, name);
    for (const [kind, name] of all) await world.gone(kind, name);
    await nothingIsLeft(world);
  });
});
