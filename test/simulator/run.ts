// Runs a plan from its first step to its end, and says all that is wrong with it.

import { grown, type Peaks, peaksOf, wasted } from './end/economy.ts';
import { endOf } from './end/end-state.ts';
import { amiss, unexplained } from './end/ends.ts';
import { withoutTrouble } from './plan/draw.ts';
import { type Plan, quarantineMs } from './plan/plan.ts';
import { befall } from './world/befall.ts';
import { obey } from './world/obedience.ts';
import type { Violation, WorldOptions } from './world/options.ts';
import { lease } from './world/replica.ts';
import { World } from './world/world.ts';

export interface Result {
  readonly violations: readonly Violation[];
  readonly hash: number;
  readonly steps: number;
  /** Virtual ms. */
  readonly ms: number;
  readonly hits: ReadonlyMap<string, number>;
  readonly peaks: Peaks;
  /** Passes of the busiest resource from the calm to the match, and how long that took in ms. */
  readonly recovery: { readonly passes: number; readonly ms: number };
  readonly end: readonly object[];
}

export interface RunOptions extends WorldOptions {
  /** Its end is not compared with that of a run in which nothing went wrong. */
  readonly alone?: boolean;
  /** It is watched at rest even where its end is compared with no other. */
  readonly rested?: boolean;
  /** Sees the world before anything has happened. */
  readonly begun?: (world: World) => void;
}

const lookMs = 5_000;
/** From the last trouble to the match: the quarantine, a slow retry of what had no effect, and some backoff. */
const patienceMs = quarantineMs + 16 * 60_000;
/** Between the match and rest: two of the slowest polls, as one list may serve both, the count of the objects a minute later, and what status puts off. */
const restMs = 320_000;
/** With runs: those that wait, or are over, are looked at every ten minutes, and only then are they counted. */
const restOfRunsMs = 700_000;
/** Longer than any poll. */
const steadyMs = 150_000;
/** Of one resource, from the last trouble to the match; those that only look or wait are none. */
const mostPasses = 20;

export async function run(plan: Plan, options: RunOptions = {}): Promise<Result> {
  const world = new World(plan, options);
  const rejected = (error: unknown): void =>
    world.happen({
      is: 'said',
      replica: undefined as never,
      level: 'error',
      text: `unhandled: ${String(error)}`,
      bug: true,
    });
  process.on('unhandledRejection', rejected);
  options.begun?.(world);
  try {
    return await course(world, plan, options);
  } finally {
    process.off('unhandledRejection', rejected);
  }
}

async function course(world: World, plan: Plan, options: RunOptions): Promise<Result> {
  for (const step of plan.steps) world.scheduler.after(step.at, () => world.act(step.deed), true);
  for (const fault of plan.faults) world.scheduler.after(fault.at, () => befall(world, fault), true);
  for (const index of plan.replicas.keys()) world.start(index);
  await world.advance(plan.calmAt);
  const recovery = world.violations.length > 0 ? { passes: 0, ms: 0 } : await recover(world);
  const rested = options.alone !== true || options.rested === true;
  if (world.violations.length === 0 && rested) await rest(world);
  if (world.violations.length === 0 && rested && plan.election) await succession(world, plan);
  for (const { invariant, what } of wasted(world)) violate(world, invariant, what);
  const end = endOf(world);
  if (world.violations.length === 0 && options.alone !== true) await compare(world, plan, end);
  for (const replica of world.replicas) replica?.kill();
  const { violations, hash, scheduler } = world;
  const { hits } = world.figures;
  const peaks = peaksOf(world);
  return { violations, hash, hits, recovery, peaks, end, steps: scheduler.steps, ms: scheduler.now };
}

function violate(world: World, invariant: string, what: string): void {
  world.trace(`VIOLATION ${invariant}: ${what}`);
  world.violations.push({ invariant, at: world.scheduler.now, what });
}

