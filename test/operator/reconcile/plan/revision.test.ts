// Plans for templates whose content moves on: another object, a switch back, and what becomes of former ones.
import { describe, expect, test } from 'vitest';
import { clusterTemplateKind } from '../../../../src/operator/kinds/cluster-template/index.ts';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import { currentClaim } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { clusterName, contentHash, revisionName } from '../../../../src/operator/reconcile/ledger/naming.ts';
import type { Resolution } from '../../../../src/operator/reconcile/resource/references.ts';
import { byReference, workerReference } from '../resource/worker-reference.ts';
import { readyStatus } from '../status/concluding.ts';
import {
  attempts,
  claimOf,
  installation,
  ledgerOf,
  resourceOf,
  type SituationOptions,
  templateSpec,
  uid,
} from '../support.ts';
import { adopts, planOf } from './matchers.ts';

const kind = nodeGroupTemplateKind;
const edited = { ...templateSpec, flavorID: '9' };
const hashOf = (spec: object) => contentHash(kind.content(kind.definition.spec.parse(spec), () => ''));
const [first, second] = [hashOf(templateSpec), hashOf(edited)];
const named = (hash: string) => revisionName({ name: 'etl', uid, installation }, hash);
const revision = (hash: string, changes: Parameters<typeof claimOf>[0] = {}) =>
  claimOf({ role: 'revision', collection: 'node-group-templates', name: named(hash), hash, ...changes });
const row = (id: string, hash: string) => ({ id, name: named(hash) });
const one = row('id-1', first);
const two = row('id-2', second);
const current = revision(first, { role: 'main', id: 'id-1' });
const former = revision(second, { id: 'id-2' });

const planned = (options: SituationOptions) => planOf({ kind, spec: templateSpec, status: readyStatus, ...options });

describe('another content', () => {
  test('is made under a name of its own, while the current one stays on record', () => {
    expect(planned({ spec: edited, ledger: ledgerOf([current]), rows: [one] })).toMatchObject({
      action: 'create',
      claim: { role: 'revision', hash: second, name: revisionName({ name: 'etl', uid, installation }, second) },
      ledger: { claims: [current] },
    });
  });

  test('that was begun before is gone on with', () => {
    const ledger = ledgerOf([current, revision(second, attempts(1))]);
    expect(planned({ spec: edited, ledger, rows: [one] })).toMatchObject({
      action: 'create',
      claim: { name: former.name },
    });
    expect(planned({ spec: edited, ledger, rows: [one, two] })).toMatchObject(adopts('id-2'));
  });

  test('drops a claim of which nothing came', () => {
    const ledger = ledgerOf([current, revision('aaaaaaaa', attempts(0))]);
    expect(planned({ spec: edited, ledger, rows: [one] })).toMatchObject({ ledger: { claims: [current] } });
  });

  test('does not wait until the current one is found again', () => {
    expect(planned({ spec: edited, ledger: ledgerOf([current]), rows: [] })).toMatchObject({ action: 'create' });
  });

  test.each<readonly [string, ReadonlySet<string>, object]>([
    [
      'a former object that is referred to is used again',
      new Set(['id-2']),
      { action: 'write-ledger', write: 'record', report: { event: { reason: 'Replaced' } } },
    ],
    [
      'one that is not may be on its way out: it goes first',
      new Set(),
      {
        action: 'collect',
        claims: [former],
        earlyStatus: { result: 'waiting', on: 'service', reason: 'Provisioning', message: 'replacing it' },
      },
    ],
  ])('%s', (_name, mentioned, expected) => {
    const ledger = ledgerOf([former, current]);
    const switched = [
      { ...current, role: 'revision' },
      { ...former, role: 'main' },
    ];
    const result = planned({ spec: edited, ledger, rows: [one, two], referencedIds: mentioned });
    expect(result).toMatchObject(expected);
    const written = 'switched' in result ? result.switched : result;
    expect(written).toMatchObject({ ledger: { claims: switched } });
  });

  test.each([
    ['id-2', 'write-ledger'],
    ['id-3', 'collect'],
  ])('of two former objects of that content, only the recorded one is used again: %s is referred to', (id, action) => {
    const rows = [one, two, row('id-3', second)];
    const options = { spec: edited, ledger: ledgerOf([former, current]), rows, referencedIds: new Set([id]) };
    expect(planned(options)).toMatchObject({ action });
  });

  test('a ledger of the version before: the only revision is the current one', () => {
    const ledger = ledgerOf([{ ...current, role: 'revision' }], { configs: { nodeConfigs: '-' } });
    expect(planned({ ledger, rows: [one] })).toEqual({ result: 'settled' });
    expect(planned({ spec: edited, ledger, rows: [one] })).toMatchObject({ action: 'create', claim: { hash: second } });
  });
});

