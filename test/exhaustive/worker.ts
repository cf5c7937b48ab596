// A thread of `main.ts`: checks one world after another, as it is told.
import { on } from 'node:events';
import { parentPort } from 'node:worker_threads';
import { type Checked, check } from './check.ts';
import { distinct } from './scenarios.ts';

/** What a world came to, and the CPU time that it took in seconds. */
export type Timed = Checked & { readonly seconds: number };

// Passes get thousands of errors, and nobody reads their stacks.
Error.stackTraceLimit = 0;
if (parentPort === null) throw new Error('this is a thread of main.ts');
for await (const [index] of on(parentPort, 'message') as AsyncIterable<[number]>) {
  const scenario = distinct[index];
  if (scenario === undefined) throw new RangeError(`there is no world ${index}`);
  const since = process.threadCpuUsage();
  const result = await check(scenario, 400);
  parentPort.postMessage({ ...result, seconds: process.threadCpuUsage(since).user / 1e6 } satisfies Timed);
}
