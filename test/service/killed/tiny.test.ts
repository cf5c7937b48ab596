// The service is killed with SIGKILL at one point of a launch, a job, a cancellation, a scale and a deletion. The next life finishes the work, and nothing is left.
import { expect, test } from 'vitest';
import { points, roundsOf } from './points.ts';
import { killedIn } from './rounds.ts';

test('there are at least twenty points', () => {
  expect(Object.values(points).flat().length).toBeGreaterThanOrEqual(20);
});

const [, second = {}] = roundsOf();

test('a round in every run has a point of every phase', () => {
  expect(Object.keys(second)).toEqual(Object.keys(points));
});

killedIn([second]);
