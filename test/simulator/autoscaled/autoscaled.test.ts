// An autoscaled group in worlds of random loads and troubles: it follows fresh loads only, goes down in steps, and comes to rest.
import { expect, test } from 'vitest';
import { flapping } from './laws.ts';
import { type AutoscaledPlan, drawAutoscaled, scaler } from './plan.ts';
import { runAutoscaled } from './run.ts';

/** In the last one, a group comes back from zero nodes just before it is left to its Cluster. */
const seeds = [...Array.from({ length: 12 }, (_, seed) => seed), 2_800_000_057];

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

/** Work ends, so that the group is left without nodes, and comes back at the end. */
function emptied(): AutoscaledPlan {
  const drawn = drawAutoscaled(0);
  const others = drawn.steps.filter(({ deed }) => !('kind' in deed && deed.kind === 'NodeGroup'));
  const deed = scaler({ minCount: 0, maxCount: 5, scaleDownAfterSeconds: 0 }, 2);
  const none = { at: 15_000, wantedNodes: 0, busyNodes: 0, is: 'fresh' } as const;
  const work = [none, { ...none, at: drawn.calmAt - 1, wantedNodes: 3 }];
  return {
    ...drawn,
    steps: [...others, { at: 10_000, deed }],
    faults: [],
    work,
    leaving: { wantedNodes: 3, afterMs: 0 },
  };
}

test('a group without nodes gets them again when there is work', async () => {
  const { violations, scales } = await runAutoscaled(emptied());
  expect(violations).toEqual([]);
  // Two down to none; one up because work waits for nodes of the other group, and to three by its own load.
  expect(scales).toEqual({ up: 2, down: 2 });
});

const up = { target: 5, before: 4, at: 100_000 };
const down = { target: 4, before: 5, at: 100_000 };
const after = (scale: typeof up, seconds: number) => ({ ...scale, at: scale.at + seconds * 1_000 });

test.each<readonly [string, typeof up, readonly (typeof up)[], readonly number[], boolean]>([
  ['up soon after down', after(up, 30), [down], [], true],
  ['down soon after up', after(down, 30), [up], [], true],
  ['a request was repeated in between', after(up, 30), [down, { ...down, before: 4 }], [], true],
  ['the work changed long before both', after(up, 30), [down], [1_000], true],
  ['the work changed in between', after(up, 30), [down], [110_000], false],
  ['the work changed just before', after(up, 30), [down], [60_000], false],
  ['after the quiet time', after(up, 60), [down], [], false],
  ['in the same direction', after(up, 30), [up], [], false],
  ['the first one', up, [], [], false],
])('flapping: %s', (_, scale, scales, changes, flaps) => {
  const bounds = [{ minCount: 1, maxCount: 9, scaleDownAfterSeconds: 60 }];
  expect(flapping(scale, scales, { changes, bounds }) !== undefined).toBe(flaps);
});
