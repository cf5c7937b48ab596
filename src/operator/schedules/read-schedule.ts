// Reads a JobSchedule: its rules, its times and its template, or what is wrong with it.
import type { RawResource, Spec } from '../api/definition.ts';
import { defaultHistoryLimits, jobSchedule, longestName } from '../kinds/job-schedule/schema.ts';
import { specProblems } from '../reconcile/resource/facts.ts';
import { parseSchedule } from './cron.ts';
import type { ScheduleRules, ScheduleTimes } from './schedule-plan.ts';

export type ReadSchedule =
  | {
      readonly ok: true;
      readonly rules: ScheduleRules;
      readonly times: ScheduleTimes;
      readonly template: Spec<typeof jobSchedule>['template'];
    }
  | { readonly ok: false; readonly message: string };

export function readSchedule({ metadata, spec }: RawResource, now: number): ReadSchedule {
  const parsed = jobSchedule.spec.safeParse(spec);
  if (!parsed.success) {
    return { ok: false, message: specProblems(parsed.error) };
  }
  if (metadata.name.length > longestName)
    return { ok: false, message: `metadata.name: has more than ${longestName} characters: choose a shorter name` };
  const { schedule, timeZone, template, ...given } = parsed.data;
  const read = parseSchedule(schedule, timeZone, now);
  if (!read.ok) return { ok: false, message: `spec.${read.field}: ${read.message}` };
  return { ok: true, rules: rulesOf(given), times: read.times, template };
}

type GivenRules = { readonly [Rule in keyof ScheduleRules]?: ScheduleRules[Rule] | undefined };

function rulesOf(given: GivenRules): ScheduleRules {
  const { startingDeadlineSeconds } = given;
  return {
    concurrencyPolicy: given.concurrencyPolicy ?? 'Allow',
    suspend: given.suspend ?? false,
    successfulHistoryLimit: given.successfulHistoryLimit ?? defaultHistoryLimits.successfulHistoryLimit,
    failedHistoryLimit: given.failedHistoryLimit ?? defaultHistoryLimits.failedHistoryLimit,
    ...(startingDeadlineSeconds === undefined ? {} : { startingDeadlineSeconds }),
  };
}
