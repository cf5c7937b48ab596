// The protocol under a fixed name: each observation tells strangers apart, and a deletion covers two collections.
import { describe, expect, test } from 'vitest';
import { openAttempt } from '../../../../src/operator/reconcile/ledger/edits.ts';
import { type Claim, type Ledger } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import type { Plan } from '../../../../src/operator/reconcile/plan/next-step.ts';
import { creating } from '../../../../src/operator/reconcile/plan/plan-create.ts';
import { deleting } from '../../../../src/operator/reconcile/plan/plan-delete.ts';
import type { ServiceError } from '../../../../src/wire/errors/service-error.ts';
import {
  attempts,
  claimOf,
  clusterRow,
  clusterSpec,
  iso,
  ledgerOf,
  monotonic,
  revisionNamed,
  type SituationOptions,
  wall,
} from '../support.ts';
import { fault, nameTaken, quota, reset, unsent } from './failures.ts';
import { ask as askWith, closed, intended, observed, refused, type Trail } from './steps.ts';

const name = 'nightly';
const template: Claim = {
  role: 'private',
  collection: 'cluster-templates',
  name: revisionNamed('nightly'),
  hash: 'h',
  id: 't-1',
};
const claim = claimOf({ name });
const before = ledgerOf([template]);
const opened = openAttempt(before, claim, iso(wall));
const create: Plan = { action: 'create', claim, ledger: before, body: { name }, earlyStatus: creating };
const own = clusterRow({ name, cluster_template_id: 't-1' });
const foreign = clusterRow({ name, id: 'id-9', cluster_template_id: 't-9' });

const templates = [{ id: 't-1', name: template.name }];
const ask = (plan: Plan, trail: Trail, options: SituationOptions) =>
  askWith(plan, trail, { spec: { ...clusterSpec, name }, templates, ...options });
const conflict = { effect: 'done', outcome: { result: 'refused', reason: 'NameConflict' } };

describe('before the intent', () => {
  test.each<readonly [string, SituationOptions, object]>([
    ['nothing of the name: go', { rows: [] }, { effect: 'pin-and-intend' }],
    ['a stranger came since: leave it', { rows: [foreign] }, conflict],
    [
      'ours came since: record it',
      { rows: [own] },
      { effect: 'record', ledger: { claims: [template, { id: 'id-1' }] } },
    ],
  ])('%s', (_name, options, expected) => {
    expect(ask(create, [observed()], { ledger: before, ...options })).toMatchObject(expected);
  });
});

describe('after a request that ended badly', () => {
  const after = (error: ServiceError, rows: readonly (typeof own)[], ...more: Trail) =>
    ask(create, [intended(), refused(error), observed(), ...more], { ledger: opened, rows });
  const openAfter = ({ effect, ...rest }: ReturnType<typeof after>) => {
    const { claims } = (rest as { readonly ledger?: Ledger }).ledger ?? { claims: [] };
    return [effect, claims.find((one) => one.name === name)?.attempts?.open];
  };

  test('the name is taken by a stranger: the attempt is closed, then the conflict is told', () => {
    expect(openAfter(after(nameTaken(), [foreign]))).toEqual(['close', 0]);
    expect(after(nameTaken(), [foreign], closed)).toMatchObject(conflict);
  });

  test.each([
    ['lost', reset('POST')],
    ['failed', fault('POST')],
  ])('%s, and a stranger has the name: the attempt stays open', (_name, error) => {
    expect(after(error, [foreign])).toMatchObject(conflict);
  });

  test('refused for another reason, and a stranger has the name: nothing of his is taken for what it left', () => {
    const failed = clusterRow({ ...foreign, status: 'Error', node_groups: [{ name: 'm', count: 1, instances: [] }] });
    expect(openAfter(after(quota('POST'), [failed]))).toEqual(['close', 0]);
    expect(after(quota('POST'), [failed], closed)).toMatchObject(conflict);
  });

  test('the name is taken by ours, of an earlier attempt: that is recorded', () => {
    expect(after(nameTaken(), [own])).toMatchObject({
      effect: 'record',
      ledger: { claims: [template, { id: 'id-1', role: 'main' }] },
    });
  });

  test('the name is taken by nobody whom the list shows: the last open attempt stays open', () => {
    const ledger = openAttempt(opened, claim, iso(wall));
    const asked = (known: Ledger) =>
      ask(create, [intended(), refused(nameTaken()), observed()], { ledger: known, rows: [] });
    expect(openAfter(asked(ledger))).toEqual(['close', 1]);
    expect(asked(opened)).toMatchObject({ effect: 'done', outcome: { result: 'failed' } });
  });

  test('never sent: in the words of the failure, whoever has the name', () => {
    const trail = [intended(), refused(unsent('POST')), closed];
    expect(ask(create, trail, { ledger: opened, rows: [foreign] })).toMatchObject({
      outcome: { result: 'failed', reason: 'UpstreamError' },
    });
  });
});

describe('deletion', () => {
  const recorded = claimOf({ name, id: 'id-1' });
  const ledger = ledgerOf([template, recorded]);
  const plan: Plan = { action: 'delete', claims: [recorded], later: [template], earlyStatus: deleting };
  const seen = { memory: { goneGets: new Map([['id-1', monotonic - 50]]) } };

  test('the object goes by its id, where it was started from a template of ours', () => {
    expect(ask(plan, [], { ledger, rows: [own], deleting: true })).toEqual({ effect: 'delete', id: 'id-1' });
  });

  test.each([
    ['the template is gone', []],
    ['the template of that id is not ours', [{ id: 't-1', name: 'their-template' }]],
  ])('it is not deleted where nothing proves that it is ours: %s', (_name, templates) => {
    expect(ask(plan, [], { ledger, rows: [own], templates, deleting: true })).toMatchObject({
      effect: 'done',
      outcome: {
        result: 'waiting',
        message: expect.stringContaining('nothing proves that Cluster id-1 was created for'),
      },
    });
  });

  test('when it is gone it leaves the ledger, and the template is left for the next pass', () => {
    expect(ask(plan, [], { ledger, rows: [foreign], deleting: true, ...seen })).toEqual({
      effect: 'close',
      ledger: ledgerOf([template]),
    });
    expect(ask(plan, [closed], { ledger: before, rows: [foreign], deleting: true, ...seen })).toMatchObject({
      outcome: {
        result: 'progressed',
        reason: 'Deleting',
        message: `Cluster ${name} is deleted; its private template is next`,
      },
      events: [{ reason: 'Deleted', note: 'nightly (id-1) is gone from the service' }],
    });
  });

  test('with the ledger lost there is nothing to write', () => {
    const lost = { held: true, rows: [], deleting: true, ...seen };
    expect(ask(plan, [], lost)).toMatchObject({ outcome: { result: 'progressed' } });
  });

  test('what an open attempt may still bring is told from a stranger, and waited for', () => {
    const may = ledgerOf([template, claimOf({ name, ...attempts(1) })]);
    const waiting: Plan = { ...plan, claims: [may.claims[1] as Claim] };
    expect(ask(waiting, [], { ledger: may, rows: [foreign], deleting: true })).toMatchObject({
      outcome: { result: 'waiting', on: 'time' },
    });
    expect(ask(waiting, [], { ledger: may, rows: [own], deleting: true })).toMatchObject({
      effect: 'record',
      ledger: { claims: [template, { id: 'id-1' }] },
    });
  });
});
