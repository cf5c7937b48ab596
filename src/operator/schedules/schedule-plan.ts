// Decides what a JobSchedule does now, as batch/v1 CronJob would: which execution it creates, and which ones it deletes. PURE.
import { futureLimitMs, isRecorded } from '../reconcile/resource/scheduled.ts';

/** When a schedule comes, as Unix ms. All times are whole minutes. */
export interface ScheduleTimes {
  /** The first time after this one. */
  next(after: number): number | undefined;
  /** The last time that is not after this one. */
  latest(at: number): number | undefined;
}

/** The fields of spec that decide, with their defaults filled in. */
export interface ScheduleRules {
  readonly concurrencyPolicy: 'Allow' | 'Forbid' | 'Replace';
  readonly startingDeadlineSeconds?: number | undefined;
  readonly suspend: boolean;
  readonly successfulHistoryLimit: number;
  readonly failedHistoryLimit: number;
}

/** An execution that the schedule owns. */
export interface OwnExecution {
  readonly name: string;
  readonly uid: string;
  /** From its name; undefined if it is not one that the operator gave. */
  readonly scheduledAt: number | undefined;
  readonly state: 'active' | 'succeeded' | 'failed';
  /** It is active only because nobody knows whether its run took place. */
  readonly isUnknown?: true;
  readonly deleting: boolean;
  /** When it was seen to have ended. */
  readonly endedAt: number | undefined;
}

/** The last scheduled time as each source knows it, as Unix ms. */
export interface RecordedTimes {
  /** Users can edit it. Undefined if it is missing or cannot be read. */
  readonly annotation: number | undefined;
  readonly status: number | undefined;
  /** The latest that this process knows, which it may not have been able to record. */
  readonly known: number | undefined;
}

export interface ScheduleInput {
  readonly rules: ScheduleRules;
  readonly times: ScheduleTimes;
  readonly now: number;
  readonly createdAt: number;
  readonly recorded: RecordedTimes;
  readonly executions: readonly OwnExecution[];
  /** The last missed time that was counted: only later ones are. */
  readonly missedReported?: number | undefined;
}

export interface MissedTimes {
  /** At most one more than `missedLimit`. */
  readonly count: number;
  readonly newest: number;
}

export interface SchedulePlan {
  /** The scheduled time of the execution to create. */
  readonly due?: number;
  /** A run is due, and one that policy Forbid waits for is active. */
  readonly blocked?: { readonly at: number; readonly by: readonly OwnExecution[] };
  /** To delete before the new execution is created. */
  readonly replaced: readonly OwnExecution[];
  /** To delete, because they exceed a history limit. Their scheduled times are in the annotation already. */
  readonly pruned: readonly OwnExecution[];
  /** The last scheduled time. Nothing is started for it or for any time before it. */
  readonly last?: number;
  /** The same without an annotation in the future, which somebody may have written and may correct. */
  readonly lastKnown?: number;
  /** The annotation lacks `last`. */
  readonly record: boolean;
  /** Sources whose time is too far in the future to be believed. */
  readonly disbelieved: readonly (keyof RecordedTimes | 'executions')[];
  readonly next?: number;
  readonly missed?: MissedTimes;
  readonly active: readonly OwnExecution[];
}

/** As in CronJob, more missed times are not counted. */
export const missedLimit = 100;

export function planSchedule(input: ScheduleInput): SchedulePlan {
  const { rules, times, now, executions, recorded } = input;
  const { last, lastKnown, disbelieved } = lastOf(input);
  const active = executions.filter(({ state }) => state === 'active');
  const common = {
    active,
    disbelieved,
    pruned: prunedOf(input, recorded.annotation),
    record: last !== undefined && !isRecorded(last, recorded.annotation, now),
    ...(last === undefined ? {} : { last }),
    ...(lastKnown === undefined ? {} : { lastKnown }),
  };
  if (rules.suspend) return { ...common, replaced: [] };
  const next = times.next(Math.max(now, last ?? now));
  const { due, missed } = dueOf(input, last);
  const timed = { ...common, ...(next === undefined ? {} : { next }), ...(missed === undefined ? {} : { missed }) };
  if (due === undefined) return { ...timed, replaced: [] };
  if (rules.concurrencyPolicy === 'Forbid' && active.length > 0)
    return { ...timed, replaced: [], blocked: { at: due, by: active } };
  const replaced = rules.concurrencyPolicy === 'Replace' ? active.filter(({ deleting }) => !deleting) : [];
  return { ...timed, replaced, due };
}

