// HttpLimits on the duration of requests and the number of connections, so that slow clients cannot block the service.
import type { FastifyInstance } from 'fastify';
import type { Clock, Log } from '../ports.ts';

export interface HttpLimits {
  /**
   * How long a request can take from its first byte, or from the connection, to its last byte, in ms. A client that takes nothing of its answer for as long
   * is disconnected.
   */
  readonly requestMs: number;
  /** The maximum number of connections at once. */
  readonly connections: number;
}

export const usualLimits: HttpLimits = { requestMs: 60_000, connections: 4000 };

/** How often the framework looks for requests that take too long. */
const checkMs = 1000;

/** The options of the framework. Answers can take longer, as long as they are read. */
export const timeoutOptions = ({ requestMs }: HttpLimits) => ({
  requestTimeout: requestMs,
  http: {
    headersTimeout: requestMs,
    connectionsCheckingInterval: Math.min(checkMs, Math.ceil(requestMs / 4)),
    // Whoever is gone without a word is noticed, also while it has an answer that says nothing for long.
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
  },
});

/**
 * Connections beyond the limit are closed at once, because an answer would cost what the limit saves. So are those of clients that do not read their
 * answers, which would hold files and memory. A client that waits for its answer is not cut off.
 */
export function limitConnections(app: FastifyInstance, { connections, requestMs }: HttpLimits): void {
  app.server.maxConnections = connections;
  app.server.setTimeout(requestMs, (socket) => {
    if (socket.writableLength > 0) socket.destroy();
  });
}

const quietMs = 60_000;

/** Warns, at most once a minute, when connections are closed because of the limit. */
export function warnAboutDrops(app: FastifyInstance, { connections }: HttpLimits, log: Log, clock: Clock): void {
  let warnedAt: number | undefined;
  app.server.on('drop', () => {
    const now = clock.monotonic();
    if (warnedAt !== undefined && now - warnedAt < quietMs) return;
    warnedAt = now;
    log.warn({ action: 'drop' }, `closes connections: there are ${connections} already, as --max-connections says`);
  });
}
