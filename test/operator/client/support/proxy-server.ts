// A small forward proxy, as HTTPS_PROXY names one: it forwards, it connects, and where a test wants so it refuses.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { listen } from './servers.ts';

export interface ProxyOptions {
  /** Where a host is; others are not found. The proxy resolves names, and we need not. */
  readonly hosts?: Readonly<Record<string, number>>;
  /** Answers everything with this. */
  readonly refuse?: { readonly status: number; readonly body?: string };
  readonly tls?: { readonly cert: string; readonly key: string };
}

export interface ProxyServer {
  readonly port: number;
  /** Such as `CONNECT service.test:443` or `GET http://service.test/...`. */
  readonly asked: readonly string[];
  readonly authorizations: readonly (string | undefined)[];
  /** Of the header `host`. */
  readonly hosts: readonly (string | undefined)[];
}

export async function serveProxy({ hosts = {}, refuse, tls }: ProxyOptions): Promise<ProxyServer> {
  const asked: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const told: (string | undefined)[] = [];
  const note = ({ method, url, headers }: IncomingMessage) => {
    asked.push(`${method} ${url}`);
    authorizations.push(headers['proxy-authorization']);
    told.push(headers.host);
  };
  const forward = (incoming: IncomingMessage, answer: ServerResponse) => {
    note(incoming);
    if (refuse !== undefined) return void answer.writeHead(refuse.status).end(refuse.body);
    const { hostname, pathname, search } = new URL(incoming.url ?? '');
    const { 'proxy-authorization': _, ...headers } = incoming.headers;
    const outgoing = request(
      { port: hosts[hostname], path: `${pathname}${search}`, method: incoming.method, headers },
      (response) => {
        answer.writeHead(response.statusCode ?? 0, response.headers);
        response.pipe(answer);
      },
    );
    outgoing.on('error', () => answer.writeHead(502).end('<h1>no way</h1>'));
    incoming.pipe(outgoing);
  };
  const server = tls === undefined ? createServer(forward) : createTlsServer(tls, forward);
  server.on('connect', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    note(incoming);
    const port = hosts[URL.parse(`tunnel://${incoming.url}`)?.hostname ?? ''];
    if (refuse !== undefined || port === undefined) {
      socket.end(`HTTP/1.1 ${refuse?.status ?? 502} Refused\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const upstream = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(socket);
      socket.pipe(upstream);
    });
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  const { port } = await listen(server);
  return { port, asked, authorizations, hosts: told };
}
