// What a template costs from its creation to Ready, and what a restart costs.
import { describe, expect, inject, test } from 'vitest';
import { Injector } from '../../dev/personality/injector.ts';
import { systemClock } from '../../src/lib/system.ts';
import { reconcileAnnotations } from '../../src/operator/api/shared-api.ts';
import { fastClock } from '../support/fast-clock.ts';
import { limitMs } from '../support/patience.ts';
import { applyTemplates, runCluster, specs, World, writesOf } from './support/world.ts';

describe.skipIf(inject('kubeconfig') === '')('the cost', () => {
  test('of a template is at most 4 Kubernetes writes and one POST', async () => {
    await using world = await World.create();
    await world.operate(systemClock);
    await world.connectService();
    await world.ready('Connection', 'default');
    world.forget();
    await world.apply('NodeGroupTemplate', 'worker', specs.worker);
    await world.ready('NodeGroupTemplate', 'worker');
    const writes = writesOf(world, 'nodegrouptemplates');
    expect(writes.length, writes.join(', ')).toBeLessThanOrEqual(4);
    expect(world.external.filter((line) => !line.startsWith('GET'))).toEqual(['POST /v1.0/demo/node-group-templates']);
  });

  test('of a restart with everything settled is no write', async () => {
    await using world = await World.create();
    await world.connectService();
    await applyTemplates(world);
    await world.apply('Cluster', 'etl', specs.cluster);
    await world.operate(systemClock);
    await world.ready('Cluster', 'etl');
    await world.ready('NodeGroupTemplate', 'master');
    await world.halt();
    world.forget();
    await world.operate(systemClock);
    // All kinds have been looked at in the service again.
    await expect
      .poll(
        () =>
          ['clusters', 'cluster-templates', 'node-group-templates', 'plugins'].every((route) =>
            world.external.some((line) => line.endsWith(route)),
          ),
        { timeout: limitMs },
      )
      .toBe(true);
    await world.halt();
    expect(world.writes()).toEqual([]);
    expect(world.external.filter((line) => !line.startsWith('GET'))).toEqual([]);
    expect(world.external.length, world.external.join('\n')).toBeLessThanOrEqual(10);
  });

  test('of a restart is no write either while a list cannot be had: what the others show is not told for all', async () => {
    const injector = new Injector(systemClock, {});
    await using world = await World.create({ injector });
    await runCluster(world, {}, systemClock);
    await world.halt();
    await world.operate(fastClock(40));
    await world.until('Connection', 'default', (one) => one.status?.managedCount === 4);
    await world.halt();
    // Of a list that is broken the Connection says so, which is a write: this service only has too much to do.
    injector.replace({ faults: [{ method: 'GET', path: 'clusters', answer: { is: 'refusal', status: 429 } }] });
    world.forget();
    await world.operate(systemClock);
    const lists = (route: string) => world.external.filter((line) => line.endsWith(`/${route}`)).length;
    await expect
      .poll(() => ['cluster-templates', 'node-group-templates'].map(lists), { timeout: limitMs })
      .toEqual([1, 1]);
    const before = await connectionPasses(world);
    await world.annotate('Connection', 'default', { [reconcileAnnotations[0]]: 'now' });
    await expect.poll(async () => connectionPasses(world), { timeout: limitMs }).toBeGreaterThan(before);
    await world.halt();
    expect(world.writes()).toEqual([]);
  });
});

async function connectionPasses(world: World): Promise<number> {
  const { text } = await world.ask('/metrics');
  const counts = [...text.matchAll(/^dataprocessing_operator_reconcile_total\{kind="Connection".*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}
