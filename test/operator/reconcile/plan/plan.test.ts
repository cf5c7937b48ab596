// The decision table of plans: one test for each of its rows, and the order in which obstacles are told.
import { describe, expect, test } from 'vitest';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import { plan } from '../../../../src/operator/reconcile/plan/plan.ts';
import {
  attempts,
  brokenConnection,
  claimOf,
  clusterName,
  clusterRow,
  clusterSpec,
  ledgerOf,
  missingConnection,
  type SituationOptions,
  situationOf,
  usable,
} from '../support.ts';
import { adopts, planOf } from './matchers.ts';

const recorded = ledgerOf([claimOf({ id: 'id-1' })]);
const pinned = ledgerOf([claimOf(attempts(1))]);
const held = { ledger: recorded, rows: [clusterRow()] };

describe('rows', () => {
  test.each<readonly [string, SituationOptions, object]>([
    ['a deletion is another table', { deleting: true }, { result: 'released' }],
    [
      'a ledger that is not confirmed as ours forbids everything',
      { ...held, ledger: ledgerOf([], { installation: 'far' }) },
      { result: 'refused', reason: 'OwnershipUnconfirmed' },
    ],
    ['an unreadable spec', { ...held, spec: { nodeGroups: 7 } }, { result: 'refused', reason: 'InvalidSpec' }],
    [
      'a spec that the dialect cannot carry',
      { spec: { ...clusterSpec, userKeypairID: undefined } },
      { result: 'refused', reason: 'InvalidSpec' },
    ],
    [
      'without a Connection it waits for one',
      { service: missingConnection },
      { result: 'waiting', on: 'kubernetes', reason: 'DependencyNotReady' },
    ],
    [
      'a Connection without credentials says so',
      { service: brokenConnection },
      { result: 'waiting', on: 'kubernetes', reason: 'CredentialsMissing' },
    ],
    [
      'what has an object only cannot be looked at',
      { ...held, service: missingConnection },
      { result: 'failed', reason: 'DependencyNotReady', observing: true },
    ],
    [
      'what has an object and no credentials, too',
      { ...held, service: brokenConnection },
      { result: 'failed', reason: 'CredentialsMissing', observing: true },
    ],
    [
      'a Connection that leads to another endpoint',
      { ...held, service: usable({ endpoint: 'http://other', endpoints: ['http://other'] }) },
      { result: 'refused', reason: 'ConnectionChanged' },
    ],
    [
      'a Connection that leads to another tenant',
      { ...held, service: usable({ tenant: 'prod' }) },
      { result: 'refused', reason: 'ConnectionChanged' },
    ],
    [
      'an endpoint that has moved, and says so',
      { ...held, service: usable({ endpoint: 'http://new', endpoints: ['http://new', recorded.endpoint] }) },
      { result: 'settled' },
    ],
    [
      'an object that an older resource claims',
      { ...held, claimedBy: 'Cluster/team-b/etl' },
      { result: 'refused', reason: 'DuplicateClaim' },
    ],
    ['an object that is there', held, { result: 'settled' }],
    [
      'a recorded object that is not in the list',
      { ...held, rows: [] },
      { result: 'failed', reason: 'ObservationFailed', observing: true },
    ],
    ['no id, and one with our name', { ledger: pinned, rows: [clusterRow()] }, adopts('id-1')],
    ['no id, and none with our name', { ledger: pinned, rows: [] }, { action: 'create' }],
    ['nothing was ever made', { view: undefined }, { action: 'create' }],
    [
      'a ledger without claims needs no finalizer yet',
      { ledger: ledgerOf([]), held: false, rows: [] },
      { action: 'create' },
    ],
  ])('%s', (_name, options, expected) => {
    expect(planOf(options)).toMatchObject(expected);
  });
});

