// Objects that come back from a backup, and copies of their YAML, under an operator that sees all namespaces: the first go on with what they had, the second
// keep their hands off.
import { expect, test } from 'vitest';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { finalizer, ledgerAnnotation } from '../../../src/operator/api/shared-api.ts';
import { createNamespace } from '../../support/kubernetes/api-server.ts';
import { limitMs } from '../../support/patience.ts';
import { conditionOf, runCluster, type World } from './world.ts';

export const backedUp: readonly (readonly [kind: string, name: string])[] = [
  ['NodeGroupTemplate', 'master'],
  ['NodeGroupTemplate', 'worker'],
  ['ClusterTemplate', 'small'],
  ['Cluster', 'etl'],
];
type BackedUp = { readonly path: string; readonly object: RawResource };

/** What a backup keeps: everything but status, uid and what the API server sets. */
async function backup(world: World): Promise<readonly BackedUp[]> {
  return Promise.all(
    backedUp.map(async ([kind, name]) => {
      const path = world.path(kind, name);
      const { apiVersion, metadata, spec } = (await world.api.send({ path })).body as RawResource;
      const { annotations = {} } = metadata;
      return {
        path,
        object: { apiVersion, kind, metadata: { name, annotations, finalizers: [finalizer] }, spec } as never,
      };
    }),
  );
}

/** As a disaster does it: the objects are gone, and nobody was asked. */
async function lose(world: World): Promise<void> {
  for (const [kind, name] of backedUp) {
    const path = world.path(kind, name);
    await world.api.send({ method: 'DELETE', path });
    await world.api.send({ method: 'PATCH', path, body: { metadata: { finalizers: [] } } });
    await world.gone(kind, name);
  }
}

export const idsOf = async (world: World) =>
  Promise.all(backedUp.map(async ([kind, name]) => (await world.get(kind, name))?.status?.id));
/** The operator is there again after a backup was restored without it. Answers with the ids of before. */
export async function loseAndRestore(world: World) {
  await runCluster(world);
  const ids = await idsOf(world);
  const objects = await backup(world);
  await world.halt();
  await lose(world);
  for (const { path, object } of objects) expect((await world.api.apply(path, object)).status).toBe(201);
  world.forget();
  await world.operate();
  return ids;
}

export const externalWrites = (world: World) => world.external.filter((line) => !line.startsWith('GET '));

/** `open`: a world whose operator sees all namespaces, so that no other test may run on its API server meanwhile. */
export function restores(open: () => Promise<World>): void {
  test('goes on with everything that a backup brought back, and deletes it when it is deleted', async () => {
    await using world = await open();
    const before = await loseAndRestore(world);
    for (const [kind, name] of backedUp) await world.ready(kind, name);
    expect(await idsOf(world)).toEqual(before);
    expect(externalWrites(world)).toEqual([]);
    const { uid, annotations } = (await world.get('Cluster', 'etl'))?.metadata ?? {};
    expect(JSON.parse(annotations?.[ledgerAnnotation] ?? '')).toMatchObject({ uid });
    await world.delete('Cluster', 'etl');
    await world.gone('Cluster', 'etl');
    expect(await world.remote('clusters')).toEqual([]);
  });

  test('refuses a copy in another namespace, and deleting the copy leaves the object to the original', async () => {
    await using world = await open();
    await runCluster(world);
    const { object } = (await backup(world)).at(-1) as BackedUp;
    const other = await createNamespace(world.api, `${world.namespace}-other`);
    const path = world.path('Cluster', 'etl').replace(world.namespace, other);
    world.forget();
    expect((await world.api.apply(path, object)).status).toBe(201);
    const copy = () => world.api.send({ path });
    await expect
      .poll(async () => conditionOf((await copy()).body as never, 'Stalled'), { timeout: limitMs })
      .toMatchObject({
        reason: 'OwnershipUnconfirmed',
        message: expect.stringContaining('names belong to a resource of another namespace'),
      });
    await world.api.send({ method: 'DELETE', path });
    await expect.poll(async () => (await copy()).status, { timeout: limitMs }).toBe(404);
    expect(externalWrites(world)).toEqual([]);
    await world.ready('Cluster', 'etl');
    expect(await world.remote('clusters')).toHaveLength(1);
  });
}
