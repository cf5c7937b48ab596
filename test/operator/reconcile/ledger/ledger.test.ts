// The ledger as text: what is read back, what is kept, and whose it must be.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  currentClaim,
  isRefused,
  isVoid,
  type Ledger,
  openAttempts,
  privateClaims,
  readLedger,
  serialiseLedger,
} from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { anyLedger } from '../arbitraries.ts';
import { attempts, claimOf, installation, ledgerOf, uid } from '../support.ts';

const owner = { uid, installation };

describe('round trip', () => {
  test('what was serialised is read back, whatever the ledger holds', () => {
    fc.assert(
      fc.property(anyLedger, (ledger) => {
        const read = readLedger(serialiseLedger(ledger), undefined, owner);
        expect(read).toEqual({ state: 'ours', ledger });
      }),
    );
  });

  test('fields that this version does not know are written back, at every depth', () => {
    const text = JSON.stringify({
      ...ledgerOf([{ ...claimOf({ id: 'x' }), marks: ['a'], attempts: { open: 1, lastSentAt: 't', from: 'pod-3' } }]),
      approved: ['hash'],
      breaker: { since: 5 },
      baseline: [{ name: 'worker', count: 1, zone: 'z' }],
      change: { generation: 2, target: { a: 1 }, sentAt: 't', tries: 1, by: 'me' },
    });
    const read = readLedger(text, undefined, owner);
    expect(read.state === 'ours' && JSON.parse(serialiseLedger(read.ledger))).toEqual(JSON.parse(text));
  });
});

const good = ledgerOf();
const text = (changes: object): string => JSON.stringify({ ...good, ...changes });

describe('reading', () => {
  test.each<readonly [string, string | undefined, string | undefined, 'none' | 'ours' | 'moved' | RegExp]>([
    ['neither annotation nor mirror', undefined, undefined, 'none'],
    ['the annotation alone', serialiseLedger(good), undefined, 'ours'],
    ['the mirror where the annotation was lost', undefined, serialiseLedger(good), 'ours'],
    ['the annotation before a mirror of somebody else', serialiseLedger(good), text({ uid: 'other' }), 'ours'],
    ['a broken annotation before a good mirror', 'x', serialiseLedger(good), /not JSON/],
    ['an empty annotation', '', undefined, /not JSON/],
    ['a number', '7', undefined, /root/],
    ['null', 'null', undefined, /root/],
    ['a list', '[]', undefined, /root/],
    ['a higher version', text({ v: 2 }), undefined, /version 2/],
    ['a higher version that this one could not read', '{"v":3,"claims":"elsewhere"}', undefined, /version 3/],
    ['a version in words', text({ v: '2' }), undefined, /field v /],
    ['version zero', text({ v: 0 }), undefined, /field v /],
    ['no claims', text({ claims: undefined }), undefined, /field claims /],
    ['a role that is not known', text({ claims: [{ ...claimOf(), role: 'x' }] }), undefined, /claims\.0\.role/],
    ['a group without a count', text({ baseline: [{ name: 'a' }] }), undefined, /field baseline\.0\.count /],
    ['a former owner without an installation', text({ previousOwners: [{ uid }] }), undefined, /installation/],
    [
      'a change without its time',
      text({ change: { generation: 1, target: {}, tries: 1 } }),
      undefined,
      /change\.sentAt/,
    ],
    ['null in place of a field', text({ configs: null }), undefined, /field configs /],
    ['a negative number of attempts', text({ claims: [{ ...claimOf(), ...attempts(-1) }] }), undefined, /open/],
    ['a thousand claims', text({ claims: Array(1_000).fill(claimOf()) }), undefined, 'ours'],
    [
      'more claims',
      text({ claims: Array(1_001).fill(claimOf()) }),
      undefined,
      /field claims has more than 1000 entries/,
    ],
    [
      'many wrong owners',
      text({ previousOwners: Array(80_000).fill({}) }),
      undefined,
      /previousOwners has more than 1000/,
    ],
    [
      'many wrong digests',
      text({ configs: Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [String(n), '0'])) }),
      undefined,
      /configs has more than 1000/,
    ],
    ['the ledger of another object', text({ uid: 'other' }), undefined, 'moved'],
    ['the ledger of another installation', text({ installation: 'far' }), undefined, /installation \(far\)/],
    ['both foreign', text({ installation: 'far', uid: 'other' }), undefined, /installation \(far\)/],
  ])('%s', (_name, annotation, mirror, expected) => {
    const read = readLedger(annotation, mirror, owner);
    if (typeof expected === 'string') expect(read.state).toBe(expected);
    else expect(read).toMatchObject({ state: 'unconfirmed', why: expect.stringMatching(expected) });
  });

  test.each<readonly [string, object, string, object]>([
    ['another object', { uid: 'other' }, 'far', { state: 'moved', vouched: false }],
    ['another object, vouched for', { uid: 'other' }, installation, { state: 'moved', vouched: true }],
    ['another installation, vouched for', { installation: 'far' }, 'far', { state: 'moved', vouched: true }],
    ['both, vouched for', { installation: 'far', uid: 'other' }, 'far', { state: 'moved', vouched: true }],
    ['a third installation', { installation: 'far' }, 'near', { state: 'unconfirmed', installation: 'far' }],
    ['our own, vouched for without need', {}, installation, { state: 'ours' }],
  ])('taking over: %s', (_name, changes, takeOver, expected) => {
    expect(readLedger(text(changes), undefined, { ...owner, takeOver })).toMatchObject(expected);
  });

  test.each<readonly [string, number | undefined, object | undefined, number | undefined]>([
    ['the annotation counts more', 3, { plans: 2 }, 3],
    ['somebody has set it back', 1, { plans: 2 }, 2],
    ['somebody has taken it away', undefined, { plans: 0 }, 0],
    ['there is no copy', 1, undefined, 1],
    ['the copy is of another resource', 1, { plans: 2, uid: 'other' }, 1],
    ['the copy is of another installation', 1, { plans: 2, installation: 'far' }, 1],
  ])('as many plans were carried out as annotation or copy tell: %s', (_name, plans, copy, expected) => {
    const read = readLedger(text({ plans }), copy && text(copy), owner);
    expect(read.state === 'ours' && read.ledger.plans).toBe(expected);
  });

  test('no text whatever makes it throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (any) => {
        expect(readLedger(any, undefined, owner).state).toBe('unconfirmed');
      }),
    );
  });
});

