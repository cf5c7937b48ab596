// How long the service waits for a request, and how many connections it keeps: nobody holds it up by being slow.
import type { FastifyInstance } from 'fastify';
import type { Clock, Log } from '../../lib/ports.ts';

export interface Limits {
  /** How long a request may take from its first byte, or from the connection, to its last byte. */
  readonly requestMs: number;
  /** How many connections there may be at once. */
  readonly connections: number;
}

export const usualLimits: Limits = { requestMs: 60_000, connections: 4000 };

/** Who is late is noticed so much later at most. */
const checkMs = 1000;

/** Options of the framework. Answers may take longer. */
export const patienceOf = ({ requestMs }: Limits) => ({
  requestTimeout: requestMs,
  http: { headersTimeout: requestMs, connectionsCheckingInterval: Math.min(checkMs, Math.ceil(requestMs / 4)) },
});

/** What is beyond the limit is closed at once: to answer it would cost what the limit is to save. */
export const limitConnections = (app: FastifyInstance, { connections }: Limits): void => {
  app.server.maxConnections = connections;
};

const quietMs = 60_000;

/** Warns when connections are closed for the limit, once a minute at most. */
export function tellDrops(app: FastifyInstance, { connections }: Limits, log: Log, clock: Clock): void {
  let toldAt: number | undefined;
  app.server.on('drop', () => {
    const now = clock.monotonic();
    if (toldAt !== undefined && now - toldAt < quietMs) return;
    toldAt = now;
    log.warn({ action: 'drop' }, `closes connections: there are ${connections} already, as --max-connections says`);
  });
}
