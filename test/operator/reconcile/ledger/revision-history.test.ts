// Which claim of a ledger is the current one, which are former ones, and the switch between them.
import { describe, expect, test } from 'vitest';
import { type Claim, currentClaim } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { leftoverClaims, makeCurrent } from '../../../../src/operator/reconcile/ledger/revision-history.ts';
import { attempts, claimOf, ledgerOf } from '../support.ts';

const revision = (name: string, changes: Partial<Claim> = {}) => claimOf({ role: 'revision', name, ...changes });
const main = (name: string) => revision(name, { role: 'main', id: `id-${name}` });

describe('the current claim', () => {
  test.each<readonly [string, readonly Claim[], string | undefined]>([
    ['none', [], undefined],
    ['the only one', [revision('a', attempts(1))], 'a'],
    ['the main one, wherever it stands', [main('a'), revision('b', { id: 'id-b' })], 'a'],
    ['not what is in the making', [main('a'), revision('b', attempts(1))], 'a'],
    ['of a ledger of the version before', [revision('a', { id: 'id-a' })], 'a'],
    ['of such a ledger with another in the making', [revision('a', { id: 'id-a' }), revision('b', attempts(1))], 'a'],
    [
      'the main one that is made again, rather than a former one',
      [revision('a', { id: 'id-a' }), claimOf({ name: 'b' })],
      'b',
    ],
    ['of two that are made again, the one that was begun last', [claimOf({ name: 'a' }), claimOf({ name: 'b' })], 'b'],
    ['with nothing there, the one that was begun last', [revision('a', attempts(1)), revision('b', attempts(1))], 'b'],
    ['never a private one', [claimOf({ role: 'private', name: 'p', id: 'id-p' })], undefined],
  ])('%s', (_name, claims, name) => {
    expect(currentClaim(ledgerOf(claims))?.name).toBe(name);
  });
});

test('what is left over: neither the current one, nor a private one, nor what came to nothing', () => {
  const former = [revision('b', { id: 'id-b' }), revision('c', attempts(1))];
  const claims = [
    main('a'),
    ...former,
    revision('d', attempts(0)),
    claimOf({ role: 'private', name: 'p', id: 'id-p' }),
  ];
  expect(leftoverClaims(ledgerOf(claims))).toEqual(former);
  expect(leftoverClaims(undefined)).toEqual([]);
});

test('the switch makes one claim the main one and the one before a revision, and loses nothing', () => {
  const ledger = ledgerOf([main('a'), revision('b', { id: 'id-b', ...attempts(2) })], { change: undefined });
  const { claims } = makeCurrent(ledger, 'b');
  expect(claims).toEqual([
    { ...main('a'), role: 'revision' },
    { ...revision('b', { id: 'id-b', ...attempts(2) }), role: 'main' },
  ]);
  expect(makeCurrent({ ...ledger, claims }, 'a').claims.map(({ name, role }) => `${name} ${role}`)).toEqual([
    'b revision',
    'a main',
  ]);
  expect(makeCurrent(ledger, 'unknown')).toBe(ledger);
});
