// An execution of a JobSchedule may go once nothing creates it again.
import { expect, test } from 'vitest';
import type { RawResource } from '../../../../src/operator/api/definition.ts';
import { apiVersion, lastScheduleAnnotation } from '../../../../src/operator/api/shared-api.ts';
import { correctionText, isUnrecorded } from '../../../../src/operator/reconcile/resource/scheduled.ts';

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

const earlier = '2026-02-28T06:30:00Z';
const unbelieved = '2026-04-01T06:30:00Z';

test.each([
  ['an execution of nobody', [], undefined, false],
  ['that of a schedule that is gone', [owner], undefined, false],
  ['that of a schedule without a recorded time', [owner], {}, true],
  ['that of a time in the annotation alone', [owner], { annotation: scheduledAt }, true],
  ['that of a time in the status alone', [owner], { status: scheduledAt }, true],
  ['that of an earlier annotation', [owner], { annotation: earlier, status: scheduledAt }, true],
  ['that of an earlier status', [owner], { annotation: scheduledAt, status: earlier }, true],
  ['that of an annotation that cannot be read', [owner], { annotation: 'yesterday', status: scheduledAt }, true],
  ['that of a status that cannot be read', [owner], { annotation: scheduledAt, status: 'yesterday' }, true],
  ['that of an annotation that is not believed', [owner], { annotation: unbelieved, status: scheduledAt }, true],
  ['that of a status that is not believed', [owner], { annotation: scheduledAt, status: unbelieved }, true],
  ['that of the recorded time', [owner], { annotation: scheduledAt, status: scheduledAt }, false],
  [
    'that of later recorded times',
    [owner],
    { annotation: '2026-03-02T06:30:00Z', status: '2026-03-01T18:30:00Z' },
    false,
  ],
  ['that of another schedule with the name', [{ ...owner, uid: 'u0' }], {}, false],
] as const)('%s', (_, owners, recorded: { annotation?: string; status?: string } | undefined, expected) => {
  const { annotation, status } = recorded ?? {};
  const annotations = annotation === undefined ? {} : { [lastScheduleAnnotation]: annotation };
  const schedule = recorded && {
    ...object('JobSchedule', { annotations }),
    ...(status === undefined ? {} : { status: { lastScheduleTime: status } }),
  };
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

test('what cannot run is corrected where its spec comes from', () => {
  expect(correctionText(execution([]))).toBe(
    'The spec is immutable: delete this JobExecution and apply it with the corrected field',
  );
  expect(correctionText(execution([owner]))).toBe(
    'The spec is immutable: correct spec.template of JobSchedule daily, for its next run',
  );
});
