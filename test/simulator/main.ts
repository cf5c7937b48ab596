// Runs seeds from the command line: `npm run simulate -- --seeds 1000 --seed 1`. A failing one is made smaller, and printed with how to run it again.
import { parseArgs } from 'node:util';
import { writeReport } from '../support/reports.ts';
import { drawPlan } from './draw.ts';
import { addHits, describePlan, missingProbes } from './probes.ts';
import { run } from './run.ts';
import { shrink } from './shrink.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
  },
});
const count = Number(values.seeds);
const first = Number(values.seed);
if (!Number.isInteger(count) || count < 1 || !Number.isInteger(first)) {
  process.stderr.write('cannot run: --seeds and --seed must be whole numbers\n');
  process.exit(1);
}

const began = performance.now();
const hits = new Map<string, number>();
const figures = { failed: 0, steps: 0, ms: 0, passes: 0, recovery: 0 };
const say = (line: string) => void process.stdout.write(`${line}\n`);

for (let seed = first; seed < first + count; seed += 1) {
  const plan = drawPlan(seed);
  const result = await run(plan, values.trace ? { trace: say } : {});
  // Each seed twice, and the same both times.
  const again = seed % 10 === 0 || count === 1 ? await run(plan) : result;
  addHits(hits, result.hits);
  figures.steps += result.steps;
  figures.ms += result.ms;
  figures.passes = Math.max(figures.passes, result.recovery.passes);
  figures.recovery = Math.max(figures.recovery, result.recovery.ms);
  const [violation] = result.violations;
  if (again.hash !== result.hash) say(`seed ${seed} runs another way the second time: ${result.hash}, ${again.hash}`);
  if (violation === undefined && again.hash === result.hash) continue;
  figures.failed += 1;
  if (violation === undefined) continue;
  say(`seed ${seed} breaks ${violation.invariant} after ${Math.round(violation.at)} ms: ${violation.what}`);
  const smaller = await shrink(plan, violation.invariant);
  say(`the least of it that still does:\n${describePlan(smaller)}`);
  say(`again: npm run simulate -- --seed ${seed}`);
}

const seconds = (performance.now() - began) / 1000;
const hours = figures.ms / 3_600_000;
say(
  `${count} seeds, ${figures.failed} failed, in ${seconds.toFixed(1)} s (${(count / seconds).toFixed(1)} a second): ${figures.steps} steps in ${hours.toFixed(1)} simulated hours`,
);
if (count > 1)
  writeReport('simulator', { seeds: count, passed: count - figures.failed, hours: Math.round(hours * 10) / 10 });
say(`longest recovery: ${figures.passes} passes of one resource, ${Math.round(figures.recovery / 1000)} s`);
for (const [what, times] of [...hits].toSorted(([one], [other]) => (one < other ? -1 : 1))) say(`  ${what}: ${times}`);
const missing = missingProbes(hits);
if (missing.length > 0) say(`never hit: ${missing.join(', ')}`);
process.exitCode = figures.failed === 0 ? 0 : 1;
