// What each failure means to users: the one table of categories, and no text of a bug in a status.
import { describe, expect, test } from 'vitest';
import { StoreError, type StoreErrorCategory } from '../../../src/lib/store-error.ts';
import type { Reason } from '../../../src/operator/api/shared-api.ts';
import { needsUser, outcomeOfError, wayOut, withWayOut } from '../../../src/operator/reconcile/outcome.ts';
import { type Category, type Certainty, type Method, ServiceError } from '../../../src/wire/errors/service-error.ts';
import { classify } from '../../../src/wire/errors/table.ts';

function failure(
  category: Category,
  certainty: Certainty,
  retryAfterMs?: number,
  method: Method = 'POST',
): ServiceError {
  const requeue = { category, certainty, why: 'it is so', detail: '', nameTaken: false, inUse: false, ownShape: false };
  return new ServiceError({ method, path: '/p' }, retryAfterMs === undefined ? requeue : { ...requeue, retryAfterMs });
}

const reasons: Readonly<Record<Category, Reason>> = {
  unreachable: 'UpstreamError',
  throttled: 'Throttled',
  unauthorized: 'Unauthorized',
  notFound: 'ExternalRejected',
  conflict: 'ExternalRejected',
  rejected: 'ExternalRejected',
  serverFault: 'UpstreamError',
  malformed: 'UpstreamError',
};
const cases = Object.entries(reasons).flatMap(([category, reason]) =>
  (['definite', 'answered', 'open'] as const).map((certainty) => [category as Category, certainty, reason] as const),
);

const remedy = '. It is retried; if the spec is wrong, correct it';

