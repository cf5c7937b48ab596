// Pages as a hostile program in a pod could answer with: one without end, and one that is short until it is decompressed. A thread of its own, which tells its URL.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';

const chunk = Buffer.alloc(1024 ** 2, '[');
const bomb = gzipSync(Buffer.alloc(256 * 1024 ** 2));

const server = createServer((request, response) => {
  if (request.url === '/compressed') return void response.setHeader('content-encoding', 'gzip').end(bomb);
  const more = (): void => {
    while (response.write(chunk));
  };
  response.on('drain', more);
  more();
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
parentPort?.postMessage(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
