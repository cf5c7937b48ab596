// How a JobSchedule has to end: its last time has its execution, all of them have ended, and no more of them are kept than its limits let.
import { isOver } from '../../support/service/runs.ts';
import { conditionsOf, type Stored } from '../api/fields.ts';
import { scheduleOf } from '../judge/schedules.ts';
import { startWall } from '../plan/plan.ts';
import { allPassedMs, timesOf } from '../plan/schedules.ts';
import type { World } from '../world/world.ts';

interface Rules {
  readonly suspend?: boolean;
  readonly startingDeadlineSeconds?: number;
  readonly successfulHistoryLimit?: number;
  readonly failedHistoryLimit?: number;
}

interface Status {
  readonly lastScheduleTime?: string;
  readonly activeCount?: number;
}

/** What is amiss with it; empty: all is well. */
export function wrongWithSchedule(world: World, schedule: Stored): readonly string[] {
  if (world.scheduler.now < allPassedMs) return ['has a time that is still to come'];
  const executions = world.server.list('jobexecutions').filter((one) => scheduleOf(one)?.uid === schedule.metadata.uid);
  const { activeCount } = (schedule.status ?? {}) as Status;
  const active = executions.filter((one) => !isOver(conditionsOf(one))).length;
  return [
    ...(activeCount === active ? [] : [`counts ${activeCount} active executions, and there are ${active}`]),
    ...beyondLimits(executions, schedule.spec as Rules),
    ...missing(schedule),
  ];
}

function beyondLimits(executions: readonly Stored[], spec: Rules): readonly string[] {
  const { successfulHistoryLimit = 3, failedHistoryLimit = 1 } = spec;
  const kept = (end: string, limit: number): readonly string[] => {
    const ended = executions.filter((one) =>
      conditionsOf(one).some(({ type, status }) => type === end && status === 'True'),
    );
    return ended.length <= limit ? [] : [`keeps ${ended.length} executions that are ${end}, and may keep ${limit}`];
  };
  return [...kept('Complete', successfulHistoryLimit), ...kept('Failed', failedHistoryLimit)];
}

/** Without a deadline the last time is made up for, however late. */
function missing(schedule: Stored): readonly string[] {
  const { suspend = false, startingDeadlineSeconds } = schedule.spec as Rules;
  const last = timesOf(schedule).findLast((at) => at > Date.parse(schedule.metadata.creationTimestamp));
  if (suspend || startingDeadlineSeconds !== undefined || last === undefined) return [];
  const { lastScheduleTime = '' } = (schedule.status ?? {}) as Status;
  return Date.parse(lastScheduleTime) === last
    ? []
    : [`last came at ${lastScheduleTime || 'no time'}, ${(last - startWall) / 1_000} s after the begin it should have`];
}
