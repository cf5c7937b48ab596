// Starts and stops a small HTTP server of Node.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf } from '../errors.ts';
import type { Log } from '../ports.ts';

interface Listening {
  /** Defaults to all addresses. */
  readonly host?: string;
  /** 0: any free port. */
  readonly port: number;
  /** For messages: `health checks`. */
  readonly purpose: string;
  readonly log: Log;
}

/** Undefined while the server does not listen. */
export function portOf(server: Server): number | undefined {
  const address = server.address() as AddressInfo | null;
  return address?.port;
}

/** Returns the port. An error after the start is logged. */
export async function listen(server: Server, { host, port, purpose, log }: Listening): Promise<number> {
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject);
  server.listen({ port, ...(host === undefined ? {} : { host }) }, listening.resolve);
  try {
    await listening.promise;
  } catch (error) {
    throw new Error(`cannot listen for ${purpose} on port ${port}: ${messageOf(error)}`, { cause: error });
  }
  server.off('error', listening.reject);
  server.on('error', (error) => log.error({ err: error }, `the server for ${purpose} failed`));
  return (server.address() as AddressInfo).port;
}

/** Closes all connections, also those in use. May be called twice. */
export async function endListening(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = Promise.withResolvers<void>();
  server.close(() => closed.resolve());
  server.closeAllConnections();
  await closed.promise;
}
