// Tells the outside how the process is: /healthz, /readyz and /metrics over HTTP.
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import type { Log } from '../../lib/ports.ts';
import { describe } from '../../lib/within.ts';

// An import would read all that the module exports, WebSocket among it, for which Node loads the HTTP client that it has built in.
const { createServer } = process.getBuiltinModule('node:http');

export interface Check {
  readonly name: string;
  /** What is wrong, for a person; undefined when all is well. */
  readonly trouble: () => string | undefined;
  /** What is worth knowing although the check passes. */
  readonly remark?: () => string | undefined;
}

export interface HealthOptions {
  /** Any of these in trouble: the process is beyond help and should be started anew. */
  readonly live: readonly Check[];
  /** Any of these in trouble: the process does not do its work now. */
  readonly ready: readonly Check[];
  readonly registry: Pick<Registry, 'metrics' | 'contentType'>;
  readonly log: Log;
  /** All addresses where it is missing. */
  readonly host?: string;
  /** 0 lets the system choose; `start` answers with the choice. */
  readonly port: number;
}

interface HealthAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** That the event loop turns shows by the answer itself: where it stands there is none, and the probe runs out of time. */
export class HealthServer {
  readonly #options: HealthOptions;
  readonly #server: Server;

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
      void this.#answer(request.method ?? 'GET', path).then((answer) => send(response, answer));
    });
  }

  /** Undefined while it does not listen. */
  get port(): number | undefined {
    const address = this.#server.address() as AddressInfo | null;
    return address?.port;
  }

  /** Answers with the port that it listens on. */
  async start(): Promise<number> {
    const { host, port, log } = this.#options;
    const listening = Promise.withResolvers<void>();
    this.#server.once('error', listening.reject);
    this.#server.listen({ port, ...(host === undefined ? {} : { host }) }, listening.resolve);
    try {
      await listening.promise;
    } catch (error) {
      throw new Error(`cannot listen for health checks on port ${port}: ${describe(error)}`, { cause: error });
    }
    this.#server.off('error', listening.reject);
    this.#server.on('error', (error) => log.error({ err: error }, 'the health server failed'));
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = Promise.withResolvers<void>();
    this.#server.close(() => closed.resolve());
    this.#server.closeAllConnections();
    await closed.promise;
  }

  async #answer(method: string, path: string): Promise<HealthAnswer> {
    if (method !== 'GET' && method !== 'HEAD') return text(405, 'only GET is served here');
    switch (path) {
      case '/healthz':
        return report(this.#options.live, 500);
      case '/readyz':
        return report(this.#options.ready, 503);
      case '/metrics':
        return this.#metrics();
      default:
        return text(404, 'there are /healthz, /readyz and /metrics');
    }
  }

  async #metrics(): Promise<HealthAnswer> {
    const { registry, log } = this.#options;
    try {
      return { status: 200, type: registry.contentType, body: await registry.metrics() };
    } catch (error) {
      log.error({ err: error }, 'cannot collect metrics');
      return text(500, `cannot collect metrics: ${describe(error)}`);
    }
  }
}

function report(checks: readonly Check[], failing: number): HealthAnswer {
  const results = checks.map((check) => ({ check, trouble: troubleOf(check.trouble) }));
  const ok = results.every(({ trouble }) => trouble === undefined);
  const texts = results.map(({ check, trouble }) => [check.name, trouble ?? passing(check)]);
  const body = JSON.stringify({ ok, checks: Object.fromEntries(texts) });
  return { status: ok ? 200 : failing, type: 'application/json', body: `${body}\n` };
}

function passing({ remark }: Check): string {
  const text = remark && troubleOf(remark);
  return text === undefined ? 'ok' : `ok, but ${text}`;
}

/** A check that throws is in trouble. */
export function troubleOf(check: Check['trouble']): string | undefined {
  try {
    return check();
  } catch (error) {
    return describe(error);
  }
}

function text(status: number, body: string): HealthAnswer {
  return { status, type: 'text/plain; charset=utf-8', body: `${body}\n` };
}

function send(response: ServerResponse, { status, type, body }: HealthAnswer): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}
