// Seeds of the simulation that stand for all others, and what must hold in their worlds.
import { expect } from 'vitest';
import { drawPlan } from './plan/draw.ts';
import { addHits } from './plan/probes.ts';
import { hardToMeet } from './plan/worlds.ts';
import { reportedIn } from './remedies/hand.ts';
import { cells } from './remedies/table.ts';
import { run } from './run.ts';
import type { World } from './world/world.ts';

/** Chosen so that together they meet everything that has to be met. */
export const selection: readonly number[] = [
  4002, 4028, 4037, 4038, 4105, 4040, 4043, 4048, 4049, 4053, 4060, 4063, 4069, 4070, 4077, 12004, 12010, 12014, 12025,
  12028, 12037, 12054, 12060, 12064, 12075, 12077, 100_000_000, 100_000_074, 100_000_132, 100_000_135, 300_000_002,
  300_000_003, 300_000_006, 600_000_004, 1_200_003_420, 1_600_000_016, 2_200_000_100, 2_800_000_001, 2_800_000_622,
];
/** Of these, with all kinds, troubles and deeds, for every run. It is watched which reasons their objects report. */
export const typical: readonly number[] = [
  4002, 4037, 4040, 4053, 4070, 12004, 12025, 12060, 100_000_000, 100_000_135, 300_000_002, 600_000_004, 1_200_003_420,
  1_600_000_016, 2_200_000_100, 2_800_000_001,
];

/** In the worlds of these seeds, and in those that seeds hardly make. Returns how often they met what can go wrong. */
export async function keepInvariants(seeds: readonly number[]): Promise<ReadonlyMap<string, number>> {
  const hits = new Map<string, number>();
  const broken: string[] = [];
  for (const plan of [...seeds.map(drawPlan), ...hardToMeet]) {
    let reported: ReadonlySet<string> = new Set();
    const begun = (world: World) => void (reported = reportedIn(world));
    const { violations, hits: met } = await run(plan, { begun });
    addHits(hits, met);
    for (const { invariant, what } of violations)
      broken.push(`npm run simulate -- --seed ${plan.seed}: ${invariant} ${what}`);
    if (!typical.includes(plan.seed)) continue;
    expect(reported.size).toBeGreaterThan(3);
    for (const cell of reported)
      if (!cells.has(cell)) broken.push(`seed ${plan.seed} reports ${cell}, which has no row in remedies/table.ts`);
  }
  expect(broken).toEqual([]);
  return hits;
}
