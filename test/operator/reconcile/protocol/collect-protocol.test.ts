// The steps that garbage-collect old revisions: asked for, sent, refused, lost and proven gone; and the ways back.
import { describe, expect, test } from 'vitest';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import type { Claim } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { makeCurrent } from '../../../../src/operator/reconcile/ledger/revision-history.ts';
import { switchTo } from '../../../../src/operator/reconcile/plan/next-step.ts';
import { done, type EffectAnswer } from '../../../../src/operator/reconcile/protocol/effects.ts';
import { next } from '../../../../src/operator/reconcile/protocol/protocol.ts';
import type { Cluster } from '../../../../src/wire/cluster.ts';
import {
  attempts,
  claimOf,
  clusterRow,
  clusterSpec,
  iso,
  ledgerOf,
  monotonic,
  quarantineMs,
  revisionNamed,
  type SituationOptions,
  situationOf,
  templateSpec,
  viewOf,
  wall,
} from '../support.ts';
import { inUse, notFound, protectedRow, reset, unsent } from './failures.ts';
import { closed, deleted, recorded, type Trail, timed } from './steps.ts';

const revision = (content: string, changes: Partial<Claim> = {}) =>
  claimOf({ role: 'revision', collection: 'node-group-templates', name: revisionNamed(content), ...changes });
const current = revision('now', { role: 'main', id: 'id-now' });
const former = revision('before', { id: 'id-1' });
const nameless = revision('before', attempts(1));
const row = (id: string, content: string) => ({ id, name: revisionNamed(content) });
const there = [row('id-now', 'now'), row('id-1', 'before')];
const gone = [row('id-now', 'now')];

const listed: EffectAnswer = { of: 'list-referrers', awaited: false, ...timed, at: monotonic - 50 };
const proven = { goneGets: new Map([['id-1', monotonic - 20]]) };

interface Asked extends SituationOptions {
  readonly claims?: readonly Claim[];
  readonly returning?: boolean;
  /** Of the spec when the plan was made. */
  readonly planned?: number;
}

function ask(trail: Trail, { claims = [former], returning = false, planned = 1, ...options }: Asked = {}) {
  const ledger = ledgerOf([...claims, current]);
  const kind = nodeGroupTemplateKind;
  const input = situationOf({ kind, spec: templateSpec, referencedIds: new Set(), rows: there, ledger, ...options });
  const switched = returning ? { switched: switchTo(input, former, ledger) } : {};
  return next({
    plan: { action: 'collect', claims, generation: planned, ...switched },
    ledger: input.ledger,
    input,
    trail,
  });
}

const deletionWaits = (message: string) => ({ result: 'waiting', on: 'service', reason: 'Deleting', message });
const replacementWaits = {
  result: 'waiting',
  on: 'service',
  reason: 'Provisioning',
  message: 'waiting for the old revision to be deleted before recreating it',
};
const settled = (tidying: object | undefined) => ({
  effect: 'done',
  outcome: { result: 'settled', ...(tidying ? { tidying } : {}) },
});

describe('before anything is deleted', () => {
  test.each<readonly [string, Trail, Asked, object]>([
    ['all who may refer to it are asked', [], {}, { effect: 'list-referrers' }],
    ['nobody does: it goes by its id', [listed], {}, { effect: 'delete', id: 'id-1' }],
    ['somebody does after all: it stays', [listed], { referencedIds: new Set(['id-1']) }, settled(undefined)],
    [
      'a request that may name it is open: not now',
      [{ ...listed, awaited: true }],
      {},
      settled(deletionWaits('a request that may refer to it is not answered yet')),
    ],
    [
      'they cannot be asked: not now',
      [{ ...listed, error: reset('GET') }],
      {},
      settled({ result: 'failed', message: `cannot delete old revisions: ${reset('GET').why}` }),
    ],
    ['nobody knows who refers to it: it stays', [listed], { referencedIds: undefined }, settled(undefined)],
    [
      'what a lost answer left is recorded first, used or not',
      [listed],
      { claims: [nameless] },
      { effect: 'record', ledger: { claims: [{ name: former.name, id: 'id-1', role: 'revision' }, current] } },
    ],
    [
      'of several the first that nobody refers to',
      [listed],
      {
        claims: [former, revision('older', { id: 'id-2' })],
        rows: [...there, row('id-2', 'older')],
        referencedIds: new Set(['id-1']),
      },
      { effect: 'delete', id: 'id-2' },
    ],
    [
      'a second object of its name goes while the recorded one is used',
      [listed],
      { rows: [...there, row('id-0', 'before')], referencedIds: new Set(['id-1']) },
      { effect: 'delete', id: 'id-0' },
    ],
  ])('%s', (_name, trail, options, expected) => {
    expect(ask(trail, options)).toMatchObject(expected);
  });
});

