// The steps of a deletion: found, sent, refused, lost and proven gone.
import { describe, expect, test } from 'vitest';
import type { Claim } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import type { RemoteUser } from '../../../../src/operator/reconcile/outcome.ts';
import type { ServiceError } from '../../../../src/wire/errors/service-error.ts';
import { classify } from '../../../../src/wire/errors/table.ts';
import {
  claimOf,
  clusterName,
  clusterRow,
  iso,
  ledgerOf,
  monotonic,
  type SituationOptions,
  viewOf,
  wall,
} from '../support.ts';
import { askDelete, deletionOf, listAt, minute, open, rows } from './deleting.ts';
import {
  fault,
  foreignNotFound,
  inUse,
  notFound,
  protectedRow,
  reset,
  throttled,
  unauthorized,
  unsent,
} from './failures.ts';
import { ask, deleted, observed, type Trail, timed } from './steps.ts';

const known = claimOf({ id: 'id-1' });
const kept = { effect: 'done', outcome: { result: 'conflict' } };

describe('an object that is there', () => {
  test.each<readonly [string, readonly Claim[], SituationOptions, object]>([
    ['is deleted by its recorded id', [known], { rows }, { effect: 'delete', id: 'id-1' }],
    [
      'by name only: its id is recorded first',
      [open(minute)],
      { rows },
      { effect: 'record', ledger: { claims: [claimOf({ id: 'id-1' })] } },
    ],
    [
      'of several open creates: recorded, and these stay open',
      [open(minute, 2)],
      { rows },
      { effect: 'record', ledger: { claims: [{ id: 'id-1', attempts: { open: 2 } }] } },
    ],
    [
      'what a refused create left, with another create open: its id says nothing of that one, and is not recorded',
      [claimOf({ attempts: { open: 1, lastSentAt: iso(wall - minute), refusedAt: iso(wall - minute) } })],
      { rows: [clusterRow({ status: 'Error', node_groups: [{ name: 'master', count: 1, instances: [] }] })] },
      { effect: 'delete', id: 'id-1' },
    ],
    ['recorded, with creates open', [open(minute, 2, 'id-1')], { rows }, { effect: 'delete', id: 'id-1' }],
    [
      'another one of our name, after the recorded one',
      [known],
      { rows: [clusterRow({ id: 'id-2' })] },
      { effect: 'delete', id: 'id-2' },
    ],
    [
      'recorded since the plan was made',
      [open(minute)],
      { ledger: ledgerOf([known]), rows },
      { effect: 'delete', id: 'id-1' },
    ],
    ['that is only observed since the plan was made stays', [known], { rows, spec: { policy: 'Observe' } }, kept],
    ['that is to stay since the plan was made stays', [known], { rows, spec: { deletionPolicy: 'Orphan' } }, kept],
    ['that was adopted stays if nobody wants it deleted any more', [{ ...known, origin: 'adopted' }], { rows }, kept],
    ['is looked for first', [known], { view: undefined }, { effect: 'observe' }],
    [
      'a list older than the last write does not count',
      [known],
      { rows, memory: { lastEffectAt: monotonic } },
      { effect: 'observe' },
    ],
    [
      'is deleted also where other entries cannot be read',
      [known],
      { view: viewOf(rows, { complete: false }) },
      { effect: 'delete' },
    ],
    [
      'a name of somebody else is nothing to us',
      [known],
      { rows: [clusterRow({ id: 'id-9', name: 'other' })] },
      { effect: 'get-by-id' },
    ],
  ])('%s', (_name, claims, options, expected) => {
    expect(askDelete(claims, options)).toMatchObject(expected);
  });

  test('lost ledger: what was found by its tag is deleted by id', () => {
    const lost = { held: true, deleting: true, rows };
    expect(ask(deletionOf([known]), [], lost)).toMatchObject({ effect: 'delete', id: 'id-1' });
  });
});

