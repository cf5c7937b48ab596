// The larger worlds, by hand: `npm run exhaustive`, or with a part of the words of one: `npm run exhaustive -- "template, 2"`.
import { writeReport } from '../support/reports.ts';
import { check, wordsOf } from './check.ts';
import { large, small } from './scenarios.ts';

const wanted = process.argv[2] ?? '';
let failed = false;
const figures = { worlds: 0, states: 0, ends: 0 };
for (const scenario of [...small, ...large].filter((one) => wordsOf(one).includes(wanted))) {
  const since = process.cpuUsage();
  const { states, steps, ends, counterexample, stuck } = await check(scenario, 400);
  const seconds = (process.cpuUsage(since).user / 1_000_000).toFixed(1);
  console.info(`${wordsOf(scenario)}\n  ${states} states, ${steps} steps, ${ends} ends, ${seconds} s of one core`);
  figures.worlds += 1;
  figures.states += states;
  figures.ends += ends;
  const trace = counterexample && [...counterexample.trace, counterexample.broken].join('\n  ');
  if (trace ?? stuck) {
    failed = true;
    console.error(`  ${trace ?? stuck}`);
  }
}
if (!failed && wanted === '') writeReport('exhaustive-large', figures);
process.exitCode = failed ? 1 : 0;
