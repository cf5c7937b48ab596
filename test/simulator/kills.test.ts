// The operator is killed again and again while it starts runs, at any moment, or each time as it is about to send a request that it has announced: what
// users are left with. Nobody obeys the conditions here.
import { expect, test, vi } from 'vitest';
import type { JobExecutionRecord } from '../../src/service/model/records/records.ts';
import { conditionsOf, type Stored } from './api/fields.ts';
import { randomOf } from './plan/chance.ts';
import { firstDeeds } from './plan/life.ts';
import { named, runOn } from './plan/objects.ts';
import { type Deed, type Plan, quarantineMs, type Step, tenant } from './plan/plan.ts';
import { executionAt, schedule } from './plan/schedules.ts';
import { small } from './plan/worlds.ts';
import { befall } from './world/befall.ts';
import type { Planted } from './world/options.ts';
import { World } from './world/world.ts';

vi.setConfig({ testTimeout: 900_000 });

const downMs = 3_000;
const cluster = 'calculating';
/** From here on everything that runs need is there. */
const preparedMs = 20_000;

const began: readonly Deed[] = [{ does: 'bring job' }, ...firstDeeds(false), named(cluster)];

const planOf = (steps: readonly Step[]): Plan => ({
  ...small,
  latencyMs: 20,
  steps: [...began.map((deed) => ({ at: 0, deed })), ...steps],
});

/** The process of every third start is killed before the request leaves, `most` times. */
function killing(most: number) {
  let [starts, kills] = [0, 0];
  const planted: Planted = {
    service: (way, world, replica) => ({
      ...way,
      dispatch: (options, handler) => {
        if (!options.path.endsWith('/execute')) return way.dispatch(options, handler);
        starts += 1;
        if (kills === most || starts % 3 !== 1) return way.dispatch(options, handler);
        kills += 1;
        replica.kill();
        world.scheduler.after(downMs, () => world.restart(0, replica));
        return true;
      },
    }),
  };
  return { planted, kills: () => kills };
}

async function play(plan: Plan, untilMs: number, planted: Planted = {}): Promise<World> {
  const world = new World(plan, { planted });
  for (const { at, deed } of plan.steps) world.scheduler.after(at, () => world.act(deed));
  for (const fault of plan.faults) world.scheduler.after(fault.at, () => befall(world, fault));
  world.start(0);
  await world.advance(untilMs);
  expect(world.violations).toEqual([]);
  return world;
}

const reasonOf = (execution: Stored): string | undefined =>
  conditionsOf(execution).find(({ type }) => type === 'Ready')?.reason;

/** How many executions there are of each reason. */
function reasonsIn(world: World): Readonly<Record<string, number>> {
  const reasons = world.server.list('jobexecutions').map((one) => reasonOf(one) ?? 'none');
  return Object.fromEntries([...new Set(reasons)].map((one) => [one, reasons.filter((each) => each === one).length]));
}

const runsIn = (world: World): readonly JobExecutionRecord[] => world.service.store.list('jobExecutions', tenant);

const burst = (more: object): Plan =>
  planOf(Array.from({ length: 96 }, (_, index) => ({ at: preparedMs, deed: runOn(`run-${index}`, cluster, more) })));

/** After the last kill, the quarantine, and the two lists that follow it. */
const settledMs = preparedMs + 30 * (downMs + 10_000) + quarantineMs + 120_000;

test('30 kills while 96 executions are started leave one execution for each kill at most, and no run takes place twice', async () => {
  const { planted, kills } = killing(30);
  const world = await play(burst({}), settledMs, planted);
  expect({ kills: kills(), ...reasonsIn(world) }).toEqual({ kills: 30, OutcomeUnknown: 30, Succeeded: 66 });
  expect(runsIn(world)).toHaveLength(66);
});

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

// The process adds the finalizer and waits for deletions before it announces a run, so that it sends at once what it announces.
test('30 kills at any moment of the start of 96 executions leave few: two on average over six throws of the dice', async () => {
  const unknown: number[] = [];
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const world = await play(waves(seed), preparedMs + 32 * waveMs + quarantineMs + 120_000);
    const { OutcomeUnknown = 0, ...others } = reasonsIn(world);
    expect(others).toEqual({ Succeeded: 96 - OutcomeUnknown });
    expect(runsIn(world)).toHaveLength(96 - OutcomeUnknown);
    unknown.push(OutcomeUnknown);
  }
  expect(unknown.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(2 * unknown.length);
});

test('none where the job may run twice', async () => {
  const { planted, kills } = killing(30);
  const world = await play(burst({ onUnknown: 'Retry' }), settledMs + quarantineMs, planted);
  expect({ kills: kills(), ...reasonsIn(world) }).toEqual({ kills: 30, Succeeded: 96 });
  expect(runsIn(world)).toHaveLength(96);
});

test.each([
  ['stands still after a kill until somebody says how to go on', {}, 'OutcomeUnknown'],
  ['goes on by itself after a kill where its job may run twice', { onUnknown: 'Retry' }, 'Succeeded'],
])('a schedule that forbids concurrent runs %s', async (_does, more, reason) => {
  const { planted, kills } = killing(1);
  const deed = schedule(
    'regular',
    { clusterRef: { name: cluster }, ...more },
    { concurrencyPolicy: 'Forbid', successfulHistoryLimit: 10 },
  );
  const world = await play(planOf([{ at: preparedMs, deed }]), 600_000, planted);
  expect(kills()).toBe(1);
  const executions = world.server.list('jobexecutions');
  const first = executions.find(({ metadata }) => metadata.name === executionAt('regular', 1));
  expect(first && reasonOf(first)).toBe(reason);
  expect(executions.length > 1).toBe(reason === 'Succeeded');
});
