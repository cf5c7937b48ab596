// Runs many seeds, one after the other, and tells what became of each; a failing one is made smaller.
import { drawAutoscaled } from './autoscaled/plan.ts';
import { runAutoscaled } from './autoscaled/run.ts';
import { drawPlan, seedsPerLife } from './plan/draw.ts';
import { addHits, describePlan } from './plan/probes.ts';
import { type Result, run } from './run.ts';
import { shrink } from './shrink.ts';
import type { WorldOptions } from './world/options.ts';

/** Which of the seeds from `first` are for one process: each group of seeds that live the same life stays together. */
export interface Share {
  readonly first: number;
  readonly count: number;
  readonly index: number;
  readonly jobs: number;
  /** Every so many seeds one is run twice, and has to do the same both times. */
  readonly twiceEvery: number;
  readonly trace: boolean;
  /** Of worlds with an autoscaled group, in place of the others. */
  readonly autoscaled: boolean;
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

type Course = Pick<Result, 'hash' | 'steps' | 'ms' | 'recovery' | 'hits' | 'violations'>;

async function courseOf(seed: number, autoscaled: boolean, options: WorldOptions): Promise<Course> {
  if (!autoscaled) return await run(drawPlan(seed), options);
  const { scales, hits: met, ...course } = await runAutoscaled(drawAutoscaled(seed), options);
  const hits = new Map([['scaled up', scales.up] as const, ['scaled down', scales.down] as const]);
  addHits(hits, met);
  return { ...course, hits, recovery: { passes: 0, ms: 0 } };
}

async function runSeed(seed: number, { count, twiceEvery, trace, autoscaled }: Share): Promise<SeedReport> {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const { hash, steps, ms, recovery, hits, violations } = await courseOf(seed, autoscaled, trace ? { trace: say } : {});
  const twice = count === 1 || seed % twiceEvery === 0;
  const again = twice ? (await courseOf(seed, autoscaled, {})).hash : hash;
  if (again !== hash) say(`seed ${seed} runs another way the second time: ${hash}, ${again}`);
  const [violation] = violations;
  if (violation !== undefined) {
    say(`seed ${seed} breaks ${violation.invariant} after ${Math.round(violation.at)} ms: ${violation.what}`);
    // Without one of its first steps, a world with an autoscaled group would be another one.
    const least = autoscaled ? drawAutoscaled(seed) : await shrink(drawPlan(seed), violation.invariant);
    say(`${autoscaled ? 'its plan' : 'the least of it that still does'}:\n${describePlan(least)}`);
    say(`again: npm run simulate -- ${autoscaled ? '--autoscaled ' : ''}--seed ${seed}`);
  }
  return { failed: violation !== undefined || again !== hash, steps, ms, recovery, hits, lines };
}
