// What becomes of a ledger that was written for another object: a restored backup goes on, a copy keeps its hands off.
import { describe, expect, test } from 'vitest';
import { finalizer, ledgerAnnotation, takeOverAnnotation } from '../../../../src/operator/api/shared-api.ts';
import { takeOver } from '../../../../src/operator/reconcile/plan/next-step.ts';
import {
  attempts,
  brokenConnection,
  claimOf,
  installation,
  ledgerOf,
  type SituationOptions,
  uid,
  usable,
} from '../support.ts';
import { planOf, releases } from './matchers.ts';

const before = ledgerOf([claimOf({ id: 'id-1' })], { uid: 'before' });
const vouching = (value: string, ledger: object = before): SituationOptions => ({
  metadata: {
    finalizers: [finalizer],
    annotations: { [ledgerAnnotation]: JSON.stringify(ledger), [takeOverAnnotation]: value },
  },
});

const original = 'Cluster/team-b/etl';
const moved = usable({ endpoint: 'http://moved', endpoints: ['http://moved'] });
const own = takeOver({ ...before, uid });
const refused = (says: string) => ({
  result: 'refused',
  reason: 'OwnershipUnconfirmed',
  message: expect.stringContaining(says),
});
const released = (says: string) => releases('Released', expect.stringContaining(says));

describe('rows', () => {
  test.each<readonly [string, SituationOptions, object]>([
    ['restored: its own from now on', { ledger: before }, own],
    ['restored without our finalizer, too', { ledger: before, held: false }, own],
    ['restored while its Connection is broken', { ledger: before, service: brokenConnection }, own],
    [
      'restored while its Connection leads elsewhere: not judged, for the claims of others there do not count either',
      { ledger: before, service: moved },
      { result: 'refused', reason: 'ConnectionChanged' },
    ],
    ['restored with a spec that cannot be read', { ledger: before, spec: { pluginName: 7 } }, own],
    [
      'restored with an open create',
      { ledger: ledgerOf([claimOf(attempts(1))], { uid: 'before' }) },
      { action: 'write-ledger', write: 'own' },
    ],
    ['restored, then deleted: its own first', { ledger: before, deleting: true }, own],
    [
      'deleted without our finalizer: not ours',
      { ledger: before, deleting: true, held: false },
      { result: 'released' },
    ],
    ['a copy: refused, and the original is named', { ledger: before, claimedBy: original }, refused(original)],
    [
      'a copy: how to get an object of its own',
      { ledger: before, claimedBy: original },
      {
        message:
          `this resource is a copy: the objects that its annotation dataprocessing.dev/ledger names belong to ${original}, which keeps them. ` +
          'Delete this copy, which leaves those objects. Or, to create a new object in the service, remove the annotation: kubectl annotate dpc etl -n team-a dataprocessing.dev/ledger-',
      },
    ],
    [
      'a copy, whose Connection leads elsewhere',
      { ledger: before, claimedBy: original, service: moved },
      refused(original),
    ],
    [
      'restored with a claim that was not made for it',
      { ledger: ledgerOf([claimOf({ name: 'theirs', id: 'id-2' })], { uid: 'before' }) },
      refused(
        'clusters theirs, which was not created for this resource. To create a new object in the service, remove the annotation: ',
      ),
    ],
    [
      'a copy that is vouched for is one nevertheless',
      { ...vouching(installation), claimedBy: original },
      refused(original),
    ],
    ['a copy, deleted: released', { ledger: before, deleting: true, claimedBy: original }, released(original)],
    [
      'where not all is seen: refused',
      { ledger: before, seesAll: false },
      refused(
        `and creates nothing. If the original is gone, set the annotation ${takeOverAnnotation}: ${installation} to take over its object. Otherwise, to create a new object`,
      ),
    ],
    [
      'where not all is seen, deleted: released',
      { ledger: before, seesAll: false, deleting: true },
      released('not watched'),
    ],
    ['where not all is seen, but vouched for', { ...vouching(installation), seesAll: false }, own],
    [
      'of another installation: refused, and how to take over',
      { ledger: { ...before, installation: 'far' } },
      refused(`${takeOverAnnotation}: far`),
    ],
    ['of another installation, vouched for', vouching('far', { ...before, installation: 'far' }), own],
    ['of another installation, for the same object', vouching('far', { ...before, installation: 'far', uid }), own],
  ])('%s', (_name, options, expected) => {
    expect(planOf(options)).toMatchObject(expected);
  });
});

test('everything else in the ledger stays as it is, also what this version does not know', () => {
  const rich = {
    ...before,
    later: 'kept',
    baseline: [{ name: 'a', count: 1 }],
    madeFrom: { a: 'NodeGroupTemplate/a' },
  };
  expect(planOf({ ledger: rich })).toMatchObject({ ledger: { ...rich, uid } });
});
