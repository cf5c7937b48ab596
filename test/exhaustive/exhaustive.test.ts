// Every state of small worlds, reached with the product's own pass, plan and protocol: nothing is leaked, doubled or lost in any.
import { afterAll, expect, test } from 'vitest';
import { writeReport } from '../support/reports.ts';
import { check, isWithin, type Scenario, wordsOf } from './check.ts';
import { distinct, large, quick } from './scenarios.ts';

const figures = { scenarios: 0, states: 0, ends: 0, seconds: 0 };

test.each(quick.map((scenario) => [wordsOf(scenario), scenario] as const))('%s', async (_words, scenario) => {
  const since = process.cpuUsage();
  const { states, ends, counterexample, stuck } = await check(scenario, 40);
  figures.scenarios += 1;
  figures.states += states;
  figures.ends += ends;
  figures.seconds += process.cpuUsage(since).user / 1_000_000;
  const trace = counterexample && [...counterexample.trace, counterexample.broken].join('\n');
  expect(trace ?? stuck).toBeUndefined();
});

test('no large world contains another one, or is contained in it', () => {
  const edited: Scenario = { kind: 'cluster', replicas: 1, bounds: { edits: 1 } };
  expect(isWithin(edited, { ...edited, bounds: { edits: 2, losses: 1 } })).toBe(true);
  expect(isWithin(edited, { ...edited, bounds: { losses: 1 } })).toBe(false);
  // Where objects may vanish, or somebody covets others, other invariants hold.
  expect(isWithin(edited, { ...edited, bounds: { edits: 1, vanishings: 1 } })).toBe(false);
  expect(isWithin(edited, { ...edited, bounds: { edits: 1, forgeries: 1 } })).toBe(false);
  expect(isWithin(edited, { ...edited, replicas: 2 })).toBe(false);
  expect(large.filter((one) => !distinct.includes(one))).toEqual([]);
});

afterAll(() => {
  const { scenarios, states, ends, seconds } = figures;
  if (scenarios === quick.length) writeReport('exhaustive', { worlds: scenarios, states, ends });
  console.info(
    `${scenarios} worlds, ${states} states, which are all; ${ends} followed to their end; ${seconds.toFixed(1)} s of one core`,
  );
});
