// A proxy before the API server that misbehaves as it is told, request by request, and remembers what passed.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, Agent as HttpsAgent, request } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { type Kubeconfig, readKubeconfig } from './kubeconfig.ts';

export interface Passing {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly watch: boolean;
  readonly authorization: string | undefined;
  /** When it arrived; real, monotonic ms. */
  readonly at: number;
  /** Of the answer as the client was to get it; 0 while there is none. */
  status: number;
}

/** Which requests are meant; what is not given does not matter. */
export interface Match {
  readonly method?: RegExp;
  readonly path?: RegExp;
  readonly watch?: boolean;
  readonly authorization?: string;
}

export type Behaviour =
  /** The proxy answers, and the API server never hears of it. */
  | { readonly behave: 'answer'; readonly status: number; readonly body: string | object; readonly retryAfter?: number }
  /** The connection breaks before an answer. */
  | { readonly behave: 'cut' }
  /** The request arrives, and no byte comes back. */
  | { readonly behave: 'swallow' }
  /** The request arrives so many ms later. */
  | { readonly behave: 'delay'; readonly ms: number }
  /** What `strike` returns is called before the request arrives, or when it has been carried out. Then its connection breaks. */
  | {
      readonly behave: 'strike';
      readonly when: 'before' | 'after';
      readonly strike: (passing: Passing) => (() => void) | undefined;
    }
  /** Changes the query on its way there, and each line of a watch, or the text of another answer, on its way back. */
  | {
      readonly behave: 'edit';
      readonly query?: (query: URLSearchParams) => void;
      readonly text?: (text: string) => string;
    };

/** The first `times` matching requests, all where it is missing. */
export type Rule = Match & Behaviour & { readonly times?: number };

export interface ApiProxyOptions {
  /** Of the API server; requests that bring no Authorization are passed on as its user. */
  readonly kubeconfig: string;
  /** Speaks TLS with this certificate, and plain HTTP without it. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** What becomes of a request on its way there, and of its answer. */
interface Edit {
  readonly query?: (query: URLSearchParams) => void;
  readonly text?: (text: string) => string;
  readonly answered?: () => void;
}

interface Exchange {
  readonly passing: Passing;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

export class ApiProxy implements AsyncDisposable {
  /** All so far, in their order. */
  readonly passed: Passing[] = [];
  readonly #upstream: Kubeconfig;
  readonly #anonymous: HttpsAgent;
  readonly #known: HttpsAgent;
  readonly #server: Server;
  readonly #rules: { readonly rule: Rule; left: number }[] = [];
  readonly #open = new Set<Exchange>();
  readonly #sockets = new Set<Socket>();
  /** Connections that carry no byte any more, in either direction. */
  readonly #dead = new WeakSet<Socket>();
  readonly #scheme: string;

