// An autoscaled group in worlds of random loads and troubles: it follows fresh loads only, goes down in steps, and comes to rest.
import { expect, test } from 'vitest';
import { drawAutoscaled } from './plan.ts';
import { runAutoscaled } from './run.ts';

const seeds = Array.from({ length: 12 }, (_, seed) => seed);

test('a selection of worlds keeps every law', async () => {
  const broken: string[] = [];
  const scales = { up: 0, down: 0 };
  for (const seed of seeds) {
    const { violations, scales: done } = await runAutoscaled(drawAutoscaled(seed));
    scales.up += done.up;
    scales.down += done.down;
    for (const { invariant, what } of violations) broken.push(`seed ${seed}: ${invariant} ${what}`);
  }
  expect(broken).toEqual([]);
  expect(scales.up).toBeGreaterThan(seeds.length);
  expect(scales.down).toBeGreaterThan(seeds.length);
});
