// What a suspended resource holds back, and what it does not.
import { describe, expect, test } from 'vitest';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import { contentHash } from '../../../../src/operator/reconcile/ledger/naming.ts';
import {
  attempts,
  claimOf,
  clusterName,
  clusterRow,
  clusterSpec,
  conditionsAs,
  groups,
  ledgerOf,
  revisionNamed,
  templateSpec,
  wall,
} from '../support.ts';
import { adopts, planOf } from './matchers.ts';

const suspended = { ...clusterSpec, suspend: true };
const recorded = ledgerOf([claimOf({ id: 'id-1' })]);
const held = (doing: string) => ({
  result: 'held',
  message: `suspended: the operator does not ${doing} until spec.suspend is false`,
});
describe('a suspended Cluster', () => {
  test('is not created', () => {
    expect(planOf({ spec: suspended })).toEqual(held(`create Cluster ${clusterName}`));
  });

  test('gets the id of what a lost answer left', () => {
    const open = ledgerOf([claimOf(attempts(1))]);
    expect(planOf({ spec: suspended, ledger: open, rows: [clusterRow({ id: 'id-9' })] })).toMatchObject(adopts('id-9'));
  });

  test('is not scaled, and what another client changed is named', () => {
    const status = { observedGeneration: 1, conditions: conditionsAs(1, wall, [['Ready', 'True', 'Available']]) };
    const scaled = clusterRow({ node_groups: groups({ master: 1, worker: 3 }) });
    expect(planOf({ spec: suspended, ledger: recorded, rows: [scaled], status })).toMatchObject({
      result: 'held',
      message: expect.stringMatching(/^suspended: the operator does not scale Cluster .*\(worker from 3 to 2\)/),
      drift: [{ want: '2', have: '3', fixable: true }],
    });
  });

  test('is settled where nothing differs', () => {
    expect(planOf({ spec: suspended, ledger: recorded, rows: [clusterRow()] })).toEqual({ result: 'settled' });
  });

  test('is deleted', () => {
    const plan = planOf({ spec: suspended, ledger: recorded, rows: [clusterRow()], deleting: true });
    expect(plan).toMatchObject({ action: 'delete' });
  });
});

describe('a suspended template', () => {
  const kind = nodeGroupTemplateKind;
  const spec = { ...templateSpec, suspend: true };
  const hash = contentHash(kind.content(templateSpec, String));
  const current = claimOf({ role: 'revision', collection: 'node-group-templates', id: 'id-1', hash });
  const former = { ...current, name: revisionNamed('former'), id: 'id-0', hash: 'former' };
  const rows = [former, current].map(({ id = '', name }) => ({ id, name }));
  const status = { observedGeneration: 1, conditions: conditionsAs(1, wall, [['Ready', 'True', 'Available']]) };

  test('keeps its old revisions', () => {
    const given = { kind, ledger: ledgerOf([former, current]), rows, referencedIds: new Set<string>(), status };
    expect(planOf({ ...given, spec: templateSpec })).toMatchObject({ action: 'collect', claims: [former] });
    expect(planOf({ ...given, spec })).toEqual({ result: 'settled' });
  });

  test('does not use one of them again', () => {
    const given = { kind, ledger: ledgerOf([current, former]), rows, referencedIds: new Set<string>() };
    expect(planOf({ ...given, spec: templateSpec })).toMatchObject({ action: 'collect', claims: [current] });
    expect(planOf({ ...given, spec })).toEqual(held('use an old revision again'));
  });
});
