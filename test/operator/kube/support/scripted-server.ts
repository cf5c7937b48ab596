// An HTTP server on loopback that behaves as badly as a test wants.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { ClusterConfig } from '../../../../src/kube/config/config-types.ts';

export type Behaviour = (request: IncomingMessage, response: ServerResponse, body: string) => void;

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: IncomingMessage[];
  readonly bodies: string[];
  /** Connections made so far. */
  connections(): number;
  behave(behaviour: Behaviour): void;
}

export async function scriptServer(first: Behaviour): Promise<ScriptedServer> {
  let behaviour = first;
  let connections = 0;
  const requests: IncomingMessage[] = [];
  const bodies: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      requests.push(request);
      bodies.push(body);
      behaviour(request, response, body);
    });
  });
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    bodies,
    connections: () => connections,
    behave: (next) => {
      behaviour = next;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers with JSON, or with plain text for a string. */
export function answer(code: number, body: object | string, headers: Readonly<Record<string, string>> = {}): Behaviour {
  return (_request, response) => {
    const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
    response.writeHead(code, { 'content-type': type, ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

export const secretToken = 'token-that-must-not-leak';

export interface PlainConfig extends ClusterConfig {
  renewals(): number;
}

export function plainConfig(server: string): PlainConfig {
  let renewals = 0;
  return {
    server,
    namespace: 'default',
    trust: { rejectUnauthorized: true },
    credentials: async () => ({ headers: { authorization: `Bearer ${secretToken}-${renewals}` } }),
    renew: () => {
      renewals += 1;
    },
    renewals: () => renewals,
  };
}
