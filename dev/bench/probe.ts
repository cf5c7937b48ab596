// Preloaded into the operator's process: counts its requests, measures its event loop, and reports both over HTTP.
import { subscribe } from 'node:diagnostics_channel';
import type { AddressInfo } from 'node:net';
import { type ApiMethod, verbOf } from '../../src/kube/http/call.ts';
import { targetOf } from '../../src/kube/target.ts';
import { type LoopFigures, loopFigures, resetLoop, startTicks } from './loop.ts';

// As the operator has it: an import would load what the operator does not.
const { createServer } = process.getBuiltinModule('node:http');

export interface ProbeFigures {
  /** By `verb resource`. */
  readonly kubernetes: Readonly<Record<string, number>>;
  /** By `METHOD route`. */
  readonly service: Readonly<Record<string, number>>;
  /** Answers of 400 and above, by the same words and the status. */
  readonly refused: Readonly<Record<string, number>>;
  /** Since the last request was sent to either side, but for the lease, which is renewed for ever; since the start where none was. */
  readonly quietMs: number;
  /** Since the last one that changes something in Kubernetes. */
  readonly quietWritesMs: number;
  readonly rssBytes: number;
  readonly heapUsedBytes: number;
  readonly cpuSeconds: number;
  /** Since the last reset. */
  readonly loop: LoopFigures;
}

interface Sent {
  readonly method: string;
  readonly path: string;
}

const kubernetes: Record<string, number> = {};
const service: Record<string, number> = {};
const refused: Record<string, number> = {};
const last = { request: performance.now(), write: performance.now() };

const isKubernetes = ({ path }: Sent): boolean => /^\/apis?\//.test(path);
const isLease = ({ path }: Sent): boolean => path.startsWith('/apis/coordination.k8s.io/');

function wordsOf(sent: Sent): string {
  const [path = '', query = ''] = sent.path.split('?', 2);
  if (isKubernetes(sent)) {
    const verb = verbOf({ method: sent.method as ApiMethod, path });
    return `${verb === 'list' && query.includes('watch=true') ? 'watch' : verb} ${targetOf(path).resource}`;
  }
  // Version, tenant, collection, and then the names of things.
  const [, , , collection = '', ...names] = path.split('/');
  return `${sent.method} ${[collection, ...names.map(() => ':id')].join('/')}`;
}

function count(into: Record<string, number>, words: string): void {
  into[words] = (into[words] ?? 0) + 1;
}

function figures(): ProbeFigures {
  const now = performance.now();
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return {
    kubernetes,
    service,
    refused,
    quietMs: now - last.request,
    quietWritesMs: now - last.write,
    rssBytes: rss,
    heapUsedBytes: heapUsed,
    cpuSeconds: (user + system) / 1e6,
    loop: loopFigures(),
  };
}

subscribe('undici:request:create', (message) => {
  const { request } = message as { readonly request: Sent };
  // From the first request on.
  startTicks();
  count(isKubernetes(request) ? kubernetes : service, wordsOf(request));
  if (isLease(request)) return;
  last.request = performance.now();
  if (isKubernetes(request) && request.method !== 'GET') last.write = last.request;
});
subscribe('undici:request:headers', (message) => {
  const { request, response } = message as { readonly request: Sent; readonly response: { statusCode: number } };
  if (response.statusCode >= 400) count(refused, `${wordsOf(request)} ${response.statusCode}`);
});

/** GET reads; POST begins new maxima. */
const server = createServer((request, response) => {
  if (request.method === 'POST') resetLoop();
  response.end(JSON.stringify(figures()));
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`probe on port ${(server.address() as AddressInfo).port}\n`);
});
server.unref();
