// Objects that come back from a backup, under an operator that cannot see whether there is another one of them elsewhere.
import { describe, expect, inject, test } from 'vitest';
import { takeOverAnnotation } from '../../src/operator/api/shared-api.ts';
import { backedUp, externalWrites, idsOf, loseAndRestore } from './support/backups.ts';
import { conditionOf, World } from './support/world.ts';

describe.skipIf(inject('kubeconfig') === '')('an operator that sees some namespaces only', () => {
  test('goes on with what a backup brought back at the word of the user', async () => {
    await using world = await World.create();
    const before = await loseAndRestore(world);
    for (const [kind, name] of backedUp) {
      const doubted = await world.until(
        kind,
        name,
        (one) => conditionOf(one, 'Stalled')?.reason === 'OwnershipUnconfirmed',
      );
      expect(conditionOf(doubted, 'Stalled')?.message).toContain(`set the annotation ${takeOverAnnotation}: tests`);
      await world.annotate(kind, name, { [takeOverAnnotation]: 'tests' });
    }
    for (const [kind, name] of backedUp) await world.ready(kind, name);
    expect(await idsOf(world)).toEqual(before);
    expect(externalWrites(world)).toEqual([]);
  });
});
