// Makes a plan smaller that breaks an invariant: leaves out steps and faults for as long as the same one is broken.
import type { Plan } from './plan/plan.ts';
import { run } from './run.ts';
import type { Planted } from './world/options.ts';

export interface ShrinkOptions {
  readonly planted?: Planted;
  /** Runs of smaller plans. */
  readonly most?: number;
}

/** The plan itself where nothing can be left out. */
export async function shrink(plan: Plan, invariant: string, options: ShrinkOptions = {}): Promise<Plan> {
  const { planted, most = 150 } = options;
  let best = plan;
  let left = most;
  const breaks = async (smaller: Plan): Promise<boolean> => {
    left -= 1;
    const { violations } = await run(smaller, { alone: invariant !== 'D1', rested: true, ...(planted && { planted }) });
    return violations[0]?.invariant === invariant;
  };
  for (const part of ['faults', 'steps', 'faults'] as const) {
    for (let size = Math.ceil(best[part].length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let at = 0; at < best[part].length && left > 0; ) {
        const smaller: Plan = { ...best, [part]: best[part].toSpliced(at, size) };
        if (await breaks(smaller)) best = smaller;
        else at += size;
      }
    }
  }
  return best;
}