describe('a DELETE that was sent', () => {
  const again = { effect: 'delete', id: 'id-1' };
  const waitingForIt = { effect: 'done', outcome: { result: 'waiting', on: 'service', reason: 'Deleting' } };
  const sentAgo = (ms: number, id = 'id-1', status = 'Active') => ({
    rows: [clusterRow({ status })],
    memory: { deletesSent: new Map([[id, { at: monotonic - ms }]]) },
  });
  test.each<readonly [string, SituationOptions, object]>([
    ['is not repeated within a minute', sentAgo(59_999), waitingForIt],
    ['is repeated after a minute', sentAgo(60_000), again],
    ['that the service is at is not repeated', sentAgo(599_999, 'id-1', 'Deleting'), waitingForIt],
    ['that the service is at is repeated after ten minutes', sentAgo(600_000, 'id-1', 'Deleting'), again],
    ['of another object does not count', sentAgo(1, 'id-0'), again],
  ])('%s', (_name, options, expected) => {
    expect(askDelete([known], options)).toMatchObject(expected);
  });

  test('whose answer was lost says so until the service is seen deleting it', () => {
    const lost = { memory: { deletesSent: new Map([['id-1', { at: monotonic - 1, lost: 'no answer' }]]) } };
    const deletes = [clusterRow({ status: 'Deleting' })];
    expect(askDelete([known], { rows, ...lost })).toMatchObject({
      outcome: { message: expect.stringContaining('no answer') },
    });
    expect(askDelete([known], { rows: deletes, ...lost })).toMatchObject({
      outcome: { message: 'waiting for the service to delete it' },
    });
  });

  const waiting = { result: 'waiting', on: 'service', reason: 'Deleting' };
  const conflict = JSON.stringify({ error_code: 409, error_name: 'CONFLICT', error_message: 'not now' });
  test.each<readonly [string, ServiceError | undefined, object]>([
    [
      'accepted: poll',
      undefined,
      {
        outcome: { ...waiting, message: 'waiting for the service to delete it' },
        events: [{ reason: 'Deleting', note: `asked the service to delete Cluster ${clusterName}` }],
      },
    ],
    [
      '404 of the service: the next look confirms it',
      notFound('DELETE'),
      { outcome: { ...waiting, message: 'waiting for the service to delete it' }, events: [] },
    ],
    [
      '404 of somebody else says nothing',
      foreignNotFound('DELETE'),
      { outcome: waiting, events: [{ reason: 'Deleting' }] },
    ],
    [
      'in use: tried again soon, and told by whom',
      inUse(),
      {
        outcome: {
          ...waiting,
          message: expect.stringMatching(/in use by cluster x\. Delete what uses it, if nobody needs that\. .*Orphan$/),
          blockedOn: [{ kind: 'Connection', name: 'default', reason: 'InUse', message: expect.stringContaining('x') }],
        },
      },
    ],
    ['lost: it may have been heard', reset('DELETE'), { outcome: waiting }],
    ['500: it may have been heard', fault('DELETE'), { outcome: waiting }],
    [
      'refused for good: told with the way out',
      protectedRow(),
      {
        outcome: {
          result: 'failed',
          reason: 'ExternalDeleteFailing',
          message: expect.stringMatching(/protected.*Orphan/),
        },
      },
    ],
    ['never sent', unsent('DELETE'), { outcome: { result: 'failed', reason: 'UpstreamError' } }],
    [
      '409: refused, too',
      classify({ method: 'DELETE', path: '/' }, { phase: 'answered', status: 409, body: conflict }),
      { outcome: { result: 'failed', reason: 'ExternalDeleteFailing' } },
    ],
    [
      '401',
      unauthorized('DELETE'),
      {
        outcome: {
          result: 'failed',
          reason: 'Unauthorized',
          message: expect.stringContaining(`cannot delete Cluster ${clusterName}: `),
        },
      },
    ],
    ['429', throttled('DELETE'), { outcome: { result: 'failed', reason: 'Throttled', retryAfterMs: 7_000 } }],
  ])('%s', (_name, error, expected) => {
    expect(askDelete([known], { rows }, [deleted(error)])).toMatchObject({ effect: 'done', ...expected });
  });
});

