// The steps of the plans that make one write: what each sends, and how status and event report its outcome.
import { describe, expect, test } from 'vitest';
import type { Reason } from '../../../../src/operator/api/shared-api.ts';
import { jobExecutionKind } from '../../../../src/operator/kinds/job-execution/index.ts';
import type { Claim } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import { refuse, waiting } from '../../../../src/operator/reconcile/outcome.ts';
import {
  adopt,
  deleteDuplicate,
  deleteFailedCreate,
  deleteToReplace,
  type Plan,
  putBack,
  takeOver,
} from '../../../../src/operator/reconcile/plan/next-step.ts';
import { creating } from '../../../../src/operator/reconcile/plan/plan-create.ts';
import type { EffectAnswer } from '../../../../src/operator/reconcile/protocol/effects.ts';
import type { ServiceError } from '../../../../src/wire/errors/service-error.ts';
import {
  attempts,
  claimOf,
  clusterName,
  clusterRow,
  clusterSpec,
  image,
  iso,
  ledgerOf,
  type SituationOptions,
  situationOf,
  wall,
} from '../support.ts';
import { inUse, notFound, protectedRow, reset, throttled } from './failures.ts';
import { ask as askWith, closed, deleted, observed, recorded, type Trail, timed } from './steps.ts';

const claim = claimOf({ id: 'id-1' });
const ledger = ledgerOf([claim]);

const ask = (plan: Plan, trail: Trail = [], options: SituationOptions = {}) =>
  askWith(plan, trail, { ledger, ...options });

describe('finalizer and annotation that somebody took off', () => {
  const plan = putBack(ledger);

  test('are put back, and the next pass looks at what is there', () => {
    expect(ask(plan)).toEqual({ effect: 'close', ledger });
    expect(ask(plan, [closed])).toEqual({ effect: 'done', outcome: { result: 'requeue' }, events: [] });
  });
});

describe('the cluster of a run', () => {
  const metadata = { name: 'words-1', namespace: 'demo' };
  const outcome = waiting('kubernetes', 'WaitingForCluster', 'words-1 does not exist');
  const event = { type: 'Normal', reason: 'OwnedCreated', action: 'Create', note: 'created' } as const;
  const plan: Plan = { action: 'provide', object: { kind: 'Cluster', metadata, spec: {} }, outcome, event };
  const answered = (result: 'created' | 'exists'): Trail => [{ of: 'provide', result, ...timed }];

  test.each<readonly [string, Trail, object]>([
    ['is created, and told', answered('created'), { outcome, events: [event] }],
    [
      'that exists already is looked for again soon',
      answered('exists'),
      { outcome: { result: 'conflict' }, events: [] },
    ],
  ])('%s', (_name, trail, end) => {
    expect(ask(plan)).toEqual({ effect: 'provide', object: plan.object });
    expect(ask(plan, trail)).toEqual({ effect: 'done', ...end });
  });

  const anew = 'delete this JobExecution and apply it with the corrected field';
  const times = { afterMs: 60_000, failsAfterMs: 3_600_000 };

  test.each<readonly [string, 'invalid' | 'forbidden', string, Reason, string, object]>([
    ['is not valid', 'invalid', 'no flavor', 'InvalidSpec', `The spec is immutable: ${anew}`, { failsAfterMs: 5_000 }],
    [
      'is forbidden',
      'forbidden',
      'not by this role',
      'ExecutionRefused',
      `Let the API server accept it, or ${anew}`,
      times,
    ],
    [
      'is one too many',
      'forbidden',
      'exceeded quota: objects',
      'ExecutionRefused',
      'It is tried again every minute: make room, or have the quota raised',
      { afterMs: 60_000 },
    ],
  ])('that the API server refuses because it %s', (_why, category, refusal, reason, remedy, more) => {
    const options = { kind: jobExecutionKind, spec: { jobID: image, cluster: clusterSpec } };
    const trail: Trail = [{ of: 'provide', refusal, category, ...timed }];
    const message = `the API server refuses Cluster words-1: ${refusal}. ${remedy}`;
    const expected = { effect: 'done', outcome: { ...refuse(reason, message), ...more }, events: [] };
    expect(ask(plan, trail, options)).toEqual(expected);
  });
});

