// The plan for a resource whose lifecycle ends: row by row of the table of plan-expiry.ts.
import { describe, expect, test } from 'vitest';
import { clusterKind } from '../../../../src/operator/kinds/cluster/index.ts';
import type { Ledger } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { plan } from '../../../../src/operator/reconcile/plan/plan.ts';
import { configDigests } from '../../../../src/operator/reconcile/plan/preconditions.ts';
import { expiredMark, type LifecycleFinding } from '../../../../src/operator/reconcile/resource/lifecycle.ts';
import {
  claimOf,
  clusterName,
  clusterSpec,
  factsOf,
  iso,
  ledgerOf,
  missingConnection,
  type SituationOptions,
  situationOf,
  wall,
} from '../support.ts';

const id = 'id-1';
const recorded = ledgerOf([claimOf({ id })]);
const active = { id, name: clusterName, status: 'Active' };
const spec = (lifecycle: object) => ({ ...clusterSpec, lifecycle });
const releasing = spec({ deleteAfterSeconds: 60, onExpiry: 'Release' });

const expiry = {
  reason: 'MaximumAge',
  at: wall - 60_000,
  message: 'the cluster expires at a time',
  isNear: true,
  hasPassed: true,
} as const;
const finding = (changes: Partial<LifecycleFinding> = {}): LifecycleFinding => ({
  settings: { ageMs: 60_000, releases: false },
  use: 'idle',
  loadReported: false,
  firstReadyAt: wall - 120_000,
  lastUsedAt: wall - 120_000,
  expiry,
  isDue: true,
  nextInMs: 0,
  ...changes,
});
const releases = { ageMs: 60_000, releases: true };

const planOf = (options: SituationOptions, lifecycle?: LifecycleFinding) =>
  plan({ ...situationOf(options), lifecycle });
const there: SituationOptions = { ledger: recorded, rows: [active] };

const notAllowed = 'namespace team-a is not selected';
const refused = {
  action: 'none',
  outcome: { result: 'refused', reason: 'ConnectionNotAllowed', message: notAllowed },
};

describe('a deadline has passed', () => {
  test('the resource is deleted, and says why', () => {
    expect(planOf(there, finding())).toMatchObject({
      action: 'expire',
      outcome: { result: 'requeue' },
      event: { reason: 'Expired', type: 'Normal' },
      onlyIdle: false,
    });
  });

  test('one that is idle is deleted only as long as nothing uses it', () => {
    expect(planOf(there, finding({ expiry: { ...expiry, reason: 'Idle' } }))).toMatchObject({ onlyIdle: true });
  });

  test('with Release, the ledger records it, for this lifecycle and this object', () => {
    const { of } = expiredMark({ facts: factsOf({ spec: releasing }), id, expiry, wall });
    expect(planOf({ ...there, spec: releasing }, finding({ settings: releases }))).toMatchObject({
      action: 'write-ledger',
      write: 'own',
      ledger: { expired: { reason: 'MaximumAge', id, of }, claims: [{ id }] },
    });
  });

  test.each<readonly [string, SituationOptions, Partial<LifecycleFinding>]>([
    ['before it was announced for long enough', there, { isDue: false }],
    ['while too many are due', there, { isDue: false, isHeld: true }],
  ])('nothing is done %s', (_what, options, changes) => {
    expect(planOf(options, finding(changes)).action).toBe('none');
  });

  test.each([
    ['Delete', finding()],
    ['Release', finding({ settings: releases })],
  ])('nothing expires, and no event says so, where its SharedConnection does not allow it: %s', (_what, lifecycle) => {
    expect(plan({ ...situationOf({ ...there, spec: releasing }), lifecycle, notAllowed })).toEqual(refused);
  });

  test.each<readonly [string, SituationOptions, object]>([
    ['the Connection is missing', { ...there, service: missingConnection }, { reason: 'DependencyNotReady' }],
    ['another resource claims the same', { ...there, claimedBy: 'Cluster/a/b' }, { reason: 'DuplicateClaim' }],
    ['its ledger is unreadable', { ...there, ledger: '{' }, { reason: 'OwnershipUnconfirmed' }],
  ])('nothing expires while %s', (_what, options, outcome) => {
    expect(planOf(options, finding())).toMatchObject({ action: 'none', outcome });
  });

  const configs = { clusterConfigs: { Spark: { cores: 2 } } };
  const edited: SituationOptions = {
    ...there,
    spec: { ...releasing, clusterConfigs: { Spark: { cores: 4 } } },
    ledger: { ...recorded, configs: configDigests(clusterKind, configs) ?? {} },
  };
  const unreadable: SituationOptions = { ...there, spec: { ...releasing, pluginName: 5 } };
  test.each([
    ['edited', edited],
    ['unreadable', unreadable],
  ])('it goes though its spec is not valid: %s', (_what, options) => {
    const invalid = { action: 'none', outcome: { result: 'refused', reason: 'InvalidSpec' } };
    expect(planOf(options), 'without a deadline').toMatchObject(invalid);
    expect(planOf(options, finding({ isDue: false })), 'before').toMatchObject(invalid);
    expect(planOf(options, finding())).toMatchObject({ action: 'expire', event: { reason: 'Expired' } });
    expect(planOf(options, finding({ settings: releases }))).toMatchObject({ action: 'write-ledger', write: 'own' });
    expect(planOf({ ...options, service: missingConnection }, finding()), 'without a Connection').toMatchObject(
      invalid,
    );
  });

  test.each<readonly [string, Partial<LifecycleFinding>, object]>([
    ['it waits to be deleted', { isDue: false }, { result: 'waiting', on: 'time', reason: 'Expired' }],
    ['with Release, it has expired', { isDue: false, settings: releases }, { result: 'expired' }],
  ])('nothing is created after it: %s', (_what, changes, outcome) => {
    expect(planOf({}, finding(changes))).toMatchObject({ action: 'none', outcome });
  });
});