describe('asking', () => {
  test('the last claim that is not private is the current one', () => {
    const claims = [
      claimOf({ name: 'a', role: 'revision' }),
      claimOf({ name: 'b', role: 'revision' }),
      claimOf({ name: 'c', role: 'private' }),
    ];
    expect(currentClaim(ledgerOf(claims))?.name).toBe('b');
    expect(currentClaim(ledgerOf([]))).toBeUndefined();
    expect(currentClaim(undefined)).toBeUndefined();
  });

  test.each<readonly [string, Ledger['claims'][number], boolean]>([
    ['a new claim', claimOf(), true],
    ['a closed attempt', claimOf(attempts(0)), true],
    ['an open attempt', claimOf(attempts(1)), false],
    ['a recorded id', claimOf({ id: 'x' }), false],
    ['a recorded id and an open attempt', claimOf({ id: 'x', ...attempts(1) }), false],
  ])('%s: void is %s', (_name, claim, expected) => {
    expect(isVoid(claim)).toBe(expected);
  });

  test('refused is what the service refused to create, and is not there', () => {
    const refusal = { attempts: { open: 0, lastSentAt: 't', refusedAt: 't' } };
    expect([claimOf(refusal), claimOf({ id: 'x', ...refusal }), claimOf(attempts(0))].map(isRefused)).toEqual([
      true,
      false,
      false,
    ]);
    expect(privateClaims(undefined)).toEqual([]);
  });

  test('no claim has no open attempts', () => {
    expect(openAttempts(undefined)).toBe(0);
    expect(openAttempts(claimOf())).toBe(0);
    expect(openAttempts(claimOf(attempts(3)))).toBe(3);
  });
});
