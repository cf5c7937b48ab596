// When a run that was never started has failed.
import { expect, test } from 'vitest';
import { jobExecutionKind } from '../../../src/operator/kinds/job-execution/index.ts';
import { emptyMemory } from '../../../src/operator/reconcile/key-memory.ts';
import type { Claim } from '../../../src/operator/reconcile/ledger/ledger.ts';
import { type Outcome, refuse, waiting } from '../../../src/operator/reconcile/outcome.ts';
import type { PassState } from '../../../src/operator/reconcile/pass-state.ts';
import { endIfRefused } from '../../../src/operator/reconcile/refused-run.ts';
import { attempts, claimOf, conditionsAs, iso, ledgerOf, situationOf, uid, wall } from './support.ts';

const id = '2b97ba2c-4e0f-4f5d-9c1a-000000000001';
const refusal = {
  result: 'failed',
  reason: 'ExternalRejected',
  message: 'cannot create it: no',
  failsAfterMs: 5_000,
  cause: undefined,
} as const satisfies Outcome;
const quota = { ...refusal, failsAfterMs: undefined } as unknown as Outcome;
const refused = { attempts: { open: 0, lastSentAt: iso(wall), refusedAt: iso(wall) } };

/** Passes of one process over one execution, each with its outcome. */
function runOf(
  claims: readonly Partial<Claim>[] | undefined,
  options: { readonly deleting?: true; readonly lost?: true; readonly says?: string } = {},
) {
  const memory = emptyMemory(uid);
  const { lost, deleting, says } = options;
  const conditions = conditionsAs(1, wall, [['Ready', 'False', says ?? '', 'it waits']]);
  const marked = claims?.map((claim, index) =>
    claimOf({ collection: 'job-executions', name: `${uid}-${index + 1}`, ...claim }),
  );
  const input = situationOf({
    kind: jobExecutionKind,
    spec: { jobID: id, clusterID: id },
    ...(marked && { ledger: ledgerOf(marked) }),
    ...(lost && { status: { externalName: `${uid}-1` } }),
    ...(says !== undefined && { status: { externalName: `${uid}-1`, conditions } }),
  });
  let now = 0;
  return (afterMs: number, outcome: Outcome, job = 'job-1'): Outcome => {
    now += afterMs;
    const pass = {
      memory,
      facts: { ...input.facts, deleting: deleting ?? false },
      ledger: input.ledger,
      ports: { clock: { monotonic: () => now } },
      resolutions: [{ state: 'resolved', id: job }],
      planInput: () => input,
    };
    return endIfRefused(pass as unknown as PassState, outcome);
  };
}

const failed = { result: 'ended', reason: 'Failed', message: refusal.message };

test('the same refusal for long enough ends it, and neither the first one nor one that comes too soon', () => {
  const run = runOf([refused]);
  expect(run(0, refusal)).toBe(refusal);
  expect(run(4_999, refusal)).toBe(refusal);
  expect(run(1, { result: 'conflict' })).toEqual({ result: 'conflict' });
  expect(run(0, refusal)).toEqual(failed);
});

test('another job, a quota, or progress begins the time anew', () => {
  const run = runOf([refused]);
  run(0, refusal);
  expect(run(6_000, refusal, 'job-2')).toBe(refusal);
  run(1_000, quota, 'job-2');
  expect(run(6_000, refusal, 'job-2')).toBe(refusal);
  run(1_000, { result: 'progressed', reason: 'Provisioning', message: 'started' }, 'job-2');
  expect(run(6_000, refusal, 'job-2')).toBe(refusal);
  expect(run(6_000, refusal, 'job-2')).toEqual(failed);
});

test.each([
  ['an attempt that may still take effect', runOf([attempts(1)])],
  ['a run that is known', runOf([{ id: 'id-1' }])],
  ['a run that is in progress', runOf([{ id: 'id-1' }], { says: 'Running' })],
  [
    'an attempt that may still take effect, and that another one may follow',
    runOf([attempts(1)], { says: 'Retrying' }),
  ],
  ['a ledger that is lost', runOf(undefined, { lost: true })],
  ['a deletion', runOf([refused], { deleting: true })],
] as const)('%s never ends in this way', (_what, run) => {
  run(0, refusal);
  expect(run(10_000, refusal)).toBe(refusal);
});

test('what the operator itself finds wrong ends it at once, or is judged again in time', () => {
  const wrong = { result: 'refused', reason: 'InvalidSpec', message: 'wrong' } as const;
  const { message } = wrong;
  expect(runOf(undefined)(0, { ...wrong, failsAfterMs: 0 })).toEqual({ ...failed, message });
  const run = runOf([]);
  expect(run(0, { ...wrong, failsAfterMs: 5_000 })).toMatchObject({ result: 'refused', afterMs: 5_000 });
  expect(run(5_000, { ...wrong, failsAfterMs: 5_000 })).toEqual({ ...failed, message });
  expect(runOf([])(0, { ...wrong, failsAfterMs: 3_600_000 })).toMatchObject({ result: 'refused', afterMs: 600_000 });
});

test.each(['Retrying', 'WaitingForCluster'])(
  'a run that failed and is %s ends if another one cannot follow',
  (says) => {
    const run = runOf([{ id: 'id-1' }], { says });
    run(0, refusal);
    expect(run(5_000, refusal)).toEqual(failed);
  },
);

const failedCluster = waiting('kubernetes', 'WaitingForCluster', 'Cluster etl has failed');

test('a wait that ends it is judged again in time', () => {
  const run = runOf([]);
  const outcome = { ...failedCluster, failsAfterMs: 60_000 };
  expect(run(0, outcome)).toEqual({ ...outcome, afterMs: 60_000 });
  expect(run(1_000, failedCluster)).toBe(failedCluster);
  expect(run(60_000, outcome)).toMatchObject({ result: 'waiting', afterMs: 60_000 });
  expect(run(60_000, outcome)).toEqual({ ...failed, message: 'Cluster etl has failed' });
});

test('what is tried again sooner than it ends is tried again then', () => {
  const outcome = { ...refuse('ExecutionRefused', 'not by this role'), afterMs: 60_000, failsAfterMs: 3_600_000 };
  expect(runOf([])(0, outcome)).toEqual(outcome);
});