describe('what is told first', () => {
  const bad = { spec: { nodeGroups: 7 }, service: missingConnection, claimedBy: 'x' };
  test.each<readonly [string, SituationOptions, string]>([
    ['whose it is before what it says', { ...bad, ledger: 'not JSON' }, 'OwnershipUnconfirmed'],
    ['what it says before the Connection', { ...bad, ledger: recorded }, 'InvalidSpec'],
    [
      'the Connection before the claim of another',
      { ...held, service: missingConnection, claimedBy: 'x' },
      'DependencyNotReady',
    ],
    [
      'a moved Connection before the claim of another',
      { ...held, service: usable({ tenant: 'x' }), claimedBy: 'x' },
      'ConnectionChanged',
    ],
  ])('%s', (_name, options, reason) => {
    expect(planOf(options)).toMatchObject({ reason });
  });
});

describe('messages', () => {
  const safe =
    'What is in the service is safe: the operator changes and deletes nothing there for this resource, and creates nothing';
  const remove = 'remove the annotation: kubectl annotate dpc etl -n team-a dataprocessing.dev/ledger-';
  const unconfirmed = (why: string, takeOver: string) =>
    `the annotation dataprocessing.dev/ledger cannot be used: ${why}. ${safe}. It continues when the annotation is restored, for example from a backup. ` +
    `To create a new object in the service, ${remove}${takeOver}. Deleting this resource leaves the objects that the annotation names`;
  test.each<readonly [string, SituationOptions, string]>([
    ['a ledger that cannot be read says what to do', { ledger: 'not JSON' }, unconfirmed('it is not JSON', '')],
    [
      'a foreign ledger says how to take it over, too',
      { ledger: ledgerOf([], { installation: 'x' }) },
      unconfirmed(
        'it was written by another installation (x)',
        '. To take over the objects that it names, set the annotation dataprocessing.dev/take-over: x',
      ),
    ],
    [
      'a claim on what was not made for it is not acted on',
      { ledger: ledgerOf([claimOf({ name: 'theirs', id: 'id-2' })]) },
      `the annotation dataprocessing.dev/ledger claims clusters theirs, which was not created for this resource. ${safe}. ` +
        `To return to the objects that were created for it, ${remove}. Deleting this resource leaves the objects of others`,
    ],
    [
      'a claim on what the spec adopts no longer says how to adopt it again',
      { ledger: ledgerOf([claimOf({ name: 'theirs', id: 'id-2', origin: 'adopted' })]) },
      `the annotation dataprocessing.dev/ledger claims clusters theirs, which was not created for this resource. ${safe}. ` +
        'It can only have been adopted. If it was, set spec.adopt.id: id-2 again. Deleting this resource leaves the objects of others',
    ],
    [
      'a changed tenant names both',
      { ...held, service: usable({ tenant: 'prod' }) },
      'this resource belongs to tenant demo, but its Connection leads to tenant prod. The operator sends no requests for it. Restore the tenant, in spec.tenantID of the Connection or with credentials of that project',
    ],
    [
      'a duplicate names the other',
      { ...held, claimedBy: 'Cluster/team-b/etl' },
      'the same object of the service belongs to Cluster/team-b/etl, which claimed it first. The operator writes nothing there for this resource. Delete this resource, which leaves that object alone',
    ],
  ])('%s', (_name, options, message) => {
    expect(planOf(options)).toMatchObject({ result: 'refused', message });
  });

  test.each<readonly [string, SituationOptions, RegExp]>([
    ['a spec names its field', { spec: { ...clusterSpec, pluginName: 7 } }, /^spec\.pluginName: /],
    [
      'a changed endpoint names both and the way out',
      { ...held, service: usable({ endpoint: 'http://b', endpoints: ['http://b'] }) },
      /^this resource belongs to the service at http:\/\/service\.example:8386, but its Connection points to http:\/\/b\. The operator sends no requests for it\. Restore the old endpoint, or add it to spec\.formerEndpoints of the Connection if the service moved$/,
    ],
    ['a missing Connection is blocked on it', { service: missingConnection }, /Connection default does not exist/],
  ])('%s', (_name, options, expected) => {
    expect(planOf(options)).toMatchObject({ message: expect.stringMatching(expected) });
  });

  test('who waits for a Connection is blocked on it by name', () => {
    const blockedOn = [{ kind: 'Connection', name: 'default', reason: 'DependencyNotReady' }];
    expect(planOf({ service: missingConnection })).toMatchObject({ blockedOn });
    expect(planOf({ ...held, service: missingConnection })).toMatchObject({ blockedOn });
  });
});