describe('former objects', () => {
  const ledger = ledgerOf([former, current]);
  test.each<readonly [string, SituationOptions, object]>([
    ['who refers to them was not asked: they stay', {}, { result: 'settled' }],
    ['referred to: they stay', { referencedIds: new Set(['id-2']) }, { result: 'settled' }],
    ['referred to by nobody: they go', { referencedIds: new Set() }, { action: 'collect', claims: [former] }],
    [
      'not in the list any more: they leave the ledger',
      { referencedIds: new Set(), rows: [one] },
      { action: 'collect', claims: [former] },
    ],
    [
      'it is said first that the current one is there',
      { referencedIds: new Set(), status: { observedGeneration: -1 } },
      {
        result: 'settled',
        tidying: {
          result: 'waiting',
          on: 'service',
          reason: 'Provisioning',
          message: 'old revisions are left to delete',
        },
      },
    ],
    [
      'a second object of one of them that nobody refers to goes',
      { referencedIds: new Set(['id-2']), rows: [one, two, row('id-3', second)] },
      { action: 'collect', claims: [former] },
    ],
  ])('%s', (_name, options, expected) => {
    const result = planned({ ledger, rows: [one, two], ...options });
    expect(result).toMatchObject(expected);
    expect('switched' in result).toBe(false);
  });

  test('none of them stands in for the current one that vanished: it is made again in its place', () => {
    const memory = { missingSince: 0 };
    const vanished = planned({ ledger, rows: [two], referencedIds: new Set(['id-2']), memory });
    if (!('action' in vanished) || vanished.action !== 'forget') throw new Error('it is not to be made again');
    const place = currentClaim(vanished.ledger);
    expect(place).toMatchObject({ role: 'main', hash: first });
    expect(place?.id).toBeUndefined();
    // Sent, and not answered: what the resource stands for is not there, whatever else is.
    const again = { ledger: ledgerOf([former, { ...revision(first, attempts(1)), role: 'main' }]), rows: [two] };
    expect(planned({ ...again, referencedIds: new Set() })).toMatchObject({
      action: 'create',
      claim: { role: 'main', name: current.name },
    });
    expect(planned({ ...again, rows: [one, two] })).toMatchObject(adopts('id-1'));
  });

  test('an object that a lost answer left is looked after, also where others refer to it', () => {
    const open = revision(second, attempts(1));
    const result = planned({ ledger: ledgerOf([open, current]), rows: [one, two], referencedIds: new Set(['id-2']) });
    expect(result).toMatchObject({ action: 'collect', claims: [open] });
  });
});

describe('a content that cannot be told', () => {
  const awaited: Resolution = {
    state: 'awaited',
    reference: workerReference,
    message: 'NodeGroupTemplate worker does not exist',
  };
  const resolved = (hash: string): Resolution => ({
    state: 'resolved',
    reference: workerReference,
    resource: resourceOf({ kind, spec: templateSpec }),
    id: 'ngt-1',
    hash,
    claims: [],
  });
  const content = (hash: string) =>
    contentHash(clusterTemplateKind.content(clusterTemplateKind.definition.spec.parse(byReference), () => hash));
  const claim = revision(content('aaaaaaaa'), { role: 'main', collection: 'cluster-templates', id: 'id-1' });
  const referring = (resolution: Resolution, options: SituationOptions = {}): SituationOptions => ({
    kind: clusterTemplateKind,
    spec: byReference,
    ledger: ledgerOf([claim]),
    rows: [{ id: 'id-1', name: claim.name }],
    resolutions: [resolution],
    ...options,
  });

  test.each<readonly [string, SituationOptions, object]>([
    ['is the current one as long as its generation was settled', referring(awaited), { result: 'settled' }],
    [
      'is the current one while this process knows that it was settled',
      referring(awaited, { status: { observedGeneration: 1 }, memory: { settledGeneration: 1 } }),
      { result: 'settled' },
    ],
    [
      'is waited for after an edit',
      referring(awaited, { metadata: { generation: 2 } }),
      { result: 'waiting', reason: 'DependencyNotReady' },
    ],
    ['is the same while what it refers to is the same', referring(resolved('aaaaaaaa')), { result: 'settled' }],
    [
      'is another one when what it refers to has another content',
      referring(resolved('bbbbbbbb')),
      { action: 'create', claim: { hash: content('bbbbbbbb') } },
    ],
  ])('%s', (_name, options, expected) => {
    expect(planned(options)).toMatchObject(expected);
  });
});

test('with the ledger lost, objects of other contents come back as former revisions', () => {
  const identity = { name: 'etl', uid, installation };
  const name = (hash: string) => revisionName(identity, hash);
  const rows = [
    { id: 'id-1', name: name(first) },
    { id: 'id-2', name: name('aaaaaaaa') },
    { id: 'id-3', name: 'a-stranger' },
    { id: 'id-4', name: clusterName(identity, 0) },
  ];
  const adopted = planned({ rows, status: { observedGeneration: 1 } });
  expect(adopted).toMatchObject(adopts('id-1', { name: name(first) }));
  expect('ledger' in adopted && adopted.ledger?.claims.slice(0, -1)).toEqual([
    { role: 'revision', collection: 'node-group-templates', name: name('aaaaaaaa'), id: 'id-2', hash: 'aaaaaaaa' },
  ]);
});