test('while a private template waits to be proven gone, the cluster is settled by what is known of clusters', () => {
  const proof = (content: string, changes: Partial<Claim>): Claim =>
    claimOf({ role: 'private', collection: 'cluster-templates', name: revisionNamed(content), ...changes });
  const left = proof('left', { id: 't-1', ...attempts(1) });
  const ledger = ledgerOf([left, proof('used', { id: 't-2' }), claimOf({ id: 'id-1' })]);
  const ask = (ownRows: readonly Cluster[]) => {
    const input = situationOf({
      spec: clusterSpec,
      referencedIds: new Set(['t-2']),
      templates: [row('t-2', 'used')],
      rows: ownRows,
      ledger,
      memory: { goneGets: new Map([['t-1', monotonic - 20]]) },
    });
    return next({ plan: { action: 'collect', claims: [left], generation: 1 }, ledger, input, trail: [listed] });
  };
  expect(ask([clusterRow({ id: 'id-1' })])).toMatchObject(settled({ result: 'waiting' }));
  expect(ask([])).toMatchObject(done({ result: 'requeue' }));
});

describe('the proof that it is gone', () => {
  const late = { claims: [revision('before', attempts(1, iso(wall - quarantineMs)))], rows: gone };
  test.each<readonly [string, Trail, Asked, object]>([
    ['not in the list: one GET', [listed], { rows: gone }, { effect: 'get-by-id', id: 'id-1' }],
    [
      'a list begun after the GET',
      [listed],
      { memory: { goneGets: new Map([['id-1', monotonic]]) }, rows: gone },
      { effect: 'observe' },
    ],
    [
      'both: it leaves the ledger, and nothing else does',
      [listed],
      { memory: proven, rows: gone },
      { effect: 'close', ledger: { claims: [current] } },
    ],
    [
      'a list that cannot be read to its end proves nothing',
      [listed],
      { memory: proven, view: viewOf(gone, { complete: false }) },
      settled({ result: 'waiting' }),
    ],
    [
      'a create of it may still take effect: not before the quarantine is over',
      [listed],
      { claims: [nameless], rows: gone },
      settled({ result: 'waiting', on: 'time' }),
    ],
    ['it is over', [listed], { ...late, view: viewOf(gone, { listSentAt: monotonic }) }, { effect: 'close' }],
    ['only a list begun after it counts', [listed], late, { effect: 'observe' }],
  ])('%s', (_name, trail, options, expected) => {
    expect(ask(trail, options)).toMatchObject(expected);
  });

  test('is an event, if there was an object', () => {
    const ledger = ledgerOf([current]);
    const older = revision('older', { id: 'id-2' });
    const event = (...gone: readonly Claim[]) => ({
      type: 'Normal',
      reason: 'Deleted',
      action: 'Delete',
      note: `no longer in the service, and no longer referred to: ${gone.map(({ name }) => `NodeGroupTemplate ${name}`).join(', ')}`,
    });
    const end = { effect: 'done', outcome: { result: 'settled' } };
    const never = revision('never', attempts(0));
    expect(ask([listed, closed], { ledger })).toStrictEqual({ ...end, events: [event(former)] });
    expect(ask([listed, closed], { ledger, claims: [former, never, older] })).toEqual({
      ...end,
      events: [event(former, older)],
    });
    expect(ask([listed, closed], { ledger, claims: [nameless] })).toMatchObject({ events: [] });
  });

  test('is followed by another look while there are others', () => {
    const older = revision('older', { id: 'id-2' });
    const asked = { claims: [former, older], ledger: ledgerOf([older, current]) };
    expect(ask([listed, closed], asked)).toMatchObject({
      ...settled(deletionWaits('old revisions are left to delete')),
      events: [{ note: `no longer in the service, and no longer referred to: NodeGroupTemplate ${former.name}` }],
    });
  });
});

