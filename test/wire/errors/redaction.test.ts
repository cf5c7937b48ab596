// Secrets that servers echo: an echo reads as if `***` stood in its place, however it is spelled and whatever is done to the text later.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redact } from '../../../src/wire/errors/redaction.ts';
import { readErrorBody, redirectTarget } from '../../../src/wire/errors/shapes.ts';
import { classify } from '../../../src/wire/errors/table.ts';

const own = (message: string) => ({ error_code: 400, error_name: 'QUOTA_ERROR', error_message: message });
const identity = (message: string) => ({ error: { code: 400, title: 'Bad', message } });
const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#x27;' };
const forPages = (text: string) => text.replace(/[&<>"']/g, (sign) => signs[sign] ?? sign);
const inAscii = (json: string) =>
  json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** As frameworks put a text into what they answer. */
const bodies: Readonly<Record<string, (text: string) => string>> = {
  'text of its own': (text) => JSON.stringify(own(text)),
  'text of its own, in ASCII': (text) => inAscii(JSON.stringify(own(text))),
  'text of its own, that holds JSON': (text) => JSON.stringify(own(JSON.stringify({ text }))),
  'text of its own, that holds an address': (text) => JSON.stringify(own(`http://x/${encodeURIComponent(text)}`)),
  'text of the identity service': (text) => JSON.stringify(identity(text)),
  'other JSON': (text) => JSON.stringify({ what: { text } }),
  'other JSON, in ASCII': (text) => inAscii(JSON.stringify({ what: { text } })),
  'a page': (text) => `<html><body><p>${forPages(text)}</p></body></html>`,
  'a page in JSON': (text) => JSON.stringify({ code: '400 Bad', title: 'Bad', message: `<p>${forPages(text)}</p>` }),
  'plain text': (text) => text,
};

const awkward: Readonly<Record<string, string>> = {
  'two spaces': 'planted  password',
  'a tab': 'planted\tpassword',
  'a line end': 'planted\npassword',
  markup: 'pla<nt>ed-password',
  'the id of a request': 'planted-req-0a1b2c3d-password',
  quotes: `planted"pass'word`,
  'a backslash': 'planted\\password\\\\',
  'other letters': 'plänted-pässwörd-🔑-パス',
  'a question mark': 'planted?pass#word&more',
  'white space nobody sees': 'planted\u200b\u00a0password',
};

describe.each(Object.entries(bodies))('%s', (_name, body) => {
  const readsAs = (before: string, secret: string): void => {
    const [echo, without] = [body(`${before}(${secret})`), body(`${before}(***)`)];
    expect(readErrorBody(400, echo, [secret])).toEqual(readErrorBody(400, without, []));
  };

  test.each(Object.entries(awkward))('with %s', (_what, secret) => {
    readsAs('', secret);
    // At the end of what is shown, and of what is looked at.
    for (const length of [430, 480, 495, 8_100, 8_180]) readsAs('x'.repeat(length), secret);
  });

  test('with any secret', () => {
    const letter = fc.constantFrom(...Array.from('aZ09-_.~+/=:; \t\n<>&"\'\\%?#éλ😀\u200b'));
    // A backslash before what may have one of its own takes that with it: more goes than must.
    const secret = fc
      .string({ unit: letter, minLength: 8, maxLength: 40 })
      .filter((text) => !/^\\|\\(?!\w)/.test(text) && /[a-z]{2}|\d/i.test(text));
    fc.assert(fc.property(secret, (text) => readsAs('it is ', text)));
  });
});

test.each(Object.entries(awkward))('a redirect with %s', (_name, secret) => {
  for (const spelled of [secret, encodeURIComponent(secret)])
    expect(redirectTarget(`http://x/${spelled}/y?t=${spelled}`, [secret])).toBe('http://x/***/y');
});

test('the judgement of an answer is that of the answer, whatever is taken out of its text', () => {
  const secret = 'gAAAAABnTOKENwithManyCharactersInIt0123456789';
  const body = `{"error_code":404,"error_name":"NOT_FOUND","error_message":"${secret.slice(0, 20)}"}`;
  const error = classify({ method: 'GET', path: '/x' }, { phase: 'answered', status: 404, body }, [secret]);
  expect([error.category, error.detail, error.errorName]).toEqual(['notFound', '***', 'NOT_FOUND']);
});

describe('alone', () => {
  const token = 'gAAAAABnTOKENwithManyCharactersInIt0123456789';

  test('a long beginning is enough, and what follows it in the word goes, too', () => {
    expect(redact(`bad token ${token}!`, [token])).toBe('bad token ***!');
    expect(redact(`bad token ${token.slice(0, 30)}... see`, [token])).toBe('bad token *** see');
    expect(redact(`bad token ${token.slice(0, 11)}... see`, [token])).toBe('bad token gAAAAABnTOK... see');
    expect(redact(`${token}${token}, ${token.slice(0, 12)}`, [token])).toBe('******, ***');
  });

  test('no secret, no change; each of several goes', () => {
    expect(redact('nothing', ['', 'x/y'])).toBe('nothing');
    expect(redact('a x%2Fy b x\\/y c x&#x2F;y d x&#47;y', ['x/y', 'nothing'])).toBe('a *** b *** c *** d ***');
    expect(redact('ann:s3cret', ['s3cret', 'ann'])).toBe('***:***');
  });

  test('what base64 makes of it goes, too, wherever in a longer text it stands', () => {
    const odd = 'pl>ant?ed~tök/en==with+many';
    for (const secret of [token, odd])
      for (const before of ['', 'u', 'me', 'ann', 'ann:'])
        for (const after of ['', '\n', ':x'])
          for (const encoding of ['base64', 'base64url'] as const) {
            const told = redact(`Basic ${Buffer.from(before + secret + after).toString(encoding)} no`, [secret]);
            expect(told).toMatch(/^Basic [\w+/-]{0,8}\*\*\*[\w+/=-]{0,8} no$/);
          }
  });

  test('secrets of any length and texts of many echoes come to an end', () => {
    const long = '"\\<é'.repeat(2_500);
    expect(redact(`x ${JSON.stringify(long)} y`, [long])).toMatch(/^x "?\*\*\*/);
    expect(redact('"'.repeat(20_000), ['"'.repeat(30)])).toContain('***');
    expect(redact('\\'.repeat(20_000), ['\\"'.repeat(30)])).toMatch(/^\\+$/);
  });
});
