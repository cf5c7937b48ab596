// What a failed exchange reports of certificates, whose names come from outside.
import { describe, expect, test } from 'vitest';
import { failureCode, failureText } from '../../../../src/operator/client/http/exchange.ts';

const mismatch = (cert: object, host = 'here.test') =>
  Object.assign(new Error('mismatch'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID', host, cert });

const forOthers = (names: string, host = 'here.test') =>
  `it is for ${names}, not for ${host}; use one of these names as the host, or issue a certificate for ${host}`;

describe('a certificate for other names', () => {
  test.each([
    [{ subjectaltname: 'DNS:a.test, DNS:*.b.test, IP Address:10.0.0.1' }, forOthers('a.test, *.b.test, 10.0.0.1')],
    [{ subjectaltname: 'DNS:a.test', subject: { CN: 'b.test' } }, forOthers('a.test')],
    [{ subject: { CN: 'b.test' } }, forOthers('b.test')],
    [{ subject: { CN: ['b.test', 'c.test'] } }, forOthers('b.test, c.test')],
    [{ subject: { CN: 'two words' } }, 'it has no names; issue a certificate for here.test'],
    [{}, 'it has no names; issue a certificate for here.test'],
  ])('is described by those names: %j', (cert, text) => {
    expect(failureText(mismatch(cert))).toBe(text);
  });

  test('with many or long names stays short', () => {
    const names = Array.from({ length: 1000 }, (_, index) => `DNS:${index}${'x'.repeat(500)}`);
    expect(failureText(mismatch({ subjectaltname: names.join(', ') }, 'h'.repeat(500)))?.length).toBeLessThan(800);
    expect(failureText(mismatch({ subjectaltname: 'DNS:1, DNS:2, DNS:3, DNS:4, DNS:5, DNS:6, DNS:7' }))).toBe(
      forOthers('1, 2, 3, 4, 5 and 2 more'),
    );
  });

  test('brings no text that is not part of a host', () => {
    const text = failureText(mismatch({ subjectaltname: 'DNS:"a, DNS:b\u0007", DNS:<b>, URI:http://x, DNS:c.test' }));
    expect(text).toBe(forOthers('c.test'));
  });
});

test('other errors need no text', () => {
  expect(failureText(Object.assign(new Error('secret'), { code: 'ECONNRESET' }))).toBeUndefined();
  expect(failureText('anything')).toBeUndefined();
});

describe('an answer that is not HTTP', () => {
  const parserError = (data?: unknown) =>
    Object.assign(new Error('no'), { name: 'HTTPParserError', ...(data !== undefined && { data }) });
  test.each([
    [parserError(), 'HPE_UNKNOWN'],
    [parserError('SSH-2.0'), 'HPE_UNKNOWN'],
    [parserError('\u0015\u0003\u0005'), 'HPE_UNKNOWN'],
    [parserError('\u0015\u0003\u0001\u0000\u0002'), 'TLS_ANSWER'],
    [parserError(Buffer.from([0x15, 3, 3, 0, 2])), 'TLS_ANSWER'],
    [Object.assign(parserError('\u0015\u0003\u0003'), { code: 'HPE_INVALID_CONSTANT' }), 'TLS_ANSWER'],
    [Object.assign(parserError('x'), { code: 'HPE_INVALID_CONSTANT' }), 'HPE_INVALID_CONSTANT'],
  ])('has a code: %#', (error, code) => {
    expect(failureCode(error)).toBe(code);
  });
});
