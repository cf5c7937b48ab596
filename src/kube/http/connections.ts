// The connection pool to the API server. A new client certificate or a timeout replaces it.
import { Pool } from 'undici';
import type { ClusterConfig, Credentials } from '../config/config-types.ts';

export interface ApiConnections {
  /** The pool for these credentials. */
  pool(credentials: Credentials): Pool;
  /** After a timeout: new requests use new connections, because the idle ones may be dead as well. */
  distrust(pool: Pool): void;
  /** Closes all connections, including those in use. */
  close(): Promise<void>;
}

/**
 * HTTP/1.1 only: with HTTP/2, all requests share a frozen connection, and aborting one of them does not close it.
 * These timeouts are a fallback for the deadlines of the transport.
 */
const timeouts = { headersTimeout: 60_000, bodyTimeout: 320_000, keepAliveTimeout: 60_000 } as const;
const socket = { timeout: 10_000, keepAlive: true, keepAliveInitialDelay: 30_000 } as const;

export function createConnections(config: ClusterConfig): ApiConnections {
  let current: { readonly pool: Pool; readonly cert: string } | undefined;
  const open = new Set<Pool>();
  return {
    pool(credentials): Pool {
      const cert = String(credentials.cert ?? '');
      if (current?.cert === cert) return current.pool;
      if (current !== undefined) retire(current.pool, open);
      current = { pool: openPool(config, credentials), cert };
      open.add(current.pool);
      return current.pool;
    },
    distrust(pool): void {
      if (current?.pool !== pool) return;
      retire(pool, open);
      current = undefined;
    },
    async close(): Promise<void> {
      await Promise.all([...open].map((pool) => pool.destroy()));
    },
  };
}

function openPool({ server, trust }: ClusterConfig, { cert, key }: Credentials): Pool {
  const identity = { ...(cert === undefined ? {} : { cert }), ...(key === undefined ? {} : { key }) };
  return new Pool(new URL(server).origin, {
    allowH2: false,
    ...timeouts,
    connect: { ...socket, ...trust, ...identity },
  });
}

/**
 * Requests of an old pool may finish; its watches end with the timeout of the server. This needs a Pool, because a closing Agent
 * forgets its connections, so that `close` could not end them.
 */
function retire(pool: Pool, open: Set<Pool>): void {
  const forget = (): boolean => open.delete(pool);
  pool.close().then(forget, forget);
}
