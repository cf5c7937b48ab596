// Which answer is which error: one row for each line of the table, and what must hold for any answer at all.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Category,
  type Certainty,
  explain,
  type Method,
  ServiceError,
  withoutText,
} from '../../../src/wire/errors/service-error.ts';
import { cleanText, readErrorBody } from '../../../src/wire/errors/shapes.ts';
import { classify, retryAfterMs } from '../../../src/wire/errors/table.ts';
import { causeOf } from '../../../src/wire/errors/transport-causes.ts';
import { cpuMs } from '../../support/cpu.ts';

const own = (status: number, name: string | number, message = 'no') =>
  JSON.stringify({ error_code: status, error_name: name, error_message: message });
const framework = (status: number) => JSON.stringify({ error: status, error_message: 'Not found here' });
const identity = JSON.stringify({ error: { code: 401, title: 'Unauthorized', message: 'The token has expired.' } });
const page = (title: string) =>
  `<html><head><title>${title}</title></head><body><h1>${title}</h1><hr>nginx</body></html>`;

const answered = (method: Method, status: number, body: string, more: object = {}) =>
  classify({ method, path: '/v1.0/t/clusters' }, { phase: 'answered', status, body, ...more });

type Row = [name: string, answer: `${Method} ${number}`, body: string, is: `${Category}, ${Certainty}`, why?: RegExp];