describe('failures of the service', () => {
  test.each(cases)('%s, %s: %s', (category, certainty, reason) => {
    const error = failure(category, certainty);
    expect(outcomeOfError(error, 'create Cluster etl')).toEqual({
      result: 'failed',
      reason,
      message: `cannot create Cluster etl: it is so${category === 'rejected' ? remedy : ''}`,
      cause: error,
    });
  });

  test('what the kind knows to ask for takes the place of what every refused create asks for', () => {
    for (const category of ['rejected', 'notFound'] as const)
      expect(outcomeOfError(failure(category, 'answered'), 'create Cluster etl', 'Do so')).toMatchObject({
        message: 'cannot create Cluster etl: it is so. Do so',
      });
  });

  test('another refused write asks for nothing: it was no create', () => {
    const { message } = outcomeOfError(failure('rejected', 'answered', undefined, 'PUT'), 'scale it') as {
      message: string;
    };
    expect(message).toBe('cannot scale it: it is so');
  });

  test('without a step the request is named', () => {
    const path = '/v1.0/demo/clusters';
    const error = classify({ method: 'POST', path }, { phase: 'unsent', code: 'ECONNREFUSED' });
    expect(outcomeOfError(error)).toMatchObject({ message: `cannot POST ${path}: ${error.why}` });
  });

  test.each<readonly [path: string, told: string]>([
    ['/v1.0/demo/clusters', 'cannot read the list of clusters: '],
    ['/v1.0/demo/cluster-templates', 'cannot read the list of cluster templates: '],
    ['/v1.0/demo/clusters/id-1', 'cannot read cluster id-1: '],
    ['/elsewhere', 'cannot GET /elsewhere: '],
  ])('a read of %s is told in words', (path, told) => {
    const error = classify({ method: 'GET', path }, { phase: 'unsent', code: 'ECONNREFUSED' });
    expect(outcomeOfError(error)).toMatchObject({ message: `${told}${error.why}` });
  });

  test('a collection that the service does not know is told with what such a service lacks', () => {
    const unknown = (path: string) =>
      outcomeOfError(
        classify({ method: 'GET', path, collection: true }, { phase: 'answered', status: 404, body: 'Not Found' }),
      ) as { message: string };
    expect(unknown('/v1.1/demo/data-sources').message).toMatch(
      /^cannot read the list of data sources: .*check endpoint, tenant and dialect.*\. If other objects of this Connection are Ready, its service has no jobs \(API v1\.1\): use a service that has, or delete this object$/,
    );
    expect(unknown('/v1.0/demo/clusters').message).not.toContain('no jobs');
  });

  test.each<readonly [Category, Method, boolean]>([
    ['unauthorized', 'GET', true],
    ['unauthorized', 'DELETE', true],
    ['rejected', 'POST', true],
    ['notFound', 'PUT', true],
    ['rejected', 'DELETE', false],
    ['unreachable', 'POST', false],
    ['serverFault', 'POST', false],
    ['throttled', 'POST', false],
    ['malformed', 'POST', false],
    ['conflict', 'POST', false],
  ])('%s, %s: only a user can mend it: %s', (category, method, expected) => {
    expect(needsUser(outcomeOfError(failure(category, 'answered', undefined, method)))).toBe(expected);
  });

  test('a path that is not there and a certificate that nobody trusts need the user, too', () => {
    const request = { method: 'GET', path: '/v1.0/demo/plugins' } as const;
    const path = classify(request, { phase: 'answered', status: 404, body: '' });
    const codes = ['ERR_SSL_WRONG_VERSION_NUMBER', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_HAS_EXPIRED'];
    const failures = codes.map((code) => classify(request, { phase: 'unanswered', code }));
    for (const error of [path, ...failures]) expect(error.needsUser, error.message).toBe(true);
    expect(path.why).toBe('the path does not exist, or a proxy answers: check endpoint, tenant and dialect');
  });

  test('a deletion names the way out once', () => {
    const told = withWayOut(outcomeOfError(failure('unauthorized', 'definite'), 'delete it'));
    expect(told).toMatchObject({ message: `cannot delete it: it is so. ${wayOut}` });
    expect(withWayOut(told)).toEqual(told);
    expect(withWayOut({ result: 'settled' })).toEqual({ result: 'settled' });
    const unwritten = outcomeOfError(new StoreError('invalid', 'why'));
    expect(withWayOut(unwritten)).toEqual(unwritten);
  });

  test('a wait that the service asked for is handed on', () => {
    expect(outcomeOfError(failure('throttled', 'definite', 7_000))).toMatchObject({ retryAfterMs: 7_000 });
    expect(outcomeOfError(failure('throttled', 'definite'))).not.toHaveProperty('retryAfterMs');
  });
});

describe('failures of the API server', () => {
  test.each<readonly [StoreErrorCategory, object]>([
    ['conflict', { result: 'conflict' }],
    ['gone', { result: 'conflict' }],
    ['invalid', { result: 'failed', reason: 'InternalError', message: 'why' }],
    ['forbidden', { result: 'failed', reason: 'InternalError', message: 'why' }],
    ['throttled', { result: 'failed', reason: 'InternalError', retryAfterMs: 5 }],
    ['unreachable', { result: 'failed', reason: 'InternalError' }],
  ])('%s', (category, expected) => {
    const options = category === 'throttled' ? { retryAfterMs: 5 } : {};
    const outcome = outcomeOfError(new StoreError(category, 'why', options));
    expect(outcome).toMatchObject(expected);
    expect('retryAfterMs' in outcome).toBe('retryAfterMs' in expected);
  });
});

describe('bugs', () => {
  test.each<readonly [string, unknown]>([
    ['an error', new Error('token hunter2 is wrong')],
    ['a type error', new TypeError('hunter2')],
    ['a text', 'hunter2'],
    ['nothing', undefined],
    ['an object that looks like a failure', { category: 'rejected', why: 'hunter2', message: 'hunter2' }],
  ])('%s: users are told that it is one, and nothing of its text', (_name, error) => {
    const outcome = outcomeOfError(error, 'create x');
    const message = 'internal error: see the log of the operator';
    expect(outcome).toEqual({ result: 'failed', reason: 'InternalError', message, cause: error });
  });
});
