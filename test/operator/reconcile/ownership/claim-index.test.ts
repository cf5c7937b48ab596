// Who claims which object of the service: over all namespaces, without copies, through changes and deletions.
import { describe, expect, test } from 'vitest';
import type { Metadata, RawResource } from '../../../../src/operator/api/definition.ts';
import { ledgerAnnotation } from '../../../../src/operator/api/shared-api.ts';
import type { Ledger } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { ClaimIndex } from '../../../../src/operator/reconcile/ownership/claim-index.ts';
import { keyOf } from '../../../../src/operator/reconcile/pass-ports.ts';
import { attempts, claimOf, clusterSpec, installation, ledgerOf, resourceOf, uid } from '../support.ts';

function owner(namespace: string, of: string, changes: Partial<Ledger> = {}, id = 'id-1'): RawResource {
  const metadata: Partial<Metadata> = { namespace, uid: of };
  return resourceOf({ metadata, ledger: ledgerOf([claimOf({ id })], { uid: of, ...changes }) });
}

const mine = owner('team-a', uid);
const ledger = ledgerOf([claimOf({ id: 'id-1' })]);

function claimantsOf(...resources: readonly RawResource[]): readonly string[] {
  const index = new ClaimIndex(installation);
  for (const current of resources) index.changed({ key: keyOf(current), current });
  return index.claimants(ledger).map((one) => keyOf(one).namespace);
}

describe('who claims an object', () => {
  test.each<readonly [string, readonly RawResource[], readonly string[]]>([
    ['one', [mine], ['team-a']],
    ['nobody', [], []],
    ['another namespace', [owner('team-b', 'u2')], ['team-b']],
    [
      'several, in the order of their claims',
      [owner('team-c', 'u3'), mine, owner('team-b', 'u2')],
      ['team-c', 'team-a', 'team-b'],
    ],
    ['another id', [owner('team-b', 'u2', {}, 'id-2')], []],
    ['the same id at another endpoint', [owner('team-b', 'u2', { endpoint: 'http://other' })], []],
    ['the same id in another tenant', [owner('team-b', 'u2', { tenant: 'prod' })], []],
    ['a copied ledger claims nothing', [owner('team-b', 'u2', { uid })], []],
    ['a ledger of another installation claims nothing', [owner('team-b', 'u2', { installation: 'far' })], []],
    [
      'an open create claims no id',
      [
        resourceOf({
          metadata: { namespace: 'team-b', uid: 'u2' },
          ledger: ledgerOf([claimOf(attempts(1))], { uid: 'u2' }),
        }),
      ],
      [],
    ],
    [
      'one that was managed and is only observed now',
      [{ ...mine, spec: { ...clusterSpec, adopt: { id: 'id-1' }, policy: 'Observe' } }],
      ['team-a'],
    ],
    [
      'the mirror claims, too',
      [
        resourceOf({
          metadata: { namespace: 'team-b', uid: 'u2' },
          status: { ledger: JSON.stringify({ ...ledger, uid: 'u2' }) },
        }),
      ],
      ['team-b'],
    ],
    [
      'the same id of another collection',
      [
        resourceOf({
          metadata: { namespace: 'team-b', uid: 'u2' },
          ledger: ledgerOf([claimOf({ id: 'id-1', collection: 'images' })], { uid: 'u2' }),
        }),
      ],
      [],
    ],
  ])('%s', (_name, resources, expected) => {
    expect(claimantsOf(...resources)).toEqual(expected);
  });
});

describe('who claims an object by its id, at whatever address', () => {
  const place = { tenant: ledger.tenant, collection: 'clusters' };
  test.each<readonly [string, readonly RawResource[], typeof place, readonly string[]]>([
    ['one', [mine], place, ['team-a']],
    ['at another address', [owner('team-b', 'u2', { endpoint: 'http://other' })], place, ['team-b']],
    ['in another tenant', [mine], { ...place, tenant: 'prod' }, []],
    ['in another collection', [mine], { ...place, collection: 'images' }, []],
    ['another id', [owner('team-b', 'u2', {}, 'id-2')], place, []],
    ['a copied ledger claims nothing', [owner('team-b', 'u2', { uid })], place, []],
  ])('%s', (_name, resources, where, expected) => {
    const index = new ClaimIndex(installation);
    for (const current of resources) index.changed({ key: keyOf(current), current });
    expect(index.claimantsOfId(where, 'id-1').map((one) => keyOf(one).namespace)).toEqual(expected);
  });
});

