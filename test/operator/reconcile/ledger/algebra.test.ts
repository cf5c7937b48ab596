// What may be done to a ledger: attempts open and close, ids come and go, and pinned names never change.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  closeAttempt,
  closeChange,
  countChange,
  dropClaims,
  forgetId,
  noteRefusal,
  openAttempt,
  recordFoundId,
  recordId,
  withClaim,
} from '../../../../src/operator/reconcile/ledger/edits.ts';
import { type Claim, isVoid, type Ledger, openAttempts } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { attempts, claimOf, ledgerOf } from '../support.ts';

type Change = (ledger: Ledger) => Ledger;
const names = ['one', 'two'] as const;
const name = fc.constantFrom(...names);
const id = fc.constantFrom('id-a', 'id-b', 'id-c');
const wanted = (of: string): Claim => claimOf({ name: of });
const at = '2026-01-01T00:00:00.000Z';

const change: fc.Arbitrary<Change> = fc.oneof(
  name.map(
    (of): Change =>
      (ledger) =>
        openAttempt(ledger, wanted(of), at),
  ),
  name.map(
    (of): Change =>
      (ledger) =>
        closeAttempt(ledger, of),
  ),
  name.map(
    (of): Change =>
      (ledger) =>
        noteRefusal(ledger, of, at),
  ),
  fc.tuple(name, id).map(
    ([of, found]): Change =>
      (ledger) =>
        recordId(ledger, of, found),
  ),
  fc.tuple(name, id).map(
    ([of, found]): Change =>
      (ledger) =>
        recordFoundId(ledger, of, found),
  ),
  name.map(
    (of): Change =>
      (ledger) =>
        forgetId(ledger, of),
  ),
);

describe('properties', () => {
  test('the number of open attempts is never negative, and each step moves it by at most one', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        let ledger = ledgerOf([]);
        for (const one of changes) {
          const before = ledger;
          ledger = one(ledger);
          for (const of of names) {
            const [was, is] = [openOf(before, of), openOf(ledger, of)];
            expect(is).toBeGreaterThanOrEqual(0);
            expect(Math.abs(is - was)).toBeLessThanOrEqual(1);
          }
        }
      }),
    );
  });

  test('a pinned name, its collection and the pins of the ledger never change', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        const start = ledgerOf([]);
        const end = changes.reduce((ledger, one) => one(ledger), start);
        expect({ ...end, claims: [] }).toEqual(start);
        for (const claim of end.claims) expect(claim).toMatchObject(wanted(claim.name));
        expect(new Set(end.claims.map((claim) => claim.name)).size).toBe(end.claims.length);
      }),
    );
  });

  test('a claim leaves only with its id, or when nothing of it is open', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        let ledger = ledgerOf([]);
        for (const one of changes) {
          const next = one(ledger);
          const left = ledger.claims.filter((claim) => !next.claims.some((other) => other.name === claim.name));
          for (const claim of left) expect(openAttempts(claim)).toBe(0);
          ledger = next;
        }
      }),
    );
  });

  test('nothing is changed in place', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
        changes.reduce((ledger, one) => {
          const copy = structuredClone(ledger);
          const next = one(ledger);
          expect(ledger).toEqual(copy);
          return next;
        }, ledgerOf([]));
      }),
    );
  });
});

function openOf(ledger: Ledger, of: string): number {
  return openAttempts(ledger.claims.find((claim) => claim.name === of));
}

const first = '2026-01-01T00:00:00.000Z';
const later = '2026-01-01T00:01:00.000Z';

