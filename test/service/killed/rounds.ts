// Lives of clusters of the tiny engine, one a test: the service is killed with SIGKILL at one point of each phase, and the next life finishes the work.
import { test } from 'vitest';
import { type Round, titleOf } from './points.ts';
import { live } from './round.ts';
import { MortalScene } from './scene.ts';

export function killedIn(rounds: readonly Round[]): void {
  test.each(rounds.map((round) => [titleOf(round), round] as const))('killed in %s', async (_title, round) =>
    live(await MortalScene.open({ is: 'tiny' }), round),
  );
}
