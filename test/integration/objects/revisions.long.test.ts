// A former revision of a template that only a running cluster may want again stays.
import { describe, expect, inject, test } from 'vitest';
import { fastClock } from '../../support/fast-clock.ts';
import { limitMs } from '../../support/patience.ts';
import { flavorOf, larger, revised } from '../support/revisions.ts';
import { applyTemplates, specs, World } from '../support/world.ts';

describe.skipIf(inject('kubeconfig') === '')('an edited NodeGroupTemplate', () => {
  test('leaves what a running cluster may want a group of again', async () => {
    await using world = await World.create();
    await world.connectService({ pollSeconds: 1 });
    // It waits for several polls of all templates.
    await world.operate(fastClock(40));
    await applyTemplates(world);
    const withWorkers = (count: number) => ({ ...specs.cluster, nodeGroups: [{ name: 'worker', count }] });
    // With entries of its own the cluster names no template in the service, and without workers no node group template of theirs.
    await world.apply('Cluster', 'etl', withWorkers(1));
    const cluster = await world.ready('Cluster', 'etl');
    await world.apply('Cluster', 'etl', withWorkers(0));
    await world.ready('Cluster', 'etl');
    expect(await flavorOf(world, cluster, 'worker')).toBeUndefined();
    const small = await world.ready('ClusterTemplate', 'small');
    await world.apply('NodeGroupTemplate', 'worker', larger);
    await world.until('ClusterTemplate', 'small', (one) => revised(small)(one) && one.status?.revisions?.length === 1);
    const looks = () => world.external.filter((line) => line.endsWith('/node-group-templates')).length;
    const before = looks();
    await expect.poll(() => looks() - before, { timeout: limitMs }).toBeGreaterThan(3);
    expect((await world.get('NodeGroupTemplate', 'worker'))?.status?.revisions?.length).toBe(2);
    await world.apply('Cluster', 'etl', withWorkers(2));
    await world.ready('Cluster', 'etl');
    expect(await flavorOf(world, cluster, 'worker')).toBe('2');
  });
});
