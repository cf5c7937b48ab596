// A world in which runs are started while the operator is killed again and again, and what users are left with. Nobody obeys the conditions here.
import { expect, test } from 'vitest';
import type { JobExecutionRecord } from '../../src/service/model/records/records.ts';
import { conditionsOf, type Stored } from './api/fields.ts';
import { randomOf } from './plan/chance.ts';
import { firstDeeds } from './plan/life.ts';
import { named, runOn } from './plan/objects.ts';
import { type Deed, type Plan, quarantineMs, type Step, tenant } from './plan/plan.ts';
import { small } from './plan/worlds.ts';
import { befall } from './world/befall.ts';
import type { Planted } from './world/options.ts';
import { World } from './world/world.ts';

export const downMs = 3_000;
export const cluster = 'calculating';
/** From here on everything that runs need is there. */
export const preparedMs = 20_000;

const began: readonly Deed[] = [{ does: 'bring job' }, ...firstDeeds(false), named(cluster)];

export const planOf = (steps: readonly Step[]): Plan => ({
  ...small,
  latencyMs: 20,
  steps: [...began.map((deed) => ({ at: 0, deed })), ...steps],
});

export async function play(plan: Plan, untilMs: number, planted: Planted = {}): Promise<World> {
  const world = new World(plan, { planted });
  for (const { at, deed } of plan.steps) world.scheduler.after(at, () => world.act(deed));
  for (const fault of plan.faults) world.scheduler.after(fault.at, () => befall(world, fault));
  world.start(0);
  await world.advance(untilMs);
  expect(world.violations).toEqual([]);
  return world;
}

export const reasonOf = (execution: Stored): string | undefined =>
  conditionsOf(execution).find(({ type }) => type === 'Ready')?.reason;

/** How many executions there are of each reason. */
export function reasonsIn(world: World): Readonly<Record<string, number>> {
  const reasons = world.server.list('jobexecutions').map((one) => reasonOf(one) ?? 'none');
  return Object.fromEntries([...new Set(reasons)].map((one) => [one, reasons.filter((each) => each === one).length]));
}

export const runsIn = (world: World): readonly JobExecutionRecord[] =>
  world.service.store.list('jobExecutions', tenant);

/** Three executions every few seconds; the process is killed within half a second of most of them. */
const waveMs = 8_000;
const waves = (seed: number): Plan => {
  const random = randomOf(seed, 'kills');
  const at = (wave: number) => preparedMs + wave * waveMs;
  const steps = Array.from({ length: 96 }, (_, index) => ({
    at: at(Math.floor(index / 3)),
    deed: runOn(`run-${index}`, cluster),
  }));
  const faults = Array.from({ length: 30 }, (_, wave) => ({
    at: at(wave) + random.next() * 500,
    ms: downMs,
    trouble: { what: 'crash', replica: 0 } as const,
  }));
  return { ...planOf(steps), latencyMs: 5, faults };
};

/**
 * They are few because the process adds the finalizer and waits for deletions before it announces a run, so that it sends at once what it announces. `most`: on
 * average over the seeds.
 */
export function killedAtAnyMoment(seeds: readonly number[], most: number): void {
  test(`30 kills at any moment leave few of 96 executions unknown: ${most} on average of ${seeds.length}`, async () => {
    const unknown: number[] = [];
    for (const seed of seeds) {
      const world = await play(waves(seed), preparedMs + 32 * waveMs + quarantineMs + 120_000);
      const { OutcomeUnknown = 0, ...others } = reasonsIn(world);
      expect(others).toEqual({ Succeeded: 96 - OutcomeUnknown });
      expect(runsIn(world)).toHaveLength(96 - OutcomeUnknown);
      unknown.push(OutcomeUnknown);
    }
    expect(unknown.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(most * unknown.length);
  });
}