  private constructor(upstream: Kubeconfig, tls: ApiProxyOptions['tls']) {
    this.#upstream = upstream;
    const { ca, cert, key } = upstream;
    this.#anonymous = new HttpsAgent({ keepAlive: true, ca });
    this.#known = new HttpsAgent({ keepAlive: true, ca, cert, key });
    const listener = (incoming: IncomingMessage, outgoing: ServerResponse) => this.#arrived(incoming, outgoing);
    this.#server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
    this.#server.on('upgrade', (incoming: IncomingMessage, socket: Socket) => this.#upgrade(incoming, socket));
    this.#scheme = tls === undefined ? 'http' : 'https';
    this.#server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  static async start({ kubeconfig, tls }: ApiProxyOptions): Promise<ApiProxy> {
    const proxy = new ApiProxy(await readKubeconfig(kubeconfig), tls);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${this.port}`;
  }

  /** Holds until it is taken back, by the answer, or `calm`; of several that match the newest counts. */
  rule(rule: Rule): () => void {
    const entry = { rule, left: rule.times ?? Number.POSITIVE_INFINITY };
    this.#rules.unshift(entry);
    return () => {
      entry.left = 0;
    };
  }

  /** Takes all rules back. Dead connections stay dead. */
  calm(): void {
    this.#rules.length = 0;
  }

  seen(match: Match): readonly Passing[] {
    return this.passed.filter((passing) => matches(match, passing));
  }

  /** Watches that are open, on living connections. */
  watches(match: Match = {}): readonly Passing[] {
    return this.#watches(match).map(({ passing }) => passing);
  }

  /** Ends open watches in good order, or breaks their connections; `last` is a last event for each. */
  endWatches(match: Match, how: 'closed' | 'cut' = 'closed', last?: object): void {
    for (const exchange of this.#watches(match)) {
      const { outgoing } = exchange;
      this.#open.delete(exchange);
      if (last !== undefined) outgoing.write(`${JSON.stringify(last)}\n`);
      if (how === 'closed') outgoing.end();
      else outgoing.destroy();
    }
  }

  /** Every connection of now stays open and carries nothing any more; new ones work. */
  freeze(): number {
    for (const socket of this.#sockets) this.#dead.add(socket);
    return this.#sockets.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    this.#anonymous.destroy();
    this.#known.destroy();
  }

  #watches(match: Match): readonly Exchange[] {
    return [...this.#open].filter(
      ({ passing, incoming }) => passing.watch && matches(match, passing) && !this.#dead.has(incoming.socket),
    );
  }

  #arrived(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (this.#dead.has(incoming.socket)) return;
    const exchange = { passing: describe(incoming), incoming, outgoing };
    this.passed.push(exchange.passing);
    this.#open.add(exchange);
    outgoing.once('close', () => this.#open.delete(exchange));
    const behaviour = this.#behaviour(exchange.passing);
    switch (behaviour?.behave) {
      case 'answer':
        return answer(exchange, behaviour);
      case 'cut':
        return void incoming.socket.destroy();
      case 'swallow':
        return void this.#dead.add(incoming.socket);
      case 'strike':
        return this.#strike(exchange, behaviour);
      case 'delay':
        return void setTimeout(() => this.#pass(exchange, {}), behaviour.ms);
      case 'edit':
      case undefined:
        return this.#pass(exchange, behaviour ?? {});
    }
  }

  #behaviour(passing: Passing): Behaviour | undefined {
    const entry = this.#rules.find(({ rule, left }) => left > 0 && matches(rule, passing));
    if (entry === undefined) return undefined;
    entry.left -= 1;
    return entry.rule;
  }

  #strike(exchange: Exchange, { when, strike }: Extract<Behaviour, { behave: 'strike' }>): void {
    const { incoming, passing } = exchange;
    const act = strike(passing);
    const end = (): void => {
      act?.();
      incoming.socket.destroy();
    };
    if (act === undefined) this.#pass(exchange, {});
    else if (when === 'before') end();
    else this.#pass(exchange, { answered: end });
  }

  #pass(exchange: Exchange, edit: Edit): void {
    const { incoming, outgoing, passing } = exchange;
    const query = new URLSearchParams(passing.query);
    edit.query?.(query);
    const url = new URL(`${this.#upstream.server}${passing.path}`);
    url.search = query.toString();
    const { host: _host, connection: _connection, ...headers } = incoming.headers;
    const call = request(url, { method: passing.method, ...this.#userOf(headers) }, (reply) => {
      edit.answered?.();
      void this.#reply(exchange, reply, edit.text).catch(() => outgoing.destroy());
    });
    call.once('error', () => outgoing.destroy());
    outgoing.once('close', () => call.destroy());
    incoming.pipe(call);
  }

  /** Whoever brings no Authorization is the user of the kubeconfig. */
  #userOf(headers: IncomingHttpHeaders) {
    const { token } = this.#upstream;
    if (headers.authorization !== undefined) return { headers, agent: this.#anonymous };
    if (token === '') return { headers, agent: this.#known };
    return { headers: { ...headers, authorization: `Bearer ${token}` }, agent: this.#anonymous };
  }

  /** A WebSocket, for what runs in containers. No rule is for it. */
  #upgrade(incoming: IncomingMessage, socket: Socket): void {
    const url = new URL(`${this.#upstream.server}${incoming.url}`);
    const { host: _host, ...headers } = incoming.headers;
    const call = request(url, { method: 'GET', ...this.#userOf(headers) });
    // Whoever asked can be gone before there is an answer.
    socket.on('error', () => socket.destroy()).once('close', () => call.destroy());
    const give = ({ statusCode = 502, statusMessage = '', rawHeaders }: IncomingMessage): void => {
      const pairs = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : []));
      socket.write([`HTTP/1.1 ${statusCode} ${statusMessage}`, ...pairs, '', ''].join('\r\n'));
    };
    call.once('upgrade', (reply, upstream, head) => {
      give(reply);
      socket.write(head);
      upstream.pipe(socket).pipe(upstream);
      upstream.on('error', () => socket.destroy()).once('close', () => socket.destroy());
      socket.once('close', () => upstream.destroy());
    });
    call.once('response', (reply) => {
      give(reply);
      reply.pipe(socket);
    });
    call.once('error', () => socket.destroy());
    call.end();
  }

  async #reply({ incoming, outgoing, passing }: Exchange, reply: IncomingMessage, edit?: (text: string) => string) {
    passing.status = reply.statusCode ?? 0;
    const {
      'content-length': _length,
      'transfer-encoding': _encoding,
      connection: _connection,
      ...headers
    } = reply.headers;
    const alive = () => !this.#dead.has(incoming.socket);
    if (alive()) outgoing.writeHead(passing.status, headers).flushHeaders();
    const chunks = edit === undefined ? reply : edited(passing.watch ? lines(reply) : whole(reply), edit);
    for await (const chunk of chunks) if (alive()) outgoing.write(chunk);
    if (alive()) outgoing.end();
  }
}

function describe({ method = '', url = '', headers }: IncomingMessage): Passing {
  const { pathname: path, searchParams: query } = new URL(url, 'http://proxy');
  const { authorization } = headers;
  return { method, path, query, watch: query.get('watch') === 'true', authorization, at: performance.now(), status: 0 };
}

function matches({ method, path, watch, authorization }: Match, passing: Passing): boolean {
  return (
    (method === undefined || method.test(passing.method)) &&
    (path === undefined || path.test(passing.path)) &&
    (watch === undefined || watch === passing.watch) &&
    (authorization === undefined || authorization === passing.authorization)
  );
}

function answer({ outgoing, incoming, passing }: Exchange, given: Extract<Behaviour, { behave: 'answer' }>): void {
  const { status, body, retryAfter } = given;
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
  const wait = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  passing.status = status;
  // The answer comes when the request is read, so that its connection can be used again.
  incoming.resume().once('end', () => {
    outgoing.writeHead(status, { 'content-type': type, ...wait });
    outgoing.end(typeof body === 'string' ? body : `${JSON.stringify(body)}\n`);
  });
}

async function* edited(texts: AsyncIterable<string>, edit: (text: string) => string): AsyncGenerator<string> {
  for await (const text of texts) yield edit(text);
}

async function* lines(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of stream) {
    const parts = (rest + chunk.toString('latin1')).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) yield `${Buffer.from(part, 'latin1').toString()}\n`;
  }
}

async function* whole(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  yield Buffer.concat(chunks).toString();
}

/** The Status object that the API server sends with a refusal. */
export function statusBody(code: number, reason: string, message: string): object {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
}