describe('steps', () => {
  test.each<readonly [string, Claim | undefined, (ledger: Ledger) => Ledger, Partial<Claim> | undefined]>([
    ['the first attempt adds the claim', undefined, (l) => openAttempt(l, claimOf(), first), attempts(1, first)],
    [
      'a second one counts on from the newest',
      claimOf(attempts(1, first)),
      (l) => openAttempt(l, claimOf(), later),
      attempts(2, later),
    ],
    [
      'a closed one was sent and left nothing',
      claimOf(attempts(1, first)),
      (l) => closeAttempt(l, claimOf().name),
      attempts(0, first),
    ],
    [
      'a refusal leaves the attempt open',
      claimOf(attempts(1, first)),
      (l) => noteRefusal(l, claimOf().name, later),
      { attempts: { open: 1, lastSentAt: first, refusedAt: later } },
    ],
    [
      'an answered id closes its attempt',
      claimOf(attempts(1, first)),
      (l) => recordId(l, claimOf().name, 'x'),
      { id: 'x' },
    ],
    [
      'an answered id leaves the other attempts open',
      claimOf(attempts(3, first)),
      (l) => recordId(l, claimOf().name, 'x'),
      { id: 'x', ...attempts(2, first) },
    ],
    [
      'a found object ends the only attempt',
      claimOf(attempts(1, first)),
      (l) => recordFoundId(l, claimOf().name, 'x'),
      { id: 'x' },
    ],
    [
      'a found object of several attempts ends none',
      claimOf(attempts(2, first)),
      (l) => recordFoundId(l, claimOf().name, 'x'),
      { id: 'x', ...attempts(2, first) },
    ],
    [
      'a recorded object that is found again ends none',
      claimOf({ id: 'x', ...attempts(1, first) }),
      (l) => recordFoundId(l, claimOf().name, 'x'),
      { id: 'x', ...attempts(1, first) },
    ],
    [
      'forgetting the id of what may come again keeps its attempts',
      claimOf({ id: 'x', ...attempts(1, first) }),
      (l) => forgetId(l, claimOf().name),
      attempts(1, first),
    ],
    ['forgetting an id keeps the pinned name', claimOf({ id: 'x' }), (l) => forgetId(l, claimOf().name), claimOf()],
    ['dropping', claimOf(attempts(2)), (l) => dropClaims(l, [claimOf().name]), undefined],
  ])('%s', (_name, before, step, after) => {
    const ledger = step(ledgerOf(before ? [before] : []));
    expect(ledger.claims).toEqual(after ? [{ ...claimOf(), ...after }] : []);
  });

  test('forgetting the id of what has former revisions keeps its place above them', () => {
    const former = claimOf({ role: 'revision', name: 'former', id: 'id-1' });
    const place = claimOf({ name: 'b' });
    expect(forgetId(ledgerOf([former, { ...place, id: 'x' }]), 'b').claims).toEqual([former, place]);
  });

  test.each<readonly [string, (ledger: Ledger) => Ledger]>([
    ['closing', (l) => closeAttempt(l, 'unknown')],
    ['recording', (l) => recordId(l, 'unknown', 'x')],
    ['recording what was found', (l) => recordFoundId(l, 'unknown', 'x')],
    ['forgetting', (l) => forgetId(l, 'unknown')],
    ['dropping', (l) => dropClaims(l, ['unknown'])],
  ])('%s an unknown name changes nothing', (_name, step) => {
    const ledger = ledgerOf([claimOf(attempts(1))]);
    expect(step(ledger)).toEqual(ledger);
  });

  test('each of several claims is its own', () => {
    const [one, two] = [
      claimOf({ name: 'one', ...attempts(2, first) }),
      claimOf({ name: 'two', ...attempts(1, first) }),
    ];
    const template = { ...one, collection: 'cluster-templates' };
    const known = ledgerOf([one]);
    expect(withClaim(known, claimOf({ name: 'one' }))).toEqual(known);
    expect(withClaim(known, template).claims).toEqual([one, template]);
    expect(openAttempt(known, claimOf({ name: 'two' }), first).claims).toEqual([one, two]);
    expect(recordFoundId(ledgerOf([one, two]), 'two', 'x').claims).toEqual([one, claimOf({ name: 'two', id: 'x' })]);
  });

  test('a name of another collection is another claim', () => {
    const ledger = openAttempt(ledgerOf([claimOf({ collection: 'cluster-templates' })]), claimOf(), first);
    expect(ledger.claims.map((claim) => [claim.collection, openAttempts(claim)])).toEqual([
      ['cluster-templates', 0],
      ['clusters', 1],
    ]);
  });

  test('a change that is done leaves nothing behind', () => {
    const ledger = ledgerOf([claimOf({ id: 'x' })]);
    const changed = { ...ledger, change: { generation: 2, target: { a: 1 }, sentAt: first, tries: 1 } };
    expect(closeChange(changed)).toEqual(ledger);
    expect(isVoid(claimOf())).toBe(true);
  });

  test('a change counts as one plan, whether another one follows or not, and none where none was approved', () => {
    const change = { generation: 2, target: { a: 1 }, sentAt: first, tries: 1 };
    const ledger = ledgerOf([claimOf({ id: 'x' })], { change });
    expect([closeChange(ledger).plans, countChange(ledger).plans]).toEqual([undefined, undefined]);
    const approved = { ...ledger, plans: 3 };
    expect(countChange(approved)).toEqual({ ...approved, plans: 4, change: { ...change, counted: true } });
    for (const done of [closeChange(approved), closeChange(countChange(approved))])
      expect(done).toEqual(ledgerOf([claimOf({ id: 'x' })], { plans: 4 }));
    expect(countChange(ledgerOf())).toEqual(ledgerOf());
  });
});
