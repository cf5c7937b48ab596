// The proxy before a service: it does what the test says to single requests, and counts what passes. It holds every answer as a
// whole, so that it can stop at the moments around its effect; `api-proxy.ts` is for the API server, whose watches never end.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Backend, Reply } from '../../operator/kinds/support/backend.ts';

export type Fault =
  /** Answers so, and the service never hears of it. */
  | { readonly act: 'answer'; readonly reply: Partial<Reply> & { readonly status: number } }
  /** The service does it; its answer is changed on the way. */
  | { readonly act: 'rewrite'; readonly reply: (real: Reply) => Reply }
  /** The connection breaks: before the service hears of it, or after it did it. */
  | { readonly act: 'lose'; readonly after: 'nothing' | 'commit' }
  /** No answer ever; `deliver` brings the request to the service when the test likes. */
  | { readonly act: 'hang' }
  /** An answer that begins so and never ends. */
  | { readonly act: 'pour'; readonly status: number; readonly drop: string };

export interface Match {
  readonly method?: string;
  /** Of the route: `clusters`. */
  readonly collection?: string;
  /** Whether the path names one object. */
  readonly single?: boolean;
  readonly action?: string;
}

export interface Rule {
  /** How many requests it caught. */
  readonly hits: number;
  lift(): void;
}

export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly collection: string;
  readonly id: string | undefined;
  /** What is asked of the object, in the path after its id: `tag`. */
  readonly action: string | undefined;
  readonly body: unknown;
}

export interface FaultProxy {
  readonly url: string;
  /** Every request so far, oldest first. */
  readonly sent: readonly Sent[];
  /** Requests whose answer did not reach the client as a whole. */
  readonly cut: readonly Sent[];
  /** From now on these are told instead of those before. */
  listen(hooks: Partial<ProxyHooks>): void;
  /** Catches matching requests: the first `times` of them, or all until it is lifted. The newest rule goes first. */
  on(match: Match, fault: Fault, times?: number): Rule;
  /** Brings every request that hangs to the service. */
  deliver(): Promise<void>;
  close(): Promise<void>;
}

/** What a hook waits for holds the request up. */
export interface ProxyHooks {
  /** Sees each request before anything is done with it. */
  readonly before: (sent: Sent) => Promise<void>;
  /** Sees each request that the service has answered, before the answer goes on. */
  readonly after: (sent: Sent) => Promise<void>;
  /** A request hangs. */
  readonly hanging: () => void;
}

interface ActiveRule {
  readonly match: Match;
  readonly fault: Fault;
  left: number;
  hits: number;
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const matches = ({ match, left }: ActiveRule, { method, collection, id, action }: Sent): boolean =>
  left > 0 &&
  (match.method ?? method) === method &&
  (match.collection ?? collection) === collection &&
  (match.action ?? action) === action &&
  (match.single === undefined || match.single === (id !== undefined));

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? undefined : Buffer.concat(chunks).toString();
}

function send(response: ServerResponse, { status, headers, body = '' }: Partial<Reply> & { status: number }): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(status === 204 ? undefined : body);
}

/** As fast as it is read. */
function pour(response: ServerResponse, { status, drop }: { readonly status: number; readonly drop: string }): void {
  const chunk = drop.repeat(Math.ceil(65_536 / drop.length));
  response.writeHead(status, { 'content-type': 'application/json' });
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}

export const isWrite = ({ method }: Sent): boolean => method !== 'GET';

/** As good as the service until it is told otherwise; `token` is what the service gets, that of the client without it. */
export const openFront = (service: string, token?: string): Promise<FaultProxy> =>
  openProxy(forwarding(service, token));

function forwarding(service: string, fixed: string | undefined): Pick<Backend, 'answer'> {
  return {
    async answer({ method, url, body, token = '', type: sent = 'application/json' }) {
      const given = { 'x-auth-token': fixed ?? token, 'content-type': sent };
      const headers = Object.entries(given).filter(
        ([name, value]) => value !== '' && (body !== undefined || name !== 'content-type'),
      );
      const real = await fetch(`${service}${url}`, { method, headers, ...(body === undefined ? {} : { body }) });
      const type = real.headers.get('content-type') ?? 'application/json';
      return { status: real.status, headers: { 'content-type': type }, body: await real.text() };
    },
  };
}

export async function openProxy(
  backend: Pick<Backend, 'answer'>,
  initial: Partial<ProxyHooks> = {},
): Promise<FaultProxy> {
  const sent: Sent[] = [];
  const cut: Sent[] = [];
  let hooks = initial;
  const rules: ActiveRule[] = [];
  const hanging: (() => Promise<unknown>)[] = [];

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    const text = await bodyOf(request);
    const [, , , collection = '', id, action] = url.split('/');
    const one: Sent = { method, url, collection, id, action, body: text === undefined ? undefined : parse(text) };
    sent.push(one);
    response.once('close', () => void (response.writableFinished || cut.push(one)));
    await hooks.before?.(one);
    const token = request.headers['x-auth-token']?.toString();
    const forward = async (): Promise<Reply> => {
      const reply = await backend.answer({ method, url, body: text, token, type: request.headers['content-type'] });
      await hooks.after?.(one);
      return reply;
    };
    const rule = rules.find((active) => matches(active, one));
    if (!rule) return send(response, await forward());
    rule.left -= 1;
    rule.hits += 1;
    await act(rule.fault, { response, forward });
  }

  async function act(
    fault: Fault,
    { response, forward }: { readonly response: ServerResponse; readonly forward: () => Promise<Reply> },
  ): Promise<void> {
    switch (fault.act) {
      case 'answer':
        return send(response, fault.reply);
      case 'rewrite':
        return send(response, fault.reply(await forward()));
      case 'lose':
        if (fault.after === 'commit') await forward();
        response.req.socket.destroy();
        return;
      case 'pour':
        return pour(response, fault);
      case 'hang':
        hanging.push(forward);
        hooks.hanging?.();
    }
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    cut,
    listen: (next) => void (hooks = next),
    on(match, fault, times = Number.POSITIVE_INFINITY) {
      const rule: ActiveRule = { match, fault, left: times, hits: 0 };
      rules.unshift(rule);
      return {
        get hits() {
          return rule.hits;
        },
        lift: () => void (rule.left = 0),
      };
    },
    async deliver() {
      for (const forward of hanging.splice(0)) await forward();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
