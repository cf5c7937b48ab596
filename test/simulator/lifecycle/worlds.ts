// A cluster that expires in worlds of random runs and troubles: never early, never under a run, and in the end.
import { expect, test } from 'vitest';
import { runLifecycle } from './lifecycle-world.ts';
import { drawLifecycle } from './plan.ts';

export function keepLaws(seeds: readonly number[]): void {
  test(`${seeds.length} worlds keep every law`, async () => {
    const broken: string[] = [];
    const decisions: string[] = [];
    let succeeded = 0;
    for (const seed of seeds) {
      const result = await runLifecycle(drawLifecycle(seed));
      decisions.push(...result.decisions);
      succeeded += result.succeeded;
      for (const { invariant, at, what } of result.violations) broken.push(`seed ${seed}: ${at} ${invariant} ${what}`);
    }
    expect(broken).toEqual([]);
    expect(decisions.filter((one) => one === 'Delete').length).toBeGreaterThan(seeds.length / 4);
    expect(decisions.filter((one) => one === 'Release').length).toBeGreaterThan(seeds.length / 8);
    expect(succeeded).toBeGreaterThan(seeds.length / 4);
  });
}
