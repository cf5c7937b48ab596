// Many objects that vanish from the service at once: nothing is made again until they are back, or the user says that they are gone.
import { describe, expect, inject, test } from 'vitest';
import { acceptLossAnnotation } from '../../../src/operator/api/shared-api.ts';
import { fastClock } from '../../support/fast-clock.ts';
import { limitMs } from '../../support/patience.ts';
import { conditionOf, type Resource, specs, World } from '../support/world.ts';

const kind = 'NodeGroupTemplate';
const names = ['one', 'two', 'three', 'four', 'five'] as const;
const lost = names.slice(0, 3);

/** Five templates of which three were deleted in the service, and an operator that has seen it. */
async function afterLoss(): Promise<{ readonly world: World; readonly connection: Resource }> {
  const world = await World.create();
  await world.connectService({ pollSeconds: 5 });
  await world.operate(fastClock(10));
  for (const name of names) await world.apply(kind, name, { ...specs.worker, volumesSize: names.indexOf(name) + 1 });
  for (const name of names) await world.ready(kind, name);
  for (const name of lost) {
    const { status } = (await world.get(kind, name)) ?? {};
    const path = `${world.service.url}/v1.0/demo/node-group-templates/${status?.id}`;
    expect((await fetch(path, { method: 'DELETE' })).status).toBe(204);
  }
  world.forget();
  // Templates are looked at seldom, if nobody asks.
  await world.annotate(kind, 'five', { 'dataprocessing.dev/reconcile-requested-at': 'now' });
  const connection = await world.until('Connection', 'default', (one) => conditionOf(one, 'MassChange') !== undefined);
  return { world, connection };
}

const hashOf = (connection: Resource): string =>
  /accept-loss=(\S+)/.exec(conditionOf(connection, 'MassChange')?.message ?? '')?.[1] ?? '';
const posts = (world: World) => world.external.filter((line) => line.startsWith('POST'));

describe.skipIf(inject('kubeconfig') === '')('objects that vanish together', () => {
  test('are reported and not recreated until the user accepts the loss', async () => {
    const { world, connection } = await afterLoss();
    await using _closed = world;
    expect(conditionOf(connection, 'MassChange')).toMatchObject({
      status: 'True',
      reason: 'ObjectsVanished',
      message: expect.stringContaining('3 of 5 objects disappeared from the service at once'),
    });
    expect(conditionOf(connection, 'Ready')?.status).toBe('True');
    for (const name of lost) {
      const held = await world.until(kind, name, (one) => conditionOf(one, 'Ready')?.reason === 'ExternalDeleted');
      expect(held.status?.blockedOn?.[0]?.message).toContain(hashOf(connection));
    }
    expect(posts(world)).toEqual([]);
    await world.annotate('Connection', 'default', { [acceptLossAnnotation]: hashOf(connection) });
    for (const name of names) await world.ready(kind, name);
    expect(posts(world)).toHaveLength(3);
    await world.until('Connection', 'default', (one) => conditionOf(one, 'MassChange') === undefined);
  });

  test('do not hold the deletion of one of them, which ends the alarm when few are left', async () => {
    const { world } = await afterLoss();
    await using _closed = world;
    await world.delete(kind, 'one');
    await world.gone(kind, 'one');
    // Two of four are few enough to be made again without a question.
    await expect.poll(() => posts(world).length, { timeout: limitMs }).toBe(2);
    for (const name of names.slice(1)) await world.ready(kind, name);
    expect((await world.remote('node-group-templates')).length).toBe(4);
  });
});
