// What became of an approved plan.
import { describe, expect, test } from 'vitest';
import { approvedPlan, verdictOn } from '../../../src/cli/plan/verdict.ts';
import { type Ledgered, scaling, withPlan } from './objects.ts';

const approves = scaling.hash;
const before = withPlan({ plan: scaling, approves, carriedOut: 2 });
const verdict = (now: Ledgered, plan = scaling, at = before) =>
  verdictOn(withPlan({ approves, carriedOut: 2, ...now }), approvedPlan(at, plan));
const another = { ...scaling, hash: 'another' };
const stalled = { reason: 'ExternalRejected', message: 'quota', status: 'False', stalled: true };

describe('an approved plan', () => {
  test.each<[string, Ledgered]>([
    ['it waits in the status', { plan: scaling }],
    ['it was counted, and the status is of a moment before', { plan: scaling, carriedOut: 3 }],
    ['the service is at work', { reason: 'Scaling', status: 'False' }],
    ['the operator tries again', { reason: 'UpstreamError', status: 'False', retrying: true }],
    ['the spec was edited, and the operator has not planned anew', { plan: another, observedGeneration: 0 }],
  ])('is awaited while %s', (_why, now) => {
    expect(verdict(now)).toBeUndefined();
  });

  test('is carried out once the operator has counted it, whatever waits next', () => {
    expect(verdict({ carriedOut: 3 })).toEqual({
      outcome: 'carriedOut',
      message: 'the plan was carried out. Now: Available: all is there',
    });
    expect(verdict({ carriedOut: 3, plan: another })).toEqual({
      outcome: 'carriedOut',
      message: 'the plan was carried out. Now: another plan waits, with the hash another',
    });
  });

  test('is carried out where it cancelled a run, which does not continue', () => {
    const cancelled = { reason: 'Cancelled', message: 'as spec.cancel asks', status: 'False', stalled: true };
    expect(verdict({ ...cancelled, carriedOut: 3 })).toEqual({
      outcome: 'carriedOut',
      message: 'the plan was carried out. Now: Cancelled: as spec.cancel asks',
    });
  });

  test.each<[string, Ledgered, string, string]>([
    ['another took its place', { plan: another }, 'anotherPlan', 'it waits with the hash another'],
    ['it cannot be done', stalled, 'refused', 'ExternalRejected: quota. The approval stays'],
    ['nothing is to be done', {}, 'stopped', 'nothing is to be done any more: all is there'],
    ['the annotation is another one', { plan: scaling, approves: 'other' }, 'stopped', 'somebody else has set'],
    ['the policy is another one', { plan: scaling, policy: 'Observe' }, 'stopped', 'spec.policy is Observe by now'],
    ['it is suspended', { conditions: [{ type: 'Paused', status: 'True' }] }, 'stopped', 'is suspended'],
    ['it is deleted', { metadata: { deletionTimestamp: 'now' } }, 'stopped', 'is being deleted'],
    ['it was created anew', { metadata: { uid: 'other' }, carriedOut: 3 }, 'stopped', 'another one has its name'],
  ])('is given up if %s', (_why, now, outcome, message) => {
    expect(verdict(now)).toEqual({ outcome, message: expect.stringContaining(message) });
  });
});

describe('an approved deletion', () => {
  const old = { id: 'id-0', name: 'etl-x0' };
  const current = { id: 'id-1', name: 'etl-x1' };
  const claims = [old, current];
  const of = (object: string) => ({ ...scaling, verb: 'Delete', object });

  test.each([
    ['old revisions: etl-x0 (id-0)', [current]],
    ['Cluster etl-x0', [{ name: 'etl-x0' }, current]],
  ])('of %j is carried out once the ledger has it no more', (object, left) => {
    const plan = of(object);
    const at = withPlan({ plan, approves, claims });
    expect(verdict({ claims }, plan, at), 'the service may need a while').toBeUndefined();
    expect(verdict({ claims: left }, plan, at)?.outcome).toBe('carriedOut');
  });

  test('of what the ledger never had is carried out once it does not wait any more', () => {
    const plan = of('id-9, which a refused create of Cluster etl-x1 left');
    const at = withPlan({ plan, approves, claims });
    expect(verdict({ claims, reason: 'ExternalRejected', status: 'False', retrying: true }, plan, at)).toBeUndefined();
    expect(verdict({ claims, plan: another }, plan, at)?.outcome).toBe('carriedOut');
    const edited = { claims, plan: another, metadata: { generation: 2 }, observedGeneration: 2 };
    expect(verdict(edited, plan, at)?.outcome).toBe('anotherPlan');
  });
});
