// Every state of small worlds, reached with the product's own pass, plan and protocol: nothing is leaked, doubled or lost in any.
import { afterAll, expect, test } from 'vitest';
import { writeReport } from '../support/reports.ts';
import { check, wordsOf } from './check.ts';
import { small } from './scenarios.ts';

const figures = { scenarios: 0, states: 0, ends: 0, seconds: 0 };

test.each(small.map((scenario) => [wordsOf(scenario), scenario] as const))(
  '%s',
  { timeout: 240_000 },
  async (_words, scenario) => {
    const since = process.cpuUsage();
    const { states, ends, counterexample, stuck } = await check(scenario, 40);
    figures.scenarios += 1;
    figures.states += states;
    figures.ends += ends;
    figures.seconds += process.cpuUsage(since).user / 1_000_000;
    const trace = counterexample && [...counterexample.trace, counterexample.broken].join('\n');
    expect(trace ?? stuck).toBeUndefined();
  },
);

afterAll(() => {
  const { scenarios, states, ends, seconds } = figures;
  if (scenarios === small.length) writeReport('exhaustive', { worlds: scenarios, states, ends });
  console.info(
    `${scenarios} worlds, ${states} states, which are all; ${ends} followed to their end; ${seconds.toFixed(1)} s of one core`,
  );
});
