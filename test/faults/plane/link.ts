// The proxy on one side of the operator: it knows every write, counts it, and does to it what the trial of its cell says. One stands before
// each side for all cells at once, and what it does depends on the cell; the proxies of `test/support` serve one test and one side.
import {
  createServer,
  type IncomingMessage,
  request as requestPlain,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type Agent, request as requestTls } from 'node:https';
import type { AddressInfo } from 'node:net';
import { isWrite, pointOf, type Side, type Write } from '../tables/points.ts';
import { refusalOf } from '../trial/acting.ts';
import type { Exchange, Reply } from '../trial/exchange.ts';
import { pass, plainHeaders, senderOf } from './sockets.ts';

/** What the link tells of one cell, and asks for it. */
export interface Listener {
  /** The token that the other side is to see; undefined: it would refuse this one. */
  admits(token: string | undefined): string | undefined;
  /** Answers the write in its own way, or leaves it to the link: undefined. */
  wrote(exchange: Exchange): Promise<void> | undefined;
  /** The other side has answered a write, whether or not the operator hears of it. */
  answered(exchange: Exchange, reply: Reply): void;
  /** A request that changes nothing was answered. */
  looked(side: Side, path: string): void;
}

export interface LinkOptions {
  readonly side: Side;
  /** Where requests go; by the cell that they belong to. */
  readonly upstream: (cell: string) => string;
  /** Where the other side speaks TLS. */
  readonly agent?: Agent;
  /** Of every request, where the operator gives none. */
  readonly authorization?: string;
  readonly cellOf: (write: Write) => string;
  readonly listener: (cell: string) => Listener | undefined;
  /** Hears of a write of no cell, or one that is in no table, and of a request that was forbidden. */
  readonly wrong: (what: string) => void;
}

export class Link implements AsyncDisposable {
  readonly #options: LinkOptions;
  readonly #server: Server;

  private constructor(options: LinkOptions) {
    this.#options = options;
    this.#server = createServer((incoming, outgoing) => {
      this.#arrived(incoming, outgoing).catch(() => outgoing.destroy());
    });
    // Connections are kept for as long as the operator likes: one that ends by itself would be one more fault.
    this.#server.keepAliveTimeout = 0;
  }

  static async open(options: LinkOptions): Promise<Link> {
    const link = new Link(options);
    await new Promise<void>((resolve) => link.#server.listen(0, '127.0.0.1', resolve));
    return link;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #arrived(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = 'GET', url = '' } = incoming;
    const { pathname } = new URL(url, 'http://link');
    const bytes = isWrite(method, pathname) ? await collect(incoming) : undefined;
    const { side, cellOf, listener, wrong } = this.#options;
    const write: Write = {
      side,
      method,
      path: pathname,
      body: parse(bytes),
    };
    const cell = cellOf(write);
    const heard = listener(cell);
    if (heard !== undefined && !admit(heard, incoming)) return pass(outgoing, refusalOf(side, 401));
    if (bytes === undefined) return this.#look({ incoming, outgoing, cell }, () => heard?.looked(side, write.path));
    const point = pointOf(write);
    if (point === undefined || heard === undefined)
      wrong(`a write to ${side} is in no table: ${method} ${write.path} ${JSON.stringify(write.body)}`);
    const exchange: Exchange = {
      write,
      point,
      sender: senderOf(outgoing),
      forward: async () => {
        const reply = await this.#forward(incoming, cell, bytes);
        heard?.answered(exchange, reply);
        return reply;
      },
    };
    const own = heard?.wrote(exchange);
    await (own ?? exchange.forward().then((reply) => pass(outgoing, reply)));
  }

  /** Lists, and watches that do not end. */
  async #look({ incoming, outgoing, cell }: Passing, answered: () => void): Promise<void> {
    await new Promise<void>((resolve) => {
      const call = this.#call(incoming, cell, (reply) => {
        outgoing.writeHead(reply.statusCode ?? 0, plainHeaders(reply.headers)).flushHeaders();
        reply.once('end', answered);
        reply.once('error', () => outgoing.destroy());
        reply.pipe(outgoing);
      });
      call.once('error', () => outgoing.destroy());
      outgoing.once('close', () => {
        call.destroy();
        resolve();
      });
      call.end();
    });
  }

  /** Goes on whatever becomes of the one who sent it. */
  async #forward(incoming: IncomingMessage, cell: string, body: Buffer): Promise<Reply> {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const call = this.#call(incoming, cell, resolve);
      call.once('error', reject);
      call.end(body);
    });
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: await collect(answer) };
  }

  #call(
    { method = 'GET', url = '', headers }: IncomingMessage,
    cell: string,
    answered: (reply: IncomingMessage) => void,
  ) {
    const { upstream, agent, authorization, wrong } = this.#options;
    const { host: _host, connection: _connection, 'transfer-encoding': _encoding, ...rest } = headers;
    const kept = authorization === undefined ? rest : { ...rest, authorization };
    const target = `${upstream(cell)}${url}`;
    const heard = (reply: IncomingMessage): void => {
      if (reply.statusCode === 403) wrong(`the operator may not ${method} ${url}`);
      answered(reply);
    };
    return agent === undefined
      ? requestPlain(target, { method, headers: kept }, heard)
      : requestTls(target, { method, headers: kept, agent }, heard);
  }
}

/** False: the token that it bears is good for nothing. */
function admit(heard: Listener, { headers }: IncomingMessage): boolean {
  const token = headers[tokenHeader];
  if (typeof token !== 'string') return true;
  const admitted = heard.admits(token);
  if (admitted !== undefined) headers[tokenHeader] = admitted;
  return admitted !== undefined;
}

const tokenHeader = 'x-auth-token';

interface Passing {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly cell: string;
}

async function collect(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function parse(bytes: Buffer | undefined): unknown {
  if (bytes === undefined || bytes.length === 0) return undefined;
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