test('in use by resources: each of them is named, and not what is deleted', () => {
  const users = [
    { kind: 'Cluster', name: 'a' },
    { kind: 'Cluster', name: 'b' },
  ];
  const answer = { of: 'delete', ...timed, error: inUse(), users } as const;
  const blockedOn = users.map(({ kind, name }) => ({
    kind,
    name,
    reason: 'InUse',
    message: `Cluster ${name} refers to Cluster etl: delete Cluster ${name} first`,
  }));
  expect(askDelete([known], { rows }, [answer])).toMatchObject({ outcome: { blockedOn } });
});

describe('in use by objects of the service', () => {
  const orphan = { kind: 'Cluster', id: 'c-1', name: 'etl-x1' };
  const told = (...remoteUsers: readonly RemoteUser[]) => {
    const answer = { of: 'delete', ...timed, error: inUse(), users: [], remoteUsers } as const;
    const step = askDelete([known], { rows }, [answer]);
    return step.effect === 'done' && step.outcome.result === 'waiting' ? step.outcome : expect.unreachable();
  };

  test('of one without a resource the message tells what to do, and how to leave both', () => {
    const text = 'Cluster etl-x1 (c-1) uses it and belongs to no resource: delete it in the service if nobody needs it';
    const { message, blockedOn } = told(orphan);
    expect(message).toBe(
      `the service still uses it: is in use by cluster x. ${text}. To delete this resource and keep its objects in the service, set spec.deletionPolicy to Orphan`,
    );
    expect(blockedOn).toEqual([{ kind: 'Cluster', name: 'c-1', reason: 'InUse', message: text }]);
  });

  test('one that a resource owns is never to be deleted in the service', () => {
    const { message } = told({ ...orphan, owner: 'Cluster/team-b/etl' });
    expect(message).toContain('(c-1) uses it and belongs to Cluster/team-b/etl: delete that resource first');
    expect(message).not.toContain('in the service if');
  });

  test('of many, some are named', () => {
    const many = Array.from({ length: 8 }, (_, n) => ({ ...orphan, id: `c-${n}`, name: 'n'.repeat(300) }));
    const { message, blockedOn } = told(...many);
    expect(message).toContain('(c-4) uses it');
    expect(message).toContain('. 3 more objects use it. To delete');
    expect(message.length).toBeLessThan(1_200);
    expect(blockedOn).toHaveLength(5);
  });
});

