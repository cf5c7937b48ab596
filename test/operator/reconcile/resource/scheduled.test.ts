// An execution of a JobSchedule may go once nothing creates it again.
import { expect, test } from 'vitest';
import type { RawResource } from '../../../../src/operator/api/definition.ts';
import { apiVersion, lastScheduleAnnotation } from '../../../../src/operator/api/shared-api.ts';
import { isUnrecorded } from '../../../../src/operator/reconcile/resource/scheduled.ts';

const scheduledAt = '2026-03-01T06:30:00Z';
const owner = { apiVersion, kind: 'JobSchedule', name: 'daily', uid: 'u1', controller: true };

const object = (kind: string, metadata: Partial<RawResource['metadata']>): RawResource => ({
  apiVersion,
  kind,
  metadata: { name: 'daily', namespace: 'a', uid: 'u1', resourceVersion: '1', generation: 1, ...metadata },
});

const now = Date.parse('2026-03-01T06:31:00Z');
const minutes = Date.parse(scheduledAt) / 60_000;
const execution = (ownerReferences: readonly (typeof owner)[], name = `daily-${minutes}`) =>
  object('JobExecution', { name, uid: 'e1', ownerReferences });

test.each([
  ['an execution of nobody', [], undefined, false],
  ['that of a schedule that is gone', [owner], undefined, false],
  ['that of a schedule without a recorded time', [owner], {}, true],
  ['that of an earlier recorded time', [owner], { [lastScheduleAnnotation]: '2026-02-28T06:30:00Z' }, true],
  ['that of a recorded time that cannot be read', [owner], { [lastScheduleAnnotation]: 'yesterday' }, true],
  ['that of a recorded time that is not believed', [owner], { [lastScheduleAnnotation]: '2026-04-01T06:30:00Z' }, true],
  ['that of the recorded time', [owner], { [lastScheduleAnnotation]: scheduledAt }, false],
  ['that of a later recorded time', [owner], { [lastScheduleAnnotation]: '2026-03-02T06:30:00Z' }, false],
  ['that of another schedule with the name', [{ ...owner, uid: 'u0' }], {}, false],
] as const)('%s', (_, owners, annotations, expected) => {
  const schedule = annotations && object('JobSchedule', { annotations });
  expect(isUnrecorded(execution(owners), now, () => schedule)).toBe(expected);
});

test('nothing waits for a schedule that is being deleted', () => {
  const schedule = object('JobSchedule', { deletionTimestamp: scheduledAt });
  expect(isUnrecorded(execution([owner]), now, () => schedule)).toBe(false);
});

test.each([
  ['that the operator did not give', 'daily-by-hand'],
  ['of a time that no schedule believes', 'daily-999999999'],
])('nothing waits for a record of a name %s', (_, name) => {
  expect(isUnrecorded(execution([owner], name), now, () => object('JobSchedule', {}))).toBe(false);
});
