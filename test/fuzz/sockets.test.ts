// Bytes that are hardly HTTP any more, sent as they are: each is answered in a known shape or not at all, and the service lives on.
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { type Dialect, dialects } from '../../src/wire/dialect.ts';
import { type Stand, setUp } from './campaign.ts';
import { asNetcat, sendRaw } from './exchange.ts';
import { tenant } from './furniture.ts';
import { refusalProblems } from './verdict.ts';

const path = `/v1.1/${tenant}/node-group-templates`;
const json = '{"name": "x", "plugin_name": "fake"}';

const starts = [
  `GET ${path} HTTP/1.1`,
  `POST ${path} HTTP/1.1`,
  `PUT ${path}/x HTTP/1.1`,
  `DELETE ${path}/x HTTP/1.1`,
  `GET ${path} HTTP/1.0`,
  `GET ${path} HTTP/2.0`,
  `GET ${path} HTTP/9.9`,
  `GET ${path}`,
  `BREW ${path} HTTP/1.1`,
  `get ${path} HTTP/1.1`,
  `GET  ${path}  HTTP/1.1`,
  'GET * HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  `CONNECT x:1 HTTP/1.1`,
  `GET http://elsewhere${path} HTTP/1.1`,
  'GET /\u0000 HTTP/1.1',
  'PRI * HTTP/2.0',
  `GET /${'x'.repeat(20_000)} HTTP/1.1`,
  'GET // HTTP/1.1',
  '',
  '\u0016\u0003\u0001\u0000\u00a5',
  'HTTP/1.1 200 OK',
  `GET ${path}\tHTTP/1.1`,
];
const lines = [
  'host: localhost',
  'host: 127.0.0.1:8386',
  'host: x',
  'origin: http://x',
  'host: a b',
  'host',
  ': x',
  'content-length: 5',
  'content-length: -1',
  'content-length: 1e3',
  'content-length: 99999999999999999999',
  'content-length: 36',
  'content-length: 0',
  'transfer-encoding: chunked',
  'transfer-encoding: gzip, chunked',
  'transfer-encoding: identity',
  'transfer-encoding:',
  'content-type: application/json',
  'content-type: a/b',
  'expect: 100-continue',
  'expect: wonders',
  'connection: close',
  'connection: keep-alive',
  'connection: upgrade',
  'upgrade: websocket',
  'x: \u0000',
  ' folded: x',
  'x\u0001: y',
  `x: ${'y'.repeat(17_000)}`,
  'accept: \u00ff',
  'x-auth-token: bad',
];
const bodies = [
  '',
  json,
  json.slice(5),
  `24\r\n${json}\r\n0\r\n\r\n`,
  'zz\r\n',
  '5\r\nab\r\n',
  'ffffffffffffffff\r\nx',
  '0\r\nx: y\r\n\r\n',
  `GET ${path} HTTP/1.1\r\n\r\n`,
  '\u0000'.repeat(50),
  '\r\n\r\n',
  '1;x=y\r\n{\r\n',
];

const message = fc
  .record({
    start: fc.constantFrom(...starts),
    head: fc.array(fc.constantFrom(...lines), { maxLength: 5 }),
    body: fc.constantFrom(...bodies),
    end: fc.constantFrom('\r\n', '\r\n', '\r\n', '\n', '\r'),
    cut: fc.oneof(
      { arbitrary: fc.constant(1), weight: 5 },
      { arbitrary: fc.double({ min: 0, max: 1, noNaN: true }), weight: 1 },
    ),
  })
  .map(({ start, head, body, end, cut }) => {
    const bytes = Buffer.from([start, ...head, '', body].join(end), 'latin1');
    return bytes.subarray(0, Math.ceil(bytes.length * cut));
  });

/** The first of the answers, and whether it is a whole one. */
function problemsOf(dialect: Dialect, text: string): readonly string[] {
  if (text === '' || text.startsWith('HTTP/1.1 100 ')) return [];
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
  if (Number.isNaN(status) || status >= 500) return [`answered ${head.slice(0, 200)}`];
  if (status < 400) return [];
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim() ?? '';
  const body = rest.join('\r\n\r\n').slice(0, Number(field('content-length')));
  return refusalProblems(dialect, { status, type: field('content-type'), text: body });
}

async function bombard({ peer, url }: Stand, dialect: Dialect, runs: number): Promise<void> {
  // Who says half a word and then nothing is waited for, too; here not for long.
  const send = (bytes: Buffer) => sendRaw(url, bytes, 25);
  const property = fc.asyncProperty(fc.array(message, { minLength: 8, maxLength: 8 }), async (volley) => {
    const answers = await Promise.all(volley.map(send));
    for (const [index, text] of answers.entries()) {
      const problems = problemsOf(dialect, text);
      if (problems.length > 0)
        throw new Error(`${problems.join('\n')}\n${asNetcat(url, volley[index] ?? Buffer.of())}`);
    }
    expect((await peer.get(`/v1.1/${tenant}/plugins`)).status).toBe(200);
  });
  await fc.assert(property, { numRuns: runs });
}

test.each(dialects)('malformed requests, %s', async (dialect) => {
  const stand = await setUp({ dialect });
  onTestFinished(() => stand.server.close());
  await bombard(stand, dialect, 25);
});