describe('proof that it is gone', () => {
  const accepted = new Map([['id-1', { at: listAt - 2 }]]);
  const seenGone = (id: string, at: number) => ({ memory: { goneGets: new Map([[id, at]]) } });
  test.each<readonly [string, SituationOptions, Trail, object]>([
    ['a list that lacks it is not enough: one GET', {}, [], { effect: 'get-by-id', id: 'id-1' }],
    [
      'our DELETE was accepted, and the first list lacks it: one more list',
      { memory: { deletesSent: accepted, missingSince: listAt } },
      [],
      { effect: 'observe', unhurried: true },
    ],
    [
      'our DELETE was accepted, and a list begun after the first that lacks it',
      { memory: { deletesSent: accepted, missingSince: listAt - 1 } },
      [],
      { effect: 'release' },
    ],
    [
      'our DELETE was not answered: one GET',
      { memory: { deletesSent: new Map([['id-1', { at: listAt - 2, lost: 'reset' }]]), missingSince: listAt - 1 } },
      [],
      { effect: 'get-by-id', id: 'id-1' },
    ],
    [
      'the DELETE of another object is no proof',
      { memory: { deletesSent: new Map([['id-0', { at: listAt - 2 }]]), missingSince: listAt - 1 } },
      [],
      { effect: 'get-by-id', id: 'id-1' },
    ],
    [
      'missing before any DELETE: one GET',
      { memory: { missingSince: listAt - 1 } },
      [],
      { effect: 'get-by-id', id: 'id-1' },
    ],
    [
      'a GET answered 404, and a list begun before it: one more list',
      seenGone('id-1', listAt),
      [],
      { effect: 'observe', unhurried: true },
    ],
    ['a GET answered 404, and a list begun after it', seenGone('id-1', listAt - 1), [], { effect: 'release' }],
    ['the GET of another object is no proof', seenGone('id-0', listAt - 1), [], { effect: 'get-by-id', id: 'id-1' }],
    [
      'the GET still has it: poll',
      {},
      [{ of: 'get-by-id', ...timed, row: clusterRow() }],
      {
        effect: 'done',
        outcome: {
          result: 'waiting',
          on: 'service',
          message: 'the service no longer lists the object but still returns it; waiting until it is gone',
        },
      },
    ],
    [
      'the GET failed',
      {},
      [{ of: 'get-by-id', ...timed, error: reset('GET') }],
      { effect: 'done', outcome: { result: 'failed', reason: 'UpstreamError' } },
    ],
    [
      'the list failed',
      {},
      [observed(fault('GET'))],
      {
        effect: 'done',
        outcome: { result: 'failed', message: expect.stringContaining(`cannot delete Cluster ${clusterName}: `) },
      },
    ],
    [
      'a list with entries that cannot be read proves nothing',
      { ...seenGone('id-1', listAt - 1), view: viewOf([], { complete: false }) },
      [],
      {
        effect: 'done',
        outcome: {
          result: 'waiting',
          on: 'service',
          message: expect.stringMatching(/entries in its list.*to Orphan$/),
        },
      },
    ],
    [
      'an entry of somebody else that cannot be read is nothing to us',
      {
        ...seenGone('id-1', listAt - 1),
        view: viewOf([], { unreadable: [{ id: 'id-9', name: 'other', problem: 'no status' }] }),
      },
      [],
      { effect: 'release' },
    ],
    [
      'our own entry of which no more can be read than what it is, is deleted',
      { view: viewOf([], { unreadable: [{ id: 'id-1', name: clusterName, status: 'Active', problem: 'too large' }] }) },
      [],
      { effect: 'delete', id: 'id-1' },
    ],
    [
      'an entry under our id without a name may be of somebody else: hold',
      { view: viewOf([], { unreadable: [{ id: 'id-1', problem: 'no name' }] }) },
      [],
      {
        effect: 'done',
        outcome: { result: 'waiting', on: 'service', message: expect.stringMatching(/cannot be read.*to Orphan$/) },
      },
    ],
    [
      'an entry under our id with the name of another is not deleted',
      { view: viewOf([], { unreadable: [{ id: 'id-1', name: 'other', problem: 'no status' }] }) },
      [],
      { effect: 'done', outcome: { result: 'waiting' } },
    ],
    [
      'a list begun as the last write ended says nothing yet',
      { ...seenGone('id-1', listAt - 1), memory: { lastEffectAt: listAt } },
      [],
      { effect: 'observe' },
    ],
    ['a GET that nobody remembers', {}, [{ of: 'get-by-id', ...timed }], { effect: 'get-by-id', id: 'id-1' }],
    [
      'a GET of another object does not show it',
      {},
      [{ of: 'get-by-id', ...timed, row: clusterRow({ id: 'id-0' }) }],
      { effect: 'get-by-id', id: 'id-1' },
    ],
  ])('%s', (_name, options, trail, expected) => {
    expect(askDelete([known], options, trail)).toMatchObject(expected);
  });

  test('the end: our finalizer goes, and an event says what is gone', () => {
    expect(askDelete([known], {}, [{ of: 'release', ...timed }])).toMatchObject({
      effect: 'done',
      outcome: { result: 'released' },
      events: [
        { type: 'Normal', reason: 'Deleted', action: 'Delete', note: `${clusterName} (id-1) is gone from the service` },
      ],
    });
    expect(askDelete([claimOf({ name: 'b' }), known], {}, [{ of: 'release', ...timed }])).toMatchObject({
      events: [{ note: `b, ${clusterName} (id-1) is gone from the service` }],
    });
  });
});
