// What ties a JobExecution to the JobSchedule that created it. PURE.
import { apiVersion, lastScheduleAnnotation, scheduledTimeAnnotation } from '../../api/common.ts';
import type { RawResource } from '../../api/definition.ts';
import type { Key } from '../ports.ts';

export const scheduleKind = 'JobSchedule';

export const scheduleOwnerOf = ({ metadata }: RawResource) =>
  metadata.ownerReferences?.find(
    (owner) => owner.controller === true && owner.kind === scheduleKind && owner.apiVersion === apiVersion,
  );

/**
 * Its JobSchedule exists and has not recorded the time for which it created this execution: if the execution was gone now, another one
 * would be created for that time.
 */
export function isUnrecorded(execution: RawResource, read: (key: Key) => RawResource | undefined): boolean {
  const owner = scheduleOwnerOf(execution);
  if (owner === undefined) return false;
  const schedule = read({ kind: scheduleKind, namespace: execution.metadata.namespace, name: owner.name });
  if (schedule?.metadata.uid !== owner.uid) return false;
  const scheduled = Date.parse(execution.metadata.annotations?.[scheduledTimeAnnotation] ?? '');
  const recorded = Date.parse(schedule.metadata.annotations?.[lastScheduleAnnotation] ?? '');
  return !Number.isNaN(scheduled) && !(recorded >= scheduled);
}