const rows: readonly Row[] = [
  [
    'refused by schema',
    'POST 400',
    own(400, 'VALIDATION_ERROR', 'name: too long'),
    'rejected, answered',
    /^the service refused it: name: too long \(VALIDATION_ERROR\)$/,
  ],
  [
    'a referent is missing',
    'POST 400',
    own(400, 'NOT_FOUND', "flavor 'x' not found"),
    'rejected, answered',
    /flavor 'x' not found/,
  ],
  ['error name is an integer', 'GET 400', own(400, 400, 'bad limit'), 'rejected, answered', /: bad limit$/],
  ['name taken', 'POST 400', own(400, 'NAME_ALREADY_EXISTS'), 'conflict, answered'],
  ['name taken, as the interface spells it', 'POST 400', own(400, 'CLUSTER_NAME_ALREADY_EXISTS'), 'conflict, answered'],
  ['name taken, by the database', 'POST 400', own(400, 'DB_DUPLICATE_ENTRY'), 'conflict, answered'],
  ['name taken, as a 409', 'POST 409', own(409, 'NAME_ALREADY_EXISTS'), 'conflict, answered'],
  ['another 409', 'POST 409', own(409, 'BUSY'), 'conflict, answered'],
  ['a 409 of somebody else', 'POST 409', page('409'), 'conflict, open'],
  [
    'in use',
    'DELETE 400',
    own(400, 'INVALID_REFERENCE', 'template is used by clusters a, b'),
    'conflict, answered',
    /^it is in use: /,
  ],
  ['protected', 'DELETE 400', own(400, 'DELETION_FAILED', 'it is marked as protected'), 'rejected, answered'],
  ['expired token', 'POST 401', identity, 'unauthorized, definite', /does not accept the token: The token has expired/],
  [
    'token of another tenant',
    'POST 401',
    page('401 Unauthorized'),
    'unauthorized, definite',
    /does not belong to this tenant/,
  ],
  [
    'token of another tenant, as text',
    'GET 401',
    '401 Unauthorized\n\nThis server could not verify...',
    'unauthorized, definite',
    /a new token of the same project will not help/,
  ],
  [
    'token of another tenant, as a page in JSON',
    'GET 401',
    JSON.stringify({ message: 'Not yours.<br /><br />\nOther tenant\n', code: '401 Unauthorized', title: 'No' }),
    'unauthorized, definite',
    /a new token of the same project will not help: 401 Unauthorized Not yours\.; Other tenant$/,
  ],
  ['forbidden', 'POST 403', own(403, 'FORBIDDEN'), 'unauthorized, definite'],
  ['forbidden by a page', 'POST 403', page('403'), 'unauthorized, definite'],
  ['not there', 'GET 404', own(404, 'NOT_FOUND'), 'notFound, answered'],
  ['unknown path', 'GET 404', framework(404), 'malformed, answered', /check endpoint, tenant and dialect/],
  ['wrong method', 'POST 405', framework(405), 'malformed, answered'],
  [
    'wrong method, in its own words',
    'GET 405',
    own(405, 'METHOD_NOT_ALLOWED'),
    'malformed, answered',
    /^the service does not know this path: check endpoint, tenant and dialect: no \(METHOD_NOT_ALLOWED\)$/,
  ],
  [
    'unknown path, without a word',
    'GET 404',
    JSON.stringify({ error: 404, error_message: '' }),
    'malformed, answered',
    /^the service does not know this path: check endpoint, tenant and dialect$/,
  ],
  [
    'unknown path of a proxy',
    'POST 404',
    page('404 Not Found'),
    'malformed, open',
    /the path does not exist, or a proxy answers/,
  ],
  ['a 404 that says 400', 'GET 404', own(400, 'NOT_FOUND'), 'malformed, open'],
  ['an empty 404', 'GET 404', '', 'malformed, open'],
  ['request time-out', 'POST 408', own(408, 'TIMEOUT'), 'unreachable, open'],
  ['too early', 'POST 425', own(425, 'EARLY'), 'unreachable, open'],
  ['throttled', 'POST 429', 'slow down', 'throttled, definite'],
  [
    'too large for a proxy',
    'POST 413',
    page('413 Request Entity Too Large'),
    'rejected, open',
    /not in the service's own form: 413/,
  ],
  ['other JSON', 'POST 400', '{"message":"no"}', 'rejected, open'],
  [
    'handler failed',
    'POST 500',
    own(500, 'INTERNAL_SERVER_ERROR', 'Internal Server Error\nError ID: 0f9c1c1e-7a4e-4f0c-9a6b-1d2e3f405162'),
    'serverFault, open',
    /^the service failed: Internal Server Error \(INTERNAL_SERVER_ERROR\)$/,
  ],
  ['framework crashed', 'GET 500', framework(500), 'serverFault, open'],
  ['bad gateway', 'PUT 502', page('502 Bad Gateway'), 'serverFault, open', /^the service is unavailable$/],
  [
    'token without a project',
    'GET 503',
    'Service Unavailable',
    'serverFault, open',
    /^the service is unavailable, or the token has no project$/,
  ],
  ['the last refusal that HTTP knows', 'POST 499', own(499, 'CLOSED'), 'rejected, answered'],
  [
    'token of another tenant, without a word',
    'GET 401',
    '',
    'unauthorized, definite',
    /a new token of the same project will not help/,
  ],
  [
    'redirect in the form of a refusal',
    'POST 302',
    own(302, 'FOUND'),
    'malformed, answered',
    /redirects are not followed/,
  ],
  ['redirect to log in', 'POST 302', '', 'malformed, answered', /redirects are not followed/],
  ['choice of versions', 'GET 300', '{"versions":[]}', 'malformed, answered'],
  ['a 200 that is a 404', 'GET 200', '"<Response 183 bytes [404 NOT FOUND]>"', 'malformed, open', /must be read again/],
  ['a 202 with a page', 'POST 202', page('hello'), 'malformed, open'],
  ['a cut 202', 'POST 202', '{"cluster": {"id"', 'malformed, open'],
  ['an unknown status', 'POST 777', '', 'malformed, open'],
];

