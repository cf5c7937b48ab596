// The larger worlds, by hand: `npm run exhaustive`, or with a part of the words of one: `npm run exhaustive -- "template, 2"`.
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { writeReport } from '../support/reports.ts';
import { wordsOf } from './check.ts';
import { distinct } from './scenarios.ts';
import type { Timed } from './worker.ts';

const wanted = process.argv[2] ?? '';
// The last ones are the largest: begun first, no core waits for them at the end.
const queue = [...distinct.keys()].reverse().filter((index) => words(index).includes(wanted));
const figures = { worlds: 0, states: 0, ends: 0 };
let failed = 0;

function words(index: number): string {
  const scenario = distinct[index];
  return scenario === undefined ? '' : wordsOf(scenario);
}

function report(index: number, { states, steps, ends, counterexample, stuck, seconds }: Timed): void {
  console.info(
    `${words(index)}\n  ${states} states, ${steps} steps, ${ends} ends, ${seconds.toFixed(1)} s of one core`,
  );
  figures.worlds += 1;
  figures.states += states;
  figures.ends += ends;
  const trace = counterexample && [...counterexample.trace, counterexample.broken].join('\n  ');
  if (trace === undefined && stuck === undefined) return;
  failed += 1;
  console.error(`  ${trace ?? stuck}`);
}

/** One thread for each core: the worlds know nothing of each other. */
async function work(): Promise<void> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url));
  for (let index = queue.shift(); index !== undefined; index = queue.shift()) {
    worker.postMessage(index);
    // An error of the thread rejects this.
    const [checked] = (await once(worker, 'message')) as [Timed];
    report(index, checked);
  }
  await worker.terminate();
}

if (queue.length === 0) throw new Error(`cannot check "${wanted}": the words of no world have it`);
await Promise.all(Array.from({ length: availableParallelism() }, work));
if (failed === 0 && wanted === '') writeReport('exhaustive-large', figures);
console.info(`\n${figures.worlds - failed} passed, ${failed} failed, 0 skipped`);
process.exitCode = failed === 0 ? 0 : 1;
