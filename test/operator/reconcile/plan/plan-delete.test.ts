// Plans for what is being deleted: its spec is never asked, and nothing is deleted that is not ours.
import { describe, expect, test } from 'vitest';
import { clusterTemplateKind } from '../../../../src/operator/kinds/cluster-template/index.ts';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import { clusterName as nameOf, revisionName } from '../../../../src/operator/reconcile/ledger/naming.ts';
import { wayOut } from '../../../../src/operator/reconcile/outcome.ts';
import {
  attempts,
  brokenConnection,
  claimOf,
  clusterName,
  clusterRow,
  clusterSpec,
  installation,
  ledgerOf,
  missingConnection,
  type SituationOptions,
  uid,
  usable,
  viewOf,
} from '../support.ts';
import { planOf, releases } from './matchers.ts';

const recorded = ledgerOf([claimOf({ id: 'id-1' })]);
const identity = { name: 'etl', uid, installation };

const planned = (options: SituationOptions) => planOf({ deleting: true, ...options });

const users = [
  { kind: 'Cluster', name: 'analytics' },
  { kind: 'Cluster', name: 'etl' },
];
const orphan = { ...clusterSpec, deletionPolicy: 'Orphan' };
const theirs = 'not deleted: clusters id-2 belongs to Cluster/team-b/etl, clusters id-3 belongs to Cluster/team-c/etl';

