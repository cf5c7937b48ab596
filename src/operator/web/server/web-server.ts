// The HTTP server of the page: its files for everybody, and /api/objects for those with a token.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { endListening, listen, portOf } from '../../../lib/http/listening.ts';
import type { Log } from '../../../lib/ports.ts';
import { type PageFiles, pageReply } from './page-files.ts';
import { headersOf, problem, type WebReply } from './reply.ts';

// As in health-server.ts.
const { createServer } = process.getBuiltinModule('node:http');

export interface WebServerOptions {
  /** Defaults to all addresses. */
  readonly host?: string;
  /** 0: any free port, which `start` returns. */
  readonly port: number;
  readonly files: PageFiles;
  /** Answers a GET of /api/objects. */
  readonly answer: (request: WebRequest) => Promise<WebReply>;
  readonly log: Log;
  /** For tests. */
  readonly connections?: number;
}

export interface WebRequest {
  readonly query: URLSearchParams;
  /** The raw header. */
  readonly authorization: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

/** The largest answer, which a slow reader keeps in memory, is half a MiB. */
const mostConnections = 64;
/** Tokens with many groups have some KiB. */
const maxHeaderSize = 32 * 1_024;
const limits = {
  maxHeaderSize,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
} as const;
/** A connection ends after so long without a byte in either direction. */
const idleMs = 20_000;
const longestPath = 2_048;

export class WebServer {
  readonly #options: WebServerOptions;
  readonly #server: Server;

  constructor(options: WebServerOptions) {
    this.#options = options;
    this.#server = createServer(limits, (request, response) => void this.#serve(request, response));
    this.#server.maxConnections = options.connections ?? mostConnections;
    this.#server.setTimeout(idleMs);
  }

  /** Undefined while the server does not listen. */
  get port(): number | undefined {
    return portOf(this.#server);
  }

  async start(): Promise<void> {
    const { host, port, log } = this.#options;
    const own = await listen(this.#server, { ...(host === undefined ? {} : { host }), port, purpose: 'the page', log });
    log.info({ action: 'start' }, `serving the page on port ${own}`);
  }

  stop(): Promise<void> {
    return endListening(this.#server);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = await this.#reply(request).catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'cannot answer a request of the page');
      return problem(500, 'internal error: see the log of the operator');
    });
    response.writeHead(reply.status, headersOf(reply));
    response.end(request.method === 'HEAD' ? undefined : reply.body);
  }

  async #reply({ method = 'GET', url = '/', headers }: IncomingMessage): Promise<WebReply> {
    if (method !== 'GET' && method !== 'HEAD') return problem(405, 'method not allowed: use GET');
    const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
    if (hasBody) return problem(413, 'a GET has no body');
    if (url.length > longestPath) return problem(414, 'the path is too long');
    const [path = '/', query = ''] = url.split('?', 2);
    const { authorization, 'if-none-match': ifNoneMatch } = headers;
    if (path === '/api/objects')
      return this.#options.answer({ query: new URLSearchParams(query), authorization, ifNoneMatch });
    return pageReply(this.#options.files, path) ?? problem(404, 'not found: use / or /api/objects');
  }
}