describe('a config map is fixed once it may have been sent', () => {
  const spec = { ...clusterSpec, clusterConfigs: { HDFS: { a: 1 } } };
  const sent = (id: string | undefined, open: number) => {
    const created = plan(situationOf({ spec, view: undefined }));
    if (created.action !== 'create') throw new Error(`planned ${created.action}`);
    const claim = { ...created.claim, ...(id === undefined ? {} : { id }), ...(open > 0 ? attempts(open) : {}) };
    return { ledger: { ...created.ledger, claims: [claim] }, rows: [clusterRow({ name: claim.name })] };
  };
  const edited = (value: unknown) => ({ ...clusterSpec, clusterConfigs: value });

  test.each<readonly [string, SituationOptions, object]>([
    ['the same is fine', { spec, ...sent('id-1', 0) }, { result: 'settled' }],
    [
      'the same in another order is fine',
      { spec: edited({ HDFS: { a: 1 } }), ...sent('id-1', 0) },
      { result: 'settled' },
    ],
    ['another value is refused', { spec: edited({ HDFS: { a: 2 } }), ...sent('id-1', 0) }, { reason: 'InvalidSpec' }],
    [
      'a value of another type is refused',
      { spec: edited({ HDFS: { a: '1' } }), ...sent('id-1', 0) },
      { reason: 'InvalidSpec' },
    ],
    ['taking it away is refused', { spec: edited(undefined), ...sent('id-1', 0) }, { reason: 'InvalidSpec' }],
    [
      'an edit while a create is open is refused',
      { spec: edited({}), ...sent(undefined, 1) },
      { reason: 'InvalidSpec' },
    ],
    [
      'an edit after a create that surely failed is free',
      { spec: edited({}), ...sent(undefined, 0), rows: [] },
      { action: 'create' },
    ],
    [
      'setting what was unset is refused',
      { spec, ledger: ledgerOf([claimOf({ id: 'id-1' })], { configs: { clusterConfigs: '-' } }) },
      { message: 'spec.clusterConfigs is immutable; restore it, or create another Cluster' },
    ],
    ['a ledger of an older version says nothing about it', { spec, ...held }, { result: 'settled' }],
  ])('%s', (_name, options, expected) => {
    expect(planOf(options)).toMatchObject(expected);
  });

  test('configs of an inline group are named by their group', () => {
    const [master, worker] = clusterSpec.nodeGroups;
    const withConfigs = { ...clusterSpec, nodeGroups: [master, { ...worker, nodeConfigs: { HDFS: { b: true } } }] };
    const digests = { clusterConfigs: '-', 'nodeGroups[worker].nodeConfigs': '-' };
    const ledger = ledgerOf([claimOf({ id: 'id-1' })], { configs: digests });
    expect(planOf({ spec: withConfigs, ledger, rows: [clusterRow()] })).toMatchObject({
      message: expect.stringMatching(
        /^spec\.nodeGroups\[worker\]\.nodeConfigs is immutable; restore it, or create another Cluster$/,
      ),
    });
  });

  test('in a template they are content, also where a ledger of an older version holds them', () => {
    const kind = nodeGroupTemplateKind;
    const template = { pluginName: 'p', bigdataVersion: '1', flavorID: '1', nodeProcesses: ['a'], nodeConfigs: {} };
    const claim = claimOf({ role: 'revision', collection: 'node-group-templates', id: 'id-1', hash: 'before' });
    const ledger = ledgerOf([claim], { configs: { nodeConfigs: '-' } });
    expect(
      plan(situationOf({ kind, spec: template, ledger, rows: [{ id: 'id-1', name: clusterName }] })),
    ).toMatchObject({
      action: 'create',
      claim: { role: 'revision', hash: expect.not.stringMatching('before') },
    });
  });
});