describe('a ledger that was written for another object', () => {
  const own = (...claims: readonly Claim[]) => takeOver(ledgerOf(claims));

  test('is made our own by one write', () => {
    expect(ask(own(claim))).toEqual({ effect: 'own', ledger });
  });

  test.each<readonly [string, readonly Claim[], string]>([
    ['an object', [claim], `clusters ${clusterName} (id-1)`],
    ['one whose id is not known', [claimOf()], `clusters ${clusterName}`],
    ['several', [claim, claimOf({ name: 'b', id: 'id-2' })], `clusters ${clusterName} (id-1), clusters b (id-2)`],
    ['none', [], 'nothing yet'],
  ])('what was taken over is told: %s', (_name, claims, named) => {
    expect(ask(own(...claims), [{ of: 'own', ...timed }])).toEqual({
      effect: 'done',
      outcome: { result: 'requeue' },
      events: [
        { type: 'Normal', reason: 'Adopted', action: 'Observe', note: `took over what the ledger names: ${named}` },
      ],
    });
  });
});

test('an object that was found is told by its name and, in the event, its id', () => {
  const plan = adopt(situationOf(), { claim: claimOf(), ledger: ledgerOf([]), id: 'id-1' });
  const message = `Cluster ${clusterName} was found in the service`;
  expect(ask(plan, [recorded])).toEqual({
    effect: 'done',
    outcome: { result: 'progressed', reason: 'Provisioning', message },
    events: [{ type: 'Normal', reason: 'Adopted', action: 'Observe', note: `${message} (id-1)` }],
  });
});

describe('what is in no list any more, and is to be made again', () => {
  const ledger = ledgerOf([]);
  const plan: Plan = { action: 'forget', claim: claimOf({ id: 'id-9' }), id: 'id-9', ledger };
  const seen = (more: object = {}): EffectAnswer => ({ of: 'get-by-id', ...timed, ...more });

  test('is asked for by its id, and only then forgotten', () => {
    expect(ask(plan)).toEqual({ effect: 'get-by-id', id: 'id-9' });
    expect(ask(plan, [seen()])).toEqual({ effect: 'close', ledger });
  });

  test('the next pass makes the other one', () => {
    expect(ask(plan, [seen(), closed])).toEqual({ effect: 'done', outcome: { result: 'requeue' }, events: [] });
  });

  test('still there, or found again: nothing is forgotten, and it is looked for again', () => {
    expect(ask(plan, [seen({ row: { id: 'id-9', name: clusterName } })])).toMatchObject({
      effect: 'done',
      outcome: {
        result: 'failed',
        reason: 'ObservationFailed',
        observing: true,
        message: `Cluster ${clusterName} (id-9) is missing from the list of the service, which still has it; polling again`,
      },
    });
  });

  test('nobody knows: nothing is forgotten', () => {
    expect(ask(plan, [seen({ error: reset('GET') })])).toMatchObject({
      effect: 'done',
      outcome: {
        result: 'failed',
        reason: 'UpstreamError',
        message: `cannot look for Cluster ${clusterName} (id-9): ${reset('GET').why}`,
      },
    });
  });
});

describe('what a refused create left', () => {
  const plan = deleteFailedCreate(situationOf(), claimOf(), 'id-9');

  test('is deleted by id', () => {
    expect(ask(plan)).toEqual({ effect: 'delete', id: 'id-9' });
  });

  test('gone: the next try comes later each time, and the event says what was deleted', () => {
    expect(ask(plan, [deleted()])).toEqual({
      effect: 'done',
      outcome: {
        result: 'failed',
        reason: 'ExternalRejected',
        message: `the service refused to create Cluster ${clusterName}, and what that left was deleted; it is retried`,
        cause: undefined,
      },
      events: [
        {
          type: 'Normal',
          reason: 'Deleted',
          action: 'Delete',
          note: `deleted id-9, which a create of Cluster ${clusterName} left in the service although it was refused`,
        },
      ],
    });
  });

  test('not deleted: reported with the reason', () => {
    expect(ask(plan, [deleted(throttled('DELETE'))])).toMatchObject({
      outcome: {
        result: 'failed',
        reason: 'Throttled',
        message: expect.stringMatching(`^cannot delete id-9, which a refused create of Cluster ${clusterName} left: `),
      },
      events: [],
    });
    expect(ask(plan, [deleted(inUse())])).toMatchObject({
      outcome: {
        message:
          'what a refused create left is deleted before the next try: the service still uses it: is in use by cluster x',
      },
    });
  });
});

