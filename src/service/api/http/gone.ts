// Tells what answers bit by bit that nobody gets it any more: a generator that waits does not notice that its stream was destroyed.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** One for all requests of a connection: a client can send many of them at a time. */
const signals = new WeakMap<Socket, AbortSignal>();

/** Aborts when the connection closes, and is aborted already if it has closed before. */
export function goneOf({ socket }: Pick<IncomingMessage, 'socket'>): AbortSignal {
  const known = signals.get(socket);
  if (known !== undefined) return known;
  const gone = new AbortController();
  if (socket.destroyed) gone.abort();
  else socket.once('close', () => gone.abort());
  signals.set(socket, gone.signal);
  return gone.signal;
}
