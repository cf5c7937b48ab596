// A proxy before the service that counts what passes, and lets a test act exactly when a certain request does.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request has arrived and was not passed on; or its answer has arrived and was not passed back; or that was done, too. */
export type Moment = 'arrived' | 'answered' | 'done';

export interface Passing {
  readonly moment: Moment;
  readonly method: string;
  /** Without the prefix of version and tenant. */
  readonly path: string;
  /** Of the answer; 0 before it. */
  readonly status: number;
}

export interface Proxy {
  readonly url: string;
  /** All so far, in their order. */
  readonly passed: readonly Passing[];
  /** Requests whose answer did not reach the client as a whole. */
  readonly cut: readonly string[];
  /** Called for each; what it waits for holds the request up. */
  listen(listener: ((passing: Passing) => void | Promise<void>) | undefined): void;
}

export const isWrite = ({ method }: Passing): boolean => method !== 'GET';

/** Runs until the end of the test. */
export async function startProxy(upstream: string): Promise<Proxy> {
  const passed: Passing[] = [];
  const cut: string[] = [];
  let heard: ((passing: Passing) => void | Promise<void>) | undefined;
  const tell = async (passing: Passing): Promise<void> => {
    passed.push(passing);
    await heard?.(passing);
  };
  const server = createServer((incoming, outgoing) => {
    const what = describe(incoming);
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) cut.push(`${what.method} ${what.path}`);
    });
    pass({ incoming, outgoing, upstream }, (moment, status) => tell({ ...what, moment, status })).catch(() =>
      outgoing.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, passed, cut, listen: (listener) => void (heard = listener) };
}

function describe({ method = '', url = '' }: IncomingMessage): Pick<Passing, 'method' | 'path'> {
  return { method, path: url.replace(/^\/v1\.\d\/[^/]+/, '') };
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly upstream: string;
}

/** A request that has arrived is passed on even if its client is gone by then, as networks do. */
async function pass(
  { incoming, outgoing, upstream }: Exchange,
  tell: (moment: Moment, status: number) => Promise<void>,
): Promise<void> {
  const body = await collect(incoming);
  await tell('arrived', 0);
  const { method = 'GET', url = '', headers } = incoming;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const call = request(`${upstream}${url}`, { method, headers, agent: false }, resolve);
    call.once('error', reject);
    call.end(body);
  });
  const content = await collect(answer);
  const status = answer.statusCode ?? 0;
  await tell('answered', status);
  const { connection: _, 'transfer-encoding': __, ...rest } = answer.headers;
  outgoing.writeHead(status, rest);
  outgoing.end(content, () => void tell('done', status));
}

async function collect(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