/** L1, L2 and L3. */
async function recover(world: World): Promise<Result['recovery']> {
  world.figures.forget();
  const from = world.scheduler.now;
  for (;;) {
    const wrong = amiss(world);
    if (wrong.length === 0) break;
    if (world.violations.length > 0) return { passes: 0, ms: 0 };
    obey(world);
    const passed = world.scheduler.now - from;
    if (passed > patienceMs) {
      for (const what of unexplained(world)) violate(world, 'L3', what);
      const gone = wrong.every((what) => what.includes('is still there') || what.includes('left over'));
      violate(world, gone ? 'L2' : 'L1', `${passed / 1000} s after the last trouble: ${wrong.join('; ')}`);
      return { passes: 0, ms: passed };
    }
    await world.advance(world.scheduler.now + lookMs);
  }
  const passes = Math.max(0, ...world.figures.passes.values());
  if (passes > mostPasses) violate(world, 'L1', `${passes} passes of one resource until all was well`);
  return { passes, ms: world.scheduler.now - from };
}

/** E1 and E4: nothing is written, nothing grows, and all stays as it is. */
async function rest(world: World): Promise<void> {
  const hasRuns = world.server.list('jobexecutions').length > 0;
  await world.advance(world.scheduler.now + (hasRuns ? restOfRunsMs : restMs));
  const timers = await timersAtRest(world);
  world.figures.forget();
  await world.advance(world.scheduler.now + steadyMs);
  if (world.figures.writes.length > 0) violate(world, 'E1', `at rest: ${world.figures.writes.join(', ')}`);
  const replicas = world.plan.replicas.length;
  for (const { invariant, what } of grown(timers, await timersAtRest(world), replicas)) violate(world, invariant, what);
  const wrong = amiss(world);
  if (wrong.length > 0) violate(world, 'L1', `it did not stay: ${wrong.join('; ')}`);
}

const timerLooks = 5;
const timerLookMs = 3_000;

/** The fewest at several looks: polls that come together have many requests under way at some of them. */
async function timersAtRest(world: World): Promise<number> {
  let fewest = Number.POSITIVE_INFINITY;
  for (let look = 0; look < timerLooks; look += 1) {
    await world.advance(world.scheduler.now + timerLookMs);
    fewest = Math.min(fewest, world.scheduler.pending);
  }
  return fewest;
}

/** L4: when the leader dies, another leads in time. */
async function succession(world: World, plan: Plan): Promise<void> {
  const slowest = Math.min(...plan.replicas.map(({ rate }) => rate));
  // Ways of requests: the last renewal is still under way when the leader dies; then a look that sees it, one that sees it expired, and the write.
  const inTime = (lease.durationMs + lease.retryMs) / slowest + 2_000 + 7 * plan.latencyMs;
  const leaderOf = () => world.replicas.find((replica) => replica?.leading());
  // The last one may have died just before.
  if (leaderOf() === undefined) await world.advance(world.scheduler.now + inTime);
  const leader = leaderOf();
  if (leader === undefined) return violate(world, 'L4', 'nobody leads');
  leader.kill();
  world.hit('succession');
  await world.advance(world.scheduler.now + inTime);
  if (leaderOf() === undefined) violate(world, 'L4', 'nobody has followed the leader in time');
}

/** D1: the same as if nothing had gone wrong. */
async function compare(world: World, plan: Plan, end: Result['end']): Promise<void> {
  const calm = await calmOf(plan);
  const [is, should] = [end, calm.end].map((objects) => objects.map((one) => JSON.stringify(one)));
  const [more = [], less = []] = [
    is?.filter((one) => !should?.includes(one)),
    should?.filter((one) => !is?.includes(one)),
  ];
  if (calm.violations.length > 0) violate(world, 'D1', `without trouble: ${JSON.stringify(calm.violations[0])}`);
  else if (more.length + less.length > 0) violate(world, 'D1', `${more.join()} instead of ${less.join()}`);
}

/** The last of them: plans in a row have the same one. */
let lastCalm: { readonly text: string; readonly result: Result } | undefined;

async function calmOf(plan: Plan): Promise<Result> {
  const calm = withoutTrouble(plan);
  const text = JSON.stringify(calm);
  if (lastCalm?.text !== text) lastCalm = { text, result: await run(calm, { alone: true }) };
  return lastCalm.result;
}
