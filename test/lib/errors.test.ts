// What a failure of fetch is told as: with the address and the cause, and nothing of the network behind it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { failureOfFetch, messageOf } from '../../src/lib/errors.ts';

async function failure(url: string, init: RequestInit = {}): Promise<string> {
  const read = async () => (await fetch(url, init)).text();
  const error = await read().then(
    () => undefined,
    (cause: unknown) => failureOfFetch(cause, 'http://there/x'),
  );
  return messageOf(error);
}

describe('a request that fails', () => {
  test('because nobody listens', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    expect(await failure(`http://127.0.0.1:${port}/`)).toBe(
      'the request to http://there/x failed: connect ECONNREFUSED',
    );
  });

  test('because the answer breaks off', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('a', () => response.destroy());
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    expect(await failure(`http://127.0.0.1:${port}/`)).toMatch(/^the request to http:\/\/there\/x failed: \S/);
  });
});

test('an address that a host leads to is not told', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:80'), {
    code: 'ECONNREFUSED',
    syscall: 'connect',
  });
  const both = new AggregateError([cause, cause]);
  for (const one of [cause, both]) {
    const told = messageOf(failureOfFetch(new TypeError('fetch failed', { cause: one }), 'http://there/x'));
    expect(told).toBe('the request to http://there/x failed: connect ECONNREFUSED');
  }
});

test('without a URL, the cause alone', () => {
  const cause = Object.assign(new Error('getaddrinfo EAI_AGAIN x'), { code: 'EAI_AGAIN', syscall: 'getaddrinfo' });
  expect(failureOfFetch(new TypeError('fetch failed', { cause }))).toMatchObject({ message: 'getaddrinfo EAI_AGAIN' });
});

test('an abort and other errors stay as they are', () => {
  for (const error of [new DOMException('aborted', 'AbortError'), new Error('x'), new TypeError('no cause')])
    expect(failureOfFetch(error, 'http://there/x')).toBe(error);
});
