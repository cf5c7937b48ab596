// The count of objects in the status of a Connection: taken once a minute, and kept right in between.
import { expect, test } from 'vitest';
import { type Answers, stageConnection } from './stage.ts';

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

test('what the operator allows itself is shown with other changes, and never a write of its own', async () => {
  const answers: Answers = { counted: 1, limits: { requestsPerSecond: 44, maxInFlight: 19 } };
  const stage = stageConnection(answers);
  const { at } = stage;
  const shows = async (requestsPerSecond: number, maxInFlight: number, writes: number) => {
    expect(await stage.look()).toMatchObject({ limits: { requestsPerSecond, maxInFlight } });
    expect(at.writes).toBe(writes);
  };
  await shows(20, 10, 1);
  answers.limits = { requestsPerSecond: 500, maxInFlight: 64 };
  answers.suspected = true;
  at.now += 60_000;
  await shows(20, 10, 1);
  answers.counted = 2;
  at.now += 60_000;
  await shows(500, 50, 2);
  answers.limits = { requestsPerSecond: 1, maxInFlight: 2 };
  answers.suspected = false;
  at.now += 10 * 60_000;
  await shows(500, 50, 2);
  answers.counted = 1;
  at.now += 10 * 60_000;
  await shows(1, 2, 3);
});
