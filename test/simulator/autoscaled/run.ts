// Runs a world with an autoscaled group, and says all that is wrong with it.
import { befall } from '../world/befall.ts';
import type { Violation, WorldOptions } from '../world/options.ts';
import { AutoscaledWorld } from './autoscaled-world.ts';
import type { AutoscaledPlan } from './plan.ts';

const steadyMs = 150_000;
/** Each step takes the longest quiet time, a scale and some polls; and at first whatever is tried again seldom. */
const endMs = 900_000 + 10 * 300_000;

export interface AutoscaledResult {
  readonly violations: readonly Violation[];
  readonly scales: { readonly up: number; readonly down: number };
  readonly hash: number;
  readonly steps: number;
  /** Virtual ms. */
  readonly ms: number;
  readonly hits: ReadonlyMap<string, number>;
}

export async function runAutoscaled(plan: AutoscaledPlan, options: WorldOptions = {}): Promise<AutoscaledResult> {
  const world = new AutoscaledWorld(plan, options);
  for (const step of plan.steps) world.scheduler.after(step.at, () => world.act(step.deed), true);
  for (const fault of plan.faults) world.scheduler.after(fault.at, () => befall(world, fault), true);
  for (const index of plan.replicas.keys()) world.start(index);
  await world.advance(plan.calmAt);
  const until = world.scheduler.now + endMs;
  while (world.violations.length === 0 && world.amiss() !== undefined && world.scheduler.now < until)
    await world.advance(world.scheduler.now + 10_000);
  if (world.violations.length === 0) await rest(world);
  if (world.violations.length === 0) await leave(world, plan.leaving);
  for (const replica of world.replicas) replica?.kill();
  const { violations, scales, hash, scheduler, figures } = world;
  return { violations, scales, hash, hits: figures.hits, steps: scheduler.steps, ms: scheduler.now };
}

/** The NodeGroup is deleted, perhaps while it is scaled. What was asked for last stays, and the next scale is a user's. */
async function leave(world: AutoscaledWorld, { wantedNodes, afterMs }: AutoscaledPlan['leaving']): Promise<void> {
  world.fill(wantedNodes);
  await world.advance(world.scheduler.now + afterMs);
  world.act({ does: 'delete', kind: 'NodeGroup', name: 'workers' });
  await world.advance(world.scheduler.now + steadyMs);
  if (world.server.list('nodegroups').length > 0) return world.violate('A4', 'the NodeGroup is still there');
  const wrong = world.amissOfLeft();
  if (wrong !== undefined) world.violate('A4', wrong);
}

/** A load is read every five seconds, and the clock of a process runs up to a fiftieth faster or slower. */
const [fewestLists, mostLists] = [10, 14];

const listsIn = ({ figures }: AutoscaledWorld, minute: number): number =>
  [...figures.lists].reduce(
    (sum, [of, count]) => sum + (new RegExp(`^${minute} .*/clusters$`).test(of) ? count : 0),
    0,
  );

/** All is well, stays so, and nothing is written. */
async function rest(world: AutoscaledWorld): Promise<void> {
  const wrong = world.amiss();
  if (wrong !== undefined) return world.violate('A2', wrong);
  await world.advance(world.scheduler.now + steadyMs);
  world.figures.forget();
  await world.advance(world.scheduler.now + steadyMs);
  if (world.figures.writes.length > 0) world.violate('A3', `at rest: ${world.figures.writes.join(', ')}`);
  const lists = listsIn(world, Math.floor(world.scheduler.now / 60_000) - 1);
  if (lists < fewestLists || lists > mostLists) world.violate('A6', `at rest: ${lists} LISTs of clusters in a minute`);
  const later = world.amiss();
  if (later !== undefined) world.violate('A2', `it did not stay: ${later}`);
}
