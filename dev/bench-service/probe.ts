// Preloaded into the service's process: reports the delay of its event loop and its memory over HTTP.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type LoopFigures, loopFigures, resetLoop, startTicks } from '../bench/loop.ts';

export interface ProbeFigures {
  readonly loop: LoopFigures;
  readonly rssBytes: number;
}

/** GET reads; POST begins new maxima. */
const server = createServer((request, response) => {
  startTicks();
  if (request.method === 'POST') resetLoop();
  const figures: ProbeFigures = { loop: loopFigures(), rssBytes: process.memoryUsage().rss };
  response.end(JSON.stringify(figures));
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`probe on port ${(server.address() as AddressInfo).port}\n`);
});
server.unref();
