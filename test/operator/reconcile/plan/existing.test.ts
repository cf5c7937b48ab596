// Plans for what has a recorded object: settled, missing, deleting, failed, busy, and the tries of a change.
import { describe, expect, test } from 'vitest';
import { ledgerAnnotation, recreateAnnotation } from '../../../../src/operator/api/shared-api.ts';
import { clusterKind } from '../../../../src/operator/kinds/cluster/index.ts';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import { contentHash } from '../../../../src/operator/reconcile/ledger/naming.ts';
import {
  attempts,
  claimOf,
  clusterName,
  clusterRow,
  clusterSpec,
  conditionsAs,
  iso,
  ledgerOf,
  monotonic,
  type SituationOptions,
  templateSpec,
  viewOf,
  wall,
} from '../support.ts';
import { adopts, deletesObject, planOf } from './matchers.ts';

const recorded = ledgerOf([claimOf({ id: 'id-1' })]);
const hash = contentHash(nodeGroupTemplateKind.content(templateSpec, String));
const revision = claimOf({ role: 'revision', collection: 'node-group-templates', id: 'id-1', hash });
const template = { kind: nodeGroupTemplateKind, spec: templateSpec, ledger: ledgerOf([revision]) };
const poll = 30_000;
const what = `Cluster ${clusterName} (id-1)`;

const annotationsOf = (id: string, ledger: object) => ({
  [ledgerAnnotation]: JSON.stringify(ledger),
  [recreateAnnotation]: id,
});
const asking = (id: string): SituationOptions => ({ metadata: { annotations: annotationsOf(id, recorded) } });
const byTemplate = { clusterTemplateRef: { name: 'small' }, userKeypairID: 'demo' };
const unresolved: SituationOptions = {
  spec: byTemplate,
  resolutions: [
    {
      state: 'awaited',
      reference: { field: 'spec.clusterTemplateRef', kind: 'ClusterTemplate', name: 'small' },
      message: 'spec.clusterTemplateRef: ClusterTemplate small does not exist in this namespace',
    },
  ],
};

const planned = (options: SituationOptions) => planOf({ ledger: recorded, ...options });

describe('state', () => {
  test.each<readonly [string, Parameters<typeof clusterRow>[0], object]>([
    [
      'Error',
      { status: 'Error', status_description: 'no hosts' },
      {
        result: 'refused',
        reason: 'ExternalError',
        message: expect.stringMatching(
          /has failed in the service: no hosts\. To replace it and lose its data, .*apply it again$/,
        ),
      },
    ],
    [
      'Error without a text',
      { status: 'Error' },
      {
        result: 'refused',
        reason: 'ExternalError',
        message: expect.stringContaining('has failed in the service: the service gave no reason. '),
      },
    ],
    [
      'Deleting, which nobody here asked for',
      { status: 'Deleting' },
      {
        result: 'waiting',
        on: 'service',
        reason: 'ExternalDeleted',
        message: `another client is deleting Cluster ${clusterName} in the service. When it is gone, this message explains how to create a new one`,
      },
    ],
    [
      'Spawning',
      { status: 'Spawning' },
      {
        result: 'waiting',
        on: 'service',
        reason: 'Provisioning',
        message: `the service is working on Cluster ${clusterName}`,
      },
    ],
    ['a word that nobody knows', { status: 'Pondering' }, { result: 'waiting', on: 'service', reason: 'Provisioning' }],
    ['Error goes before a difference', { status: 'Error', node_groups: [] }, { reason: 'ExternalError' }],
    ['busy goes before a difference', { status: 'Waiting', node_groups: [] }, { reason: 'Provisioning' }],
  ])('%s', (_name, row, expected) => {
    expect(planned({ rows: [clusterRow(row)] })).toMatchObject(expected);
  });

  test.each<readonly [string, SituationOptions, object]>([
    ['goes', { rows: [clusterRow({ status: 'Error' })] }, deletesObject('id-1')],
    ['goes whatever its state', { rows: [clusterRow({ status: 'Spawning' })] }, deletesObject('id-1')],
    [
      'stays while it could not be made again',
      { rows: [clusterRow()], ...unresolved },
      { reason: 'DependencyNotReady' },
    ],
    [
      'is not asked for twice',
      {
        rows: [clusterRow({ status: 'Deleting' })],
        memory: { deletesSent: new Map([['id-1', { at: monotonic - 1 }]]) },
      },
      {
        result: 'waiting',
        on: 'service',
        reason: 'Provisioning',
        message:
          'replacing the object, as requested by the annotation dataprocessing.dev/recreate: waiting for the service to delete it',
      },
    ],
    ['stays where another id is named', { rows: [clusterRow()], ...asking('id-2') }, { result: 'settled' }],
  ])('that the user wants another one for: %s', (_name, options, expected) => {
    expect(planned({ ...asking('id-1'), ...options })).toMatchObject(expected);
  });

  test('a template is what its content says, whatever is asked', () => {
    const rows = [{ id: 'id-1', name: revision.name }];
    const metadata = { annotations: annotationsOf('id-1', template.ledger) };
    expect(planned({ ...template, metadata, rows })).toEqual({ result: 'settled' });
  });

  test('busy while a change is outstanding is scaling', () => {
    const ledger = { ...recorded, change: { generation: 1, target: { worker: 5 }, sentAt: iso(wall), tries: 1 } };
    expect(planned({ ledger, rows: [clusterRow({ status: 'Decommissioning' })] })).toMatchObject({ reason: 'Scaling' });
  });
});

