// A proxy before the API server that counts requests. It answers for pods, which nobody runs.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { ApiMethod } from '../../../src/kube/http/call.ts';
import type { PodTransport } from '../../../src/kube/http/transport.ts';
import { targetOf } from '../../../src/kube/target.ts';

export interface CountingProxy extends AsyncDisposable {
  readonly url: string;
  /** How many requests there were so far, such as `GET jobs` or `WATCH pods`. */
  counts(): Readonly<Record<string, number>>;
  /** The program of the pod has ended, and so does its log. */
  endLog(pod: string): void;
  /** What Spark says of its workers. */
  workers: readonly object[];
}

const longestMs = 3_600_000;

export async function startCountingProxy(transport: PodTransport): Promise<CountingProxy> {
  const counts: Record<string, number> = {};
  let workers: readonly object[] = [];
  const logs = new Map<string, ServerResponse>();
  const server = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? '/', 'http://proxy');
    const verb = url.searchParams.has('watch') ? 'WATCH' : (incoming.method ?? '');
    const name = `${verb} ${targetOf(url.pathname).resource}`;
    counts[name] = (counts[name] ?? 0) + 1;
    if (url.pathname.includes('/proxy')) outgoing.end(JSON.stringify({ status: 'ALIVE', workers }));
    else if (url.pathname.endsWith('/log')) answerLog(url, outgoing, logs);
    else pass(transport, { incoming, outgoing, url }).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts: () => ({ ...counts }),
    endLog: (pod) => void logs.get(pod)?.end(),
    get workers() {
      return workers;
    },
    set workers(now) {
      workers = now;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A program that prints nothing: a log that is followed stays open. */
function answerLog(url: URL, outgoing: ServerResponse, logs: Map<string, ServerResponse>): void {
  outgoing.writeHead(200).flushHeaders();
  if (url.searchParams.get('follow') === 'true') logs.set(targetOf(url.pathname).name ?? '', outgoing);
  else outgoing.end();
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly url: URL;
}

async function pass(transport: PodTransport, { incoming, outgoing, url }: Exchange): Promise<void> {
  const controller = new AbortController();
  outgoing.once('close', () => controller.abort());
  const contentType = incoming.headers['content-type'];
  const { status, bytes } = await transport.open({
    method: (incoming.method ?? 'GET') as ApiMethod,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    ...(contentType !== undefined && { contentType, body: await json(incoming) }),
    signal: controller.signal,
    timeoutMs: longestMs,
  });
  outgoing.writeHead(status, { 'content-type': 'application/json' }).flushHeaders();
  for await (const chunk of bytes) outgoing.write(chunk);
  outgoing.end();
}
