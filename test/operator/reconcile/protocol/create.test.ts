// A create up to its request, and finding instead of creating: (what is planned, what was answered so far) to the next effect.

import { describe, expect, test } from 'vitest';
import { openAttempt } from '../../../../src/operator/reconcile/ledger/edits.ts';
import { currentClaim, openAttempts } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { creating } from '../../../../src/operator/reconcile/plan/create.ts';
import { adopt } from '../../../../src/operator/reconcile/plan/single-write.ts';
import type { Plan } from '../../../../src/operator/reconcile/plan/types.ts';
import { type EffectAnswer } from '../../../../src/operator/reconcile/protocol/effects.ts';
import { next } from '../../../../src/operator/reconcile/protocol/protocol.ts';
import type { ServiceError } from '../../../../src/wire/errors/errors.ts';
import {
  attempts,
  claimOf,
  clusterName,
  clusterRow,
  iso,
  ledgerOf,
  monotonic,
  type SituationOptions,
  situationOf,
  viewOf,
  wall,
} from '../support.ts';
import { fault } from './failures.ts';

const body = { name: clusterName };
const claim = claimOf();
const create = (ledger = ledgerOf([])): Plan => ({ action: 'create', claim, ledger, body, earlyStatus: creating });
const opened = openAttempt(ledgerOf([]), claim, iso(wall));

/** Asks with the ledger that the resource carries then. */
function ask(trail: readonly EffectAnswer[], options: SituationOptions = {}, plan: Plan = create()) {
  const input = situationOf(options);
  return next({ plan, ledger: input.ledger, input, trail });
}

const timed = { sentAt: monotonic - 100, at: monotonic };
const intended = (sentAt = monotonic - 100): EffectAnswer => ({ of: 'pin-and-intend', sentAt, at: monotonic });
const observed = (error?: ServiceError): EffectAnswer => ({ of: 'observe', ...timed, ...(error ? { error } : {}) });
const rows = [clusterRow()];

describe('before the intent', () => {
  const held = { ledger: ledgerOf() };
  test.each<readonly [string, SituationOptions, string]>([
    ['nothing was ever made: no look is needed', { view: undefined }, 'pin-and-intend'],
    ['a list begun after the last change shows none: go', held, 'pin-and-intend'],
    ['no list yet', { ...held, view: undefined }, 'observe'],
    ['a list begun before the last write ended', { ...held, memory: { lastEffectAt: monotonic } }, 'observe'],
    ['a list begun as the last write ended', { ...held, memory: { lastEffectAt: monotonic - 10 } }, 'observe'],
    ['a list begun after it', { ...held, memory: { lastEffectAt: monotonic - 11 } }, 'pin-and-intend'],
    ['a list with entries that cannot be read', { ...held, view: viewOf([], { complete: false }) }, 'observe'],
    [
      'a list with an entry of somebody else that cannot be read',
      { ...held, view: viewOf([], { unreadable: [{ id: 'id-9', name: 'other', problem: 'no status' }] }) },
      'pin-and-intend',
    ],
    ['a list that shows the name', { ...held, rows }, 'observe'],
    ['a lost ledger asks for a look, too', { held: true, view: undefined }, 'observe'],
  ])('%s', (_name, options, effect) => {
    expect(ask([], options)).toMatchObject({ effect });
  });

  test('the intent pins the name and opens an attempt, sent now', () => {
    expect(ask([], { view: undefined })).toEqual({
      effect: 'pin-and-intend',
      ledger: ledgerOf([claimOf(attempts(1, iso(wall)))]),
    });
  });

  test('another attempt counts on', () => {
    const ledger = ledgerOf([claimOf(attempts(2, 'before'))]);
    expect(ask([], { ledger }, create(ledger))).toMatchObject({ ledger: { claims: [attempts(3, iso(wall))] } });
  });

  test('no intent when the list failed', () => {
    expect(ask([observed(fault('GET'))], held)).toMatchObject({
      effect: 'done',
      outcome: { result: 'failed', reason: 'UpstreamError' },
    });
  });

  test('no intent when the list cannot be read to its end', () => {
    expect(ask([observed()], { ...held, view: viewOf([], { complete: false }) })).toMatchObject({
      effect: 'done',
      outcome: { result: 'failed', reason: 'UpstreamError', message: expect.stringContaining('cannot be read') },
    });
  });

  test('a list that shows none lets it go on', () => {
    expect(ask([observed()], held)).toMatchObject({ effect: 'pin-and-intend' });
  });

  test('no intent when what it refers to led elsewhere, or another claimed the object, while it was listed', () => {
    expect(ask([observed()], { ...held, isSuperseded: true })).toMatchObject({ outcome: { result: 'conflict' } });
  });

  test('a list that shows the name is taken down, and nothing is sent', () => {
    const ledger = ledgerOf([claimOf(attempts(1))]);
    expect(ask([observed()], { ledger, rows }, create(ledger))).toEqual({
      effect: 'record',
      ledger: ledgerOf([claimOf({ id: 'id-1' })]),
    });
    expect(ask([observed(), { of: 'record', ...timed }], { ledger, rows }, create(ledger))).toMatchObject({
      outcome: { result: 'progressed', message: `Cluster ${clusterName} was found in the service` },
      events: [{ reason: 'Adopted' }],
    });
  });
});

