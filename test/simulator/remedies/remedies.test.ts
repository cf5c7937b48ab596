// The table of reasons and kinds: each remedy is carried out, and no object ever reports a reason that has no row for its kind.
import { expect, test } from 'vitest';
import { definitions } from '../../../src/operator/kinds/index.ts';
import { drawPlan } from '../plan/draw.ts';
import { befall } from '../world/befall.ts';
import { World } from '../world/world.ts';
import { actorOf, cellOf, Hand, reportedIn } from './hand.ts';
import { table } from './table.ts';

const cells = new Set(
  Object.entries(table).flatMap(([reason, rows]) =>
    rows.flatMap(({ kinds }) => kinds.map((kind) => cellOf(reason, kind))),
  ),
);

const scenes = Object.entries(table).flatMap(([reason, rows]) =>
  rows.flatMap((row) => row.kinds.map((kind) => ({ reason, kind, ...row }))),
);

test.each(scenes)('$reason of $kind: $cause', async ({ reason, kind, run, asksForToken }) => {
  const hand = new Hand(asksForToken ? { auth: true } : {});
  await run(hand, actorOf(kind));
  expect(hand.end()).toEqual([]);
  expect([...hand.reported].filter((cell) => !cells.has(cell))).toEqual([]);
  expect(hand.reported).toContain(cellOf(reason, kind));
});

/** Of the selection of the simulation: all kinds, troubles and deeds are among them. */
const seeds = [4002, 4037, 4040, 4053, 4070, 12004, 12025, 12060, 100_000_000, 100_000_135, 300_000_002, 600_000_004];
const afterwardsMs = 20 * 60_000;

test.each(seeds)('no simulated world reports a reason without a row: seed %i', async (seed) => {
  const plan = drawPlan(seed);
  const world = new World(plan);
  const reported = reportedIn(world);
  for (const { at, deed } of plan.steps) world.scheduler.after(at, () => world.act(deed), true);
  for (const fault of plan.faults) world.scheduler.after(fault.at, () => befall(world, fault), true);
  for (const index of plan.replicas.keys()) world.start(index);
  await world.advance(plan.calmAt + afterwardsMs);
  for (const replica of world.replicas) replica?.kill();
  expect(reported.size).toBeGreaterThan(3);
  expect([...reported].filter((cell) => !cells.has(cell))).toEqual([]);
});

test('the kinds of the table are those that there are', () => {
  const kinds = definitions.map(({ kind }) => kind as string);
  const rows = Object.values(table).flat();
  expect([...new Set(rows.flatMap((row) => row.kinds))].toSorted()).toEqual(kinds.toSorted());
});
