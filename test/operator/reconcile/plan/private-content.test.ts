// Plans for the bytes that a job binary refers to: before it, while it lives, and when nothing refers to them any more.
import { describe, expect, test } from 'vitest';
import { plainDigest } from '../../../../src/operator/api/file-digest.ts';
import { jobBinaryKind as kind } from '../../../../src/operator/kinds/job-binary/index.ts';
import { contentHash, revisionName } from '../../../../src/operator/reconcile/ledger/naming.ts';
import { privateHash, privateOf, sparePrivates } from '../../../../src/operator/reconcile/ledger/private-content.ts';
import { plan } from '../../../../src/operator/reconcile/plan/plan.ts';
import { readyStatus } from '../status/concluding.ts';
import {
  attempts,
  conditionsAs,
  installation,
  ledgerOf,
  monotonic,
  quarantineMs,
  type SituationOptions,
  situationOf,
  uid,
  wall,
} from '../support.ts';
import { adopts, planOf } from './matchers.ts';

const spec = { content: { inline: 'print(1)', fileName: 'words.py' } };
const identity = { name: 'etl', uid, installation };
const hash = contentHash({ bytes: plainDigest(Buffer.from('print(1)')), ending: '.py', fileName: 'words.py' });
const main = { role: 'main', collection: 'job-binaries', name: revisionName(identity, hash, '.py'), hash } as const;
const file = {
  role: 'private',
  collection: 'job-binary-internals',
  name: revisionName(identity, privateHash(hash)),
  hash: privateHash(hash),
} as const;
const oldHash = 'aaaaaaaa';
const oldFile = {
  ...file,
  hash: privateHash(oldHash),
  name: revisionName(identity, privateHash(oldHash)),
  id: 'f-0',
};
const row = (id: string, { name }: { readonly name: string }) => ({ id, name });
const stored = { ...file, id: 'f-1' };
const whole = { ...main, id: 'b-1' };

const planned = (options: SituationOptions) => planOf({ kind, spec, rows: [], templates: [], ...options });

describe('before the job binary', () => {
  test('its bytes are stored under a name of their own', () => {
    expect(planned({})).toMatchObject({
      action: 'create',
      claim: file,
      body: { name: file.name, bytes: Buffer.from('print(1)'), secret: false },
    });
    expect(file.name).not.toBe(main.name);
  });

  test('bytes that a lost answer left are found by their name', () => {
    const ledger = ledgerOf([{ ...file, ...attempts(1) }]);
    expect(planned({ ledger, templates: [row('f-1', file)] })).toMatchObject(adopts('f-1', { role: 'private' }));
  });

  test('then it is created with their id', () => {
    expect(planned({ ledger: ledgerOf([stored]), templates: [row('f-1', file)] })).toMatchObject({
      action: 'create',
      claim: { role: 'revision', name: main.name, hash },
      ledger: { claims: [stored] },
      body: { name: main.name, url: 'internal-db://f-1' },
    });
  });

  test('bytes that are gone are forgotten, once the job binary can no longer appear', () => {
    const gone = planned({ ledger: ledgerOf([stored]) });
    expect(gone).toMatchObject({ action: 'forget', id: 'f-1', claim: stored });
    const open = ledgerOf([stored, { ...main, ...attempts(1, new Date(wall - 1_000).toISOString()) }]);
    expect(planned({ ledger: open })).toMatchObject({ result: 'waiting', on: 'time' });
  });

  test('bytes that may be about to be deleted are not referred to', () => {
    const ledger = ledgerOf([stored]);
    const sentAt = (ago: number) => new Map([['f-1', { at: monotonic - ago }]]);
    const after = (ago: number) =>
      planned({ ledger, templates: [row('f-1', file)], memory: { deletesSent: sentAt(ago) } });
    expect(after(1_000)).toMatchObject({ result: 'waiting', on: 'time', reason: 'Provisioning', afterMs: 30_000 });
    expect(after(quarantineMs - 10)).toMatchObject({ result: 'waiting', afterMs: 10 });
    expect(after(quarantineMs)).toMatchObject({ action: 'create', body: { url: 'internal-db://f-1' } });
    expect(planned({ ledger, memory: { deletesSent: sentAt(1_000) } })).toMatchObject({ action: 'forget' });
  });

  test('a ConfigMap that has changed since is read again', () => {
    const reference = { field: 'spec.content.configMapKeyRef', kind: 'ConfigMap', name: 'programs', file: 'words.py' };
    const resource = { ...situationOf().facts.resource, kind: 'ConfigMap', files: {} };
    const resolutions = [{ state: 'resolved', reference, resource, id: 'digest', claims: [] } as const];
    const from = { content: { configMapKeyRef: { name: 'programs', key: 'words.py' } } };
    expect(planned({ spec: from, resolutions })).toEqual({ result: 'requeue', afterMs: 2_000 });
    const files = new Map([['ConfigMap/programs', Buffer.from('x')]]);
    expect(planned({ spec: from, resolutions, files })).toMatchObject({ body: { bytes: Buffer.from('x') } });
  });

  test('with the ledger lost, everything of ours is taken up again', () => {
    const status = { observedGeneration: 1, conditions: conditionsAs(1, wall, []) };
    const rows = [{ ...row('b-1', main), url: 'internal-db://f-1' }];
    const templates = [row('f-1', file), row('f-0', oldFile), { id: 'x', name: 'stranger' }];
    const taken = planned({ status, rows, templates, held: true });
    expect(taken).toMatchObject(adopts('b-1', { role: 'main' }));
    expect(taken).toMatchObject({ ledger: { claims: [stored, oldFile, whole] } });
  });
});

