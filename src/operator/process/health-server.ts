// The HTTP server for /healthz, /readyz and /metrics.
import type { Server, ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { messageOf } from '../../lib/errors.ts';
import { endListening, listen, portOf } from '../../lib/http/listening.ts';
import type { Log } from '../../lib/ports.ts';

// An import would evaluate the getter of WebSocket, for which Node loads its built-in HTTP client.
const { createServer } = process.getBuiltinModule('node:http');

export interface Check {
  readonly name: string;
  /** What is wrong; undefined if the check passes. */
  readonly trouble: () => string | undefined;
  /** A warning that does not fail the check. */
  readonly remark?: () => string | undefined;
}

export interface HealthOptions {
  /** If one of these fails, the process must be restarted. */
  readonly live: readonly Check[];
  /** If one of these fails, the process does not do its work now. */
  readonly ready: readonly Check[];
  readonly registry: Pick<Registry, 'metrics' | 'contentType'>;
  readonly log: Log;
  /** Defaults to all addresses. */
  readonly host?: string;
  /** 0: any free port, which `start` returns. */
  readonly port: number;
}

interface HealthAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** A blocked event loop needs no check of its own: the probe then times out. */
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

  /** Undefined while the server does not listen. */
  get port(): number | undefined {
    return portOf(this.#server);
  }

  /** Returns the port. */
  start(): Promise<number> {
    const { host, port, log } = this.#options;
    return listen(this.#server, { ...(host === undefined ? {} : { host }), port, purpose: 'health checks', log });
  }

  stop(): Promise<void> {
    return endListening(this.#server);
  }

  async #answer(method: string, path: string): Promise<HealthAnswer> {
    if (method !== 'GET' && method !== 'HEAD') return text(405, 'method not allowed: use GET');
    switch (path) {
      case '/healthz':
        return report(this.#options.live, 500);
      case '/readyz':
        return report(this.#options.ready, 503);
      case '/metrics':
        return this.#metrics();
      default:
        return text(404, 'not found: use /healthz, /readyz or /metrics');
    }
  }

  async #metrics(): Promise<HealthAnswer> {
    const { registry, log } = this.#options;
    try {
      return { status: 200, type: registry.contentType, body: await registry.metrics() };
    } catch (error) {
      log.error({ err: error }, 'cannot collect metrics');
      return text(500, `cannot collect metrics: ${messageOf(error)}`);
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

/** A check that throws fails. */
export function troubleOf(check: Check['trouble']): string | undefined {
  try {
    return check();
  } catch (error) {
    return messageOf(error);
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