describe('after the DELETE', () => {
  test.each<readonly [string, EffectAnswer, object]>([
    ['taken: the current one is there all the time', deleted(), deletionWaits('waiting for the service to delete it')],
    ['not there any more', deleted(notFound('DELETE')), { result: 'waiting' }],
    ['the answer was lost', deleted(reset('DELETE')), { result: 'waiting' }],
    [
      'in use',
      deleted(inUse()),
      {
        result: 'failed',
        reason: 'ExternalDeleteFailing',
        message: `the service refuses to delete an old revision: ${inUse().why}`,
      },
    ],
    [
      'not sent',
      deleted(unsent('DELETE')),
      {
        result: 'failed',
        reason: 'UpstreamError',
        message: `cannot delete an old revision: ${unsent('DELETE').why}`,
      },
    ],
  ])('%s', (_name, answer, tidying) => {
    expect(ask([listed, answer])).toMatchObject(settled(tidying));
  });

  test.each<readonly [string, Asked]>([
    ['a newer spec was not compared yet', { planned: 0 }],
    ['the current one is not there any more', { rows: [row('id-1', 'before')] }],
    ['nobody looked', { view: undefined }],
  ])('nothing is said to be as wanted: %s', (_name, options) => {
    expect(ask([listed, deleted()], options)).toEqual(done({ result: 'requeue' }));
  });

  test('it is not sent again within the minute', () => {
    const sentAgo = (ms: number) => ({ deletesSent: new Map([['id-1', { at: monotonic - ms }]]) });
    expect(ask([listed], { memory: sentAgo(59_000) })).toMatchObject(settled({ result: 'waiting' }));
    expect(ask([listed], { memory: sentAgo(60_000) })).toMatchObject({ effect: 'delete' });
  });

  test('two that take their time are sent one each', () => {
    const earlier = revision('earlier', { id: 'id-0' });
    const rows = [...there, row('id-0', 'earlier')];
    const claims = [earlier, former];
    const sent = (...ids: readonly string[]) => ({
      claims,
      rows,
      memory: { deletesSent: new Map(ids.map((id) => [id, { at: monotonic - 1 }])) },
    });
    expect(ask([listed], { claims, rows })).toMatchObject({ effect: 'delete', id: 'id-0' });
    expect(ask([listed], sent('id-0'))).toMatchObject({ effect: 'delete', id: 'id-1' });
    expect(ask([listed], sent('id-0', 'id-1'))).toMatchObject(settled({ result: 'waiting' }));
  });

  test.each([
    ['in use', inUse()],
    ['protected', protectedRow()],
  ])('refused as %s, it is used again where its content is wanted', (_name, error) => {
    const asked = ask([listed, deleted(error)], { returning: true });
    expect(asked).toMatchObject({
      effect: 'record',
      ledger: {
        claims: [
          { name: current.name, role: 'revision' },
          { name: former.name, role: 'main' },
        ],
      },
    });
    expect(ask([listed, deleted(error), recorded], { returning: true })).toMatchObject({
      outcome: { result: 'progressed', reason: 'Provisioning' },
      events: [{ reason: 'Replaced' }],
    });
  });

  test.each<readonly [string, Trail, Asked, object]>([
    ['found after a lost answer', [listed, recorded], { claims: [nameless] }, replacementWaits],
    ['taken', [listed, deleted()], {}, replacementWaits],
    [
      'taken, and the current one is gone, too',
      [listed, deleted()],
      { rows: [row('id-1', 'before')] },
      replacementWaits,
    ],
    ['not sent', [listed, deleted(unsent('DELETE'))], {}, { result: 'failed', reason: 'UpstreamError' }],
    ['referred to again', [listed], { referencedIds: new Set(['id-1']) }, replacementWaits],
  ])('of one whose content is wanted again the user hears: %s', (_name, trail, options, outcome) => {
    expect(ask(trail, { ...options, returning: true })).toMatchObject({ effect: 'done', outcome });
  });
});

test('what a lost answer left is recorded before others are tidied up', () => {
  expect(ask([listed, recorded], { claims: [nameless] })).toMatchObject(
    settled(deletionWaits('an object that a lost answer left was found')),
  );
});

test('a switch is one write, and an event', () => {
  const ledger = makeCurrent(ledgerOf([former, current]), former.name);
  const input = situationOf({ kind: nodeGroupTemplateKind, spec: templateSpec, ledger });
  const plan = switchTo(input, former, ledger);
  expect(next({ plan, ledger, input, trail: [] })).toEqual({ effect: 'record', ledger });
  const message = `NodeGroupTemplate ${former.name} is used again`;
  expect(next({ plan, ledger, input, trail: [recorded] })).toEqual({
    effect: 'done',
    outcome: { result: 'progressed', reason: 'Provisioning', message },
    events: [{ type: 'Normal', reason: 'Replaced', action: 'Update', note: message }],
  });
});
