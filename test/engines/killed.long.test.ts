// The service is killed at every point with a real Spark and a real Hadoop. `npm run test:engines` has a few of the points, from outside.
import { describe, test } from 'vitest';
import { hadoopSource } from '../../src/service/engines/hadoop/source.ts';
import { sparkSource } from '../../src/service/engines/spark/source.ts';
import { roundsOf, titleOf } from '../service/killed/points.ts';
import { live } from '../service/killed/round.ts';
import { MortalScene } from '../service/killed/scene.ts';
import { findEngine } from './engines.ts';

const [spark, hadoop] = [findEngine(sparkSource), findEngine(hadoopSource)];
const timeout = 600_000;

describe.skipIf(spark === undefined)('Spark', () => {
  // None of its processes reads its files again.
  const rounds = roundsOf((place) => place !== 'reload of a head').map((round) => [titleOf(round), round] as const);
  test.each(rounds)('killed in %s', { timeout }, async (_title, round) => {
    if (spark !== undefined) await live(await MortalScene.open({ is: 'spark', ...spark }), round);
  });
});

describe.skipIf(hadoop === undefined)('Hadoop', () => {
  const rounds = roundsOf().map((round) => [titleOf(round), round] as const);
  test.each(rounds)('killed in %s', { timeout }, async (_title, round) => {
    if (hadoop !== undefined) await live(await MortalScene.open({ is: 'hadoop', ...hadoop }), round);
  });
});
