// The steps of a scaling, and of the plans that send nothing.
import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import type { PassEvent, Report } from '../../../../src/operator/reconcile/outcome.ts';
import { changeDone, type Plan, release } from '../../../../src/operator/reconcile/plan/next-step.ts';
import type { EffectAnswer } from '../../../../src/operator/reconcile/protocol/effects.ts';
import type { ServiceError } from '../../../../src/wire/errors/service-error.ts';
import { claimOf, iso, ledgerOf, monotonic, wall } from '../support.ts';
import { fault, quota, reset, unsent } from './failures.ts';
import { ask as askWith, closed, type Trail, timed } from './steps.ts';

const claim = claimOf({ id: 'id-1' });
const intent = (tries: number): Ledger => ({
  ...ledgerOf([claim]),
  change: { generation: 2, target: { worker: 5 }, sentAt: iso(wall), tries },
});
const change = { resize_node_groups: [{ name: 'worker', count: 5 }] };
const scaling = {
  result: 'waiting',
  on: 'service',
  reason: 'Scaling',
  message: 'scaling worker from 2 to 5',
} as const;
const update = (tries = 1): Extract<Plan, { action: 'update' }> => ({
  action: 'update',
  claim,
  id: 'id-1',
  ledger: intent(tries),
  madeFrom: undefined,
  repeats: false,
  change,
  differs: [],
  doing: 'scale Cluster etl-x1 (worker from 2 to 5)',
  earlyStatus: scaling,
  report: { outcome: scaling, event: { type: 'Normal', reason: 'Scaling', action: 'Scale', note: scaling.message } },
});

const ask = (plan: Plan, trail: Trail, ledger: Ledger = ledgerOf([claim]), isSuperseded = false) =>
  askWith(plan, trail, { ledger, isSuperseded });

const intended = (sentAt = monotonic - 100): EffectAnswer => ({ of: 'intend-change', sentAt, at: monotonic });
const sent = (error?: ServiceError): EffectAnswer => ({ of: 'change', ...timed, ...(error ? { error } : {}) });

describe('scaling', () => {
  test('writes its intent first', () => {
    expect(ask(update(), [])).toEqual({ effect: 'intend-change', ledger: intent(1) });
  });

  test.each<readonly [string, number, 'change' | 'close']>([
    ['in time', 2_000, 'change'],
    ['too late', 2_001, 'close'],
  ])('is sent within two seconds of that or not at all: %s', (_name, agoMs, effect) => {
    expect(ask(update(), [intended(monotonic - agoMs)], intent(1))).toMatchObject({ effect });
  });

  test('is not sent when a group that it adds led elsewhere meanwhile, and does not count as a try', () => {
    const closing = { effect: 'close', ledger: ledgerOf([claim]) };
    expect(ask(update(), [intended()], intent(1), true)).toEqual(closing);
    expect(ask(update(), [intended(), closed], ledgerOf([claim]), true)).toMatchObject({
      outcome: { result: 'conflict' },
    });
  });

  test.each<readonly [string, 'suspend' | undefined, Trail, 'suspend' | undefined]>([
    ['not after a newer version', undefined, [intended()], undefined],
    ['not after a request that was never sent', undefined, [intended(), sent(unsent('GET'))], undefined],
    ['but after one that the service refused', undefined, [intended(), sent(quota('GET'))], 'suspend'],
    ['but after an earlier request', 'suspend', [intended(), sent(unsent('GET'))], 'suspend'],
  ])('a run counts as stopped once that was asked of the service: %s', (_name, before, trail, after) => {
    const run = (stopped: 'suspend' | undefined) => ({ ...claim, ...(stopped && { stopped }) });
    const ledger = { ...intent(before ? 2 : 1), claims: [run('suspend')] };
    const plan = { ...update(), claim: run(before), ledger, change: undefined };
    expect(ask(plan, trail, ledger, true)).toMatchObject({ effect: 'close', ledger: { claims: [run(after)] } });
    const [left] = (ask(plan, trail, ledger, true) as { readonly ledger: Ledger }).ledger.claims;
    expect(left).toEqual(run(after));
  });

  test('sends the planned change by id', () => {
    expect(ask(update(), [intended()], intent(1))).toEqual({ effect: 'change', id: 'id-1', change });
  });

  test('accepted: waits for the service, and the intent stays', () => {
    expect(ask(update(), [intended(), sent()], intent(1))).toMatchObject({
      effect: 'done',
      outcome: { result: 'waiting', on: 'service', reason: 'Scaling', message: 'scaling worker from 2 to 5' },
      events: [{ reason: 'Scaling', action: 'Scale' }],
    });
  });

  test('what is put right is told as that', () => {
    const drift = [{ path: 'nodeGroups[worker].count', want: '5', have: '2', fixable: true }];
    const outcome = { ...scaling, reason: 'CorrectingDrift', drift } as const;
    const event = { type: 'Normal', reason: 'CorrectingDrift', action: 'Scale', note: '' } as const;
    const corrected = { ...update(), report: { outcome, event } };
    expect(ask(corrected, [intended(), sent()], intent(1))).toMatchObject({
      outcome: { result: 'waiting', on: 'service', reason: 'CorrectingDrift', drift },
      events: [{ type: 'Normal', reason: 'CorrectingDrift', action: 'Scale' }],
    });
  });

  test('without drift, none is told', () => {
    const effect = ask(update(), [intended(), sent()], intent(1));
    expect('outcome' in effect && 'drift' in effect.outcome).toBe(false);
  });

  test.each<readonly [string, ServiceError, number, object]>([
    ['never sent: the first try is taken back', unsent('PUT'), 1, { effect: 'close', ledger: ledgerOf([claim]) }],
    ['refused: the first try is taken back', quota('PUT'), 1, { effect: 'close', ledger: ledgerOf([claim]) }],
    [
      'refused: a later try is taken back alone',
      quota('PUT'),
      3,
      { effect: 'close', ledger: { change: { tries: 2 } } },
    ],
    [
      'lost: it may take effect, so the try counts',
      reset('PUT'),
      1,
      { effect: 'done', outcome: { result: 'failed', reason: 'UpstreamError' } },
    ],
    ['500: it may take effect, so the try counts', fault('PUT'), 1, { effect: 'done', outcome: { result: 'failed' } }],
  ])('%s', (_name, error, tries, expected) => {
    expect(ask(update(tries), [intended(), sent(error)], intent(tries))).toMatchObject(expected);
  });

  test.each([
    [1, undefined],
    [3, 2],
  ])('refused after a process that perhaps sent it: announced %d times beside, then %d', (doubts, left) => {
    const { change: announced, ...rest } = intent(1);
    const doubted: Ledger = { ...rest, ...(announced ? { change: { ...announced, doubts } } : {}) };
    const effect = ask({ ...update(), ledger: doubted }, [intended(), sent(quota('PUT'))], doubted);
    expect(effect).toMatchObject({ effect: 'close', ledger: { change: { tries: 1 } } });
    expect('ledger' in effect && effect.ledger.change?.doubts).toBe(left);
  });

  test.each<readonly [string, Trail, object]>([
    ['refused', [intended(), sent(quota('PUT'))], { result: 'failed', reason: 'ExternalRejected' }],
    ['too late', [intended(monotonic - 2_001)], { result: 'conflict' }],
  ])('%s after the same request, which may still take effect: the try stays on record', (_name, trail, outcome) => {
    expect(ask({ ...update(), repeats: true }, trail, intent(1))).toMatchObject({ effect: 'done', outcome });
  });

  test('what a refused change was to make was not made', () => {
    const plan = { ...update(), madeFrom: { worker: 'ref:old' } };
    const announced = { ...intent(1), madeFrom: { worker: 'ref:new' } };
    expect(ask(plan, [intended(), sent(quota('PUT'))], announced)).toEqual({
      effect: 'close',
      ledger: ledgerOf([claim], { madeFrom: { worker: 'ref:old' } }),
    });
    expect(ask(plan, [intended(), sent(reset('PUT'))], announced)).toMatchObject({ effect: 'done' });
  });

  test('a refusal is told once its try is taken back', () => {
    expect(ask(update(), [intended(), sent(quota('PUT')), closed], ledgerOf([claim]))).toMatchObject({
      effect: 'done',
      outcome: {
        reason: 'ExternalRejected',
        message: expect.stringMatching(/scale Cluster .*worker from 2 to 5.*too many machines/),
      },
    });
  });

  test('too late: taken back, and tried again', () => {
    const late = intended(monotonic - 5_000);
    expect(ask(update(), [late], intent(1))).toEqual({ effect: 'close', ledger: ledgerOf([claim]) });
    expect(ask(update(), [late, closed], ledgerOf([claim]))).toMatchObject({ outcome: { result: 'conflict' } });
  });
});

