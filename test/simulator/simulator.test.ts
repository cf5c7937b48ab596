// Worlds of the simulation: some seeds keep every invariant, in the same way each time.
import { describe, expect, it } from 'vitest';
import { drawPlan, firstWhole, seedsPerLife } from './plan/draw.ts';
import { firstWithAll } from './plan/features.ts';
import { firstShared } from './plan/life.ts';
import { namespace } from './plan/plan.ts';
import { describePlan } from './plan/probes.ts';
import { remade, small } from './plan/worlds.ts';
import { run } from './run.ts';
import { keepInvariants, typical } from './selection.ts';
import { befall } from './world/befall.ts';
import { World } from './world/world.ts';

const longMs = 900_000;

describe('the simulation', () => {
  it(
    'keeps every invariant, and reports no reason without a row',
    async () => {
      await keepInvariants(typical);
    },
    longMs,
  );

  it(
    'runs each seed the same way twice',
    async () => {
      for (const seed of [7, 42, 60]) {
        const [one, other] = [await run(drawPlan(seed)), await run(drawPlan(seed))];
        expect({ seed, hash: other.hash, steps: other.steps }).toEqual({ seed, hash: one.hash, steps: one.steps });
      }
    },
    longMs,
  );

  it(
    'runs different seeds in different ways',
    async () => {
      const hashes = new Set<number>();
      for (const seed of [1, 2, 3]) hashes.add((await run(drawPlan(seed), { alone: true })).hash);
      expect(hashes.size).toBe(3);
    },
    longMs,
  );

  it('begins with worlds that have all features', () => {
    expect(firstWhole).toBeGreaterThanOrEqual(Math.max(firstWithAll, firstShared) * seedsPerLife);
  });

  it('draws the same plan from the same seed, and can print it', () => {
    expect(describePlan(drawPlan(5))).toBe(describePlan(drawPlan(5)));
    expect(describePlan(drawPlan(5))).not.toBe(describePlan(drawPlan(6)));
  });
});

describe('what the simulation has found', () => {
  it('a count of the objects that could not be told is told as soon as it can be', async () => {
    const trouble = { what: 'api loses', applied: false, share: 1 } as const;
    const world = new World({ ...small, faults: [{ at: 5_500, ms: 20_000, trouble }], calmAt: 25_500 });
    for (const step of world.plan.steps) world.scheduler.after(step.at, () => world.act(step.deed), true);
    for (const fault of world.plan.faults) world.scheduler.after(fault.at, () => befall(world, fault), true);
    world.start(0);
    await world.advance(25_000);
    expect(world.server.get('connections', namespace, 'default')?.status).not.toMatchObject({ managedCount: 4 });
    await world.advance(90_000);
    expect(world.server.get('connections', namespace, 'default')?.status).toMatchObject({ managedCount: 4 });
  });

  it('groups are made anew although the change that took them away has failed', async () => {
    const { violations, hits } = await run(remade);
    expect(violations).toEqual([]);
    expect(hits.get('service failed scale')).toBe(1);
  });
});