describe('answers', () => {
  test.each(rows)('%s', (_name, answer, body, is, why = /./) => {
    const [method, status] = answer.split(' ') as [Method, string];
    const error = answered(method, Number(status), body);
    expect(`${error.category}, ${error.certainty}`).toBe(is);
    expect(error.status).toBe(Number(status));
    expect(error.why).toMatch(why);
    expect(error.message).toBe(`cannot ${method} /v1.0/t/clusters: ${error.why}`);
  });

  test.each([
    ['It is full.', 'It is full (X)'],
    ['It is full', 'It is full (X)'],
    ['Wait...', 'Wait... (X)'],
    ['.', '. (X)'],
  ])('"%s" is a part of the sentence: %s', (said, told) => {
    expect(answered('POST', 400, own(400, 'X', said)).why).toBe(`the service refused it: ${told}`);
  });

  test('only the three attributes with the status of the answer are the own shape', () => {
    const bodies = [
      framework(404),
      identity,
      page('404'),
      '',
      '[]',
      'null',
      '"x"',
      own(400, 'X'),
      '{"error_code":404}',
      '{"error_code":404,"error_name":null,"error_message":"no"}',
      '{"error_code":404,"error_name":"NOT_FOUND","error_message":7}',
    ];
    expect(bodies.map((body) => answered('GET', 404, body).ownShape)).toEqual(bodies.map(() => false));
    expect(answered('GET', 404, own(404, 'NOT_FOUND')).ownShape).toBe(true);
  });

  test('a 404 about a whole collection is no absence', () => {
    const request = { method: 'GET', path: '/v1.0/t/clusters', collection: true } as const;
    const error = classify(request, { phase: 'answered', status: 404, body: own(404, 'NOT_FOUND') });
    expect([error.category, error.certainty]).toEqual(['malformed', 'answered']);
    expect(error.why).toContain('does not know this path');
  });

  test('a taken name is told apart from other refusals, in each spelling', () => {
    const taken = (name: string, status = 400, method: Method = 'POST') =>
      answered(method, status, own(status, name)).nameTaken;
    expect(
      ['NAME_ALREADY_EXISTS', 'CLUSTER_NAME_ALREADY_EXISTS', 'DB_DUPLICATE_ENTRY'].map((name) => taken(name)),
    ).toEqual([true, true, true]);
    expect(taken('NAME_ALREADY_EXISTS', 409)).toBe(true);
    const others = [
      'RENAME_ALREADY_EXISTS',
      'NAME_ALREADY_EXISTS_ELSEWHERE',
      'NOT_FOUND',
      'DB_DUPLICATE_ENTRY_X',
      'X_DB_DUPLICATE_ENTRY',
      '',
    ];
    expect(others.filter((name) => taken(name))).toEqual([]);
    expect(taken('NAME_ALREADY_EXISTS', 500)).toBe(false);
    expect(taken('NAME_ALREADY_EXISTS', 400, 'DELETE')).toBe(false);
  });

  test('in use is what waiting can cure', () => {
    const inUse = (name: string, message: string, method: Method = 'DELETE', status = 400) =>
      answered(method, status, own(status, name, message)).inUse;
    expect(inUse('INVALID_REFERENCE', 'x')).toBe(true);
    expect(inUse('TEMPLATE_IN_USE', 'x')).toBe(true);
    expect(inUse('DELETION_FAILED', 'Job deletion failed')).toBe(true);
    expect(inUse('DELETION_FAILED', 'data source is used by executions')).toBe(true);
    expect(inUse('IN_USE', 'x')).toBe(true);
    expect(inUse('IN_USE', 'x', 'DELETE', 409)).toBe(true);
    expect(inUse('IN_USE', 'x', 'DELETE', 500)).toBe(false);
    expect(inUse('FORBIDDEN', 'it is used by others')).toBe(false);
    expect(inUse('DELETION_FAILED', 'marked as protected')).toBe(false);
    expect(inUse('DELETION_FAILED', 'a Job deletion failed')).toBe(false);
    const others = ['INVALID_REFERENCES', 'NO_INVALID_REFERENCE', 'IN_USER', 'MAIN_USE', 'RULE_IN_USERS'];
    expect(others.filter((name) => inUse(name, 'x'))).toEqual([]);
    expect(inUse('INVALID_REFERENCE', 'cluster is not Active', 'PUT')).toBe(false);
  });

  test('a redirect names its target, without the query', () => {
    const error = answered('POST', 301, '', { location: 'https://new.example/base/?token=abc#x' });
    expect(error.why).toContain('redirects to https://new.example/base/;');
    expect(error.why).not.toContain('abc');
  });

  test.each([
    [undefined, 'redirects to another address;'],
    ['https://new.example/#a\nb', 'redirects to https://new.example/;'],
  ])('a redirect to %j', (location, why) => {
    for (const status of [300, 399]) expect(answered('GET', status, '', { location }).why).toContain(why);
  });

  test('a redirect ends the request, and nothing else outside of 4xx does', () => {
    const certainty = (status: number) => answered('POST', status, page('moved')).certainty;
    for (const status of [300, 301, 302, 303, 304, 307, 308, 399]) expect(certainty(status)).toBe('answered');
    for (const status of [100, 199, 200, 202, 299, 400, 500, 502, 503, 504, 599, 600])
      expect(certainty(status)).toBe('open');
  });

  test('what is wrong with a good answer is said', () => {
    const error = answered('GET', 200, '{}', { problem: 'it has no "cluster"' });
    expect(error.why).toBe('the answer does not follow the API: it has no "cluster"');
    expect(answered('GET', 299, '{}').why).toBe('the answer does not follow the API: its body has another form');
  });

  test.each([
    [
      'spaces around it',
      ' "<Response 1 bytes>"\n',
      'the object changed while the service read it; it must be read again',
    ],
    ['something before it', 'x "<Response 1 bytes>"', 'the answer does not follow the API: its body has another form'],
    ['something after it', '"<Response 1 bytes>" x', 'the answer does not follow the API: its body has another form'],
  ])('an answer that is written out as text is read again, with %s: %j', (_name, body, why) => {
    expect(answered('GET', 200, body).why).toBe(why);
  });

  test.each([199, 600])('%i is no status of HTTP', (status) => {
    expect(answered('GET', status, '{}').why).toBe('the answer has a status that HTTP does not know');
  });

  test.each([
    [own(500, 'INTERNAL', 'boom'), 'the service failed: boom (INTERNAL)'],
    [own(500, 500, ''), 'the service failed: it gave no reason'],
    [own(500, 'E5', ''), 'the service failed: it gave no reason (E5)'],
    [framework(500), 'the service failed: Not found here'],
    [page('Bad Gateway'), 'the service is unavailable'],
  ])('of a failure only the words of the service are said: %s', (body, why) => {
    expect(answered('GET', 500, body).why).toBe(why);
  });
});

