// Answers to the operator over a socket: whole, broken, slow or never.
import { once } from 'node:events';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Framing, Reply, Sender } from '../trial/exchange.ts';

const byteMs = 1_000;

export function senderOf(outgoing: ServerResponse): Sender {
  return {
    answer: (reply) => pass(outgoing, reply),
    cut: () => void outgoing.destroy(),
    truncate: (reply, framing) => truncate(outgoing, reply, framing),
    drip: (reply) => drip(outgoing, reply),
    async givenUp() {
      if (!outgoing.destroyed) await once(outgoing, 'close');
    },
  };
}

export function pass(outgoing: ServerResponse, { status, headers, body }: Reply): void {
  outgoing.writeHead(status, plainHeaders(headers)).end(body);
}

/** Those that do not say how the bytes come. */
export function plainHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { connection: _connection, 'transfer-encoding': _encoding, 'content-length': _length, ...rest } = headers;
  return rest;
}

function truncate(outgoing: ServerResponse, { status, headers, body }: Reply, framing: Framing): void {
  const length = framing === 'length' ? { 'content-length': String(body.length) } : {};
  outgoing.writeHead(status, { ...plainHeaders(headers), ...length });
  outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy());
}

function drip(outgoing: ServerResponse, { status, headers, body }: Reply): void {
  outgoing.writeHead(status, { ...plainHeaders(headers), 'content-length': String(body.length) });
  let sent = 0;
  const timer = setInterval(() => outgoing.write(body.subarray(sent, ++sent)), byteMs);
  outgoing.once('close', () => clearInterval(timer));
}
