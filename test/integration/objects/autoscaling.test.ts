// Autoscaling on a real API server: the cluster follows the load that the bundled service reports, also from one process of the operator to the next.
import { expect, inject, test, vi } from 'vitest';
import { Injector } from '../../../dev/personality/injector.ts';
import { systemClock } from '../../../src/lib/system.ts';
import { limitMs } from '../../support/patience.ts';
import { conditionOf, runCluster, World } from '../support/world.ts';

const quietSeconds = 3;

class Scene {
  readonly injector: Injector;
  readonly world: World;

  constructor(world: World, injector: Injector) {
    this.world = world;
    this.injector = injector;
  }

  /** The load of the workers from now on. */
  work(wantedNodes: number, busyNodes: number): void {
    this.injector.replace({ loads: [{ group: 'worker', wantedNodes, busyNodes }] });
  }

  async workersAre(count: number): Promise<void> {
    await vi.waitFor(async () => expect(await this.workers()).toBe(count), { timeout: limitMs, interval: 50 });
  }

  async workers(): Promise<number | undefined> {
    const [cluster] = await this.world.remote('clusters');
    return cluster?.node_groups?.find(({ name }) => name === 'worker')?.count;
  }

  /** The NodeGroup reports that the group has so many nodes, and why. */
  async reports(count: number, reason: string): Promise<void> {
    await this.world.until('NodeGroup', 'workers', (one) => {
      const { status = {} } = one as unknown as { readonly status?: { count?: number; wanted?: number } };
      const isReady = conditionOf(one, 'Ready')?.status === 'True';
      const found = conditionOf(one, 'ScalingActive')?.reason;
      return isReady && status.count === count && status.wanted === count && found === reason;
    });
  }
}

test.skipIf(inject('kubeconfig') === '')('grows at once, shrinks one by one, and outlives the operator', async () => {
  const injector = new Injector(systemClock, {});
  await using world = await World.create({ injector });
  const scene = new Scene(world, injector);
  await runCluster(world, { pollSeconds: 1 }, systemClock);
  const autoscaling = { minCount: 1, maxCount: 5, scaleDownAfterSeconds: quietSeconds };
  const spec = { clusterRef: { name: 'etl' }, nodeGroup: 'worker', count: 4, autoscaling };
  await world.apply('Cluster', 'etl', {
    clusterTemplateRef: { name: 'small' },
    userKeypairID: 'demo',
    nodeGroups: [{ name: 'worker', count: 2 }],
  });
  await world.apply('NodeGroup', 'workers', spec);
  await scene.reports(2, 'NoSignal');

  scene.work(9, 2);
  await scene.workersAre(5);
  await scene.reports(5, 'AtMaximum');

  // The next process goes on from what the cluster has, and the quiet time begins anew.
  await world.halt();
  scene.work(0, 3);
  const begun = performance.now();
  await world.operate(systemClock);
  await scene.workersAre(4);
  expect(performance.now() - begun).toBeGreaterThan(quietSeconds * 1_000);
  await scene.workersAre(3);
  await scene.reports(3, 'WithinRange');
  world.forget();
  await vi.waitFor(() => expect(world.external.filter((line) => line.startsWith('GET')).length).toBeGreaterThan(3), {
    timeout: limitMs,
  });
  // The Connection counts its objects some time after a start.
  const writes = world.writes().filter((write) => write !== 'patch connections/status');
  expect([writes, world.external.filter((line) => !line.startsWith('GET'))]).toEqual([[], []]);

  await world.delete('NodeGroup', 'workers');
  await world.gone('NodeGroup', 'workers');
  await world.ready('Cluster', 'etl');
  expect(await scene.workers()).toBe(3);
  const cluster = (await world.get('Cluster', 'etl')) as unknown as { readonly spec: { readonly nodeGroups: object } };
  expect(cluster.spec.nodeGroups).toEqual([{ name: 'worker', count: 3 }]);
});