describe('plain HTTP on a port for TLS', () => {
  const speaksTls = 'the server speaks TLS: use https:// in the endpoint';
  test.each([
    ['Go', 'Client sent an HTTP request to an HTTPS server.\n', speaksTls],
    ['nginx', page('400 The plain HTTP request was sent to HTTPS port'), speaksTls],
    ['Apache', page("Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />"), speaksTls],
    ['another server', page('400 Bad Request'), "refused, and not in the service's own form: 400 Bad Request nginx"],
  ])('is recognized by the answer of %s', (_name, body, why) => {
    const error = answered('GET', 400, body);
    expect([error.why, error.needsUser, error.certainty]).toEqual([why, why === speaksTls, 'open']);
  });

  test('is not suspected when the service itself uses these words', () => {
    const text = 'Client sent an HTTP request to an HTTPS server.';
    expect(answered('POST', 400, own(400, 'E', text)).category).toBe('rejected');
    expect(answered('POST', 409, text).category).toBe('conflict');
  });
});

describe('requests without an answer', () => {
  test.each([
    ['ECONNREFUSED', 'unreachable', /refused/],
    ['ENOTFOUND', 'unreachable', /cannot be resolved/],
    ['UND_ERR_CONNECT_TIMEOUT', 'unreachable', /too long/],
    [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'unreachable',
      /the certificate of the service is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\): set spec.tls.caSecretRef/,
    ],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'unreachable', /does not include the host/],
    ['TLS_ANSWER', 'unreachable', /speaks TLS: use https/],
    ['NO_PERMIT', 'throttled', /waiting/],
    ['BAD_TOKEN', 'unauthorized', /header/],
    ['NO_TOKEN', 'unauthorized', /token/],
    ['constructor', 'unreachable', /failed \(constructor\)/],
    ['a\nb', 'unreachable', /unknown cause/],
    ['EHOSTUNREACH', 'unreachable', /no route/],
    ['NOT_LEADING', 'unreachable', /another replica may lead/],
    ['OUTDATED', 'conflict', /has changed meanwhile/],
    ['CLOSED', 'unreachable', /is closed/],
    ['PROXY', 'unreachable', /proxy/],
    ['BAD_REQUEST', 'rejected', /cannot be written/],
    ['EPROTO', 'unreachable', /TLS/],
    ['EPROTONOSUPPORT', 'unreachable', /failed \(EPROTONOSUPPORT\)/],
    ['MY_CERT_X', 'unreachable', /failed \(MY_CERT_X\)/],
  ] as const)('%s before sending is definite', (code, category, why) => {
    const error = classify({ method: 'POST', path: '/x' }, { phase: 'unsent', code });
    expect([error.category, error.certainty]).toEqual([category, 'definite']);
    expect(error.why).toMatch(why);
    expect(error.status).toBeUndefined();
  });

  const unknown = (code: string) => `the request to the service failed (${code})`;
  const untrusted = (code: string) =>
    `the certificate of the service is not trusted (${code}): set spec.tls.caSecretRef`;
  const noTls = (code: string) => `no trusted TLS connection (${code}): check the endpoint and the CA bundle`;
  const noTlsThere = () => 'the server does not speak TLS: use http:// in the endpoint';
  test.each([
    ['ERR_SSL_WRONG_VERSION_NUMBER', noTlsThere],
    ['ERR_SSL_PACKET_LENGTH_TOO_LONG', noTlsThere],
    ['ERR_SSL_WRONG_VERSION_NUMBER_2', noTls],
    ['MY_ERR_SSL_WRONG_VERSION_NUMBER', unknown],
    ['UNABLE_TO_GET_ISSUER_CERT', untrusted],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', untrusted],
    ['SELF_SIGNED_CERT_IN_CHAIN_2', noTls],
    ['MY_SELF_SIGNED_CERT_IN_CHAIN', unknown],
    ['UPLOAD_TOO_LARGE', () => 'the request exceeds 8 MiB; shorten the spec'],
  ])('%s is told with its remedy, and nothing else', (code, why) => {
    const error = classify({ method: 'POST', path: '/x' }, { phase: 'unsent', code });
    expect([error.category, error.why]).toEqual([code === 'UPLOAD_TOO_LARGE' ? 'rejected' : 'unreachable', why(code)]);
  });

  test.each([
    ['DEADLINE', 'unreachable', /in time/],
    ['ABORTED', 'unreachable', /aborted/],
    ['ECONNRESET', 'unreachable', /broke before its answer/],
    ['UND_ERR_SOCKET', 'unreachable', /broke before its answer/],
    ['TOO_LARGE', 'malformed', /too large to be read/],
    ['UND_ERR_HEADERS_OVERFLOW', 'malformed', /head of the answer is too large/],
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'malformed', /the answer does not match its Content-Length/],
    ['HPE_INVALID_CONSTANT', 'malformed', /not HTTP/],
  ] as const)('%s after sending is open', (code, category, why) => {
    const error = classify({ method: 'POST', path: '/x' }, { phase: 'unanswered', code });
    expect([error.category, error.certainty]).toEqual([category, 'open']);
    expect(error.why).toMatch(why);
  });

  test('a failed log-in keeps its own category and text', () => {
    const failure = { phase: 'unsent', code: 'NO_TOKEN', category: 'unreachable', text: 'it is down' } as const;
    const error = classify({ method: 'POST', path: '/x' }, failure);
    expect([error.category, error.certainty, error.why]).toEqual([
      'unreachable',
      'definite',
      'no token could be obtained: it is down',
    ]);
    expect(causeOf('NO_TOKEN').category).toBe('unauthorized');
  });
});

