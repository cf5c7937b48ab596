// When a key is looked at again, for each thing that a pass can come to.
import { describe, expect, test } from 'vitest';
import { clusterKind } from '../../../src/operator/kinds/cluster/index.ts';
import { nodeGroupTemplateKind } from '../../../src/operator/kinds/node-group-template/index.ts';
import type { Outcome } from '../../../src/operator/reconcile/outcome.ts';
import { type Requeue, type RequeueInput, requeueOf } from '../../../src/operator/reconcile/requeue.ts';
import {
  busyStatus,
  type ConcludedOptions,
  concludedOf,
  outcomes,
  overdueStatus,
  readyStatus,
} from './status/concluding.ts';
import { conditionsAs, monotonic, templateSpec, wall } from './support.ts';

const minutes = 60_000;
const slow = 10 * minutes;
const look = 'team/main Cluster';
const polling: RequeueInput = {
  steadyMs: 30_000,
  sharedPoll: look,
  hasSentWrite: false,
  statusWrite: { write: 'now' },
  aloneMs: undefined,
};
const template = { kind: nodeGroupTemplateKind, spec: templateSpec };
const nearDeadline = (leftMs: number) => ({
  observedGeneration: 1,
  conditions: conditionsAs(1, wall - 60 * minutes + leftMs, [['Ready', 'False', 'DependencyNotReady']]),
});
const refused = (reason: Extract<Outcome, { result: 'refused' }>['reason']): Outcome => ({
  result: 'refused',
  reason,
  message: 'm',
});

const vanished: Outcome = {
  result: 'waiting',
  on: 'service',
  reason: 'ExternalDeleted',
  message: 'm',
  blockedOn: [{ kind: 'Connection', name: 'main', reason: 'ObjectsVanished', message: 'm' }],
};

test('a refusal that is judged again at a time wakes the key then', () => {
  const result = concludedOf({ ...refused('InvalidSpec'), afterMs: 5_000 } as Outcome);
  expect(requeueOf(result, polling)).toEqual({ next: 'at', afterMs: 5_000 });
  // Its status may be due before that.
  const later = (afterMs: number) => ({ ...polling, statusWrite: { write: 'later', afterMs } as const });
  expect(requeueOf(result, later(1_500))).toEqual({ next: 'at', afterMs: 1_500 });
  expect(requeueOf(result, later(9_000))).toEqual({ next: 'at', afterMs: 5_000 });
});

