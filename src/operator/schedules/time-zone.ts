// Which moments the local times of a schedule are in its time zone, also when clocks change. PURE.
import type { ScheduleTimes } from './schedule-plan.ts';

/** The local dates and times of a schedule. */
export interface CronPattern {
  /** Ascending, like the hours. */
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** Whether it comes on this day, of which the UTC fields count. */
  readonly isOn: (day: Date) => boolean;
  /** It comes again and again, so it skips times that clocks skip, and comes twice in an hour that occurs twice. */
  readonly isInterval: boolean;
}

/** Local time minus UTC in ms, from this Unix time on. */
type OffsetAt = (at: number) => number;

export const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** No zone has two changes within a week that cancel each other out. */
const stepMs = 7 * dayMs;
/** The longest time between two leap days, as around 2100, is eight years. */
const longestDays = 8 * 366;

/** The offsets of a time zone, as in `GMT-03:30`. Undefined if there is no such zone. */
export function offsetsOf(timeZone: string): OffsetAt | undefined {
  // An offset is not a time zone, and a zone of the machine would differ between machines.
  if (!/^[A-Za-z]/.test(timeZone)) return undefined;
  const format = formatOf(timeZone);
  return (
    format &&
    ((at) => {
      const [, sign, hours = 0, minutes = 0] = /GMT([+-])(\d\d):(\d\d)/.exec(format.format(at)) ?? [];
      return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * minuteMs;
    })
  );
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    return undefined;
  }
}

export function timesIn(pattern: CronPattern, offsetAt: OffsetAt): ScheduleTimes {
  const next = (after: number) => firstFrom(pattern, offsetAt, Math.floor(after / minuteMs + 1) * minuteMs);
  return { next, latest: (at) => latestOf(next, at) };
}

/**
 * Goes from one change of the clocks to the next. A day is the longest time that a change can repeat, so the walk begins a day before
 * `from`.
 */
function firstFrom(pattern: CronPattern, offsetAt: OffsetAt, from: number): number | undefined {
  let open = from;
  for (let at = from - dayMs; ; ) {
    const offset = offsetAt(at);
    const local = firstLocal(pattern, open + offset);
    if (local === undefined) return undefined;
    const change = changeWithin(offsetAt, at, local - offset);
    if (change === undefined) return local - offset;
    const shift = offsetAt(change) - offset;
    const isSkipped = local < change + offset + shift;
    if (!pattern.isInterval && isSkipped && change >= from) return change;
    // Until then the local times repeat those before the change.
    const repeated = pattern.isInterval ? 0 : Math.max(0, -shift);
    open = Math.max(open, change + repeated);
    at = change;
  }
}

/** The first matching local time that is not before this one, as ms in the form of a Unix time. */
function firstLocal({ hours, minutes, isOn }: CronPattern, from: number): number | undefined {
  const today = Math.floor(from / dayMs) * dayMs;
  for (let day = today; day <= today + longestDays * dayMs; day += dayMs) {
    if (!isOn(new Date(day))) continue;
    for (const hour of hours) {
      const minute = minutes.find((one) => day + (hour * 60 + one) * minuteMs >= from);
      if (minute !== undefined) return day + (hour * 60 + minute) * minuteMs;
    }
  }
  return undefined;
}

/** The first minute after `from` that has another offset, if there is one until `end`. */
function changeWithin(offsetAt: OffsetAt, from: number, end: number): number | undefined {
  const offset = offsetAt(from);
  for (let low = from; low < end; low += stepMs) {
    let high = Math.min(low + stepMs, end);
    if (offsetAt(high) === offset) continue;
    for (let same = low; high - same > minuteMs; ) {
      const middle = Math.floor((same + high) / 2 / minuteMs) * minuteMs;
      if (offsetAt(middle) === offset) same = middle;
      else high = middle;
    }
    return high;
  }
  return undefined;
}

/** The last time that is not after `at`, found in ever longer stretches of time before it. */
function latestOf(next: ScheduleTimes['next'], at: number): number | undefined {
  for (let ms = minuteMs; ms <= 2 * longestDays * dayMs; ms *= 2) {
    let found = next(at - ms);
    if (found === undefined || found > at) continue;
    for (let later = next(found); later !== undefined && later <= at; later = next(found)) found = later;
    return found;
  }
  return undefined;
}
