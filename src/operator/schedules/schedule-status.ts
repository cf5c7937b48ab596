// Status of a JobSchedule.
import type { RawResource } from '../api/definition.ts';
import { jobSchedule } from '../kinds/job-schedule/schema.ts';
import { reportStanding } from '../reconcile/report-standing.ts';
import { futureLimitMs, recordedIn } from '../reconcile/resource/scheduled.ts';
import type { Standing } from '../reconcile/status/conditions.ts';
import type { ScheduleContext } from './schedule-context.ts';
import { timeText } from './schedule-executions.ts';
import type { OwnExecution } from './schedule-plan.ts';

/** Times in Unix ms. */
export interface ScheduleReport {
  readonly standing: Standing;
  readonly last?: number | undefined;
  readonly next?: number | undefined;
  readonly active?: readonly OwnExecution[];
  /** When executions of the schedule succeeded. */
  readonly successes?: readonly number[];
}

/** Returns the newest version of the object. */
export async function report(
  { ports }: ScheduleContext,
  resource: RawResource,
  said: ScheduleReport,
): Promise<RawResource> {
  const wall = ports.clock.wall();
  const fields = fieldsOf(resource, said, wall);
  const { standing } = said;
  return await reportStanding(ports, resource, { definition: jobSchedule, action: 'Schedule', standing, fields, wall });
}

function fieldsOf(resource: RawResource, { last, next, active, successes }: ScheduleReport, wall: number) {
  const recorded = recordedIn(resource);
  const believed = (at: number | undefined) => (at !== undefined && at <= wall + futureLimitMs ? [at] : []);
  const succeeded = [...believed(recorded.lastSuccessfulAt), ...(successes ?? []).flatMap(believed)];
  const known = [...believed(recorded.status), ...(last === undefined ? [] : [last])];
  const names = active?.map(({ name, uid }) => ({ name, uid })).sort((one, other) => (one.name < other.name ? -1 : 1));
  return {
    ...(known.length === 0 ? {} : { lastScheduleTime: timeText(Math.max(...known)) }),
    ...(succeeded.length === 0 ? {} : { lastSuccessfulTime: timeText(Math.max(...succeeded)) }),
    ...(next === undefined ? {} : { nextScheduleTime: timeText(next) }),
    ...(names === undefined ? {} : { activeCount: names.length }),
    ...(names === undefined || names.length === 0 ? {} : { active: names }),
  };
}
