// NodeGroups on a real API server: who sets the count of a group, also against what is applied to the Cluster, and what is left of it.
import { expect, inject, test, vi } from 'vitest';
import { scaledByAnnotation } from '../../../src/operator/api/shared-api.ts';
import type { Json } from '../../operator/kinds/support/sample.ts';
import { clusterSample } from '../../operator/kinds/support/samples.ts';
import { limitMs } from '../../support/patience.ts';
import { conditionOf, World } from '../support/world.ts';

const names: Json = { worker: 'worker', small: 'small' };
const withWorkers = (count: number): Json => ({
  ...(clusterSample.spec(names) as object),
  nodeGroups: [{ name: 'worker', count }],
});
const setsWorkers = (count: number): Json => ({ clusterRef: { name: 'etl' }, nodeGroup: 'worker', count });

interface Written {
  readonly spec: { readonly nodeGroups: readonly { readonly name: string; readonly count: number }[] };
  readonly metadata: {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly managedFields?: readonly { readonly manager: string; readonly fieldsV1?: object }[];
  };
  readonly status: { readonly nodeGroups?: readonly object[]; readonly conditions: readonly object[] };
}

const clusterIn = async (world: World) => (await world.get('Cluster', 'etl')) as unknown as Written;

async function start(world: World, operated = true): Promise<void> {
  await world.connectService();
  for (const need of clusterSample.needs) await world.apply(need.kind, need.as, need.spec(names));
  await world.apply('Cluster', 'etl', withWorkers(2));
  if (!operated) return;
  await world.operate();
  await world.ready('Cluster', 'etl');
}

async function scale(world: World, name: string, replicas: number): Promise<void> {
  const path = `${world.path('NodeGroup', name)}/scale`;
  const { status } = await world.api.send({ method: 'PATCH', path, body: { spec: { replicas } } });
  expect(status).toBe(200);
}

/** The machines of the group in the service. */
async function workersAre(world: World, count: number): Promise<void> {
  const groups = [{ name: 'worker', desired: count, ready: count }];
  await vi.waitFor(
    async () => {
      const cluster = await clusterIn(world);
      expect(cluster.status.nodeGroups).toEqual(
        expect.arrayContaining(groups.map((one) => expect.objectContaining(one))),
      );
      expect(cluster.status.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
    },
    { timeout: limitMs, interval: 200 },
  );
}

test.skipIf(inject('kubeconfig') === '')(
  'it sets the count through the scale subresource, whatever is applied to the Cluster, and leaves it there when it goes',
  async () => {
    await using world = await World.create();
    await start(world);
    await world.apply('NodeGroup', 'workers', setsWorkers(2));
    await world.ready('NodeGroup', 'workers');
    await scale(world, 'workers', 4);
    await workersAre(world, 4);
    const { status } = await world.ready('NodeGroup', 'workers');
    expect(status).toMatchObject({
      count: 4,
      selector: expect.stringContaining('dataprocessing.dev/node-group=worker'),
    });
    const { status: of } = await clusterIn(world);
    expect(of.nodeGroups).toContainEqual({ name: 'worker', desired: 4, ready: 4, scaledBy: 'workers' });
    expect(of.conditions).not.toContainEqual(expect.objectContaining({ type: 'Drifted', status: 'True' }));

    // What Git has is applied again, and another count.
    world.external = [];
    await world.apply('Cluster', 'etl', withWorkers(2));
    await world.apply('Cluster', 'etl', withWorkers(3));
    await world.ready('Cluster', 'etl');
    expect(world.external.filter((line) => line.startsWith('PUT'))).toEqual([]);
    await workersAre(world, 4);
    expect((await clusterIn(world)).spec.nodeGroups).toEqual([{ name: 'worker', count: 3 }]);

    // A second one waits for the first one to go.
    await world.apply('NodeGroup', 'more', setsWorkers(5));
    const refused = await world.until('NodeGroup', 'more', (one) => conditionOf(one, 'Stalled')?.status === 'True');
    expect(conditionOf(refused, 'Ready')).toMatchObject({ reason: 'DuplicateClaim' });
    await workersAre(world, 4);
    await world.delete('NodeGroup', 'more');
    await world.gone('NodeGroup', 'more');

    world.external = [];
    await world.delete('NodeGroup', 'workers');
    await world.gone('NodeGroup', 'workers');
    await world.ready('Cluster', 'etl');
    await workersAre(world, 4);
    expect(world.external.filter((line) => line.startsWith('PUT'))).toEqual([]);
    const left = await clusterIn(world);
    expect(left.spec.nodeGroups).toEqual([{ name: 'worker', count: 4 }]);
    expect(left.metadata.annotations).toMatchObject({ [scaledByAnnotation]: 'workers' });
    const managers = (left.metadata.managedFields ?? []).filter(({ manager }) => manager.endsWith('/scale'));
    expect(JSON.stringify(managers)).toContain('f:count');
    await world.apply('NodeGroup', 'next', setsWorkers(1));
    await workersAre(world, 1);
  },
);

test.skipIf(inject('kubeconfig') === '')(
  'it waits for its Cluster, takes over before the first start, and goes also after its Cluster and without the service',
  async () => {
    await using world = await World.create();
    await world.operate();
    await world.apply('NodeGroup', 'workers', setsWorkers(3));
    const waiting = await world.until('NodeGroup', 'workers', (one) => conditionOf(one, 'Ready')?.status === 'False');
    expect(conditionOf(waiting, 'Ready')).toMatchObject({ reason: 'DependencyNotReady' });
    await start(world, false);
    await world.ready('NodeGroup', 'workers');
    await workersAre(world, 3);
    expect(world.external.filter((line) => line.startsWith('PUT'))).toEqual([]);

    await world.service.close();
    await world.apply('NodeGroup', 'workers', setsWorkers(6));
    await world.delete('NodeGroup', 'workers');
    await world.gone('NodeGroup', 'workers');
    expect((await clusterIn(world)).spec.nodeGroups).toEqual([{ name: 'worker', count: 6 }]);
    await world.apply('NodeGroup', 'workers', setsWorkers(7));
    await world.until('NodeGroup', 'workers', (one) => (one.metadata.finalizers ?? []).length > 0);
    await world.delete('Cluster', 'etl');
    await world.delete('NodeGroup', 'workers');
    await world.gone('NodeGroup', 'workers');
    expect((await clusterIn(world)).spec.nodeGroups).toEqual([{ name: 'worker', count: 6 }]);
  },
);