describe('rows', () => {
  test.each<readonly [string, SituationOptions, object]>([
    ['not even with an unreadable ledger', { ledger: 'x', held: false }, { result: 'released' }],
    [
      'an unconfirmed ledger: released, nothing deleted',
      { ledger: ledgerOf([claimOf({ id: 'id-1' })], { installation: 'far' }) },
      releases(
        'Released',
        expect.stringContaining(
          'the annotation dataprocessing.dev/ledger cannot be used (it was written by another installation (far))',
        ),
      ),
    ],
    [
      'Orphan: released, and what is left is named',
      { ledger: recorded, spec: orphan },
      releases('Orphaned', `left in the service: clusters ${clusterName} (id-1)`),
    ],
    [
      'Orphan with an open create: its id is not known',
      { ledger: ledgerOf([claimOf(attempts(1))]), spec: orphan },
      releases('Orphaned', expect.stringContaining('its id is not known')),
    ],
    [
      'Orphan of nothing',
      { ledger: ledgerOf([claimOf(attempts(0))]), spec: orphan },
      releases('Deleted', 'nothing of it was left in the service'),
    ],
    [
      'Orphan without a ledger: what is left is not known',
      { held: true, spec: orphan },
      releases('Orphaned', expect.stringContaining('its ledger is lost')),
    ],
    [
      'Orphan needs no Connection',
      { ledger: recorded, spec: orphan, service: brokenConnection },
      { action: 'release' },
    ],
    [
      'Orphan beats a Connection that leads elsewhere',
      { ledger: recorded, spec: orphan, service: usable({ tenant: 'x' }) },
      { action: 'release' },
    ],
    ['nothing recorded and nothing open', { ledger: ledgerOf([]) }, releases('Deleted')],
    ['a create that surely came to nothing', { ledger: ledgerOf([claimOf(attempts(0))]) }, releases('Deleted')],
    [
      'nothing to delete needs no Connection',
      { ledger: ledgerOf([]), service: missingConnection },
      { action: 'release' },
    ],
    [
      'without a Connection it is held',
      { ledger: recorded, service: missingConnection },
      {
        result: 'waiting',
        on: 'kubernetes',
        reason: 'DependencyNotReady',
        message: expect.stringContaining('set spec.deletionPolicy to Orphan'),
      },
    ],
    [
      'without credentials it is held, never orphaned silently',
      { ledger: recorded, service: brokenConnection },
      {
        result: 'waiting',
        reason: 'CredentialsMissing',
        blockedOn: [{ kind: 'Connection', name: 'default', reason: 'DependencyNotReady' }],
      },
    ],
    [
      'a resource that others refer to stays until they are gone, even without a Connection',
      { kind: clusterTemplateKind, ledger: recorded, service: missingConnection, users },
      {
        result: 'waiting',
        on: 'kubernetes',
        reason: 'Deleting',
        message: expect.stringMatching(
          /^still in use by Cluster analytics, Cluster etl: delete them first\. To .*Orphan$/,
        ),
        blockedOn: [
          { kind: 'Cluster', name: 'analytics', reason: 'InUse' },
          { kind: 'Cluster', name: 'etl', reason: 'InUse' },
        ],
      },
    ],
    [
      'runs that use it only until they end may be cancelled as well',
      { ledger: recorded, users: [{ kind: 'JobExecution', name: 'a', ends: 'cancel' }] },
      {
        message: `still in use by JobExecution a: delete it first, or cancel it with spec.cancel: true. ${wayOut}`,
        blockedOn: [
          {
            message:
              'JobExecution a refers to Cluster etl: delete JobExecution a first, or cancel it with spec.cancel: true',
          },
        ],
      },
    ],
    [
      'nobody is asked to cancel a run of which only the deletion helps, such as an ended one of a Job',
      { ledger: recorded, users: [{ kind: 'JobExecution', name: 'a' }] },
      { message: `still in use by JobExecution a: delete it first. ${wayOut}` },
    ],
    [
      'nobody is asked to delete what is being deleted',
      {
        ledger: recorded,
        users: [
          { kind: 'Cluster', name: 'a', ends: 'deletion' },
          { kind: 'Cluster', name: 'b' },
        ],
      },
      {
        message: `still in use by Cluster a, Cluster b: delete Cluster b first. ${wayOut}`,
        blockedOn: [{ message: 'Cluster a refers to Cluster etl: wait until its deletion ends' }, { name: 'b' }],
      },
    ],
    [
      'Orphan waits for nobody',
      { ledger: recorded, spec: orphan, users },
      { action: 'release', event: { reason: 'Orphaned' } },
    ],
    ['nor does what has nothing in the service', { ledger: ledgerOf([]), users }, { action: 'release' }],
    [
      'an open create is held, too',
      { ledger: ledgerOf([claimOf(attempts(1))]), service: missingConnection },
      { result: 'waiting', reason: 'DependencyNotReady' },
    ],
    [
      'a Connection that leads elsewhere',
      { ledger: recorded, service: usable({ tenant: 'x' }) },
      { result: 'refused', reason: 'ConnectionChanged', message: expect.stringContaining('Orphan') },
    ],
    [
      'an object that belongs to another resource is left alone',
      { ledger: recorded, contests: { [claimOf().name]: { by: 'Cluster/team-b/etl', wins: true } } },
      releases('Released', expect.stringContaining('belongs to Cluster/team-b/etl')),
    ],
    [
      'of several those that belong to others leave the ledger, each named with its owner, and the rest is deleted after that',
      {
        ledger: ledgerOf([
          claimOf({ id: 'id-1' }),
          claimOf({ name: 'b', id: 'id-2' }),
          claimOf({ name: 'c', id: 'id-3' }),
        ]),
        contests: { b: { by: 'Cluster/team-b/etl', wins: true }, c: { by: 'Cluster/team-c/etl', wins: true } },
      },
      {
        action: 'write-ledger',
        write: 'close',
        ledger: ledgerOf([claimOf({ id: 'id-1' })]),
        report: {
          outcome: { result: 'progressed', reason: 'Deleting', message: theirs },
          event: { type: 'Warning', reason: 'Released', action: 'Delete', note: theirs },
        },
      },
    ],
    [
      'objects that all belong to others',
      {
        ledger: ledgerOf([claimOf({ name: 'b', id: 'id-2' }), claimOf({ name: 'c', id: 'id-3' })]),
        contests: { b: { by: 'Cluster/team-b/etl', wins: true }, c: { by: 'Cluster/team-c/etl', wins: true } },
      },
      releases(
        'Released',
        'released without deleting anything: clusters id-2 belongs to Cluster/team-b/etl, clusters id-3 belongs to Cluster/team-c/etl',
      ),
    ],
    [
      'what was made for it goes, although something was there before',
      {
        ledger: ledgerOf([
          claimOf({ id: 'id-1' }),
          claimOf({ name: nameOf(identity, 6), id: 'id-2', origin: 'preexisting' }),
        ]),
      },
      { action: 'delete' },
    ],
    [
      'what bears our own name goes before the id of another leaves the ledger',
      {
        ledger: ledgerOf([claimOf({ id: 'theirs' })]),
        rows: [clusterRow({ id: 'id-7', name: claimOf().name }), clusterRow({ id: 'theirs', name: 'theirs' })],
        contests: { [claimOf().name]: { by: 'Cluster/team-b/etl', wins: true } },
      },
      { action: 'delete' },
    ],
    [
      'what nobody claims and was not made for it is waited for',
      { ledger: ledgerOf([claimOf({ name: 'theirs', id: 'id-2' })]) },
      {
        result: 'refused',
        reason: 'OwnershipUnconfirmed',
        message: expect.stringMatching(/clusters theirs, which was not created for this resource.*Orphan/),
      },
    ],
    [
      'what another has a confirmed claim on is held until that one lets go',
      { ledger: recorded, contests: { [claimOf().name]: { by: 'Cluster/team-b/etl', wins: false } } },
      {
        result: 'waiting',
        on: 'time',
        reason: 'Deleting',
        message: `Cluster/team-b/etl also claims object id-1. The operator deletes id-1 when that resource is gone or no longer claims it. ${wayOut}`,
        blockedOn: [{ kind: 'Cluster', name: 'team-b/etl', reason: 'DuplicateClaim' }],
        afterMs: 30_000,
      },
    ],
    [
      'a terminating Connection still deletes',
      { ledger: recorded, service: usable({ mayCreate: false }) },
      { action: 'delete' },
    ],
    [
      'a recorded object',
      { ledger: recorded },
      {
        action: 'delete',
        claims: [claimOf({ id: 'id-1' })],
        later: [],
        earlyStatus: {
          result: 'waiting',
          on: 'service',
          reason: 'Deleting',
          message: 'waiting for the service to delete it',
        },
      },
    ],
    [
      'an open create',
      { ledger: ledgerOf([claimOf(attempts(1))]) },
      { action: 'delete', claims: [claimOf(attempts(1))] },
    ],
  ])('%s', (_name, options, expected) => {
    expect(planned(options)).toMatchObject(expected);
  });
});

