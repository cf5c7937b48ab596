// Draws a plan from a seed: a small world, what its users do, and a few kinds of trouble, each as often as the seed says.
import { Dice, randomOf } from './chance.ts';
import { drawLife } from './life.ts';
import type { Plan, ReplicaPlan, Step } from './plan.ts';
import { drawDowntime, drawFaults, drawFeature, drawSlowness } from './troubles.ts';

/** So many seeds in a row differ in their troubles only, and are compared with the same world without any. */
export const seedsPerLife = 4;

/**
 * From this one on, worlds have all that there is: what was added later is drawn only for later seeds, so that those which found something still mean the
 * same. Before it, a service is slow by chance only, and `features.ts` says which seeds have which features.
 */
export const firstWhole = 2_800_000_000;

export function drawPlan(seed: number): Plan {
  const life = drawLife(Math.floor(seed / seedsPerLife));
  const dice = new Dice(randomOf(seed, 'troubles'));
  const election = dice.toss(0.5);
  const replicas = dice.times(
    election ? dice.pick([2, 2, 3]) : 1,
    (): ReplicaPlan => ({ offset: dice.number(-15_000, 15_000), rate: 1 + dice.number(-20, 20) / 1_000 }),
  );
  const faults = [
    ...drawFeature(dice, seed, life.steps),
    ...drawFaults(dice, replicas.length, life.steps),
    ...drawDowntime(new Dice(randomOf(seed, 'downtime')), replicas.length, life.steps),
    ...(seed < firstWhole ? [] : drawSlowness(new Dice(randomOf(seed, 'slowness')), life.steps)),
  ];
  return {
    ...life,
    seed,
    replicas,
    election,
    oldApiServer: dice.toss(0.1),
    latencyMs: dice.pick([5, 50, 400]),
    failingRuns: 0.2,
    faults,
    calmAt: Math.max(endOf(life.steps), ...faults.map(({ at, ms }) => at + ms)) + 1,
  };
}

/** The same deeds in a world in which nothing goes wrong. */
export function withoutTrouble(plan: Plan): Plan {
  return {
    ...plan,
    seed: 0,
    replicas: [{ offset: 0, rate: 1 }],
    election: false,
    oldApiServer: false,
    latencyMs: 5,
    faults: [],
    calmAt: endOf(plan.steps) + 1,
  };
}

const endOf = (steps: readonly Step[]): number => Math.max(0, ...steps.map(({ at }) => at));
