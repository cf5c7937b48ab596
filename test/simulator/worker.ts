// One of several threads that share the seeds of a long run.
import { parentPort, workerData } from 'node:worker_threads';
import { runSeeds, type Share } from './campaign.ts';

let over = false;
parentPort?.on('message', () => {
  over = true;
});
await runSeeds(
  workerData as Share,
  (report) => parentPort?.postMessage(report),
  () => over,
);
parentPort?.close();
