// A create after its request was sent: what an answer, or a missing one, lets the operator record.
import { describe, expect, test } from 'vitest';
import { imageRegistrationKind } from '../../../../src/operator/kinds/image-registration/index.ts';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import { noteRefusal } from '../../../../src/operator/reconcile/ledger/edits.ts';
import type { Claim } from '../../../../src/operator/reconcile/ledger/ledger.ts';
import type { Plan } from '../../../../src/operator/reconcile/plan/next-step.ts';
import { creating } from '../../../../src/operator/reconcile/plan/plan-create.ts';
import type { EffectAnswer } from '../../../../src/operator/reconcile/protocol/effects.ts';
import type { ServiceError } from '../../../../src/wire/errors/service-error.ts';
import {
  attempts,
  claimOf,
  clusterName,
  clusterRow,
  image,
  iso,
  ledgerOf,
  type SituationOptions,
  templateSpec,
  viewOf,
  wall,
} from '../support.ts';
import { askCreate, opened } from './creating.ts';
import { fault, nameTaken, notFound, quota, reset, throttled, unauthorized, unsent } from './failures.ts';
import { closed, intended, observed, recorded, refused, type Trail, timed } from './steps.ts';

const made: EffectAnswer = { of: 'post', ...timed, row: clusterRow() };
const posted = (error: ServiceError): Trail => [intended(), refused(error)];
const rows = [clusterRow()];

describe('after the request', () => {
  test('an answer with an id is recorded, and closes its attempt', () => {
    expect(askCreate([intended(), made], { ledger: opened })).toEqual({
      effect: 'record',
      ledger: ledgerOf([claimOf({ id: 'id-1' })]),
    });
  });

  test('an answer with an id leaves older attempts open', () => {
    const ledger = ledgerOf([claimOf(attempts(3, iso(wall)))]);
    expect(askCreate([intended(), made], { ledger })).toMatchObject({
      ledger: { claims: [{ id: 'id-1', ...attempts(2, iso(wall)) }] },
    });
  });

  test('the end of one that takes the place of another', () => {
    const kind = nodeGroupTemplateKind;
    const [before, now] = [1, 2].map((n) =>
      claimOf({ role: 'revision', collection: 'node-group-templates', name: `etl-${n}` }),
    ) as [Claim, Claim];
    const ledger = ledgerOf([{ ...before, id: 'id-0' }]);
    const plan: Plan = { action: 'create', claim: now, ledger, body: {}, earlyStatus: creating };
    const note = 'NodeGroupTemplate etl-2 was created in the service in place of etl-1';
    expect(askCreate([intended(), made, recorded], { kind, spec: templateSpec, ledger }, plan)).toEqual({
      effect: 'done',
      outcome: { result: 'progressed', reason: 'Provisioning', message: note },
      events: [{ type: 'Normal', reason: 'Replaced', action: 'Create', note }],
    });
  });

  test('the end of one that takes its time has the words of the looks that follow, so that these need not be written', () => {
    const answered: EffectAnswer = { of: 'post', row: clusterRow({ status: 'Spawning' }), ...timed };
    expect(askCreate([intended(), answered, recorded], { ledger: opened })).toMatchObject({
      outcome: { message: `the service is working on Cluster ${clusterName}` },
      events: [{ reason: 'Created', note: `Cluster ${clusterName} was created in the service` }],
    });
  });

  test.each<readonly [string, ServiceError, 'close' | 'observe']>([
    ['never sent', unsent('POST'), 'close'],
    ['401', unauthorized('POST'), 'close'],
    ['429', throttled('POST'), 'close'],
    ['a refusal of the service', quota('POST'), 'observe'],
    ['the name is taken', nameTaken(), 'observe'],
    ["404 in the service's own shape", notFound('POST'), 'observe'],
    ['500', fault('POST'), 'observe'],
    ['a connection that broke', reset('POST'), 'observe'],
  ])('%s: %s', (_name, error, effect) => {
    expect(askCreate(posted(error), { ledger: opened })).toMatchObject({ effect });
  });

  test('what surely had no effect closes its own attempt only', () => {
    const ledger = ledgerOf([claimOf(attempts(2, iso(wall)))]);
    expect(askCreate(posted(unsent('POST')), { ledger })).toMatchObject({
      ledger: { claims: [attempts(1, iso(wall))] },
    });
  });

  test('a ledger that is gone is a bug, and says so', () => {
    expect(() => askCreate([intended(), made])).toThrow(/the ledger is gone/);
  });

  test('an answer that cannot come here is a bug, and says so', () => {
    expect(() => askCreate([{ of: 'delete', ...timed }])).toThrow(/cannot go on with a create after delete/);
  });
});

