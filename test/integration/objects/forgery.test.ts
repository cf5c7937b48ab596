// Ledger annotations that users wrote by hand: they give nobody a right to what was made for another resource, and stand in nobody's way.
import { describe, expect, inject, test } from 'vitest';
import { ledgerAnnotation } from '../../../src/operator/api/shared-api.ts';
import type { Ledger } from '../../../src/operator/reconcile/ledger/ledger.ts';
import {
  applyTemplates,
  conditionOf,
  type Resource,
  runCluster,
  specs,
  tokenAuth,
  tokenSecret,
  World,
} from '../support/world.ts';

const ledgerOf = (resource: Resource | undefined): Ledger =>
  JSON.parse(resource?.metadata.annotations?.[ledgerAnnotation] ?? '') as Ledger;

/** A Cluster of its own, whose ledger then says that it made the cluster of `etl`. */
async function forge(world: World, name: string, how: (victim: Ledger, own: Ledger) => Ledger): Promise<void> {
  await world.apply('Cluster', name, specs.cluster);
  await world.ready('Cluster', name);
  const forged = how(ledgerOf(await world.get('Cluster', 'etl')), ledgerOf(await world.get('Cluster', name)));
  await world.annotate('Cluster', name, { [ledgerAnnotation]: JSON.stringify(forged) });
}

const forgeries: readonly (readonly [string, (victim: Ledger, own: Ledger) => Ledger])[] = [
  ['all of its claims', (victim, own) => ({ ...victim, uid: own.uid })],
  ['its id', (victim, own) => ({ ...own, claims: own.claims.map((one) => ({ ...one, id: victim.claims[0]?.id })) })],
  [
    'its claims, as if it had been restored',
    (victim, own) => ({ ...victim, uid: own.uid, previousOwners: [{ uid: victim.uid, installation: 'tests' }] }),
  ],
];

describe.skipIf(inject('kubeconfig') === '')('a ledger that names the cluster of another', () => {
  const all = forgeries.map(([what]) => what).join('; ');
  test(`that one is scaled and deleted as ever, and nothing of it by the forger: ${all}`, async () => {
    await using world = await World.create();
    await runCluster(world);
    const { status } = await world.ready('Cluster', 'etl');
    const named = `/v1.0/demo/clusters/${status?.id}`;
    const isThere = async () => (await world.remote('clusters')).some(({ id }) => id === status?.id);
    for (const [index, [what, how]] of forgeries.entries()) {
      const name = `thief-${index}`;
      await forge(world, name, how);
      const thief = await world.until('Cluster', name, (one) => conditionOf(one, 'Stalled') !== undefined);
      expect(conditionOf(thief, 'Stalled'), what).toMatchObject({
        reason: 'DuplicateClaim',
        message: expect.stringContaining(`Cluster/${world.namespace}/etl`),
      });
      await world.apply('Cluster', 'etl', { ...specs.cluster, nodeGroups: [{ name: 'worker', count: 3 + index }] });
      await world.ready('Cluster', 'etl');
      await world.delete('Cluster', name);
      await world.gone('Cluster', name);
      expect(world.external, what).not.toContain(`DELETE ${named}`);
      expect(await isThere(), what).toBe(true);
      await world.ready('Cluster', 'etl');
    }
    await world.delete('Cluster', 'etl');
    await world.gone('Cluster', 'etl');
    expect(world.external).toContain(`DELETE ${named}`);
    expect(await isThere()).toBe(false);
  });
});

const named = { ...specs.cluster, name: 'spark' };

describe.skipIf(inject('kubeconfig') === '')('a ledger that names the template which proves a fixed name', () => {
  test('gives no right to the cluster of that name', async () => {
    await using world = await World.create();
    await world.operate();
    await world.connectService();
    await applyTemplates(world);
    await world.apply('Cluster', 'etl', named);
    const { status } = await world.ready('Cluster', 'etl');
    const thief = await world.apply('Cluster', 'thief', named);
    await world.until('Cluster', 'thief', (one) => conditionOf(one, 'Stalled')?.reason === 'NameConflict');
    const victim = ledgerOf(await world.get('Cluster', 'etl'));
    const previousOwners = [{ uid: victim.uid, installation: 'tests' }];
    const forged = { ...victim, uid: thief.metadata.uid, previousOwners };
    await world.annotate('Cluster', 'thief', { [ledgerAnnotation]: JSON.stringify(forged) });
    await world.until('Cluster', 'thief', (one) => conditionOf(one, 'Stalled')?.reason === 'DuplicateClaim');
    world.forget();
    await world.delete('Cluster', 'thief');
    await world.gone('Cluster', 'thief');
    expect(world.external.filter((one) => one.startsWith('DELETE'))).toEqual([]);
    expect((await world.remote('clusters')).map(({ id }) => id)).toContain(status?.id);
  });
});

const imageID = '2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58';

describe.skipIf(inject('kubeconfig') === '')('a claim on an image', () => {
  test('through a Connection that the service has only ever refused stands in nobody’s way', async () => {
    await using world = await World.create({ token: 'open-sesame' });
    await world.apply('Secret', 'token', tokenSecret);
    await world.apply('Secret', 'guess', { ...tokenSecret, stringData: { token: 'open-barley' } });
    await world.operate();
    const { url } = world.service;
    const guessed = { auth: { type: 'Token', secretRef: { name: 'guess' } } };
    await world.apply('Connection', 'guessed', { endpoint: url, tenantID: 'demo', ...guessed });
    const older = await world.apply('ImageRegistration', 'older', {
      imageID,
      username: 'ubuntu',
      connectionRef: { name: 'guessed' },
    });
    const forged = {
      v: 1,
      installation: 'tests',
      uid: older.metadata.uid,
      endpoint: url,
      tenant: 'demo',
      base: 'older',
      claims: [{ role: 'main', collection: 'images', name: imageID, id: imageID }],
    };
    await world.annotate('ImageRegistration', 'older', { [ledgerAnnotation]: JSON.stringify(forged) });
    await world.until('Connection', 'guessed', (one) => conditionOf(one, 'Ready')?.reason === 'Unauthorized');
    await world.connectService(tokenAuth);
    await world.apply('ImageRegistration', 'ubuntu', { imageID, username: 'ubuntu' });
    await world.ready('ImageRegistration', 'ubuntu');
  });
});