describe('whether anybody claims an object', () => {
  const index = new ClaimIndex(installation);
  index.changed({ key: keyOf(mine), current: mine });
  const place = { endpoints: [ledger.endpoint], tenant: ledger.tenant, collection: 'clusters' };
  test.each<readonly [string, typeof place, string, boolean]>([
    ['by its id', place, 'id-1', true],
    ['by its name', place, claimOf().name, true],
    ['another one', place, 'id-2', false],
    ['in another tenant', { ...place, tenant: 'prod' }, 'id-1', false],
    ['in another collection', { ...place, collection: 'images' }, 'id-1', false],
    ['at another endpoint', { ...place, endpoints: ['http://new'] }, 'id-1', false],
    ['at an endpoint that has moved', { ...place, endpoints: ['http://new', ledger.endpoint] }, 'id-1', true],
  ])('%s', (_name, where, text, expected) => {
    expect(index.has(where, text)).toBe(expected);
  });

  test.each<readonly [string, Partial<typeof place>, boolean]>([
    ['of a collection', {}, true],
    ['of another collection', { collection: 'images' }, false],
    ['at another endpoint', { endpoints: ['http://new'] }, false],
    ['at an endpoint that has moved', { endpoints: ['http://new', ledger.endpoint] }, true],
  ])('or any %s', (_name, other, expected) => {
    expect(index.hasAny({ ...place, ...other })).toBe(expected);
  });

  test('or any, until the last that did is gone', () => {
    const emptied = new ClaimIndex(installation);
    emptied.changed({ key: keyOf(mine), current: mine });
    emptied.changed({ key: keyOf(mine), current: undefined });
    expect(emptied.hasAny(place)).toBe(false);
  });
});

describe('whether any ledger names an object, so that nobody is told that it is unclaimed', () => {
  const named = { id: 'id-1', name: claimOf().name };
  const byName = { ...named, id: 'another' };
  const byId = { ...named, name: 'another' };
  test.each<readonly [string, RawResource, typeof named, boolean]>([
    ['by its id', mine, byId, true],
    ['by its name', mine, byName, true],
    ['at another address', owner('team-b', 'u2', { endpoint: 'http://other' }), byId, true],
    ['for another tenant', owner('team-b', 'u2', { tenant: 'prod' }), byId, true],
    ['restored from a backup, or copied', owner('team-b', 'u2', { uid }), byId, true],
    ['written by another installation', owner('team-b', 'u2', { installation: 'far' }), byId, true],
    ['written by a later version', owner('team-b', 'u2', { v: 2 as 1 }), byName, true],
    ['another object', mine, { id: 'id-2', name: 'another' }, false],
  ])('%s', (_name, current, object, expected) => {
    const index = new ClaimIndex(installation);
    index.changed({ key: keyOf(current), current });
    expect(index.isNamed('clusters', object)).toBe(expected);
    index.changed({ key: keyOf(current), current: undefined });
    expect(index.isNamed('clusters', object)).toBe(false);
  });

  test('of an annotation that cannot be used, only so many words are kept', () => {
    const index = new ClaimIndex(installation);
    const many = Array.from({ length: 5_000 }, (_, at) => `w${at}`).join(' ');
    const metadata = { annotations: { [ledgerAnnotation]: many } };
    const current = resourceOf({ metadata });
    index.changed({ key: keyOf(current), current });
    expect(index.isNamed('clusters', { id: 'w1', name: 'x' })).toBe(true);
    expect(index.isNamed('clusters', { id: 'w4999', name: 'x' })).toBe(false);
  });

  test('a change of a ledger that cannot be used is told, and so is its end', () => {
    const index = new ClaimIndex(installation);
    const current = owner('team-b', 'u2', { installation: 'far' });
    const change = (to: RawResource | undefined) => index.changed({ key: keyOf(current), current: to });
    expect(change(current)).toBe(current);
    expect(change({ ...current })).toBeUndefined();
    const other = owner('team-b', 'u2', { installation: 'farther' });
    expect(change(other)).toBe(other);
    expect(change(undefined)).toBe(other);
    expect(change(undefined)).toBeUndefined();
  });

  test('in another collection it is another object', () => {
    const index = new ClaimIndex(installation);
    index.changed({ key: keyOf(mine), current: mine });
    expect(index.isNamed('images', named)).toBe(false);
  });
});

