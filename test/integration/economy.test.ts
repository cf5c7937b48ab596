// What it costs: writes from creation to Ready, and requests in a steady state.
import { describe, expect, inject, test } from 'vitest';
import { systemClock } from '../../src/lib/system.ts';
import { fastClock } from '../support/fast-clock.ts';
import { limitMs } from '../support/patience.ts';
import { writeReport } from '../support/reports.ts';
import { isOver } from '../support/service/runs.ts';
import { below, Scene } from './support/scene.ts';
import { applyTemplates, specs, World, writesOf } from './support/world.ts';

/** Resolves when the operator has listed the clusters so many times more. */
async function lists(world: World, times: number): Promise<void> {
  const seen = () => world.external.filter((line) => line.endsWith('/clusters')).length;
  const before = seen();
  await expect.poll(() => seen() - before, { timeout: limitMs }).toBeGreaterThanOrEqual(times);
}

describe.skipIf(inject('kubeconfig') === '')('the cost', () => {
  test.each([
    ['at once', 0],
    ['in steps that are looked at', 700],
  ])('of a Cluster that is made %s is at most 4 Kubernetes writes from its creation to Ready', async (_, stageMs) => {
    await using world = await World.create({ stageMs });
    await world.operate(systemClock);
    await world.connectService();
    await applyTemplates(world);
    await world.ready('ClusterTemplate', 'small');
    world.forget();
    await world.apply('Cluster', 'etl', specs.cluster);
    await world.ready('Cluster', 'etl');
    const writes = writesOf(world, 'clusters');
    expect(writes.length, writes.join(', ')).toBeLessThanOrEqual(4);
    expect(world.external.filter((line) => !line.startsWith('GET'))).toEqual(['POST /v1.0/demo/clusters']);
  });

  test('of a Cluster is no more where the API server is slow', async () => {
    await using scene = await Scene.open({ pace: 1 });
    const { world, proxy } = scene;
    await scene.operate();
    await world.ready('ClusterTemplate', 'small');
    proxy.rule({ method: /PATCH/, path: below('clusters'), behave: 'delay', ms: 700 });
    world.forget();
    await world.apply('Cluster', 'etl', specs.cluster);
    await world.ready('Cluster', 'etl');
    const writes = writesOf(world, 'clusters');
    expect(writes.length, writes.join(', ')).toBeLessThanOrEqual(4);
  });

  test('of a scale is at most 4 Kubernetes writes and one PUT', async () => {
    await using world = await World.create();
    await world.operate(systemClock);
    await world.connectService();
    await applyTemplates(world);
    await world.apply('Cluster', 'etl', specs.cluster);
    await world.ready('Cluster', 'etl');
    world.forget();
    await world.apply('Cluster', 'etl', { ...specs.cluster, nodeGroups: [{ name: 'worker', count: 4 }] });
    await world.ready('Cluster', 'etl');
    const writes = writesOf(world, 'clusters');
    expect(writes.length, writes.join(', ')).toBeLessThanOrEqual(4);
    const sent = world.external.filter((line) => !line.startsWith('GET'));
    expect(sent).toEqual([expect.stringMatching(/^PUT \/v1\.0\/demo\/clusters\/[^/]+$/)]);
  });

  test('of a run is at most 5 Kubernetes writes, one POST, and nothing after its end', async () => {
    await using world = await World.create();
    await world.operate(systemClock);
    await world.connectService({ pollSeconds: 1 });
    await world.apply('Cluster', 'etl', specs.ofJobs);
    await world.apply('JobBinary', 'program', specs.program);
    await world.apply('Job', 'program', specs.job);
    await world.ready('Cluster', 'etl');
    await world.ready('Job', 'program');
    world.forget();
    await world.apply('JobExecution', 'once', { jobRef: { name: 'program' }, clusterRef: { name: 'etl' } });
    const ended = await world.until('JobExecution', 'once', ({ status }) => isOver(status?.conditions));
    await lists(world, 2);
    // By its version, since the write that ends it is noted only when its answer arrives.
    const later = await world.get('JobExecution', 'once');
    expect(later?.metadata.resourceVersion).toBe(ended.metadata.resourceVersion);
    const writes = writesOf(world, 'jobexecutions');
    expect(writes.length, writes.join(', ')).toBeLessThanOrEqual(5);
    const sent = world.external.filter((line) => !line.startsWith('GET'));
    expect(sent).toEqual([expect.stringMatching(/^POST \/v1\.1\/demo\/jobs\/[^/]+\/execute$/)]);
  });

  test('of 20 steady Clusters is no write and at most 6 requests a minute', async () => {
    const clusters = 20;
    await using world = await World.create();
    await world.connectService();
    await applyTemplates(world);
    const names = Array.from({ length: clusters }, (_, n) => `steady-${n}`);
    await Promise.all(names.map((name) => world.apply('Cluster', name, specs.cluster)));
    await world.operate(systemClock);
    await Promise.all(names.map((name) => world.ready('Cluster', name)));
    await world.halt();
    const clock = fastClock(40);
    await world.operate(clock);
    // Two node group templates, the cluster template, and the clusters are counted once.
    await world.until('Connection', 'default', (one) => one.status?.managedCount === clusters + 3);
    await lists(world, 2);
    world.forget();
    const start = clock.monotonic();
    await lists(world, 5);
    const minutes = (clock.monotonic() - start) / 60_000;
    expect(world.writes()).toEqual([]);
    expect(world.external.filter((line) => !line.startsWith('GET'))).toEqual([]);
    const perMinute = world.external.length / minutes;
    expect(perMinute, world.external.join('\n')).toBeLessThanOrEqual(6);
    writeReport('economy', { clusters, requestsPerMinute: Math.round(perMinute * 10) / 10, writes: 0 });
  });
});