describe('missing', () => {
  const first = monotonic - 10;
  const seen = (listSentAt: number, missingSince?: number, complete = true): SituationOptions => ({
    view: viewOf([], { listSentAt, complete }),
    ...(missingSince === undefined ? {} : { memory: { missingSince } }),
  });
  const again = { result: 'failed', reason: 'ObservationFailed', observing: true, retryAfterMs: poll };

  test.each<readonly [string, SituationOptions, object]>([
    [
      'from one list: look again a poll later',
      seen(first, first),
      { ...again, message: `${what} is missing from the service's list; checking again in ${poll / 1000} s` },
    ],
    ['from two lists less than a poll apart: look again', seen(first, first - poll + 1), again],
    [
      'from two lists a poll apart: a cluster is reported',
      seen(first, first - poll),
      {
        result: 'refused',
        reason: 'ExternalDeleted',
        message: `${what} was deleted in the service, not by this operator. To create a new one, set the annotation ${recreateAnnotation}: id-1, or delete this resource and apply it again`,
      },
    ],
    ['from a list that cannot be read to its end: look again', seen(first, first - poll, false), again],
    [
      'from a list whose entry of it cannot be read: look again, and say so',
      {
        ...seen(first, first - poll),
        view: viewOf([], { unreadable: [{ id: 'id-1', name: 'x', problem: 'no status' }] }),
      },
      {
        ...again,
        message: expect.stringContaining(
          "may be missing from the service's list: the service has entries in its list that cannot be read",
        ),
      },
    ],
    ['never noted: look again', seen(first), again],
  ])('%s', (_name, options, expected) => {
    expect(planned(options)).toMatchObject(expected);
  });

  test.each<readonly [string, SituationOptions]>([
    ['a template is not made anew', template],
    ['a cluster is looked for on', {}],
  ])('with many others at once: %s, and the Connection is to say how to go on', (_name, options) => {
    const loss = { gone: ['clusters id-1'], of: 9, hash: 'abcdefgh' };
    const says = expect.stringContaining(
      'kubectl annotate dpconn default -n team-a --overwrite dataprocessing.dev/accept-loss=abcdefgh',
    );
    expect(planned({ ...options, ...seen(first, first - poll), loss })).toMatchObject({
      result: 'waiting',
      on: 'service',
      reason: 'ExternalDeleted',
      message: says,
      blockedOn: [{ kind: 'Connection', name: 'default', reason: 'ObjectsVanished', message: says }],
    });
  });

  test('a template is forgotten, and then made anew under the name of its content', () => {
    const forgotten = planned({ ...template, ...seen(first, first - poll) });
    const { id: _gone, ...place } = revision;
    const ledger = ledgerOf([place]);
    expect(forgotten).toEqual({ action: 'forget', claim: revision, id: 'id-1', ledger });
    expect(planned({ ...template, ledger, ...seen(first, first - poll) })).toMatchObject({
      action: 'create',
      claim: { name: expect.stringMatching(/^etl-/) },
      ledger: { claims: [] },
    });
  });

  test('of a template with another create open only the id is forgotten, so that it is looked for under its name', () => {
    const { id: _gone, ...open } = { ...revision, ...attempts(1) };
    const rows = [{ id: 'id-2', name: revision.name }];
    const options = { ...template, ...seen(first, first - poll), view: viewOf(rows, { listSentAt: first }) };
    const forgotten = planned({ ...options, ledger: ledgerOf([{ ...revision, ...attempts(1) }]) });
    expect(forgotten).toMatchObject({ action: 'forget', ledger: ledgerOf([open]) });
    expect(planned({ ...options, ledger: ledgerOf([open]) })).toMatchObject(adopts('id-2'));
  });
});

