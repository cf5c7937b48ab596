// The service is killed with SIGKILL at each point of a launch, a job, a scale and a deletion. The next life finishes the work, and nothing is left.
import { expect, test } from 'vitest';
import { points, roundsOf, titleOf } from './points.ts';
import { live } from './round.ts';
import { MortalScene } from './scene.ts';

test('there are at least twenty points', () => {
  expect(Object.values(points).flat().length).toBeGreaterThanOrEqual(20);
});

test.each(roundsOf().map((round) => [titleOf(round), round] as const))('killed in %s', async (_title, round) =>
  live(await MortalScene.open({ is: 'tiny' }), round),
);
