// What wakes a JobSchedule.
import { expect, test } from 'vitest';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { createScheduleWaker } from '../../../src/operator/wiring/schedules.ts';

const key = { kind: 'JobExecution', namespace: 'team-a', name: 'nightly-1' };
const owner = {
  apiVersion: 'dataprocessing.dev/v1alpha1',
  kind: 'JobSchedule',
  name: 'nightly',
  uid: 'u',
  controller: true,
};

function execution(change: Partial<RawResource['metadata']> = {}, end?: string): RawResource {
  const ended = {
    type: 'Complete',
    status: 'True',
    reason: end,
    message: '',
    observedGeneration: 1,
    lastTransitionTime: '',
  };
  return {
    apiVersion: owner.apiVersion,
    kind: key.kind,
    metadata: { ...key, uid: 'a', generation: 1, resourceVersion: '1', ownerReferences: [owner], ...change },
    status: { state: 'Running', conditions: end === undefined ? [] : [ended] },
  };
}

const running = execution();
const progressing = { ...running, status: { state: 'Pending', conditions: [] } };

test.each<readonly [string, RawResource | undefined, RawResource | undefined, boolean]>([
  ['an execution that appears', undefined, running, true],
  ['one that goes', running, undefined, true],
  ['one that ends', running, execution({}, 'Succeeded'), true],
  ['one that is being deleted', running, execution({ deletionTimestamp: '2026-01-01T00:00:00Z' }), true],
  ['one that is taken away from it', running, execution({ uid: 'b', ownerReferences: [] }), true],
  ['progress of a run', progressing, running, false],
  ['an execution of nobody', undefined, execution({ ownerReferences: [] }), false],
  ['one of another kind of owner', undefined, execution({ ownerReferences: [{ ...owner, kind: 'CronJob' }] }), false],
  ['one that it does not control', undefined, execution({ ownerReferences: [{ ...owner, controller: false }] }), false],
])('%s', (_, previous, current, isWoken) => {
  const woken: unknown[] = [];
  createScheduleWaker((one) => woken.push(one))({ key, previous, current, initial: false });
  expect(woken).toEqual(isWoken ? [{ kind: 'JobSchedule', namespace: 'team-a', name: 'nightly' }] : []);
});