describe('two templates of one content name', () => {
  const rows = ['id-0', 'id-1', 'id-2'].map((id) => ({ id, name: revision.name }));
  test.each<readonly [string, readonly string[] | undefined, object]>([
    ['who refers to them was not asked: both stay', undefined, { result: 'settled' }],
    ['the recorded one stays, another goes', [], deletesObject('id-0')],
    ['one that is referred to stays', ['id-0'], deletesObject('id-2')],
    ['all are referred to: all stay', ['id-0', 'id-2'], { result: 'settled' }],
  ])('%s', (_name, mentioned, expected) => {
    expect(planned({ ...template, rows, ...(mentioned ? { referencedIds: new Set(mentioned) } : {}) })).toMatchObject(
      expected,
    );
  });

  test('a second cluster of our name is never deleted so', () => {
    const two = [clusterRow(), clusterRow({ id: 'id-0' })];
    expect(planned({ kind: clusterKind, rows: two, referencedIds: new Set() })).toMatchObject({ result: 'settled' });
  });
});

describe('while the service carries out a change', () => {
  const change = { generation: 1, target: { worker: 5, master: 1 }, sentAt: iso(wall), tries: 1 };
  const scaled = ledgerOf([claimOf({ id: 'id-1' })], { change });
  const busy = [clusterRow({ status: 'Scaling' })];
  const said = (reason: string, generation = 1) => ({
    observedGeneration: generation,
    conditions: conditionsAs(generation, wall, [['Ready', 'False', reason, 'scaling worker from 2 to 5']]),
  });
  const told = 'scaling worker to 5, master to 1';
  const [master, worker] = clusterSpec.nodeGroups;
  const spec = { ...clusterSpec, nodeGroups: [master, { ...worker, count: 5 }] };

  test.each<readonly [string, SituationOptions, object]>([
    ['it is told by its target', {}, { reason: 'Scaling', message: told }],
    ['the words of the request stay', { status: said('Scaling') }, { message: 'scaling worker from 2 to 5' }],
    [
      'those of an older generation do not',
      { status: said('Scaling'), metadata: { generation: 2 } },
      { message: told },
    ],
    ['those of another reason do not', { status: said('Provisioning') }, { reason: 'Scaling', message: told }],
    ['against somebody else, it is still that', { status: said('CorrectingDrift') }, { reason: 'CorrectingDrift' }],
    [
      'against somebody else, of an older generation, it is what the user asks for now',
      { status: said('CorrectingDrift'), metadata: { generation: 2 } },
      { reason: 'Scaling' },
    ],
  ])('%s', (_name, options, expected) => {
    const metadata = { ...options.metadata, annotations: { [ledgerAnnotation]: JSON.stringify(scaled) } };
    expect(planned({ spec, rows: busy, ledger: scaled, ...options, metadata })).toMatchObject({
      result: 'waiting',
      on: 'service',
      ...expected,
    });
  });
});

describe('what people are told', () => {
  test.each<readonly [string, SituationOptions, string | object]>([
    [
      'missing, and another one is asked for',
      { rows: [], ...asking('id-1') },
      {
        result: 'waiting',
        on: 'service',
        reason: 'Provisioning',
        message: `confirming that ${what} is gone before recreating it`,
      },
    ],
    [
      'missing since a while, and another one is asked for: earlier, no list would prove anything',
      { rows: [], ...asking('id-1'), memory: { missingSince: monotonic - 10_000 } },
      {
        result: 'waiting',
        on: 'time',
        reason: 'Provisioning',
        message: `confirming that ${what} is gone before recreating it`,
        afterMs: 20_000,
      },
    ],
    [
      'renamed in the service',
      { rows: [clusterRow({ name: 'theirs' })] },
      {
        result: 'refused',
        reason: 'OwnershipUnconfirmed',
        message:
          `nothing proves that Cluster id-1 was created for this resource, because it is called theirs in the service instead of ${clusterName}. It is safe: ` +
          'the operator neither changes nor deletes it, and continues when you rename it back in the service. To delete this resource and keep its objects in the service, set spec.deletionPolicy to Orphan',
      },
    ],
    [
      'of another namespace that shares the connection: without its name',
      {
        rows: [clusterRow({ name: 'theirs' })],
        spec: { ...clusterSpec, connectionRef: { kind: 'SharedConnection', name: 'platform' } },
      },
      {
        reason: 'OwnershipUnconfirmed',
        message: expect.stringContaining(
          `because it is called something else in the service instead of ${clusterName}`,
        ),
      },
    ],
  ])('%s', (_name, options, told) => {
    expect(planned(options)).toMatchObject(typeof told === 'string' ? { message: told } : told);
  });
});
