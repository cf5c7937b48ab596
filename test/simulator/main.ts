// Runs seeds from the command line: `npm run simulate -- --seeds 1000 --jobs 2`, with `--autoscaled` worlds with an autoscaled group. A failing one is made smaller, and printed with how to run
// it again. Without `--seed`, it begins with the first seed whose worlds have all features.
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { writeReport } from '../support/reports.ts';
import type { SeedReport, Share } from './campaign.ts';
import { firstWhole } from './plan/draw.ts';
import { addHits, missingProbes } from './plan/probes.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1' },
    seed: { type: 'string', default: `${firstWhole}` },
    jobs: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
    twice: { type: 'boolean', default: false },
    autoscaled: { type: 'boolean', default: false },
  },
});
const [count, first, jobs] = [Number(values.seeds), Number(values.seed), Number(values.jobs)];
if (![count, first, jobs].every(Number.isInteger) || count < 1 || jobs < 1) {
  process.stderr.write('cannot run: --seeds, --seed and --jobs must be whole numbers, and there must be some\n');
  process.exit(1);
}

const progressEvery = 500;
const began = performance.now();
const hits = new Map<string, number>();
const figures = { seeds: 0, failed: 0, steps: 0, ms: 0, passes: 0, recovery: 0 };
const say = (line: string) => void process.stdout.write(`${line}\n`);
const secondsSoFar = () => (performance.now() - began) / 1000;

function take({ failed, steps, ms, recovery, hits: met, lines }: SeedReport): void {
  figures.seeds += 1;
  figures.failed += failed ? 1 : 0;
  figures.steps += steps;
  figures.ms += ms;
  figures.passes = Math.max(figures.passes, recovery.passes);
  figures.recovery = Math.max(figures.recovery, recovery.ms);
  addHits(hits, met);
  for (const line of lines) say(line);
  if (figures.seeds % progressEvery === 0)
    say(`so far: ${figures.seeds} seeds, ${figures.failed} failed, ${secondsSoFar().toFixed(0)} s`);
}

/** A world is short-lived: with room for several of them hardly anything of it is ever copied by the garbage collector. */
const resourceLimits = { maxYoungGenerationSizeMb: 256 };

function runInThread(share: Share): Promise<void> {
  const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData: share, resourceLimits });
  process.once('SIGINT', () => worker.postMessage('over'));
  return new Promise((resolve, reject) => {
    worker.on('message', take).once('error', reject);
    worker.once('exit', () => resolve());
  });
}

const shares = Array.from({ length: jobs }, (_, index): Share => {
  return {
    first,
    count,
    index,
    jobs,
    twiceEvery: values.twice ? 1 : 10,
    trace: values.trace,
    autoscaled: values.autoscaled,
  };
});
await Promise.all(shares.map(runInThread));

const seconds = secondsSoFar();
const hours = figures.ms / 3_600_000;
say(
  `${figures.seeds} seeds, ${figures.failed} failed, in ${seconds.toFixed(1)} s (${(figures.seeds / seconds).toFixed(1)} a second): ${figures.steps} steps in ${hours.toFixed(1)} simulated hours`,
);
if (figures.seeds > 1) {
  const passed = figures.seeds - figures.failed;
  const report = { seeds: figures.seeds, passed, hours: Math.round(hours * 10) / 10 };
  const scales = { up: hits.get('scaled up') ?? 0, down: hits.get('scaled down') ?? 0 };
  if (values.autoscaled) writeReport('simulator-autoscaled', { ...report, ...scales });
  else writeReport('simulator', report);
}
if (!values.autoscaled)
  say(`longest recovery: ${figures.passes} passes of one resource, ${Math.round(figures.recovery / 1000)} s`);
for (const [what, times] of [...hits].toSorted(([one], [other]) => (one < other ? -1 : 1))) say(`  ${what}: ${times}`);
const missing = missingProbes(hits);
if (missing.length > 0 && !values.autoscaled) say(`never hit: ${missing.join(', ')}`);
process.exitCode = figures.failed === 0 ? 0 : 1;