describe('updating what takes effect at once', () => {
  const outcome = { result: 'progressed', reason: 'Provisioning', message: 'updating the tags' } as const;
  const event = { type: 'Normal', reason: 'Updating', action: 'Update', note: 'updating the tags' } as const;

  test.each<readonly [string, Report, readonly PassEvent[]]>([
    ['observe again at once, and emit an event', { outcome, event }, [event]],
    ['a part of the creation is reported with that', { outcome }, []],
  ])('accepted: %s', (_name, report, events) => {
    const plan = { ...update(), report };
    expect(ask(plan, [intended(), sent()], intent(1))).toEqual({ effect: 'done', outcome, events });
  });
});

describe('plans that send nothing', () => {
  test.each<readonly [string, Plan, Trail, object]>([
    [
      'a known outcome',
      { action: 'none', outcome: { result: 'settled' } },
      [],
      { effect: 'done', outcome: { result: 'settled' } },
    ],
    ['a change that is done', changeDone(intent(1), 1), [], { effect: 'close', ledger: ledgerOf([claim]) }],
    ['and closed', changeDone(intent(1), 1), [closed], { effect: 'done', outcome: { result: 'settled' } }],
    [
      'and closed on a version whose spec was edited after the object was compared',
      changeDone(intent(1), 0),
      [closed],
      { effect: 'done', outcome: { result: 'requeue' } },
    ],
    ['a release', release('Orphaned', 'left'), [], { effect: 'release' }],
    [
      'released by Orphan',
      release('Orphaned', 'left'),
      [{ of: 'release', ...timed }],
      { outcome: { result: 'released' }, events: [{ type: 'Warning', reason: 'Orphaned', note: 'left' }] },
    ],
    [
      'released with nothing left',
      release('Deleted', 'gone'),
      [{ of: 'release', ...timed }],
      { outcome: { result: 'released' }, events: [{ type: 'Normal', reason: 'Deleted' }] },
    ],
  ])('%s', (_name, plan, trail, expected) => {
    expect(ask(plan, trail)).toMatchObject(expected);
  });
});