describe('texts', () => {
  test('the same trouble gives the same text', () => {
    const body = (id: string) => own(500, 'E', `Something broke\nError ID: ${id}\n(Request-ID: req-${id})`);
    const [one, other] = ['1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed', '7c9e6679-7425-40de-944b-e07fc1f90ae7'].map((id) =>
      answered('GET', 500, body(id)),
    );
    expect(one?.message).toBe(other?.message);
    expect(one?.detail).toBe('Something broke');
    expect(answered('GET', 502, page('502')).why).toBe(answered('GET', 504, page('504')).why);
  });

  test('lines are joined, markup and control characters go', () => {
    const id = '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed';
    expect(cleanText(`gone (request-id: req-${id}).`, [])).toBe('gone');
    expect(cleanText(`see errorid:  ${id}. Try again`, [])).toBe('see Try again');
    expect(cleanText(`id  ${id}  of this request failed`, [])).toBe('failed');
    expect(cleanText(`in req-${id}, failed`, [])).toBe('in , failed');
    expect(cleanText('in req-form, failed', [])).toBe('in req-form, failed');
    expect(cleanText('name: short\r\n\n  count: bad\u0007 ', [])).toBe('name: short; count: bad');
    expect(cleanText(page('502 Bad Gateway'), [])).toBe('502 Bad Gateway nginx');
    expect(cleanText(' \n<body>full</body>', [])).toBe('full');
    expect(cleanText('the flavor <small> is unknown', [])).toBe('the flavor <small> is unknown');
    expect(cleanText('failed (error id : 1b9d-4bed)', [])).toBe('failed');
  });

  test('is no longer than 500 characters, of the first 8192 that a service sends', () => {
    expect(cleanText('x'.repeat(500), [])).toBe('x'.repeat(500));
    expect(cleanText('x'.repeat(501), [])).toBe(`${'x'.repeat(499)}…`);
    expect(cleanText(`${' '.repeat(8_191)}late`, [])).toBe('l');
    const secret = 's3cret'.repeat(400);
    expect(cleanText(`${secret.repeat(7)} late`, [secret])).not.toContain('late');
  });

  const written = { code: '400 Bad', title: 'Bad', message: 'no' };
  test.each<readonly [body: unknown, shape: string, text?: string]>([
    [undefined, 'empty', ''],
    [JSON.parse(identity), 'identity', 'The token has expired.'],
    [JSON.parse(framework(400)), 'framework', 'Not found here'],
    [written, 'text', '400 Bad no'],
    ['it is full', 'other', 'it is full'],
    [['it is full'], 'other'],
    [{ error: 400 }, 'other'],
    [{ title: 'Bad', message: 'no' }, 'other'],
    [{ code: '400 Bad', message: 'no' }, 'other'],
    [{ code: '400 Bad', title: 'Bad' }, 'other'],
    [{ ...written, code: ['400 Bad'] }, 'other'],
    [{ ...written, code: '400' }, 'other'],
    [{ ...written, code: 'HTTP 400 Bad' }, 'other'],
    [{ ...written, title: 7 }, 'other'],
  ])('the body %j is of the form %s', (body, shape, text = JSON.stringify(body)) => {
    expect(readErrorBody(400, body === undefined ? ' \n ' : JSON.stringify(body), [])).toEqual({ shape, text });
  });

  test('the sentence for people names what was tried', () => {
    const error = answered('POST', 400, own(400, 'QUOTA_ERROR', 'quota exceeded'));
    expect(explain('create', 'cluster "etl"', error)).toBe(
      'cannot create cluster "etl": the service refused it: quota exceeded (QUOTA_ERROR)',
    );
    expect(answered('POST', 400, own(400, 'X', '')).why).toBe('the service refused it: it gave no reason (X)');
  });

  test('markup without an end is read quickly', () => {
    const before = cpuMs();
    cleanText('<'.repeat(100_000), []);
    cleanText(`<body ${'a '.repeat(50_000)}`, []);
    expect(cpuMs() - before).toBeLessThan(500);
  });
});

