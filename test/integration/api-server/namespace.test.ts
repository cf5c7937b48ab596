// A namespace that is deleted with all that is in it, by the real namespace controller: everything goes, in the service as well.
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { type Plane, startPlane } from '../../../dev/plane/plane.ts';
import { limitMs } from '../../support/patience.ts';
import { runCluster, tokenAuth, tokenSecret, World } from '../support/world.ts';

const credentials = [
  ['Secret', 'token'],
  ['Connection', 'default'],
] as const;

describe.skipIf(inject('kubeconfig') === '')('a namespace that is deleted', () => {
  let plane: Plane;
  beforeAll(async () => {
    plane = await startPlane({ controllerManager: true });
  });
  afterAll(async () => plane?.stop());

  test.concurrent.each([
    ['with everything in it', []],
    ['when its Secret and its Connection were deleted before', credentials],
  ] as const)('%s goes, and leaves nothing in the service', async (_name, before) => {
    await using world = await World.create({ kubeconfig: plane.kubeconfig, token: 'open-sesame', stageMs: 50 });
    await world.apply('Secret', 'token', tokenSecret);
    await runCluster(world, tokenAuth);
    for (const [kind, name] of before) await world.delete(kind, name);
    const path = `/api/v1/namespaces/${world.namespace}`;
    await world.api.send({ method: 'DELETE', path });
    // The controller looks again after a pause that grows with what it found.
    await vi.waitFor(async () => expect((await world.api.send({ path })).status).toBe(404), {
      timeout: limitMs,
      interval: 50,
    });
    for (const route of ['clusters', 'cluster-templates', 'node-group-templates'] as const)
      expect(await world.remote(route)).toEqual([]);
  });
});
