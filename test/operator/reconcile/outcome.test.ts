// What each failure means to users: the one table of categories, and no text of a bug in a status.
import { describe, expect, test } from 'vitest';
import type { Reason } from '../../../src/operator/api/common.ts';
import { outcomeOfError } from '../../../src/operator/reconcile/outcome.ts';
import { StoreError, type StoreErrorCategory } from '../../../src/operator/reconcile/ports.ts';
import { type Category, type Certainty, type Method, ServiceError } from '../../../src/wire/errors/errors.ts';

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

const remedy =
  '. It is tried again; if the spec is wrong, correct it, or delete this resource and apply a corrected one';

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
    expect(outcomeOfError(failure('malformed', 'open'))).toMatchObject({ message: 'cannot POST /p: it is so' });
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
    expect(outcomeOfError(new StoreError(category, 'why', options))).toMatchObject(expected);
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
    expect(outcome).toMatchObject({ result: 'failed', reason: 'InternalError', cause: error });
    expect('message' in outcome && outcome.message).not.toMatch(/hunter2/);
  });
});
