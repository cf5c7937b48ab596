// The service is killed with SIGKILL at some points of a launch, a job, a scale and a deletion. The next life finishes the work, and nothing is left.
import { expect, test } from 'vitest';
import { points, roundsOf } from './points.ts';
import { killedIn } from './rounds.ts';

test('there are at least twenty points', () => {
  expect(Object.values(points).flat().length).toBeGreaterThanOrEqual(20);
});

// Each phase before and after what is done in it is on record.
killedIn(roundsOf().filter((_, index) => index === 1 || index === 4));