/**
 * The latest believable time of all sources counts, so that losing one of them starts nothing twice. If nothing but times in the far
 * future is known, the schedule begins now: which runs there were is not known any more.
 */
function lastOf({
  recorded,
  executions,
  now,
}: ScheduleInput): Pick<SchedulePlan, 'last' | 'lastKnown' | 'disbelieved'> {
  const named = executions.flatMap(({ scheduledAt }) => scheduledAt ?? []);
  const sources = [
    ...(['annotation', 'status', 'known'] as const).map((source) => ({ source, at: recorded[source] })),
    ...named.map((at) => ({ source: 'executions' as const, at })),
  ].flatMap(({ source, at }) => (at === undefined ? [] : { source, at }));
  const isBelieved = ({ at }: { readonly at: number }) => at <= now + futureLimitMs;
  const disbelieved = [...new Set(sources.filter((one) => !isBelieved(one)).map(({ source }) => source))];
  const believed = sources.filter(isBelieved);
  const last = latestOf(believed) ?? (disbelieved.length > 0 ? Math.floor(now / 1000) * 1000 : undefined);
  const lastKnown = latestOf(believed.filter(({ source, at }) => source !== 'annotation' || at <= now));
  return { disbelieved, ...(last === undefined ? {} : { last }), ...(lastKnown === undefined ? {} : { lastKnown }) };
}

function latestOf(times: readonly { readonly at: number }[]): number | undefined {
  return times.reduce<number | undefined>((latest, { at }) => Math.max(latest ?? at, at), undefined);
}

/** At most one run catches up, for the last time that was missed, and only within the deadline. */
function dueOf(
  { rules, times, now, createdAt, missedReported = 0 }: ScheduleInput,
  last: number | undefined,
): { readonly due?: number; readonly missed?: MissedTimes } {
  const base = last ?? createdAt;
  const latest = times.latest(now);
  if (latest === undefined || latest <= base) return {};
  const deadline = rules.startingDeadlineSeconds;
  const isLate = deadline !== undefined && latest <= now - deadline * 1000;
  const missed = missedBetween(times, Math.max(base, missedReported), isLate ? latest : latest - 1);
  return { ...(isLate ? {} : { due: latest }), ...(missed === undefined ? {} : { missed }) };
}

/** Of the times after `base` and not after `end`. */
function missedBetween(times: ScheduleTimes, base: number, end: number): MissedTimes | undefined {
  const newest = times.latest(end);
  if (newest === undefined || newest <= base) return undefined;
  let count = 0;
  for (let at = times.next(base); at !== undefined && at <= newest && count <= missedLimit; at = times.next(at))
    count += 1;
  return count === 0 ? undefined : { count, newest };
}

function prunedOf({ rules, executions, now }: ScheduleInput, annotation: number | undefined): readonly OwnExecution[] {
  // A time that is not believed next time protects nothing.
  if (annotation === undefined || annotation > now + futureLimitMs) return [];
  const beyond = (state: OwnExecution['state'], limit: number) =>
    executions
      .filter((one) => one.state === state && !one.deleting && one.scheduledAt !== undefined)
      .toSorted((one, other) => (other.scheduledAt ?? 0) - (one.scheduledAt ?? 0))
      .slice(limit)
      .filter(({ scheduledAt }) => (scheduledAt ?? Number.POSITIVE_INFINITY) <= annotation);
  return [...beyond('succeeded', rules.successfulHistoryLimit), ...beyond('failed', rules.failedHistoryLimit)];
}
