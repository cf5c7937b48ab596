// The pool of connections to the API server, remade when the client certificate changes and when one of them fell silent.

import { Pool } from 'undici';
import type { ClusterConfig, Credentials } from '../config/types.ts';

export interface ApiConnections {
  /** The pool for these credentials. */
  pool(credentials: Credentials): Pool;
  /** A request over this pool had no answer in time: new ones get new connections, because the idle ones may be as dead. */
  distrust(pool: Pool): void;
  /** Ends every connection, those in use too. */
  close(): Promise<void>;
}

/**
 * HTTP/1.1 only: over HTTP/2 a frozen connection is shared by all requests, and aborting one of them never ends it.
 * The timeouts here are the last net; the deadlines of the transport come first.
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
 * Lets the requests of an old pool end by themselves; their watches end at the server's own timeout. A Pool and
 * not an Agent, because an Agent that is closing forgets its connections and could not be made to end them.
 */
function retire(pool: Pool, open: Set<Pool>): void {
  const forget = (): boolean => open.delete(pool);
  pool.close().then(forget, forget);
}