describe('a second object of one content name', () => {
  const plan = deleteDuplicate(situationOf(), claim, 'id-2');

  test('deleted: look again at once, and the event says what it was', () => {
    const note = `deleted id-2, a second Cluster ${clusterName} that a late answer had left`;
    expect(ask(plan, [deleted()])).toEqual({
      effect: 'done',
      outcome: { result: 'progressed', reason: 'Provisioning', message: note },
      events: [{ type: 'Normal', reason: 'Deleted', action: 'Delete', note }],
    });
  });

  test.each<readonly [string, ServiceError, object]>([
    [
      'in use',
      inUse(),
      {
        result: 'waiting',
        message: 'a second object of the same content is deleted: the service still uses it: is in use by cluster x',
      },
    ],
    [
      'refused',
      protectedRow(),
      {
        result: 'failed',
        reason: 'ExternalDeleteFailing',
        message: `the service refuses to delete id-2, a second Cluster ${clusterName} that a late answer had left: ${protectedRow().why}. It is retried`,
      },
    ],
    [
      'throttled',
      throttled('DELETE'),
      { result: 'failed', message: expect.stringMatching(`^cannot delete id-2, a second`) },
    ],
    ['lost', reset('DELETE'), { result: 'waiting', message: expect.stringMatching(/may be deleting it/) }],
  ])('not deleted: reported with the reason: %s', (_name, error, outcome) => {
    const step = ask(plan, [deleted(error)]);
    expect(step).toMatchObject({ outcome });
    // The way out of a deletion is none here: the resource stays.
    expect(JSON.stringify(step)).not.toMatch(/deletionPolicy/);
  });
});

describe('an object that the user wants another one for', () => {
  const plan = deleteToReplace(situationOf(), claim, 'id-1');
  const instead = (rest: string) =>
    `replacing the object, as requested by the annotation dataprocessing.dev/recreate: ${rest}`;

  test('is deleted by id', () => {
    expect(ask(plan)).toEqual({ effect: 'delete', id: 'id-1' });
  });

  test('asked for: the resource is still being provided, and that it is deleted for another is said', () => {
    expect(ask(plan, [deleted()])).toEqual({
      effect: 'done',
      outcome: {
        result: 'waiting',
        on: 'service',
        reason: 'Provisioning',
        message: instead('waiting for the service to delete it'),
      },
      events: [
        {
          type: 'Normal',
          reason: 'Deleting',
          action: 'Delete',
          note: `asked the service to delete Cluster ${clusterName}`,
        },
      ],
    });
  });

  test.each<readonly [string, ServiceError, object]>([
    [
      'not there any more: the next observation confirms it',
      notFound('DELETE'),
      { result: 'waiting', reason: 'Provisioning', message: instead('waiting for the service to delete it') },
    ],
    [
      'still used: waits for those who use it',
      inUse(),
      { result: 'waiting', reason: 'Provisioning', blockedOn: [{ reason: 'InUse' }] },
    ],
    ['refused for good: a failure', protectedRow(), { result: 'failed', reason: 'ExternalDeleteFailing' }],
    ['throttled: a failure', throttled('DELETE'), { result: 'failed', reason: 'Throttled' }],
  ])('%s', (_name, error, outcome) => {
    expect(ask(plan, [deleted(error)])).toMatchObject({ effect: 'done', outcome });
  });
});

describe('a row in Error of the pinned name, when a create looks for it', () => {
  const left = clusterRow({ id: 'id-9', status: 'Error', node_groups: [{ name: 'master', count: 1, instances: [] }] });
  const refused = claimOf({ attempts: { open: 0, lastSentAt: iso(wall), refusedAt: iso(wall) } });
  const looks = (of: Claim, ...others: readonly Claim[]) => {
    const known = ledgerOf([...others, of]);
    return ask({ action: 'create', claim: of, ledger: known, body: {}, earlyStatus: creating }, [observed()], {
      ledger: known,
      rows: [left],
    });
  };

  test('is what a refused create left: the next pass deletes it, and nothing is sent now', () => {
    expect(looks(refused)).toEqual({ effect: 'done', outcome: { result: 'requeue' }, events: [] });
  });

  test('is ours where no create was refused', () => {
    const never = claimOf(attempts(1));
    expect(looks(never)).toMatchObject({ effect: 'record', ledger: { claims: [{ id: 'id-9' }] } });
  });

  test('says nothing of the refusals of other claims', () => {
    const other = { ...refused, role: 'revision', name: 'another' } as const;
    expect(looks(claimOf(), other)).toMatchObject({
      effect: 'record',
      ledger: { claims: [other, { name: clusterName, id: 'id-9' }] },
    });
  });
});
