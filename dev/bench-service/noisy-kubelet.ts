// Answers each request for a log with lines without end, as fast as they are read, in pieces of the size in which the API server passes them on.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const pieceBytes = 32 * 1024;
const text = 'INFO TaskSetManager: Finished task 12.0 in stage 3.0 (TID 44) in 12 ms (7/200)';
/** The times begin again after them, which nobody notices who follows the log. */
const pieces = Array.from({ length: 256 }, (_, piece) => {
  const lines: string[] = [];
  for (let [bytes, index] = [0, 0]; bytes < pieceBytes; index += 1) {
    const line = `2026-01-01T00:00:00.${String(piece * 1000 + index).padStart(9, '0')}Z ${text}\n`;
    lines.push(line);
    bytes += line.length;
  }
  return Buffer.from(lines.join(''));
});

const server = createServer((_request, response) => {
  let next = 0;
  const send = (): void => {
    while (!response.destroyed && response.write(pieces[next++ % pieces.length]));
  };
  response.on('drain', () => setImmediate(send));
  send();
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`kubelet on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
