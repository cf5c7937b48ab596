// Wakes a JobSchedule when something happens to its executions.
import type { RawResource } from '../api/definition.ts';
import type { Key, ResourceChange } from '../reconcile/pass-ports.ts';
import { endIn } from '../reconcile/resource/facts.ts';
import { readStatus } from '../reconcile/resource/read-conditions.ts';
import { scheduleKind } from '../reconcile/resource/scheduled.ts';
import { executionKind, scheduleOf } from '../schedules/schedule-executions.ts';

/** Handles changes of the cache by any client: an execution that appears, ends, is being deleted, or is gone. */
export function createScheduleWaker(wake: (key: Key) => void): (change: ResourceChange) => void {
  return ({ key, previous, current }) => {
    if (key.kind !== executionKind || factsOf(previous) === factsOf(current)) return;
    const owners = new Set([previous, current].flatMap((one) => (one && scheduleOf(one)) ?? []));
    for (const name of owners) wake({ kind: scheduleKind, namespace: key.namespace, name });
  };
}

/** What a schedule sees of an execution. */
function factsOf(execution: RawResource | undefined): string {
  if (execution === undefined) return '';
  const { uid, deletionTimestamp } = execution.metadata;
  return JSON.stringify([uid, deletionTimestamp, endIn(readStatus(execution.status).conditions)?.reason]);
}
