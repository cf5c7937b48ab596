// How long a refused run and a failed one are tried.
import { expect, test } from 'vitest';
import { retryDelay } from '../../../../src/operator/reconcile/plan/runs/run-retry.ts';
import { refusalPatienceMs } from '../../../../src/operator/reconcile/plan/runs/time-to-fail.ts';
import { classify } from '../../../../src/wire/errors/table.ts';
import { claimOf, ledgerOf, missingConnection, monotonic, situationOf, uid, usable } from '../support.ts';

const line = { method: 'POST', path: '/v1.1/demo/jobs/1/execute' } as const;
const answer = (status: number, name: string) =>
  classify(line, {
    phase: 'answered',
    status,
    body: JSON.stringify({ error_code: status, error_name: name, error_message: 'no' }),
  });
const input = (pollSeconds = 30) => situationOf({ service: usable({ pollSeconds }) });

test.each([
  ['its values', answer(400, 'INVALID_DATA'), 5_000],
  ['its schema', answer(400, 'VALIDATION_ERROR'), 5_000],
  ['its JSON', answer(400, 'MALFORMED_REQUEST_BODY'), 5_000],
  ['something that it refers to', answer(400, 'INVALID_REFERENCE'), 60_000],
  ['something that is missing', answer(400, 'NOT_FOUND'), 60_000],
  ['its job, which is missing', answer(404, 'NOT_FOUND'), 60_000],
  ['what nobody knows', answer(400, 'ENGINE_REFUSED'), 3_600_000],
  ['its size', answer(413, 'DATA_TOO_BIG'), 3_600_000],
  ['a quota', answer(400, 'QUOTA_ERROR'), undefined],
  ['a quota in other words', answer(400, 'TenantQuotaExceeded'), undefined],
  ['the credentials', answer(403, 'FORBIDDEN'), undefined],
  ['the token', answer(401, 'UNAUTHORIZED'), undefined],
  ['nothing: the service failed', answer(500, 'INVALID_DATA'), undefined],
  ['nothing: it asks for fewer requests', answer(429, 'INVALID_DATA'), undefined],
  ['nothing: it was too slow', answer(408, 'INVALID_DATA'), undefined],
  ['nothing: a proxy answers', classify(line, { phase: 'answered', status: 400, body: '<html>no' }), undefined],
  ['nothing: the path is not there', classify(line, { phase: 'answered', status: 404, body: '<html>no' }), undefined],
  ['nothing: no answer', classify(line, { phase: 'unanswered', code: 'ECONNRESET' }), undefined],
  ['nothing: never sent', classify(line, { phase: 'unsent', code: 'ECONNREFUSED' }), undefined],
] as const)('a refusal of %s', (_of, error, expected) => {
  expect(refusalPatienceMs(error, input())).toBe(expected);
});

test('a slow Connection has two polls to notice what is missing', () => {
  expect(refusalPatienceMs(answer(400, 'INVALID_REFERENCE'), input(120))).toBe(240_000);
  expect(refusalPatienceMs(answer(400, 'INVALID_REFERENCE'), situationOf({ service: missingConnection }))).toBe(60_000);
});

const run = (number: number) => claimOf({ name: `${uid}-${number}`, id: `id-${number}` });
const delayed = (claims: ReturnType<typeof run>[], failed?: { readonly run: string; readonly at: number }) =>
  retryDelay(situationOf({ ledger: ledgerOf(claims), memory: { failed } }), claims.at(-1) ?? claimOf());

test.each([
  [1, 10_000],
  [2, 20_000],
  [3, 40_000],
  [6, 320_000],
  [7, 360_000],
  [200, 360_000],
])('after %i failed runs the next one follows after %i ms', (runs, delayMs) => {
  const claims = Array.from({ length: runs }, (_, index) => run(index + 1));
  const failed = { run: `${uid}-${runs}`, at: monotonic - 1_000 };
  expect(delayed(claims, failed)).toEqual({ delayMs, leftMs: delayMs - 1_000 });
});

test('runs that were suspended do not count, and no delay is left of a failure that this process has not seen', () => {
  const suspended = { ...run(1), stopped: 'suspend' } as const;
  expect(delayed([suspended, run(2)], { run: `${uid}-2`, at: monotonic })).toEqual({ delayMs: 10_000, leftMs: 10_000 });
  expect(delayed([run(1), run(2)], { run: `${uid}-1`, at: monotonic }).leftMs).toBe(0);
  expect(delayed([run(1)]).leftMs).toBe(0);
});
