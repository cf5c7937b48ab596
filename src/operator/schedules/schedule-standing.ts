// What the conditions of a JobSchedule report. PURE.
import { lastScheduleAnnotation } from '../api/shared-api.ts';
import type { Standing } from '../reconcile/status/conditions.ts';
import type { BlockingRun } from './blocking-run.ts';
import { timeText } from './schedule-executions.ts';
import type { SchedulePlan } from './schedule-plan.ts';

const synced = 'the schedule is in effect';

export interface ScheduleCircumstances {
  readonly now: number;
  readonly isSuspended: boolean;
  /** The annotation holds no time. */
  readonly isUnreadable: boolean;
  /** What keeps a run from its end that policy Forbid waits for. */
  readonly blocking: BlockingRun | undefined;
}

export function standingOf(plan: SchedulePlan, circumstances: ScheduleCircumstances): Standing {
  const notes = notesOn(plan, circumstances);
  if (circumstances.isSuspended) {
    const message = `suspended: no JobExecutions are created until spec.suspend is false${notes}`;
    return { state: 'ready', reason: 'Suspended', message, synced };
  }
  const { blocked } = plan;
  if (blocked === undefined)
    return { state: 'ready', message: `JobExecutions are created as scheduled${notes}`, synced };
  const names = blocked.by.slice(0, 3).map(({ name }) => name);
  const { text = '', lasts = false } = circumstances.blocking ?? {};
  const message = `the JobExecution for ${timeText(blocked.at)} waits for the end of ${names.join(', ')}, because concurrencyPolicy is Forbid${text}${notes}`;
  return lasts ? { state: 'progressing', reason: 'DependencyNotReady', message } : { state: 'ready', message, synced };
}

/** A last scheduled time that was edited must not stop a schedule silently. */
function notesOn({ last, disbelieved }: SchedulePlan, { now, isUnreadable }: ScheduleCircumstances): string {
  const ignored =
    isUnreadable || disbelieved.length > 0
      ? `. A last scheduled time is ignored, because it cannot be read or is more than a day in the future; see the annotation ${lastScheduleAnnotation}`
      : '';
  if (last === undefined || last <= now) return ignored;
  return `${ignored}. Nothing is created before ${timeText(last)}, which is recorded as the last scheduled time; if no JobExecution was created for it, correct the annotation ${lastScheduleAnnotation}`;
}
