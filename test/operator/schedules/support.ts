// Inputs of the planner in few words.
import { parseSchedule } from '../../../src/operator/schedules/cron.ts';
import type { OwnExecution, ScheduleRules, ScheduleTimes } from '../../../src/operator/schedules/schedule-plan.ts';

/** A time of January 1, 2026: `12:30`, or of another day: `03 12:30`. */
export function at(text: string): number {
  const [time = '', day = '01'] = text.split(' ').toReversed();
  return Date.parse(`2026-01-${day}T${time.length === 5 ? `${time}:00` : time}Z`);
}

export function timesOf(schedule: string): ScheduleTimes {
  const parsed = parseSchedule(schedule, undefined, at('00:00'));
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.times;
}

export const usual: ScheduleRules = {
  concurrencyPolicy: 'Allow',
  suspend: false,
  successfulHistoryLimit: 3,
  failedHistoryLimit: 1,
};

export function execution(
  time: string,
  state: OwnExecution['state'] = 'active',
  more: Partial<OwnExecution> = {},
): OwnExecution {
  return {
    name: `e-${time}`,
    uid: `uid-${time}`,
    scheduledAt: at(time),
    state,
    deleting: false,
    endedAt: undefined,
    ...more,
  };
}
