// A Cluster on an image that is registered with it: whatever comes or goes first, it ends well.
import { describe, expect, inject, test } from 'vitest';
import { conditionOf, specs, World } from '../support/world.ts';

/** The cloud has it, and nobody has registered it. */
const imageID = '2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58';
const ubuntu = { imageID, username: 'ubuntu', tags: ['vanilla', '1.2.1'] };
const { defaultImageID: _none, ...small } = specs.small;

const all: readonly (readonly [kind: string, name: string, spec: object])[] = [
  ['ImageRegistration', 'ubuntu', ubuntu],
  ['NodeGroupTemplate', 'master', specs.master],
  ['NodeGroupTemplate', 'worker', specs.worker],
  ['ClusterTemplate', 'small', small],
  ['Cluster', 'etl', { ...specs.cluster, imageRef: { name: 'ubuntu' } }],
];

interface RemoteImage {
  readonly id: string;
  readonly username: string;
  readonly tags: readonly string[];
}

async function imagesOf({ service }: World): Promise<readonly RemoteImage[]> {
  const answer = await fetch(`${service.url}/v1.0/demo/images`);
  return ((await answer.json()) as { readonly images: readonly RemoteImage[] }).images;
}

async function imageOf(world: World): Promise<RemoteImage | undefined> {
  return (await imagesOf(world)).find(({ id }) => id === imageID);
}

describe.skipIf(inject('kubeconfig') === '')('a Cluster and its ImageRegistration', () => {
  test.each([
    ['in order', all],
    ['the other way round', all.toReversed()],
  ] as const)('applied all at once, %s, and deleted so: Ready, and then nothing is left', async (_name, order) => {
    await using world = await World.create();
    await world.operate();
    await world.connectService();
    for (const one of order) await world.apply(...one);
    for (const [kind, name] of all) await world.ready(kind, name);
    const [cluster] = await world.remote('clusters');
    expect(cluster).toMatchObject({ default_image_id: imageID, status: 'Active' });
    expect((await imageOf(world))?.tags.toSorted()).toEqual(['1.2.1', 'vanilla']);
    // It was started once, and not before the image had its tags: else the service would have refused it.
    expect(world.external.filter((line) => line === 'POST /v1.0/demo/clusters')).toHaveLength(1);
    for (const [kind, name] of order) await world.delete(kind, name);
    for (const [kind, name] of all) await world.gone(kind, name);
    expect(await world.remote('clusters')).toEqual([]);
    expect(await world.remote('cluster-templates')).toEqual([]);
    expect(await imageOf(world)).toBeUndefined();
  });

  test('waits for it, tells what tags are missing, and starts when they are there', async () => {
    await using world = await World.create();
    await world.operate();
    await world.connectService();
    for (const one of all.filter(([kind]) => kind !== 'ImageRegistration')) await world.apply(...one);
    // Until the operator has seen all of the others, it tells those, too.
    const named = await world.until('Cluster', 'etl', (resource) => resource.status?.blockedOn?.length === 1);
    expect(named.status?.blockedOn).toMatchObject([
      { kind: 'ImageRegistration', message: expect.stringContaining('ImageRegistration ubuntu does not exist') },
    ]);
    // Registered, and not as asked for: without its tags the service would refuse the cluster.
    await world.apply('ImageRegistration', 'ubuntu', { ...ubuntu, tags: ['vanilla'] });
    await world.ready('ImageRegistration', 'ubuntu');
    const rejected = await world.until(
      'Cluster',
      'etl',
      (resource) => conditionOf(resource, 'Ready')?.reason === 'ExternalRejected',
    );
    expect(conditionOf(rejected, 'Ready')?.message).toContain('lacks the tags 1.2.1');
    await world.apply('ImageRegistration', 'ubuntu', ubuntu);
    await world.ready('Cluster', 'etl');
  });
});
