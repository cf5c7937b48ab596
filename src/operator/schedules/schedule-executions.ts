// The executions of a JobSchedule: which ones it owns, their names, and what is created. PURE.
import type { RawResource, Spec } from '../api/definition.ts';
import { apiVersion, scheduledTimeAnnotation } from '../api/shared-api.ts';
import type { jobSchedule } from '../kinds/job-schedule/schema.ts';
import type { NewObject } from '../reconcile/pass-ports.ts';
import { conditionOf, readStatus } from '../reconcile/resource/read-conditions.ts';
import { scheduledAtIn, scheduleKind, scheduleOwnerOf } from '../reconcile/resource/scheduled.ts';
import type { OwnExecution } from './schedule-plan.ts';

export const executionKind = 'JobExecution';
const minuteMs = 60_000;

/** The same for each attempt to create it, so that the API server refuses a second one. */
export function executionName(schedule: string, scheduledAt: number): string {
  return `${schedule}-${Math.floor(scheduledAt / minuteMs)}`;
}

/** The name of the JobSchedule that controls this object. */
export function scheduleOf(execution: RawResource): string | undefined {
  return scheduleOwnerOf(execution)?.name;
}

export function isOwnedBy(execution: RawResource, schedule: RawResource): boolean {
  return scheduleOwnerOf(execution)?.uid === schedule.metadata.uid;
}

/** An execution without an end, also one of unknown outcome, is active: it may still run. */
export function ownExecution({ metadata, status }: RawResource, schedule: RawResource): OwnExecution {
  const { conditions } = readStatus(status);
  const complete = conditionOf({ conditions }, 'Complete');
  const failed = conditionOf({ conditions }, 'Failed');
  const end = complete?.status === 'True' ? complete : failed?.status === 'True' ? failed : undefined;
  const endedAt = end && Date.parse(end.lastTransitionTime);
  const isUnknown = end === undefined && (status as { readonly state?: unknown } | undefined)?.state === 'Unknown';
  return {
    name: metadata.name,
    uid: metadata.uid,
    scheduledAt: scheduledAtIn(metadata.name, schedule.metadata.name),
    state: end === undefined ? 'active' : end.type === 'Complete' ? 'succeeded' : 'failed',
    ...(isUnknown && { isUnknown }),
    deleting: metadata.deletionTimestamp !== undefined,
    endedAt: Number.isNaN(endedAt) ? undefined : endedAt,
  };
}

/** Like times in status, without fractions of a second. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

type ExecutionTemplate = Spec<typeof jobSchedule>['template'];

/** No blockOwnerDeletion, which would need a permission on finalizers. */
export function executionFor(schedule: RawResource, template: ExecutionTemplate, scheduledAt: number): NewObject {
  const { name, namespace, uid } = schedule.metadata;
  const { labels, annotations } = template.metadata ?? {};
  return {
    kind: executionKind,
    metadata: {
      name: executionName(name, scheduledAt),
      namespace,
      ...(labels === undefined ? {} : { labels }),
      annotations: { ...annotations, [scheduledTimeAnnotation]: timeText(scheduledAt) },
      ownerReferences: [{ apiVersion, kind: scheduleKind, name, uid, controller: true }],
    },
    spec: template.spec,
  };
}
