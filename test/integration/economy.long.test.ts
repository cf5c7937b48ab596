// What a template costs: writes from its creation to Ready.
import { describe, expect, inject, test } from 'vitest';
import { systemClock } from '../../src/lib/system.ts';
import { specs, World, writesOf } from './support/world.ts';

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
});
