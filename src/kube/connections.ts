// The pool of connections to the API server, remade when the client certificate changes.
import { Agent } from 'undici';
import type { ClusterConfig, Credentials } from './config.ts';

export interface Connections {
  /** The pool for these credentials. */
  agent(credentials: Credentials): Agent;
  /** Ends every connection, those in use too. */
  close(): Promise<void>;
}

/**
 * HTTP/1.1 only: over HTTP/2 a frozen connection is shared by all requests, and aborting one of them never ends it.
 * The timeouts here are the last net; the deadlines of the transport come first.
 */
const timeouts = { headersTimeout: 60_000, bodyTimeout: 320_000, keepAliveTimeout: 60_000 } as const;
const socket = { timeout: 10_000, keepAlive: true, keepAliveInitialDelay: 30_000 } as const;

export function createConnections(config: ClusterConfig): Connections {
  let current: { readonly agent: Agent; readonly cert: string } | undefined;
  const open = new Set<Agent>();
  return {
    agent(credentials): Agent {
      const cert = String(credentials.cert ?? '');
      if (current?.cert === cert) return current.agent;
      if (current !== undefined) retire(current.agent, open);
      current = { agent: openAgent(config, credentials), cert };
      open.add(current.agent);
      return current.agent;
    },
    async close(): Promise<void> {
      await Promise.all([...open].map((agent) => agent.destroy()));
    },
  };
}

function openAgent({ trust }: ClusterConfig, { cert, key }: Credentials): Agent {
  const identity = { ...(cert === undefined ? {} : { cert }), ...(key === undefined ? {} : { key }) };
  return new Agent({ allowH2: false, ...timeouts, connect: { ...socket, ...trust, ...identity } });
}

/** Lets the requests of an old certificate end by themselves; their watches end at the server's own timeout. */
function retire(agent: Agent, open: Set<Agent>): void {
  const forget = (): boolean => open.delete(agent);
  agent.close().then(forget, forget);
}