describe('where a SharedConnection limits what the namespace has', () => {
  const limits = { mayNotLeave: 'it has limits' };
  const adopted = ledgerOf([claimOf({ id: 'id-1', origin: 'adopted' })]);
  const observed = { ...clusterSpec, adopt: { id: 'id-1' }, policy: 'Observe' };
  const held = (remedy: string) => ({
    result: 'refused',
    reason: 'QuotaExceeded',
    message: `it has limits: set ${remedy}, or ask the administrator of the cluster to remove the limits`,
  });

  test.each<readonly [string, SituationOptions, object]>([
    ['nothing of ours is left behind', { ledger: recorded, spec: orphan }, held('spec.deletionPolicy to Delete')],
    [
      'nor what may still appear',
      { ledger: ledgerOf([claimOf(attempts(1))]), spec: orphan },
      held('spec.deletionPolicy to Delete'),
    ],
    ['nor what is not known any more', { held: true, spec: orphan }, held('spec.deletionPolicy to Delete')],
    [
      'nor by observing it only',
      { ledger: recorded, spec: observed },
      held('spec.policy to Plan and spec.deletionPolicy to Delete'),
    ],
    ['what was there before is given back', { ledger: adopted, spec: observed }, { action: 'release' }],
    ['also by Orphan', { ledger: adopted, spec: orphan }, { action: 'release' }],
    ['what has nothing goes', { ledger: ledgerOf([]), spec: orphan }, { action: 'release' }],
    ['what is deleted is deleted', { ledger: recorded }, { action: 'delete' }],
  ])('%s', (_name, options, expected) => {
    expect(planned({ ...options, ...limits })).toMatchObject(expected);
  });
});

describe('what the spec says does not matter', () => {
  test.each<readonly [string, unknown, string]>([
    ['nonsense', { nodeGroups: 'x', deletionPolicy: 7 }, 'delete'],
    ['nothing', undefined, 'delete'],
    ['null', null, 'delete'],
    ['a list', [], 'delete'],
    ['nonsense with a policy', { nodeGroups: 'x', deletionPolicy: 'Orphan' }, 'release'],
  ])('%s', (_name, spec, action) => {
    expect(planned({ ledger: recorded, spec })).toMatchObject({ action });
  });
});

describe('annotation and mirror are both lost', () => {
  const lost = { held: true };
  const own = nameOf(identity, 6);

  test.each<readonly [string, SituationOptions, object]>([
    [
      'what bears our tag is deleted',
      { ...lost, rows: [clusterRow({ name: own }), clusterRow({ id: 'id-2', name: 'other' })] },
      { action: 'delete', claims: [{ role: 'main', collection: 'clusters', name: own, id: 'id-1' }] },
    ],
    [
      'nothing of ours: released',
      { ...lost, rows: [clusterRow({ name: 'other' })] },
      releases('Deleted', 'nothing of it was found in the service'),
    ],
    [
      'what bears our tag is deleted, whatever else cannot be read',
      { ...lost, view: viewOf([clusterRow({ name: own })], { complete: false }) },
      { action: 'delete' },
    ],
    [
      'nobody has looked',
      { ...lost, view: undefined },
      {
        result: 'waiting',
        on: 'service',
        reason: 'Deleting',
        message: `the service was not observed: it is not known whether anything of this resource is left. ${wayOut}`,
      },
    ],
    ['it is held without a Connection', { ...lost, service: missingConnection }, { result: 'waiting' }],
    [
      'all revisions of a template',
      {
        ...lost,
        kind: nodeGroupTemplateKind,
        rows: ['aaaaaaaa', 'bbbbbbbb'].map((hash) => ({ id: hash, name: revisionName(identity, hash) })),
      },
      {
        action: 'delete',
        claims: [
          { role: 'revision', id: 'aaaaaaaa' },
          { role: 'revision', id: 'bbbbbbbb' },
        ],
      },
    ],
    [
      'a list with entries that cannot be read proves nothing',
      { ...lost, view: viewOf([], { complete: false }) },
      { result: 'waiting', on: 'service', reason: 'Deleting' },
    ],
  ])('%s', (_name, options, expected) => {
    expect(planned(options)).toMatchObject(expected);
  });
});