describe('what has expired', () => {
  const mark = expiredMark({ facts: factsOf({ spec: releasing }), id, expiry, wall });
  const expired = (ledger: Ledger): Ledger => ({ ...ledger, expired: mark });
  const left: SituationOptions = { ledger: expired(recorded), spec: releasing, rows: [active] };
  const gone: SituationOptions = { ledger: expired(ledgerOf([])), spec: releasing };
  const edited = spec({ deleteAfterSeconds: 61, onExpiry: 'Release' });

  test.each<readonly [string, SituationOptions, object]>([
    ['its object is deleted, and it stays', left, { action: 'delete', keeps: true, claims: [{ id }] }],
    [
      'its object waits for a run',
      { ...left, users: [{ kind: 'JobExecution', name: 'run', ends: 'cancel' }] },
      { action: 'none', outcome: { reason: 'Deleting', blockedOn: [{ name: 'run', reason: 'InUse' }] } },
    ],
    ['nothing is left', gone, { action: 'none', outcome: { result: 'expired', reason: 'MaximumAge' } }],
    [
      'nothing is left, without a Connection',
      { ...gone, service: missingConnection },
      { action: 'none', outcome: { result: 'expired' } },
    ],
    [
      'its object was orphaned',
      { ...left, spec: { ...releasing, deletionPolicy: 'Orphan' } },
      { action: 'write-ledger', ledger: { claims: [] }, report: { event: { reason: 'Orphaned' } } },
    ],
  ])('%s', (_what, options, expected) => {
    expect(planOf(options)).toMatchObject(expected);
  });

  test('neither is its object deleted nor another one promised where its SharedConnection does not allow it', () => {
    for (const options of [left, { ...left, spec: edited }, { ...gone, spec: edited }])
      expect(plan({ ...situationOf(options), notAllowed })).toEqual(refused);
    expect(plan({ ...situationOf(gone), notAllowed })).toMatchObject({ outcome: { result: 'expired' } });
  });

  test('its object is not left behind by observing it where a SharedConnection has limits', () => {
    const observed = { ...releasing, policy: 'Observe' };
    const found = planOf({ ...left, spec: observed, mayNotLeave: 'it has limits' });
    expect(found).toMatchObject({ action: 'none', outcome: { result: 'refused', reason: 'QuotaExceeded' } });
  });

  test('its object was orphaned: it has expired all the same', () => {
    const found = planOf({ ...left, spec: { ...releasing, deletionPolicy: 'Orphan' } });
    expect(found).toMatchObject({ ledger: { expired: { id } } });
  });

  test('its object is deleted though its spec is not valid, and no other one is asked for before that is', () => {
    const wrong = (one: object) => ({ ...one, pluginName: 5 });
    expect(planOf({ ...left, spec: wrong(releasing) })).toMatchObject({ action: 'delete', keeps: true });
    const renewed = planOf({ ...gone, spec: wrong(edited) });
    expect(renewed).toMatchObject({ action: 'none', outcome: { reason: 'InvalidSpec' } });
  });

  test.each<readonly [string, SituationOptions, boolean]>([
    ['once it is gone', { ...gone, spec: edited }, true],
    ['before its object was asked to go', { ...left, spec: edited }, true],
    ['not while its object goes', { ...left, spec: edited, rows: [{ ...active, status: 'Deleting' } as never] }, false],
    [
      'not after a DELETE whose effect does not show yet',
      { ...left, spec: edited, memory: { deletesSent: new Map([[id, { at: 1_000_000 }]]) } },
      false,
    ],
    [
      'not before it was deleted, for a time that has passed',
      { ...left, spec: spec({ deleteAt: iso(wall - 1) }) },
      false,
    ],
  ])('another lifecycle asks for another cluster, %s', (_what, options, isRenewed) => {
    const found = planOf(options);
    expect(found.action === 'write-ledger' && found.ledger.renewedFrom === id && !found.ledger.expired).toBe(isRenewed);
  });

  test('a user may delete it', () => {
    expect(planOf({ ...gone, deleting: true, held: true })).toMatchObject({ action: 'release' });
  });
});
