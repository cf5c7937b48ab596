// Reads as another tenant, again and again, in a thread of its own: what attacks cost their sender is not measured. Stops when it gets a message, and answers with ms.
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { quantiles, send } from '../load.ts';

const everyMs = 20;
const path = '/v1.1/other/data-sources';
const took: number[] = [];
let goesOn = true;
parentPort?.once('message', () => {
  goesOn = false;
});
while (goesOn) {
  const at = performance.now();
  const answered = await send(String(workerData), { method: 'GET', path }).then(
    () => true,
    () => false,
  );
  // One that fails counts as infinitely long.
  took.push(answered ? performance.now() - at : Number.POSITIVE_INFINITY);
  await pause(everyMs);
}
parentPort?.postMessage(quantiles(took));