describe('while the job binary exists', () => {
  const there = { status: readyStatus, rows: [row('b-1', main)], templates: [row('f-1', file)] };

  test('nothing is to be done', () => {
    expect(planned({ ...there, ledger: ledgerOf([stored, whole]) })).toMatchObject({ result: 'settled' });
  });

  test('bytes that somebody deleted are reported', () => {
    expect(planned({ ...there, templates: [], ledger: ledgerOf([stored, whole]) })).toMatchObject({
      result: 'refused',
      reason: 'ExternalDeleted',
    });
  });

  test('bytes of no revision are collected, once everything is as wanted', () => {
    const ledger = ledgerOf([oldFile, stored, whole]);
    const templates = [row('f-0', oldFile), row('f-1', file)];
    expect(planned({ ...there, ledger, templates })).toMatchObject({ action: 'collect', claims: [oldFile] });
    expect(planned({ ...there, status: {}, ledger, templates })).toMatchObject({ result: 'settled' });
  });
});

test('on deletion the job binary goes first', () => {
  const ledger = ledgerOf([stored, whole]);
  const options = { kind, spec, ledger, rows: [row('b-1', main)], templates: [row('f-1', file)], deleting: true };
  expect(plan(situationOf(options))).toMatchObject({ action: 'delete', claims: [whole], later: [stored] });
  expect(plan(situationOf({ ...options, ledger: ledgerOf([stored]) }))).toMatchObject({ claims: [stored], later: [] });
});

describe('the bytes of a revision', () => {
  const revision = { ...main, role: 'revision', hash: oldHash, name: revisionName(identity, oldHash) } as const;

  test('are found by its hash', () => {
    const ledger = ledgerOf([stored, oldFile, whole]);
    expect([privateOf(ledger, hash), privateOf(ledger, oldHash)]).toEqual([stored, oldFile]);
    expect([privateOf(ledger, 'bbbbbbbb'), privateOf(ledger, undefined), privateOf(undefined, hash)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('are spare as soon as it cannot appear any more', () => {
    const spare = (...claims: Parameters<typeof ledgerOf>[0] & object) => sparePrivates(ledgerOf(claims));
    expect(spare(stored, oldFile, whole, { ...revision, id: 'b-0' })).toEqual([]);
    expect(spare(stored, oldFile, whole, { ...revision, ...attempts(1) })).toEqual([]);
    expect(spare(stored, oldFile, whole, { ...revision, ...attempts(0) })).toEqual([oldFile]);
    expect(spare(stored, oldFile, whole)).toEqual([oldFile]);
    expect(sparePrivates(undefined)).toEqual([]);
  });
});
