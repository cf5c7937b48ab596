// Local servers whose answers are scripted by the test: whole HTTP answers, or raw bytes on a socket.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createRawServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Local {
  readonly url: string;
  readonly port: number;
}

/** Listens on a free port until the test ends; sockets that are still open are cut then. */
export async function listen(server: Server): Promise<Local> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port };
}

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Scripted extends Local {
  readonly received: Received[];
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object;
}

/** Answers each request with what `reply` makes of it. */
export async function serve(reply: (request: Received) => Reply): Promise<Scripted> {
  const received: Received[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    const note = { method, url, headers, body: Buffer.concat(chunks).toString() };
    received.push(note);
    const { status = 200, headers: more = {}, body = '' } = reply(note);
    response.writeHead(status, { 'content-type': 'application/json', ...more });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  const local = await listen(createServer((request, response) => void answer(request, response)));
  return { ...local, received };
}

/** Calls `onRequest` with the socket when the head of a request has come. */
export async function serveRaw(onRequest: (socket: Socket, head: string) => void): Promise<Local> {
  return listen(
    createRawServer((socket) => {
      socket.on('data', (bytes) => onRequest(socket, bytes.toString()));
    }),
  );
}

/** A port on which nobody listens. */
export async function closedPort(): Promise<string> {
  const server = createRawServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}