describe('the look after a request that failed', () => {
  const after = (error: ServiceError, options: SituationOptions, look: EffectAnswer = observed()) =>
    askCreate([...posted(error), look], { ledger: opened, ...options });
  const two = ledgerOf([claimOf(attempts(2, iso(wall)))]);
  const incomplete = viewOf([], { complete: false });
  const refusedLedger = noteRefusal(opened, clusterName, iso(wall));
  const foundOne = { effect: 'record', ledger: ledgerOf([claimOf({ id: 'id-1' })]) };

  test.each<readonly [string, ServiceError, SituationOptions, object]>([
    [
      'refused and nothing there: closed',
      quota('POST'),
      {},
      { effect: 'close', ledger: { claims: [{ attempts: { open: 0, refusedAt: iso(wall) } }] } },
    ],
    ['refused and there: the only attempt made it', quota('POST'), { rows }, foundOne],
    [
      'refused, and what that left is there: closed, and the next pass deletes it',
      quota('POST'),
      { rows: [clusterRow({ status: 'Error', node_groups: [{ name: 'master', count: 1, instances: [] }] })] },
      { effect: 'close', ledger: { claims: [{ attempts: { open: 0, refusedAt: iso(wall) } }] } },
    ],
    ['lost and there: the only attempt made it', reset('POST'), { rows }, foundOne],
    [
      'lost and not there: stays open',
      reset('POST'),
      {},
      { effect: 'done', outcome: { result: 'failed', reason: 'UpstreamError' } },
    ],
    [
      '500 and not there: stays open',
      fault('POST'),
      {},
      { effect: 'done', outcome: { result: 'failed', reason: 'UpstreamError' } },
    ],
    [
      'refused, and a list that cannot be read: stays open, and the refusal is kept',
      quota('POST'),
      { view: incomplete },
      { effect: 'close', ledger: refusedLedger },
    ],
    [
      'lost and there, of two attempts: neither is closed',
      reset('POST'),
      { ledger: two, rows },
      { effect: 'record', ledger: { claims: [{ id: 'id-1', attempts: { open: 2 } }] } },
    ],
    [
      'refused and there, of two attempts: neither is closed',
      quota('POST'),
      { ledger: two, rows },
      { effect: 'record', ledger: { claims: [{ id: 'id-1', attempts: { open: 2 } }] } },
    ],
    ['the name is taken by our earlier attempt: both are closed', nameTaken(), { ledger: two, rows }, foundOne],
    [
      'the name is taken, and the list lacks it: what holds it may be ours, so the only attempt stays open',
      nameTaken(),
      {},
      { effect: 'done', outcome: { result: 'failed' } },
    ],
    [
      'an image that the list lacks is held by nobody unseen',
      nameTaken(),
      { kind: imageRegistrationKind, spec: { imageID: image, username: 'ubuntu' } },
      { effect: 'close' },
    ],
    [
      'the name is taken, the list lacks it, and an earlier attempt is open: this one is closed',
      nameTaken(),
      { ledger: two },
      { effect: 'close', ledger: { claims: [attempts(1, iso(wall))] } },
    ],
  ])('%s', (_name, error, options, expected) => {
    expect(after(error, options)).toMatchObject(expected);
  });

  test('a list that failed leaves the attempt open, and the refusal is kept', () => {
    const blind = [...posted(quota('POST')), observed(reset('GET'))];
    expect(askCreate(blind, { ledger: opened })).toEqual({ effect: 'close', ledger: refusedLedger });
    expect(askCreate([...blind, closed], { ledger: refusedLedger })).toMatchObject({
      effect: 'done',
      outcome: { result: 'failed', reason: 'ExternalRejected', message: expect.stringContaining('too many machines') },
    });
  });

  test.each([
    ['lost', reset('POST')],
    ['of a name that is taken', nameTaken()],
  ])('a list that failed after a create %s leaves all as it is', (_name, error) => {
    expect(after(error, {}, observed(reset('GET')))).toMatchObject({
      effect: 'done',
      outcome: {
        result: 'failed',
        reason: 'UpstreamError',
        message: expect.stringContaining(`cannot create Cluster ${clusterName}: `),
      },
    });
  });

  test('what was refused is told in the words of the service, once its attempt is closed', () => {
    const trail: Trail = [...posted(quota('POST')), observed(), closed];
    expect(askCreate(trail, { ledger: opened })).toMatchObject({
      effect: 'done',
      outcome: {
        result: 'failed',
        reason: 'ExternalRejected',
        message: expect.stringMatching(`^cannot create Cluster ${clusterName}: .*too many machines`),
      },
    });
  });

  test('Retry-After is handed on', () => {
    const trail: Trail = [...posted(throttled('POST')), closed];
    expect(askCreate(trail, { ledger: opened })).toMatchObject({
      outcome: { reason: 'Throttled', retryAfterMs: 7_000 },
    });
  });
});