describe('Retry-After', () => {
  const asked = (retryAfter: string | undefined, date?: string) =>
    retryAfterMs({ status: 429, body: '', retryAfter, date });
  test('seconds, dates against the Date of the answer, and nonsense', () => {
    expect([asked('7'), asked(' 0 '), asked('1.5'), asked('99999999')]).toEqual([7000, 0, 1500, 3_600_000]);
    expect(asked('Wed, 21 Oct 2026 07:28:10 GMT', 'Wed, 21 Oct 2026 07:28:00 GMT')).toBe(10_000);
    expect(asked('Wed, 21 Oct 2026 07:28:00 GMT', 'Wed, 21 Oct 2026 07:28:10 GMT')).toBe(0);
    expect([asked(undefined), asked('soon'), asked('Wed, 21 Oct 2026 07:28:10 GMT'), asked('-3')]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect([asked('1.25'), asked('2026-10-21T07:28:10Z', 'Wed, 21 Oct 2026 07:28:00 GMT')]).toEqual([1_250, 10_000]);
    expect(answered('GET', 503, '', { retryAfter: '3' }).retryAfterMs).toBe(3000);
  });
});

const anyBody = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.json(),
  fc.record({ error_code: fc.integer(), error_name: fc.anything(), error_message: fc.anything() }).map((value) => {
    try {
      return JSON.stringify(value);
    } catch {
      return '{}';
    }
  }),
  fc.constantFrom('null', '[]', '"<Response 1 bytes [404 NOT FOUND]>"', '<html>', '{"error":{"message":1}}'),
);
const anyMethod = fc.constantFrom<Method>('GET', 'POST', 'PUT', 'PATCH', 'DELETE');

