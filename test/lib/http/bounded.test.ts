// What pods answer is read up to a size, whatever they send.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { createTransport } from '../../../src/kube/http/transport.ts';
import { mostAnswerBytes, parseAnswer, readText } from '../../../src/lib/http/bounded.ts';
import { systemAskJson, systemClock, systemDownload, systemGet } from '../../../src/lib/system.ts';
import { createPodProxy } from '../../../src/service/backends/pods/api/pod-proxy.ts';
import { plainConfig } from '../../operator/kube/support/scripted-server.ts';

/** A page of somebody who may send anything. Resolves to its URL, and to how many bytes it could send. */
async function page(answer: (reply: ServerResponse, encodings: string) => void) {
  let sent = 0;
  const server = createServer(({ headers }, reply) => {
    reply.once('close', () => {
      sent = reply.socket?.bytesWritten ?? sent;
    });
    answer(reply, String(headers['accept-encoding']));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent: () => sent };
}

const chunk = Buffer.alloc(64 * 1024, ' ');

function withoutEnd(reply: ServerResponse): void {
  const more = (): void => {
    while (!reply.destroyed && reply.write(chunk));
    if (!reply.destroyed) reply.once('drain', more);
  };
  reply.on('error', () => undefined);
  more();
}

const tooLong = `the answer has more than ${mostAnswerBytes} bytes`;
const { signal } = new AbortController();

test.each([
  ['a success', 200],
  ['an error', 500],
])('%s without an end is given up', async (_what, status) => {
  const { url } = await page((reply) => withoutEnd(reply.writeHead(status)));
  await expect(systemGet(url, signal)).rejects.toThrow(tooLong);
  await expect(systemAskJson(url)).rejects.toThrow(status === 200 ? tooLong : 'answers with 500');
});

test('nothing more is read of an answer that is too long', async () => {
  const { url, sent } = await page(withoutEnd);
  await expect(systemAskJson(url)).rejects.toThrow(tooLong);
  await expect.poll(sent).toBeGreaterThan(0);
  // What the two sockets hold comes on top.
  expect(sent()).toBeLessThan(mostAnswerBytes + 16 * 1024 ** 2);
});

test('a compressed answer is not inflated', async () => {
  const asked: string[] = [];
  const body = gzipSync(Buffer.alloc(8 * 1024 ** 2, ' '));
  const { url } = await page((reply, encodings) => {
    asked.push(encodings);
    reply.writeHead(200, { 'content-encoding': 'gzip' }).end(body);
  });
  await expect(systemGet(url, signal)).rejects.toThrow('compressed (gzip)');
  await expect(systemAskJson(url)).rejects.toThrow('compressed (gzip)');
  await expect(systemDownload(url, { signal, headers: {}, redirect: 'manual' })).rejects.toThrow('compressed (gzip)');
  expect(asked).toEqual(['identity', 'identity', 'identity']);
});

test('an answer of usual length is read', async () => {
  const { url } = await page((reply) => reply.end('{"text":"Ā"}'));
  expect(await systemGet(url, signal)).toEqual({ ok: true, text: '{"text":"Ā"}' });
  expect(await systemAskJson(url)).toEqual({ text: 'Ā' });
  expect(await systemAskJson(url, { put: true })).toEqual({ text: 'Ā' });
});

test('an answer in chunks of one byte takes no more memory than its length', async () => {
  const one = Buffer.from(' ');
  async function* bytes() {
    for (let index = 0; index < 1_000_000; index += 1) yield one;
  }
  const before = process.memoryUsage().rss;
  expect(await readText(bytes())).toHaveLength(1_000_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 ** 2);
});

test('long answers that are read at a time are bounded together, and short ones are read beside them', async () => {
  const go = Promise.withResolvers<void>();
  async function* slowly(length: number) {
    yield Buffer.alloc(length, 'x');
    await go.promise;
  }
  const long = Promise.allSettled(Array.from({ length: 10 }, () => readText(slowly(mostAnswerBytes))));
  const short = readText(slowly(1000));
  await new Promise((resolve) => setImmediate(resolve));
  go.resolve();
  expect(await short).toHaveLength(1000);
  const ends = (await long).map((end) => (end.status === 'fulfilled' ? 'read' : String(end.reason)));
  expect(ends.filter((end) => end === 'read')).toHaveLength(6);
  expect(ends[9]).toContain('other long answers take the memory');
  expect(await readText(slowly(mostAnswerBytes))).toHaveLength(mostAnswerBytes);
});

test.each([
  ['nested', '['.repeat(50_001) + ']'.repeat(50_001)],
  ['objects', `[${'{},'.repeat(60_000)}{}]`],
  ['numbers', `[${'1,'.repeat(500_001)}1]`],
])('an answer of too many values is not parsed: %s', async (_what, text) => {
  const { url } = await page((reply) => reply.end(text));
  await expect(systemAskJson(url)).rejects.toThrow('the answer has too many values');
  expect(() => parseAnswer(`[${'{"a":1},'.repeat(40_000)}1]`)).not.toThrow();
});

test('what a pod answers through the API server is bounded, too', async () => {
  const { url } = await page(withoutEnd);
  const transport = createTransport({ config: plainConfig(url), clock: systemClock });
  onTestFinished(() => transport.close());
  const proxy = createPodProxy(transport);
  const pod = 'http://c-1-master-0.c-1.data.svc.cluster.local:4040/';
  await expect(proxy.get(pod, signal)).rejects.toThrow(tooLong);
  await expect(proxy.ask(pod)).rejects.toThrow(tooLong);
});

test('an answer that is read by lines can be long, and none of its lines', async () => {
  const line = 'x'.repeat(1000);
  const { url } = await page((reply) => reply.end(`${`${line}\n`.repeat(5000)}last`));
  let [count, last] = [0, ''];
  const read = await systemGet(url, signal, (each) => {
    count += 1;
    last = each;
  });
  expect([read, count, last]).toEqual([{ ok: true, text: '' }, 5001, 'last']);
  const long = await page(withoutEnd);
  const problem = 'a line of the answer has more than 65536 characters';
  await expect(systemGet(long.url, signal, () => undefined)).rejects.toThrow(problem);
  const transport = createTransport({ config: plainConfig(long.url), clock: systemClock });
  onTestFinished(() => transport.close());
  const pod = 'http://c-1-master-0.c-1.data.svc.cluster.local:4040/';
  await expect(createPodProxy(transport).get(pod, signal, () => undefined)).rejects.toThrow(problem);
});

test('an answer that ends before its time is not taken for a whole one, by lines either', async () => {
  const { url } = await page((reply) => {
    reply.writeHead(200).write('first\n', () => reply.socket?.destroy());
  });
  await expect(systemGet(url, signal, () => undefined)).rejects.toThrow('UND_ERR_SOCKET');
});

test('characters that two chunks share are read as one', async () => {
  const bytes = Buffer.from('aĀb');
  const chunks = (async function* () {
    for (const byte of bytes) yield Buffer.from([byte]);
  })();
  expect(await readText(chunks)).toBe('aĀb');
});
