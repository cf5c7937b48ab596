// A create up to its request, and adopting in its place: from the plan and the answers so far to the next effect.
import { describe, expect, test } from 'vitest';
import { currentClaim, openAttempts } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { adopt } from '../../../../src/operator/reconcile/plan/next-step.ts';
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
import { askCreate, claim, create, opened } from './creating.ts';
import { fault } from './failures.ts';
import { closed, intended, observed, recorded } from './steps.ts';

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
    expect(askCreate([], options)).toMatchObject({ effect });
  });

  test('the intent pins the name and opens an attempt, sent now', () => {
    expect(askCreate([], { view: undefined })).toEqual({
      effect: 'pin-and-intend',
      ledger: ledgerOf([claimOf(attempts(1, iso(wall)))]),
    });
  });

  test('another attempt counts on', () => {
    const ledger = ledgerOf([claimOf(attempts(2, 'before'))]);
    expect(askCreate([], { ledger }, create(ledger))).toMatchObject({ ledger: { claims: [attempts(3, iso(wall))] } });
  });

  test('no intent when the list failed', () => {
    expect(askCreate([observed(fault('GET'))], held)).toMatchObject({
      effect: 'done',
      outcome: { result: 'failed', reason: 'UpstreamError' },
    });
  });

  test('no intent when the list cannot be read to its end', () => {
    expect(askCreate([observed()], { ...held, view: viewOf([], { complete: false }) })).toMatchObject({
      effect: 'done',
      outcome: { result: 'failed', reason: 'UpstreamError', message: expect.stringContaining('cannot be read') },
    });
  });

  test('a list that shows none lets it go on', () => {
    expect(askCreate([observed()], held)).toMatchObject({ effect: 'pin-and-intend' });
  });

  test('no intent when what it refers to led elsewhere, or another claimed the object, while it was listed', () => {
    expect(askCreate([observed()], { ...held, isSuperseded: true })).toMatchObject({ outcome: { result: 'conflict' } });
  });

  test('a list that shows the name is taken down, and nothing is sent', () => {
    const ledger = ledgerOf([claimOf(attempts(1))]);
    expect(askCreate([observed()], { ledger, rows }, create(ledger))).toEqual({
      effect: 'record',
      ledger: ledgerOf([claimOf({ id: 'id-1' })]),
    });
    expect(askCreate([observed(), recorded], { ledger, rows }, create(ledger))).toMatchObject({
      outcome: { result: 'progressed', message: `Cluster ${clusterName} was found in the service` },
      events: [{ reason: 'Adopted' }],
    });
  });
});

describe('the two seconds between intent and request', () => {
  test.each<readonly [string, number, 'post' | 'close']>([
    ['just in time', 2_000, 'post'],
    ['too late', 2_001, 'close'],
  ])('%s', (_name, agoMs, effect) => {
    expect(askCreate([intended(monotonic - agoMs)], { ledger: opened })).toMatchObject({ effect });
  });

  test('not at all when what it refers to led elsewhere meanwhile: the next pass looks again', () => {
    const superseded = { ledger: opened, isSuperseded: true };
    expect(askCreate([intended()], superseded)).toMatchObject({
      effect: 'close',
      ledger: { claims: [{ attempts: { open: 0 } }] },
    });
    expect(askCreate([intended(), closed], superseded)).toMatchObject({ outcome: { result: 'conflict' } });
  });

  test('what is sent is the planned body', () => {
    expect(askCreate([intended()], { ledger: opened })).toEqual({ effect: 'post', body: { name: clusterName } });
  });

  test('too late: this process knows that nothing was sent', () => {
    const late = [intended(monotonic - 2_001)];
    const closing = askCreate(late, { ledger: opened });
    expect(closing).toMatchObject({ ledger: { claims: [{ attempts: { open: 0 } }] } });
    expect(askCreate([...late, closed], { ledger: opened })).toMatchObject({
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
    expect(askCreate([], {}, adopted())).toEqual({ effect: 'record', ledger: ledgerOf([claimOf({ id: 'id-1' })]) });
  });

  test('closes the one attempt, and leaves several open', () => {
    const openIn = (open: number) => {
      const ledger = ledgerOf([claimOf(attempts(open))]);
      const effect = askCreate([], { ledger }, adopted(ledger));
      return 'ledger' in effect ? openAttempts(currentClaim(effect.ledger)) : undefined;
    };
    expect([0, 1, 2, 3].map(openIn)).toEqual([0, 0, 2, 3]);
  });
});
