// The count of objects in the status of a Connection: taken once a minute, and kept right in between.
import { expect, test } from 'vitest';
import { stageConnection } from './stage.ts';

test('what somebody else writes there is put right by the next pass, without another count', async () => {
  const stage = stageConnection();
  const { at, write } = stage;
  const first = await stage.look();
  expect(first).toMatchObject({ managedCount: 1, unclaimedCount: 0 });
  write({ managedCount: 77, unclaimedCount: 88, unclaimed: [{ collection: 'clusters', id: '1', name: 'nobody' }] });
  at.now += 1_000;
  expect(await stage.look()).toEqual(first);
  await stage.look();
  expect(at).toEqual({ now: 1_000, looks: 1, counts: 1, writes: 2 });
  at.now += 60_000;
  expect(await stage.look()).toMatchObject({ managedCount: 2 });
});
