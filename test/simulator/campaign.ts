// Runs many seeds, one after the other, and tells what became of each; a failing one is made smaller.
import { drawPlan, seedsPerLife } from './plan/draw.ts';
import { describePlan } from './plan/probes.ts';
import { type Result, run } from './run.ts';
import { shrink } from './shrink.ts';

/** Which of the seeds from `first` are for one process: each group of seeds that live the same life stays together. */
export interface Share {
  readonly first: number;
  readonly count: number;
  readonly index: number;
  readonly jobs: number;
  /** Every so many seeds one is run twice, and has to do the same both times. */
  readonly twiceEvery: number;
  readonly trace: boolean;
}

export interface SeedReport {
  readonly failed: boolean;
  readonly steps: number;
  /** Virtual ms. */
  readonly ms: number;
  readonly recovery: Result['recovery'];
  readonly hits: ReadonlyMap<string, number>;
  /** What there is to say of it. */
  readonly lines: readonly string[];
}

export async function runSeeds(share: Share, tell: (report: SeedReport) => void, isOver: () => boolean): Promise<void> {
  const { first, count, index, jobs } = share;
  for (let seed = first; seed < first + count && !isOver(); seed += 1)
    if (Math.floor(seed / seedsPerLife) % jobs === index) tell(await runSeed(seed, share));
}

async function runSeed(seed: number, { count, twiceEvery, trace }: Share): Promise<SeedReport> {
  const plan = drawPlan(seed);
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const { hash, steps, ms, recovery, hits, violations } = await run(plan, trace ? { trace: say } : {});
  const twice = count === 1 || seed % twiceEvery === 0;
  const again = twice ? (await run(plan)).hash : hash;
  if (again !== hash) say(`seed ${seed} runs another way the second time: ${hash}, ${again}`);
  const [violation] = violations;
  if (violation !== undefined) {
    say(`seed ${seed} breaks ${violation.invariant} after ${Math.round(violation.at)} ms: ${violation.what}`);
    say(`the least of it that still does:\n${describePlan(await shrink(plan, violation.invariant))}`);
    say(`again: npm run simulate -- --seed ${seed}`);
  }
  return { failed: violation !== undefined || again !== hash, steps, ms, recovery, hits, lines };
}