describe('verdicts', () => {
  test.each<readonly [string, Outcome, ConcludedOptions, Partial<RequeueInput>, Requeue]>([
    [
      'settled: the steady rhythm, of all together',
      outcomes.settled,
      {},
      {},
      { next: 'settled', pollMs: 30_000, sharedPoll: look },
    ],
    [
      'settled and autoscaled: a rhythm of its own',
      outcomes.settled,
      {},
      { aloneMs: 5_000 },
      { next: 'settled', pollMs: 5_000 },
    ],
    [
      'suspended, which nothing is read for: the rhythm of all together',
      { result: 'held', message: 'm' },
      {},
      { aloneMs: 5_000 },
      { next: 'settled', pollMs: 30_000, sharedPoll: look },
    ],
    [
      'autoscaled, and a scale had no effect: the load may ask for less again',
      refused('ScaleHasNoEffect'),
      {},
      { aloneMs: 5_000 },
      { next: 'settled', pollMs: 5_000 },
    ],
    [
      'a cluster was created: it takes its time',
      outcomes.progressed,
      { kind: clusterKind },
      { hasSentWrite: true },
      { next: 'progress', sharedPoll: look, anew: true },
    ],
    [
      'a cluster was told to do something else: the time counts anew',
      { result: 'waiting', on: 'service', reason: 'Deleting', message: 'm' },
      { kind: clusterKind },
      { hasSentWrite: true },
      { next: 'progress', sharedPoll: look, anew: true },
    ],
    ['a cluster was found: look at once', outcomes.progressed, { kind: clusterKind }, {}, { next: 'again' }],
    [
      'a template was created: it is what it is',
      outcomes.progressed,
      template,
      { hasSentWrite: true },
      { next: 'again' },
    ],
    ['somebody else has the name: he may go', refused('NameConflict'), {}, {}, { next: 'settled', pollMs: 30_000 }],
    ['the service is at work', outcomes.busy, {}, {}, { next: 'progress', sharedPoll: look }],
    [
      'the service is at work, until a deadline',
      { ...outcomes.busy, afterMs: 5_000 },
      {},
      {},
      { next: 'progress', sharedPoll: look, withinMs: 5_000 },
    ],
    [
      'the service is at work, and the deadline is over in a moment',
      { ...outcomes.busy, afterMs: 5 },
      {},
      {},
      { next: 'progress', sharedPoll: look, withinMs: 1_000 },
    ],
    ['the service deletes', outcomes.deleting, {}, {}, { next: 'progress', sharedPoll: look }],
    ['many objects have vanished', vanished, {}, {}, { next: 'settled', pollMs: 30_000, sharedPoll: look }],
    [
      'many objects have vanished, and a status is still to be written',
      vanished,
      {},
      { statusWrite: { write: 'later', afterMs: 1_500 } },
      { next: 'at', afterMs: 1_500 },
    ],
    ['something in Kubernetes is awaited', outcomes.dependency, { status: busyStatus }, {}, { next: 'watch' }],
    [
      'the deadline comes before the net of a watch',
      outcomes.dependency,
      { status: nearDeadline(5 * minutes) },
      {},
      { next: 'at', afterMs: 5 * minutes },
    ],
    [
      'not more often than each second',
      outcomes.dependency,
      { status: nearDeadline(1_000), now: { wall: wall + 600, monotonic } },
      {},
      { next: 'at', afterMs: 1_000 },
    ],
    ['the deadline has passed', outcomes.dependency, { status: overdueStatus }, {}, { next: 'watch' }],
    [
      'what is awaited in Kubernetes comes to an end',
      { ...outcomes.dependency, afterMs: minutes } as Outcome,
      { status: busyStatus },
      {},
      { next: 'at', afterMs: minutes },
    ],
    [
      'what is awaited in Kubernetes comes to an end, after the deadline',
      { ...outcomes.dependency, afterMs: minutes } as Outcome,
      { status: overdueStatus },
      {},
      { next: 'at', afterMs: minutes },
    ],
    [
      'what is awaited in Kubernetes comes to an end, and a status is still to be written',
      { ...outcomes.dependency, afterMs: minutes } as Outcome,
      { status: busyStatus },
      { statusWrite: { write: 'later', afterMs: 1_500 } },
      { next: 'at', afterMs: 1_500 },
    ],
    [
      'an edit starts the deadline anew: no look each second until then',
      outcomes.dependency,
      {
        status: overdueStatus,
        metadata: { generation: 2 },
        memory: { generationSeen: { generation: 2, at: monotonic } },
      },
      {},
      { next: 'watch' },
    ],
    [
      'a status that is still to be written',
      outcomes.dependency,
      {},
      { statusWrite: { write: 'later', afterMs: 1_500 } },
      { next: 'at', afterMs: 1_500 },
    ],
    ['a quarantine', { ...outcomes.deleting, on: 'time', afterMs: 7 }, {}, {}, { next: 'at', afterMs: 7 }],
    ['a refusal that only the user ends', outcomes.invalid, {}, {}, { next: 'settled', pollMs: slow }],
    ['a foreign ledger', refused('OwnershipUnconfirmed'), {}, {}, { next: 'settled', pollMs: slow }],
    [
      'a refusal whose status is still to be written',
      refused('OwnershipUnconfirmed'),
      {},
      { statusWrite: { write: 'later', afterMs: 1_500 } },
      { next: 'at', afterMs: 1_500 },
    ],
    ['a cluster in Error is looked at steadily', outcomes.error, {}, {}, { next: 'settled', pollMs: 30_000 }],
    ['one that has vanished, too', refused('ExternalDeleted'), {}, {}, { next: 'settled', pollMs: 30_000 }],
    ['one that cannot be scaled, too', refused('ScaleHasNoEffect'), {}, {}, { next: 'settled', pollMs: 30_000 }],
    ['one that cannot be put right, too', refused('DriftNotFixable'), {}, {}, { next: 'settled', pollMs: 30_000 }],
    ['one that cannot be updated, too', refused('UpdateHasNoEffect'), {}, {}, { next: 'settled', pollMs: 30_000 }],
    [
      'settled, and former revisions wait for the service to delete them',
      { result: 'settled', tidying: outcomes.deleting },
      {},
      {},
      { next: 'at', afterMs: 5_000 },
    ],
    [
      'settled, and former revisions were refused',
      { result: 'settled', tidying: outcomes.deleteFailing },
      {},
      {},
      { next: 'retry', maxMs: slow },
    ],
    ['nothing to report, at once', { result: 'requeue' }, {}, {}, { next: 'again' }],
    ['nothing to report, at a given time', { result: 'requeue', afterMs: 7 }, {}, {}, { next: 'at', afterMs: 7 }],
    ['the deadline is now', outcomes.dependency, { status: nearDeadline(0) }, {}, { next: 'watch' }],
    [
      'the deadline comes with the net of a watch',
      outcomes.dependency,
      { status: nearDeadline(slow) },
      {},
      { next: 'watch' },
    ],
    ['only this one is missing', outcomes.missing, { status: readyStatus }, {}, { next: 'retry' }],
    ['a fault: backoff', outcomes.upstream, { status: busyStatus }, {}, { next: 'retry' }],
    [
      'a fault of what is Ready: backoff, not the slow one',
      outcomes.unseen,
      { status: readyStatus },
      {},
      { next: 'retry', sharedPoll: look },
    ],
    [
      'a fault past the deadline: slowly',
      outcomes.upstream,
      { status: overdueStatus },
      {},
      { next: 'retry', maxMs: slow },
    ],
    ['a refusal of the service: slowly', outcomes.rejected, { status: busyStatus }, {}, { next: 'retry', maxMs: slow }],
    [
      'a delete that is refused: slowly',
      outcomes.deleteFailing,
      { status: busyStatus },
      {},
      { next: 'retry', maxMs: slow },
    ],
    [
      'a wait that the service asked for',
      { ...outcomes.upstream, retryAfterMs: 9_000 },
      { status: busyStatus },
      {},
      { next: 'retry', afterMs: 9_000 },
    ],
    ['no permit', outcomes.unpermitted, {}, {}, { next: 'budget' }],
    ['somebody wrote in between', outcomes.conflict, {}, {}, { next: 'retry', maxMs: 10_000 }],
    ['released', outcomes.released, {}, {}, { next: 'watch' }],
  ])('%s', (_name, outcome, options, how, expected) => {
    expect(requeueOf(concludedOf(outcome, options), { ...polling, ...how })).toStrictEqual(expected);
  });
});
