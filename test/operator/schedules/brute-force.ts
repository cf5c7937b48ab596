// The times of schedules by brute force: every minute around a change of the clocks is formatted in the zone, and compared with the words
// of the documentation. Shares no code with the product.
import { parseSchedule } from '../../../src/operator/schedules/cron.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** A local date and time, as ms in the form of a Unix time. */
type Local = number;

/** How one zone shows times. */
export class ZoneClock {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;

  constructor(name: string) {
    this.name = name;
    const two = '2-digit';
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: two,
      day: two,
      hour: two,
      minute: two,
      second: two,
    });
  }

  /** Of a Unix time. Seconds are those of local mean times, a century ago. */
  local(at: number): Local {
    const [month = 0, day, year = 0, hour, minute, second] = (this.#format.format(at).match(/\d+/g) ?? []).map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, second);
  }
}

/** A change of the clocks: from this minute on, the zone is ahead of UTC by another time. */
export interface ClockChange {
  readonly at: number;
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** All changes between two times, if none is undone within `stepMs`. */
export function changesOf(zone: ZoneClock, from: number, to: number, stepMs: number): readonly ClockChange[] {
  const ahead = (at: number) => zone.local(at) - at;
  const changes: ClockChange[] = [];
  let [low, beforeMs] = [from, ahead(from)];
  while (low < to) {
    const high = low + stepMs;
    const lastMs = ahead(high);
    if (lastMs !== beforeMs) {
      let [same, other] = [low, high];
      while (other - same > minuteMs) {
        const middle = same + Math.floor((other - same) / 2 / minuteMs) * minuteMs;
        if (ahead(middle) === beforeMs) same = middle;
        else other = middle;
      }
      changes.push({ at: other, beforeMs, afterMs: ahead(other) });
      // The rest of the step may have another one.
      [low, beforeMs] = [other, ahead(other)];
    } else low = high;
  }
  return changes;
}

/** The fields of a local time. */
interface Moment {
  readonly local: Local;
  readonly hour: number;
  readonly minute: number;
  readonly day: number;
  /** From 1 on. */
  readonly month: number;
  readonly weekday: number;
  /** The Unix time at which a schedule comes that names this local time. */
  readonly at: number;
}

function momentOf(local: Local, at: number): Moment {
  const date = new Date(local);
  return {
    local,
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    day: date.getUTCDate(),
    month: date.getUTCMonth() + 1,
    weekday: date.getUTCDay(),
    at,
  };
}

/** A schedule as text, and what the documentation says that the text means. */
interface Meaning {
  readonly text: string;
  readonly isInterval: boolean;
  readonly matches: (moment: Moment) => boolean;
}

/** Schedules that name local times around a change, in all forms. */
function schedulesAround({ at, beforeMs, afterMs }: ClockChange): readonly Meaning[] {
  const [end, start] = [at + beforeMs, at + afterMs];
  const lowest = Math.min(end, start);
  const highest = Math.max(end, start);
  const named = [
    lowest - minuteMs,
    lowest,
    lowest + 7 * minuteMs,
    Math.floor((lowest + highest) / 2 / minuteMs) * minuteMs,
    highest - minuteMs,
    highest,
    lowest - (lowest % dayMs),
    lowest - (lowest % dayMs) + dayMs - minuteMs,
  ];
  const all = [...named.flatMap(fixedAt), ...lists(lowest), ...intervals(lowest), ...intervals(highest - minuteMs)];
  return [...new Map(all.map((one) => [one.text, one])).values()];
}

function fixedAt(local: Local): readonly Meaning[] {
  const { hour, minute, day, month, weekday } = momentOf(local, 0);
  const [nextDay, nextWeekday] = [(day % 28) + 1, (weekday + 1) % 7];
  const fixed = (fields: string, isDay: (moment: Moment) => boolean): Meaning => ({
    text: `${minute} ${hour} ${fields}`,
    isInterval: false,
    matches: (one) => one.hour === hour && one.minute === minute && isDay(one),
  });
  return [
    fixed('* * *', () => true),
    fixed(`${day} * *`, (one) => one.day === day),
    fixed(`* * ${weekday}`, (one) => one.weekday === weekday),
    fixed(`* * ${nextWeekday}`, (one) => one.weekday === nextWeekday),
    fixed(`${day} ${month} *`, (one) => one.day === day && one.month === month),
    fixed(`${nextDay} * ${weekday}`, (one) => one.day === nextDay || one.weekday === weekday),
    fixed('*/2 * *', (one) => one.day % 2 === 1),
    fixed(`*/2 * ${weekday}`, (one) => one.day % 2 === 1 || one.weekday === weekday),
    fixed('31 * *', (one) => one.day === 31),
  ];
}

/** Lists and ranges without steps are fixed times, too. */
function lists(local: Local): readonly Meaning[] {
  const { hour } = momentOf(local, 0);
  const hours = [hour, Math.min(23, hour + 1)];
  const of = (text: string, matches: Meaning['matches']): Meaning => ({ text, isInterval: false, matches });
  return [
    of(`0,30 ${hour} * * *`, (one) => one.hour === hour && [0, 30].includes(one.minute)),
    of(`10-20 ${hours.join('-')} * * *`, (one) => hours.includes(one.hour) && one.minute >= 10 && one.minute <= 20),
    of('0,15,45 0-23 * * *', (one) => [0, 15, 45].includes(one.minute)),
  ];
}

function intervals(local: Local): readonly Meaning[] {
  const { hour } = momentOf(local, 0);
  const of = (text: string, matches: Meaning['matches']): Meaning => ({ text, isInterval: true, matches });
  return [
    of('*/15 * * * *', (one) => one.minute % 15 === 0),
    of('0 * * * *', (one) => one.minute === 0),
    of('7 */3 * * *', (one) => one.hour % 3 === 0 && one.minute === 7),
    of('5/15 * * * *', (one) => [5, 20, 35, 50].includes(one.minute)),
    of('59/15 * * * *', (one) => one.minute === 59),
    of(`5/15 ${hour} * * *`, (one) => one.hour === hour && [5, 20, 35, 50].includes(one.minute)),
    of(`0-40/20 ${hour} * * *`, (one) => one.hour === hour && [0, 20, 40].includes(one.minute)),
    of(`* ${hour} * * *`, (one) => one.hour === hour),
    of(`30 ${hour}/1 * * *`, (one) => one.hour >= hour && one.minute === 30),
  ];
}

/** What the clocks of a zone show within a stretch of time. */
interface Shown {
  /** Every minute that passes, with the local time that is shown then. */
  readonly passing: readonly Moment[];
  /** Every minute of the calendar once: when it is shown first, or the first minute after it if it is missing. */
  readonly calendar: readonly Moment[];
}

function shownBetween(zone: ZoneClock, from: number, to: number): Shown {
  const passing: Moment[] = [];
  for (let at = from; at <= to; at += minuteMs) passing.push(momentOf(zone.local(at), at));
  const first = new Map<Local, number>();
  for (const { local, at } of passing) if (!first.has(local)) first.set(local, at);
  const calendar: Moment[] = [];
  let following = Number.NaN;
  for (let local = passing.at(-1)!.local; local >= passing[0]!.local; local -= minuteMs) {
    following = first.get(local) ?? following;
    calendar.push(momentOf(local, following));
  }
  return { passing, calendar };
}

/** What is wrong with the product's times around this change, in words. */
export function wrongTimesAround(zone: ZoneClock, change: ClockChange): readonly string[] {
  const aroundMs = 26 * hourMs + Math.abs(change.afterMs - change.beforeMs);
  const [from, to] = [change.at - aroundMs, change.at + aroundMs];
  // A day more, because what is missing or repeated at an end is not seen there.
  const { passing, calendar } = shownBetween(zone, from - dayMs, to + dayMs);
  return schedulesAround(change).flatMap(({ text, isInterval, matches }) => {
    const times = new Set((isInterval ? passing : calendar).filter(matches).map(({ at }) => at));
    const expected = [...times].filter((at) => at > from && at <= to).toSorted((one, other) => one - other);
    return wrongTimes(zone.name, text, { from, to, expected });
  });
}

interface Within {
  readonly from: number;
  readonly to: number;
  readonly expected: readonly number[];
}

function wrongTimes(zone: string, text: string, { from, to, expected }: Within): readonly string[] {
  const parsed = parseSchedule(text, zone, from);
  if (!parsed.ok) return [`${zone}: ${text}: ${parsed.message}`];
  const found: number[] = [];
  for (let at = parsed.times.next(from); at !== undefined && at <= to; at = parsed.times.next(at)) found.push(at);
  const inWords = (times: readonly number[]) => times.map((at) => new Date(at).toISOString().slice(0, 16)).join(' ');
  if (found.join() !== expected.join()) return [`${zone}: ${text}: ${inWords(found)} instead of ${inWords(expected)}`];
  // Seconds within a minute, and a sample of the times backwards.
  const backwards = expected.filter((_, index) => index % 7 === 0);
  return backwards.flatMap((at, index) => {
    const before = expected[index * 7 - 1];
    const wrong =
      parsed.times.latest(at) !== at ||
      parsed.times.next(at - 1_000) !== at ||
      (before !== undefined && parsed.times.latest(at - 1) !== before);
    return wrong ? [`${zone}: ${text}: not found backwards: ${inWords([at])}`] : [];
  });
}

/** The zones that behave in different ways between two times, each with its changes. */
export function distinctZones(
  from: number,
  to: number,
  stepMs: number,
): readonly (readonly [ZoneClock, readonly ClockChange[]])[] {
  const zones = Intl.supportedValuesOf('timeZone').map((name) => {
    const zone = new ZoneClock(name);
    return [zone, changesOf(zone, from, to, stepMs)] as const;
  });
  const key = ([zone, changes]: (typeof zones)[number]) => JSON.stringify([zone.local(from) - from, changes]);
  return [...new Map(zones.map((one) => [key(one), one])).values()];
}
