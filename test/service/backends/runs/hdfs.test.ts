// Files of HDFS, from a small stand-in for a name node and its data nodes.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock, systemDownload } from '../../../../src/lib/system.ts';
import { bring } from '../../../../src/service/backends/runs/binaries.ts';
import { mostBytes } from '../../../../src/service/backends/runs/transfer.ts';

type Handler = (url: URL, answer: ServerResponse, request: IncomingMessage) => void;

async function serve(handler: Handler, address: string): Promise<string> {
  const server = createServer((request, answer) =>
    handler(new URL(request.url ?? '', 'http://stand-in'), answer, request),
  ).listen(0, address);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise((resolve) => void server.on('listening', resolve));
  return `${address}:${(server.address() as AddressInfo).port}`;
}

const file = { FileStatus: { type: 'FILE', length: 4 } };

/** A cluster of one data node. The operations that are not given work as in Hadoop. */
async function cluster(given: { readonly status?: Handler; readonly open?: Handler; readonly data?: Handler } = {}) {
  const asked: string[] = [];
  const data = await serve(given.data ?? ((_url, answer) => void answer.end('jar!')), '127.77.250.2');
  const name = await serve((url, answer, request) => {
    asked.push(`${request.method} ${url.pathname}${url.search}`);
    if (url.searchParams.get('op') === 'GETFILESTATUS')
      (given.status ?? (() => answer.end(JSON.stringify(file))))(url, answer, request);
    else (given.open ?? (() => answer.end(JSON.stringify({ Location: `http://${data}/f` }))))(url, answer, request);
  }, '127.77.250.1');
  const folder = mkdtempSync(join(tmpdir(), 'hdfs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const to = join(folder, 'main.jar');
  const hdfs = { authority: '127.77.250.1:8020', user: 'ann b', page: `http://${name}`, dataNodes: [data] };
  const read = (url: string, more: object = {}) => {
    const settings = { jobFiles: undefined, hdfs, clock: systemClock, get: systemDownload };
    const binary = { id: '1', name: 'main.jar', url, extra: {}, size: undefined, read: () => undefined };
    return bring(to, binary, { ...settings, signal: new AbortController().signal, ...more });
  };
  return { asked, data, read, to };
}

const fails =
  (status: number, body: string): Handler =>
  (_url, answer) =>
    void answer.writeHead(status).end(body);

test('a binary is read as the user of the cluster, from a data node that the name node names', async () => {
  const { asked, read, to } = await cluster();
  await read('hdfs:///jars/a b%20c?#.jar');
  expect(readFileSync(to, 'utf8')).toBe('jar!');
  expect(statSync(to).mode & 0o077).toBe(0);
  const at = `GET /webhdfs/v1/jars/a%20b%2520c%3F%23.jar?op=`;
  const user = 'user.name=ann%20b';
  expect(asked).toEqual([`${at}GETFILESTATUS&${user}`, `${at}OPEN&noredirect=true&${user}`]);
});

test.each([
  ['that is missing', { status: fails(404, '{}') }, 'there is no file /a.jar in HDFS: write it first'],
  [
    'that is a folder',
    { status: fails(200, '{"FileStatus":{"type":"DIRECTORY","length":0}}') },
    '/a.jar in HDFS is no file',
  ],
  [
    'that is too large',
    { status: fails(200, `{"FileStatus":{"type":"FILE","length":${mostBytes + 1}}}`) },
    `it is larger than ${mostBytes} bytes`,
  ],
  [
    'that may not be read',
    { open: fails(403, '{"RemoteException":{"message":"Permission denied\\n\\tat somewhere"}}') },
    'HDFS answers with 403: Permission denied',
  ],
  ['with an answer that is no JSON', { status: fails(200, '<html>') }, 'HDFS answers with 200'],
  ['with an answer that is null', { status: fails(200, 'null') }, 'HDFS answers with 200'],
  ['with an answer that never ends', { status: fails(200, ' '.repeat(70_000)) }, 'its answer is too long'],
  ['with an answer that redirects', { status: (_u, a) => void a.writeHead(307, { location: '/' }).end() }, '307'],
  ['without a data node', { open: fails(200, '{}') }, 'HDFS names no data node of its cluster'],
  [
    'at an address that is no data node',
    { open: fails(200, '{"Location":"http://127.0.0.1:1/f"}') },
    'HDFS names no data node of its cluster',
  ],
  ['at a file', { open: fails(200, '{"Location":"file:///etc/passwd"}') }, 'HDFS names no data node'],
  ['that its data node lost', { data: fails(404, '') }, 'the data node answers with 404'],
  ['that its data node sends elsewhere', { data: (_u, a) => void a.writeHead(307, { location: '/' }).end() }, '307'],
] satisfies readonly (readonly [string, Parameters<typeof cluster>[0], string])[])(
  'a binary %s is refused',
  async (_what, given, why) => {
    const { read, to } = await cluster(given);
    await expect(read('hdfs:///a.jar')).rejects.toThrow(why);
    expect(existsSync(to)).toBe(false);
  },
);

test('a binary in another HDFS is refused, and so is one of a cluster without HDFS', async () => {
  const { asked, read } = await cluster();
  const begin = 'cannot read job binary main.jar: hdfs://elsewhere/a.jar is not in the HDFS of its cluster';
  await expect(read('hdfs://elsewhere/a.jar')).rejects.toThrow(`${begin}: use hdfs:///PATH for what is, or upload it`);
  await expect(read('hdfs://elsewhere/a.jar', { hdfs: undefined })).rejects.toThrow(`${begin}: it has none: upload it`);
  await expect(read('hdfs://ann:open-sesame@elsewhere/a.jar')).rejects.toThrow(begin);
  expect(asked).toEqual([]);
});

test('a data node that falls silent is given up after a time', async () => {
  let elapse = (): void => undefined;
  const after = (ms: number, callback: () => void) => {
    if (ms > 60_000) elapse = callback;
    return () => undefined;
  };
  const { read } = await cluster({
    data: (_url, answer) => {
      answer.write('jar');
      setTimeout(() => elapse(), 50);
    },
  });
  await expect(read('hdfs:///a.jar', { clock: { ...systemClock, after } })).rejects.toThrow(
    'it takes longer than 240 s',
  );
});
