// Plans for what an earlier create may have left: found again by its pinned name, or by the tag in it.

import { describe, expect, test } from 'vitest';
import { clusterKind } from '../../../../src/operator/kinds/cluster/index.ts';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import { remoteKey } from '../../../../src/operator/reconcile/kind/kind.ts';
import { clusterName, contentHash, isOwnName, revisionName } from '../../../../src/operator/reconcile/ledger/naming.ts';
import { putBack } from '../../../../src/operator/reconcile/plan/next-step.ts';
import type { ClusterTemplate } from '../../../../src/wire/cluster-template.ts';
import {
  attempts,
  claimOf,
  clusterRow,
  installation,
  ledgerOf,
  missingConnection,
  type SituationOptions,
  templateSpec,
  uid,
  usable,
} from '../support.ts';
import { adopts, planOf } from './matchers.ts';

const identity = { name: 'etl', uid, installation };
const template = { kind: nodeGroupTemplateKind, spec: templateSpec } as const;
const templateHash = contentHash(
  nodeGroupTemplateKind.content(nodeGroupTemplateKind.definition.spec.parse(templateSpec), () => ''),
);

describe('a cluster from a template by raw id', () => {
  const id = '11111111-2222-4333-8444-555555555555';
  const spec = { clusterTemplateID: id, userKeypairID: 'demo' };
  const row: ClusterTemplate = {
    id,
    name: 'small',
    plugin_name: 'vanilla',
    bigdata_version: '1.2.1',
    default_image_id: id,
    node_groups: [{ name: 'a-group-with-a-very-long-name', count: 2, node_group_template_id: 'ngt-1' }],
  };
  const remotes = new Map([[remoteKey('clusterTemplates', id), row]]);

  test('waits for the service to have it', () => {
    expect(planOf({ spec, view: undefined })).toMatchObject({
      result: 'waiting',
      on: 'service',
      reason: 'DependencyNotReady',
      message: `spec.clusterTemplateID: the service has no cluster template with id ${id}. The operator waits for it. To use another one, create a new Cluster`,
      blockedOn: [{ kind: 'ClusterTemplate', name: id, reason: 'DependencyNotReady' }],
    });
  });

  test('pins the groups of the template, and leaves room for their names', () => {
    expect(planOf({ spec, remotes, metadata: { name: 'nightly-aggregation' }, view: undefined })).toMatchObject({
      action: 'create',
      claim: { name: clusterName({ ...identity, name: 'nightly-aggregation' }, 29) },
      ledger: { baseline: [{ name: 'a-group-with-a-very-long-name', count: 2, nodeGroupTemplateId: 'ngt-1' }] },
      body: { cluster_template_id: id },
    });
  });

  test('refuses what only the template can tell', () => {
    const image = { ...row, default_image_id: undefined };
    const without = new Map([[remoteKey('clusterTemplates', id), image as unknown as ClusterTemplate]]);
    expect(planOf({ spec, remotes: without, view: undefined })).toMatchObject({ reason: 'InvalidSpec' });
  });
});

describe('what is found again', () => {
  const own = clusterName(identity, 6);
  const long = { name: 'nightly-aggregation-of-events' };
  const longer = clusterName({ ...identity, ...long }, 30);
  test.each<readonly [string, SituationOptions, object]>([
    [
      'by the pinned name, although its references are gone and the Connection may not create',
      { ledger: ledgerOf([claimOf(attempts(2))]), rows: [clusterRow()], service: usable({ mayCreate: false }) },
      adopts('id-1', { name: claimOf().name }),
    ],
    [
      'by the pinned name, although its create was given up, and the Connection may not create',
      { ledger: ledgerOf([claimOf(attempts(0))]), rows: [clusterRow()], service: usable({ mayCreate: false }) },
      adopts('id-1', { name: claimOf().name }),
    ],
    [
      'but not by the tag in the name where the ledger is there, and knows nothing of it',
      { ledger: ledgerOf([]), rows: [clusterRow({ name: longer })], metadata: long },
      { action: 'create' },
    ],
    [
      'by the derived name, where the ledger is lost',
      { held: true, rows: [clusterRow({ name: own })] },
      adopts('id-1', { name: own }),
    ],
    [
      'by the tag in the name, where groups have changed since',
      { status: { observedGeneration: 3 }, rows: [clusterRow({ name: longer })], metadata: long },
      adopts('id-1', { name: longer }),
    ],
    [
      'of several with the tag none, because guessing could take the wrong one',
      { held: true, rows: [clusterRow({ name: own }), clusterRow({ id: 'id-2', name: clusterName(identity, 30) })] },
      {
        result: 'refused',
        reason: 'OwnershipUnconfirmed',
        message: `the ledger is lost, and several objects in the service have this resource's tag: ${own} (id-1), ${clusterName(identity, 30)} (id-2). Delete all but one of them in the service`,
      },
    ],
    [
      'a name of another resource is not ours',
      { held: true, rows: [clusterRow({ name: 'etl' })] },
      { action: 'create' },
    ],
    [
      'of two with one content name, the one that is referred to',
      {
        ...template,
        held: true,
        rows: ['a', 'b'].map((id) => ({ id, name: revisionName(identity, templateHash) })),
        referencedIds: new Set(['b']),
      },
      adopts('b'),
    ],
    [
      'of two that nothing refers to, the one with the smaller id',
      {
        ...template,
        held: true,
        rows: ['b', 'a', 'c'].map((id) => ({ id, name: revisionName(identity, templateHash) })),
      },
      adopts('a'),
    ],
  ])('%s', (_name, options, expected) => {
    expect(planOf({ kind: clusterKind, ...options })).toMatchObject(expected);
  });

  const known = ledgerOf([claimOf({ id: 'id-1' })]);
  const mirror = { observedGeneration: 1, ledger: JSON.stringify(known) };
  test.each<readonly [string, SituationOptions, object]>([
    [
      'the mirror stands in for a lost annotation, which is written again',
      { status: mirror, held: true },
      putBack(known),
    ],
    ['a lost finalizer is put back', { ledger: known, held: false }, putBack(known)],
    ['both lost: both are put back', { status: mirror }, putBack(known)],
    ['neither lost: nothing is written', { ledger: known }, { result: 'settled' }],
  ])('%s', (_name, options, expected) => {
    expect(planOf({ ...options, rows: [clusterRow()] })).toEqual(expected);
  });

  test('a longer name of a group leaves less room for that of the cluster', () => {
    expect(longer).not.toBe(clusterName({ ...identity, ...long }, 6));
  });

  test('a name of ours in the service is proven by its tag', () => {
    expect(isOwnName(own, identity)).toBe(true);
  });
});

test.each<readonly [string, SituationOptions]>([
  ['while the cluster is in error', { rows: [clusterRow({ status: 'Error' })] }],
  ['while it is busy', { rows: [clusterRow({ status: 'Spawning' })] }],
  ['while there is no Connection', { service: missingConnection }],
])('a lost finalizer is put back %s', (_name, options) => {
  const ledger = ledgerOf([claimOf({ id: 'id-1' })]);
  expect(planOf({ ...options, ledger, held: false })).toEqual(putBack(ledger));
});