describe('any answer', () => {
  test('is judged, in a text of bounded length without line breaks', () => {
    fc.assert(
      fc.property(anyMethod, fc.integer({ min: -1, max: 1000 }), anyBody, (method, status, body) => {
        const error = answered(method, status, body, { retryAfter: body, date: body, location: body, problem: body });
        expect(error).toBeInstanceOf(ServiceError);
        expect(error.why.length).toBeLessThan(800);
        expect(error.detail.length).toBeLessThanOrEqual(500);
        expect(error.message).not.toMatch(/[\r\n]/);
        expect(error.ownShape || error.category !== 'notFound').toBe(true);
      }),
    );
  });

  test('leaves a POST definite only for 401, 403 and 429, and answered only for 3xx and 4xx', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 999 }), anyBody, (status, body) => {
        const { certainty } = answered('POST', status, body);
        expect(certainty === 'definite').toBe([401, 403, 429].includes(status));
        if (certainty === 'answered')
          expect(status >= 300 && status < 500 && status !== 408 && status !== 425).toBe(true);
      }),
    );
  });

  test('never shows the token, wherever the service echoes it', () => {
    const token = fc.stringMatching(/^[A-Za-z0-9_=-]{24,60}$/);
    fc.assert(
      fc.property(token, anyMethod, fc.integer({ min: 100, max: 599 }), fc.nat(3), (secret, method, status, place) => {
        const text = `X-Auth-Token: ${secret}`;
        const body =
          [text, own(status, secret, text), page(text), JSON.stringify({ error: { message: text } })][place] ?? '';
        const failure = { phase: 'answered', status, body, location: `http://x/${secret}`, problem: text } as const;
        const error = classify({ method, path: `/v1.0/${secret}` }, failure, [secret]);
        expect(JSON.stringify([error, error.message, error.stack])).not.toContain(secret);
      }),
    );
  });
});

describe('an error without its text', () => {
  const of = (status: number, body: string) => withoutText(answered('PUT', status, body));

  test('says what is certain, and nothing that the service wrote', () => {
    const error = answered('PUT', 400, own(400, 'DB_DUPLICATE_ENTRY', 'the file is: top secret'), { retryAfter: '3' });
    const hidden = withoutText(error);
    expect(hidden).toMatchObject({
      category: error.category,
      certainty: error.certainty,
      nameTaken: true,
      retryAfterMs: 3_000,
      needsUser: error.needsUser,
      request: error.request,
      errorName: 'DB_DUPLICATE_ENTRY',
      why: 'the service answered 400 (DB_DUPLICATE_ENTRY); its text is not shown, because the request contained a Secret',
      detail: '',
    });
    expect(JSON.stringify([hidden, hidden.message])).not.toContain('top');
  });

  test('has no name that may be a part of the file', () => {
    for (const name of ['top secret', 'topsecret', `${'A'.repeat(41)}`]) {
      const hidden = of(400, own(400, name));
      expect(hidden.errorName).toBeUndefined();
      expect(hidden.why).toContain('the service answered 400; its text');
    }
  });

  test('that no answer led to stays as it is', () => {
    const line = { method: 'PUT', path: '/v1.1/t/job-binary-internals/a' } as const;
    const error = classify(line, { phase: 'unanswered', code: 'ECONNRESET' });
    expect(withoutText(error)).toBe(error);
  });
});