describe('the two seconds between intent and request', () => {
  test.each<readonly [string, number, 'post' | 'close']>([
    ['at once', 0, 'post'],
    ['just in time', 2_000, 'post'],
    ['too late', 2_001, 'close'],
    ['far too late', 3_600_000, 'close'],
  ])('%s', (_name, agoMs, effect) => {
    expect(ask([intended(monotonic - agoMs)], { ledger: opened })).toMatchObject({ effect });
  });

  test('not at all when what it refers to led elsewhere meanwhile: the next pass looks again', () => {
    const superseded = { ledger: opened, isSuperseded: true };
    expect(ask([intended()], superseded)).toMatchObject({
      effect: 'close',
      ledger: { claims: [{ attempts: { open: 0 } }] },
    });
    expect(ask([intended(), { of: 'close', ...timed }], superseded)).toMatchObject({ outcome: { result: 'conflict' } });
  });

  test('what is sent is the planned body', () => {
    expect(ask([intended()], { ledger: opened })).toEqual({ effect: 'post', body });
  });

  test('too late: this process knows that nothing was sent', () => {
    const late = [intended(monotonic - 2_001)];
    const closing = ask(late, { ledger: opened });
    expect(closing).toMatchObject({ ledger: { claims: [{ attempts: { open: 0 } }] } });
    expect(ask([...late, { of: 'close', ...timed }], { ledger: opened })).toMatchObject({
      effect: 'done',
      outcome: {
        result: 'waiting',
        on: 'service',
        reason: 'Provisioning',
        message: expect.stringContaining('the API server took too long'),
      },
    });
  });
});

describe('adopting', () => {
  const adopted = (ledger = ledgerOf([])) => adopt(situationOf(), { claim, ledger, id: 'id-1' });

  test('adds the claim where the ledger was lost', () => {
    expect(ask([], {}, adopted())).toEqual({ effect: 'record', ledger: ledgerOf([claimOf({ id: 'id-1' })]) });
  });

  test('closes the one attempt, and leaves several open', () => {
    const openIn = (open: number) => {
      const ledger = ledgerOf([claimOf(attempts(open))]);
      const effect = ask([], { ledger }, adopted(ledger));
      return 'ledger' in effect ? openAttempts(currentClaim(effect.ledger)) : undefined;
    };
    expect([0, 1, 2, 3].map(openIn)).toEqual([0, 0, 2, 3]);
  });

  test('ends with an event', () => {
    expect(ask([{ of: 'record', ...timed }], {}, adopted())).toMatchObject({
      outcome: { result: 'progressed' },
      events: [{ reason: 'Adopted', note: expect.stringContaining('id-1') }],
    });
  });
});
