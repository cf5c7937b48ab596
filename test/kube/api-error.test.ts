// The classification table: every answer that the real API server was seen to give.
import { describe, expect, it } from 'vitest';
import { ApiError, type ApiRefusal, alreadyExists, kindAbsent, refusalError } from '../../src/kube/api-error.ts';
import { StoreError } from '../../src/operator/reconcile/pass-ports.ts';
import { status } from '../operator/kube/support/objects.ts';

function refusal(code: number, message: string, retryAfter?: string): ApiRefusal {
  return { status: code, contentType: 'application/json', retryAfter, text: JSON.stringify(status(code, message)) };
}

function judge(refused: ApiRefusal): ApiError {
  return refusalError('patch clusters a/b', refused);
}

describe('the category of an answer', () => {
  it.each([
    [409, 'Operation cannot be fulfilled on clusters "b": the object has been modified', 'conflict'],
    [409, 'uid mismatch: the provided object specified uid 1, and no existing object was found', 'conflict'],
    [422, 'Cluster "b" is invalid: metadata.uid: Invalid value: "1": field is immutable', 'conflict'],
    [422, 'Cluster "b" is invalid: spec.size: Invalid value: 0', 'invalid'],
    [422, 'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted', 'invalid'],
    [404, 'clusters.dataprocessing.dev "b" not found', 'gone'],
    [400, 'Cluster in version "v1" cannot be handled as a Cluster', 'invalid'],
    [405, 'method not allowed', 'invalid'],
    [406, 'only the following media types are accepted', 'invalid'],
    [413, 'Request entity too large', 'invalid'],
    [415, 'unsupported media type', 'invalid'],
    [
      500,
      'failed to create typed patch object (a/b; Kind=Cluster): .status.x: field not declared in schema',
      'invalid',
    ],
    [500, 'etcdserver: request timed out', 'unreachable'],
    [403, 'clusters "b" is forbidden: User "x" cannot patch', 'forbidden'],
    [429, 'storage is (re)initializing', 'throttled'],
    [503, 'the server is currently unable to handle the request', 'unreachable'],
    [504, 'Too large resource version', 'unreachable'],
    [410, 'too old resource version', 'unreachable'],
    [401, 'Unauthorized', 'unreachable'],
  ] as const)('%i %s', (code, message, category) => {
    const error = judge(refusal(code, message));
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ category, status: code });
    expect(error.message).toBe(`cannot patch clusters a/b: ${code} ${message}`);
  });

  it('of 503 depends on whether the server says when to come back', () => {
    expect(judge(refusal(503, 'busy', '5'))).toMatchObject({ category: 'throttled', retryAfterMs: 5000 });
  });
});

describe('an answer of somebody between', () => {
  const page = '<html><body>no</body></html>';
  const strangers: readonly (readonly [string, string, string])[] = [
    ['a page', 'text/html', page],
    ['a text', 'text/plain', 'Bad Request'],
    ['nothing', 'text/plain', ''],
    ['other JSON', 'application/json', '{"message":"no Route matched with those values"}'],
    ['a Status of something else', 'application/json', '{"kind":"Status","message":"b not found","reason":"NotFound"}'],
    ['null', 'application/json', 'null'],
    ['a Status that is no JSON', 'text/plain', JSON.stringify(status(404, 'clusters "b" not found'))],
  ];
  const codes = [302, 400, 401, 403, 404, 405, 406, 409, 410, 413, 415, 422];

  it.each(strangers)('says nothing about the object: %s', (_what, contentType, text) => {
    for (const code of codes) {
      const error = judge({ status: code, contentType, retryAfter: undefined, text });
      expect(error).toMatchObject({ category: 'unreachable', status: 0, reason: undefined });
      expect(error.message).toContain(`cannot patch clusters a/b: ${code} not from the API server: `);
      expect([kindAbsent(error), alreadyExists(error)]).toEqual([false, false]);
    }
  });

  it('is throttled if it asks for patience, as the API server does in plain text', () => {
    const text = 'Too many requests, please try again later.';
    const wait = { contentType: 'text/plain', retryAfter: '1', text };
    for (const code of [429, 503])
      expect(judge({ ...wait, status: code })).toMatchObject({ category: 'throttled', status: code });
  });
});

describe('Retry-After', () => {
  it.each([
    ['1', 1000],
    ['0', 0],
    ['-1', undefined],
    ['soon', undefined],
    ['Wed, 21 Oct 2026 07:28:00 GMT', undefined],
    [undefined, undefined],
  ])('%s', (header, ms) => {
    expect(judge(refusal(429, 'slow down', header)).retryAfterMs).toBe(ms);
  });

  it('is kept for other failures, too', () => {
    expect(judge(refusal(504, 'Too large resource version', '1')).retryAfterMs).toBe(1000);
  });
});

describe('an absent kind', () => {
  const plain: ApiRefusal = {
    status: 404,
    contentType: 'text/plain',
    retryAfter: undefined,
    text: '404 page not found\n',
  };

  it('is told from an absent object, in words', () => {
    const error = judge(plain);
    expect(kindAbsent(error)).toBe(true);
    expect(error.category).toBe('unreachable');
    expect(error.message).toContain('CustomResourceDefinition');
  });

  it('of a group that is served is told as well', () => {
    const error = judge(refusal(404, 'the server could not find the requested resource'));
    expect(kindAbsent(error)).toBe(true);
    expect(error.category).toBe('unreachable');
  });

  it('is not an absent object and no other error', () => {
    expect(kindAbsent(judge(refusal(404, 'clusters "b" not found')))).toBe(false);
    expect(kindAbsent(new Error('404'))).toBe(false);
    expect(kindAbsent(undefined)).toBe(false);
  });
});

describe('the message', () => {
  it('is short, whatever a proxy sends', () => {
    const text = `<html>${'x'.repeat(10_000)}`;
    const error = judge({ status: 502, contentType: 'text/html', retryAfter: undefined, text });
    expect(error.message.length).toBeLessThan(300);
    expect(error.category).toBe('unreachable');
  });

  it('is cut when the API server is wordy', () => {
    expect(judge(refusal(422, 'x'.repeat(100_000))).message.length).toBeLessThan(1100);
  });

  it('survives JSON that is none', () => {
    const error = judge({ status: 500, contentType: 'application/json', retryAfter: undefined, text: '{"mess' });
    expect(error.message).toBe('cannot patch clusters a/b: 500 {"mess');
  });

  it('survives an empty body and JSON that is no object', () => {
    expect(judge({ status: 500, contentType: 'application/json', retryAfter: undefined, text: '' }).message).toContain(
      'no explanation',
    );
    expect(judge({ status: 500, contentType: 'application/json', retryAfter: undefined, text: '7' }).message).toContain(
      '500 7',
    );
  });
});

describe('an error without an answer', () => {
  it('has status 0 and keeps its cause', () => {
    const cause = new Error('why');
    expect(new ApiError('unreachable', 'cannot x: why', { cause })).toMatchObject({ status: 0, cause });
  });
});

describe('an object that exists already', () => {
  const conflict = (reason: string): ApiError =>
    judge({ ...refusal(409, ''), text: JSON.stringify({ ...status(409, 'no'), reason }) });

  it('is told from writes that have met', () => {
    expect(alreadyExists(conflict('AlreadyExists'))).toBe(true);
    expect(alreadyExists(conflict('Conflict'))).toBe(false);
    expect(alreadyExists(judge(refusal(409, 'no')))).toBe(false);
    expect(alreadyExists(new Error('AlreadyExists'))).toBe(false);
  });
});
