// What is changed behind the back of a spec is seen, told and put right; a look can be asked for; and what is there is counted.
import { describe, expect, inject, test } from 'vitest';
import { fastClock } from '../../support/fast-clock.ts';
import { specs, World } from '../support/world.ts';

describe.skipIf(inject('kubeconfig') === '')('drift', () => {
  test('the annotation that asks for a look gets one, and its echo', async () => {
    await using world = await World.create();
    await world.operate();
    await world.connectService();
    await world.apply('NodeGroupTemplate', 'worker', specs.worker);
    await world.ready('NodeGroupTemplate', 'worker');
    world.forget();
    await world.annotate('NodeGroupTemplate', 'worker', { 'reconcile.fluxcd.io/requestedAt': '2026-01-01T00:00:00Z' });
    await world.until(
      'NodeGroupTemplate',
      'worker',
      (one) => one.status?.lastHandledReconcileAt === '2026-01-01T00:00:00Z',
    );
    expect(world.external).toContain('GET /v1.0/demo/node-group-templates');
  });
});

describe.skipIf(inject('kubeconfig') === '')('the count of objects', () => {
  test('tells what belongs to resources, and what an orphaned one left behind', async () => {
    await using world = await World.create();
    await world.connectService();
    await world.operate(fastClock(20));
    await world.apply('NodeGroupTemplate', 'kept', specs.worker);
    await world.apply('NodeGroupTemplate', 'left', { ...specs.worker, deletionPolicy: 'Orphan' });
    const { status } = await world.ready('NodeGroupTemplate', 'left');
    await world.until('Connection', 'default', (one) => one.status?.managedCount === 2);
    world.forget();
    await world.delete('NodeGroupTemplate', 'left');
    await world.gone('NodeGroupTemplate', 'left');
    // Something changes in the service, and is counted soon after.
    await world.apply('NodeGroupTemplate', 'another', specs.master);
    const counted = await world.until(
      'Connection',
      'default',
      ({ status: now }) => now?.unclaimedCount === 1 && now.managedCount === 2,
    );
    expect(counted.status).toMatchObject({
      unclaimed: [{ collection: 'node-group-templates', id: status?.id, name: status?.externalName }],
    });
    expect((await world.remote('node-group-templates')).length).toBe(3);
    expect(world.writes().filter((line) => line.endsWith('connections/status')).length).toBeLessThanOrEqual(3);
  });

  test('never lists what a resource owns as unclaimed for a Connection that reaches the service at another address', async () => {
    await using world = await World.create();
    await world.connectService();
    const endpoint = world.service.url.replace('127.0.0.1', 'localhost');
    await world.apply('Connection', 'second', { endpoint, tenantID: 'demo' });
    await world.operate(fastClock(20));
    await world.apply('NodeGroupTemplate', 'one', specs.worker);
    await world.ready('NodeGroupTemplate', 'one');
    await world.apply('NodeGroupTemplate', 'two', { ...specs.master, connectionRef: { name: 'second' } });
    await world.ready('NodeGroupTemplate', 'two');
    const counted = await world.until('Connection', 'second', (one) => one.status?.managedCount !== undefined);
    expect(counted.status).toMatchObject({ managedCount: 2, unclaimedCount: 0 });
    // Its claim goes, and its object stays: another Connection that lists it counts anew.
    await world.apply('NodeGroupTemplate', 'one', { ...specs.worker, deletionPolicy: 'Orphan' });
    await world.delete('NodeGroupTemplate', 'one');
    await world.until('Connection', 'second', (one) => one.status?.unclaimedCount === 1);
  });
});