describe('who holds what a ledger of another object names', () => {
  const restored = (namespace: string, of: string, creationTimestamp = '2026-01-01T00:00:00Z'): RawResource =>
    resourceOf({ metadata: { namespace, uid: of, creationTimestamp }, ledger });
  const holderOf = (who: RawResource, ...others: readonly RawResource[]): string | undefined => {
    const index = new ClaimIndex(installation);
    for (const current of [who, ...others]) index.changed({ key: keyOf(current), current });
    return index.holder(who, ledger)?.metadata.namespace;
  };
  const stranger = owner('team-c', 'u3', { claims: [claimOf({ name: 'another', id: 'id-2' })] });
  const open = resourceOf({ metadata: { namespace: 'team-a', uid }, ledger: ledgerOf([claimOf(attempts(1))]) });

  test.each<readonly [string, readonly RawResource[], string | undefined]>([
    ['nobody else', [], undefined],
    ['the object that it was written for', [mine], 'team-a'],
    ['the one whose create of that name is open', [open], 'team-a'],
    ['somebody with another object', [stranger], undefined],
    ['the older of two copies', [restored('team-d', 'u4', '2025-01-01T00:00:00Z')], 'team-d'],
    ['itself before a younger copy', [restored('team-d', 'u4', '2027-01-01T00:00:00Z')], undefined],
    ['itself, when the uid decides', [restored('team-d', 'u9')], undefined],
    ['the object itself before an older copy', [restored('team-d', 'u4', '2025-01-01T00:00:00Z'), mine], 'team-a'],
  ])('%s', (_name, others, expected) => {
    expect(holderOf(restored('team-b', 'u5'), ...others)).toBe(expected);
  });
});

test("a fixed name is anybody's: the private template tells who claims it", () => {
  const claims = (id: string) => [
    claimOf({ role: 'private', collection: 'cluster-templates', name: `nightly-${id}`, id: `t-${id}` }),
    claimOf({ name: 'nightly', ...attempts(1) }),
  ];
  const holding = owner('team-b', 'u2', { claims: claims('two') });
  const index = new ClaimIndex(installation);
  index.changed({ key: keyOf(holding), current: holding });
  const restored = owner('team-a', 'u5', { uid: 'before', claims: claims('one') });
  expect(index.holder(restored, ledgerOf(claims('one')))).toBeUndefined();
  expect(index.holder(restored, ledgerOf(claims('two')))).toBe(holding);
  const place = { endpoints: [ledger.endpoint], tenant: ledger.tenant };
  expect(index.has({ ...place, collection: 'clusters' }, 'nightly')).toBe(false);
  expect(index.has({ ...place, collection: 'cluster-templates' }, 'nightly-two')).toBe(true);
});

describe('over time', () => {
  const other = owner('team-b', 'u2');
  const start = () => {
    const index = new ClaimIndex(installation);
    for (const current of [mine, other]) index.changed({ key: keyOf(current), current });
    return { index, claimants: () => index.claimants(ledger) };
  };

  test('what is deleted claims nothing any more', () => {
    const { index, claimants } = start();
    index.changed({ key: keyOf(other), current: undefined });
    expect(claimants()).toEqual([mine]);
  });

  test('what has let go of its object claims it no more', () => {
    const { index, claimants } = start();
    index.changed({ key: keyOf(other), current: resourceOf({ metadata: other.metadata }) });
    expect(claimants()).toHaveLength(2);
    index.changed({ key: keyOf(other), current: owner('team-b', 'u2', {}, 'id-2') });
    expect(claimants()).toEqual([mine]);
  });

  test('the newest version is handed out', () => {
    const { index, claimants } = start();
    const newer = { ...other, metadata: { ...other.metadata, resourceVersion: '99' } };
    index.changed({ key: keyOf(newer), current: newer });
    expect(claimants()).toEqual([mine, newer]);
  });

  test('a change of what was never known is nothing', () => {
    const { index, claimants } = start();
    index.changed({ key: { kind: 'Cluster', namespace: 'x', name: 'y' }, current: undefined });
    expect(claimants()).toHaveLength(2);
  });

  test('a new claim comes last, and a new version of the resource keeps its place', () => {
    const { index, claimants } = start();
    index.changed({ key: keyOf(mine), current: { ...mine, spec: { deletionPolicy: 'Orphan' } } });
    expect(claimants()).toMatchObject([{ metadata: { namespace: 'team-a' } }, other]);
    const changed = owner('team-a', uid, { base: 'x' });
    index.changed({ key: keyOf(mine), current: changed });
    expect(claimants()).toEqual([other, changed]);
  });
});

describe('a change', () => {
  const key = keyOf(mine);
  const claimless = resourceOf({ metadata: { namespace: 'team-a', uid } });

  test('tells whose claims are others by it, be they new, of another id, or gone', () => {
    const index = new ClaimIndex(installation);
    expect(index.changed({ key, current: claimless })).toBeUndefined();
    expect(index.changed({ key, current: mine })).toBe(mine);
    const other = owner('team-a', uid, {}, 'id-2');
    expect(index.changed({ key, current: other })).toBe(other);
    expect(index.changed({ key, current: claimless })).toBe(claimless);
    expect(index.changed({ key, current: mine })).toBe(mine);
    expect(index.changed({ key, current: undefined })).toBe(mine);
    expect(index.changed({ key, current: undefined })).toBeUndefined();
  });

  test('of anything else tells nobody', () => {
    const index = new ClaimIndex(installation);
    index.changed({ key, current: mine });
    expect(index.changed({ key, current: { ...mine, spec: { deletionPolicy: 'Orphan' } } })).toBeUndefined();
  });
});
