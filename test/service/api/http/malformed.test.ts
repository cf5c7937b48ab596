// What is wrong with a request before any route has seen it: the answer has the shape of all others.
import type { Socket } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { answerMalformed } from '../../../../src/service/api/http/malformed.ts';
import { type Json, type Peer, serve, workers } from '../../../contract/support.ts';
import { sendRaw } from '../../../fuzz/exchange.ts';

const path = '/v1.0/t/node-group-templates';

/** Status, type and body of the answer to these bytes. */
async function answerTo({ url }: Peer, text: string): Promise<readonly [number, string, unknown]> {
  const answer = await sendRaw(url, Buffer.from(text, 'latin1'), 300);
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const type = /^content-type: (.*)$/im.exec(head)?.[1] ?? '';
  return [Number(head.split(' ')[1]), type, JSON.parse(body)];
}

const refusals = [
  ['no HTTP', 'hello\r\n\r\n', 400, 'BAD_REQUEST', 'cannot read request: it is not HTTP'],
  [
    'a length that is none',
    `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n`,
    400,
    'BAD_REQUEST',
    'cannot read request: it is not HTTP',
  ],
  [
    'a head that is too large',
    `GET ${path} HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
    431,
    'REQUEST_HEADER_FIELDS_TOO_LARGE',
    'cannot read request: its head is larger than 16 KiB',
  ],
] as const;

describe('what is hardly HTTP is refused in the shape of the dialect', () => {
  test.each(refusals)('%s', async (_what, text, error_code, error_name, error_message) => {
    const answer = await answerTo(await serve(), text);
    expect(answer).toEqual([error_code, 'application/json', { error_code, error_name, error_message }]);
  });

  test.each(refusals)('%s, in sahara', async (_what, text, error, _name, error_message) => {
    const answer = await answerTo(await serve({ dialect: 'sahara' }), text);
    expect(answer).toEqual([error, 'application/json', { error, error_message }]);
  });
});

test.each([
  ['neutral', { error_code: 408, error_name: 'REQUEST_TIMEOUT', error_message: expect.any(String) }],
  ['sahara', { error: 408, error_message: expect.any(String) }],
] as const)('%s: who does not come to an end is told so', (dialect, body) => {
  const [write, destroy] = [vi.fn<(text: string) => void>(), vi.fn<() => void>()];
  const socket = { writable: true, write, destroy } as unknown as Socket;
  answerMalformed(dialect)(Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
  const [head = '', text = ''] = write.mock.calls[0]?.[0].split('\r\n\r\n') ?? [];
  expect([head.split('\r\n')[0], JSON.parse(text)]).toEqual(['HTTP/1.1 408 Request Timeout', body]);
  expect(destroy).toHaveBeenCalledOnce();
});

test.each([
  ['no host', ''],
  ['an expectation that nobody knows', 'host: localhost\r\nexpect: wonders\r\n'],
])('%s keeps nobody from being answered', async (_what, head) => {
  const [status, type, body] = await answerTo(await serve(), `GET ${path} HTTP/1.1\r\n${head}\r\n`);
  expect([status, type, body]).toEqual([200, 'application/json; charset=utf-8', { node_group_templates: [] }]);
});

describe.each(['neutral', 'sahara', 'savanna'] as const)('%s', (dialect) => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

  test.each([
    [100, 'VALIDATION_ERROR', 'a: unknown field'],
    [101, 'MALFORMED_REQUEST_BODY', 'cannot read body: it is nested more than 100 deep'],
    [50_000, 'MALFORMED_REQUEST_BODY', 'cannot read body: it is nested more than 100 deep'],
  ])('a body that is nested %d deep: %s', async (depth, error_name, text) => {
    const { status, body } = await (await serve({ dialect })).post(path, nested(depth));
    expect([status, body.error_name]).toEqual([400, error_name]);
    expect(body.error_message).toContain(text);
  });

  test.each([';;;', 'json', '\u00ff/\u00fe'])('a Content-Type that is none: %j', async (type) => {
    const peer = await serve({ dialect });
    const { status, body } = await peer.send('POST', path, workers, { 'content-type': type });
    expect([status, body.error_name]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });
});

test.each([
  ['objects', `{"a":[${'{},'.repeat(60_000)}{}]}`],
  ['values', `{"a":[${'0,'.repeat(500_001)}0]}`],
])('a body of too many %s is not parsed', async (_what, body) => {
  const { url } = await serve();
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/v1.0/t/clusters`, { method: 'POST', headers, body });
  expect([answer.status, ((await answer.json()) as Json).error_message]).toEqual([
    400,
    'cannot read body: it has more than 50,000 objects and arrays, or 500,000 values',
  ]);
});

test('a configuration file that is nested too deep', async () => {
  const text = `${'['.repeat(5000)}${']'.repeat(5000)}`;
  const { status, body } = await (await serve()).post('/v1.0/t/plugins/fake/0.1/convert-config/x', text);
  expect([status, body.error_name]).toEqual([400, 'MALFORMED_REQUEST_BODY']);
});
