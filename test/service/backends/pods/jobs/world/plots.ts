// Which plots are played.
import { deeds, type Flaw, faults, type Mishap, type Plot, play } from './world.ts';

type Moment = readonly [step: number, mishap: Mishap];

/** A little more than an execution takes if one thing goes wrong. */
const steps = 36;

const moments: readonly Moment[] = Array.from({ length: steps }, (_, index) => index + 1).flatMap((step) =>
  [...faults, ...deeds].map((mishap) => [step, mishap] as const),
);

/** One thing goes wrong. */
export const single: readonly Plot[] = moments.map((moment) => new Map([moment]));

/** Two things go wrong. `share`: one out of so many, evenly spread. */
export function* pairs(share = 1): Generator<Plot> {
  let count = 0;
  for (const [index, one] of moments.entries())
    for (const other of moments.slice(index + 1)) {
      if (one[0] === other[0]) continue;
      count += 1;
      if (count % share === 0) yield new Map([one, other]);
    }
}

const wordsOf = (plot: Plot): string => [...plot].map(([step, mishap]) => `${mishap} at ${step}`).join(', ');

/** Plays until an invariant breaks. `broken`: how that comes. */
export async function playAll(
  plots: Iterable<Plot>,
  flaw?: Flaw,
): Promise<{ readonly passed: number; readonly broken?: string }> {
  let passed = 0;
  for (const plot of plots) {
    const { broken } = await play(plot, flaw);
    if (broken !== undefined) return { passed, broken: `${wordsOf(plot)}: ${broken}` };
    passed += 1;
  }
  return { passed };
}
