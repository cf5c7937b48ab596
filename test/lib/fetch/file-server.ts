// A server on loopback that serves one file as badly as a test asks for.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';

export interface Asked {
  readonly path: string;
  readonly range: string | undefined;
}

export interface FileServer {
  readonly home: string;
  readonly asked: readonly Asked[];
}

export interface Habits {
  /** Closes the connection after so many bytes of an answer, in the first requests. */
  readonly cutAfter?: number;
  readonly cuts?: number;
  /** Bytes of which each write has this many, with this pause after it. */
  readonly slow?: { readonly bytes: number; readonly ms: number };
  readonly ignoresRange?: boolean;
  readonly status?: number;
}

export const digestOf = (content: Buffer) =>
  ({ algorithm: 'sha512', hex: createHash('sha512').update(content).digest('hex') }) as const;

/** Serves the content at every path until the end of the test. */
export async function serveFile(content: Buffer, habits: Habits = {}): Promise<FileServer> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    asked.push({ path: request.url ?? '', range: request.headers.range });
    void answer({ content, habits, number: asked.length }, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  vi.stubEnv('NO_PROXY', '127.0.0.1');
  return { home: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

interface Served {
  readonly content: Buffer;
  readonly habits: Habits;
  readonly number: number;
}

async function answer({ content, habits, number }: Served, request: IncomingMessage, response: ServerResponse) {
  if (habits.status !== undefined) return response.writeHead(habits.status, { location: '/moved' }).end();
  const [, start] = /^bytes=(\d+)-$/.exec(habits.ignoresRange === true ? '' : (request.headers.range ?? '')) ?? [];
  const begin = Number(start ?? 0);
  if (begin >= content.length && start !== undefined)
    return response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end();
  const rest = content.subarray(begin);
  const range = { 'content-range': `bytes ${begin}-${content.length - 1}/${content.length}` };
  response.writeHead(start === undefined ? 200 : 206, {
    'content-length': rest.length,
    ...(start === undefined ? {} : range),
  });
  const cut = habits.cutAfter !== undefined && number <= (habits.cuts ?? 1);
  const sent = cut ? rest.subarray(0, habits.cutAfter) : rest;
  const { bytes, ms } = habits.slow ?? { bytes: sent.length, ms: 0 };
  for (let at = 0; at < sent.length && !response.destroyed; at += bytes) {
    response.write(sent.subarray(at, at + bytes));
    if (ms > 0) await sleep(ms);
  }
  if (!cut) return response.end();
  // Bytes that are still in a buffer would be lost.
  await sleep(50);
  return response.destroy();
}
