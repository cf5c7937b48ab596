// Reads the schedule of a JobSchedule: five fields or a name such as @daily, in a time zone.
import type { ScheduleTimes } from './schedule-plan.ts';
import { type CronPattern, offsetsOf, timesIn } from './time-zone.ts';

export type ParsedSchedule =
  | { readonly ok: true; readonly times: ScheduleTimes }
  | { readonly ok: false; readonly field: 'schedule' | 'timeZone'; readonly message: string };

/** CronJob uses the zone of its controller. A fixed one means the same on every cluster. */
export const defaultTimeZone = 'Etc/UTC';

interface CronField {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** The names of the values, from `least` on. */
  readonly names: readonly string[];
}

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const weekdays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const cronFields: readonly CronField[] = [
  { name: 'minute', least: 0, most: 59, names: [] },
  { name: 'hour', least: 0, most: 23, names: [] },
  { name: 'day of the month', least: 1, most: 31, names: [] },
  { name: 'month', least: 1, most: 12, names: months },
  { name: 'day of the week', least: 0, most: 6, names: weekdays },
];

const macros: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** A schedule that never comes is refused: the longest gap is the eight years between two leap years around 2100. */
export function parseSchedule(schedule: string, timeZone: string | undefined, now: number): ParsedSchedule {
  const zone = timeZone ?? defaultTimeZone;
  const offsetAt = offsetsOf(zone);
  if (offsetAt === undefined) {
    const message = `${zone} is not a known time zone: use a name of the IANA database such as Europe/Berlin, or remove timeZone for UTC`;
    return { ok: false, field: 'timeZone', message };
  }
  const pattern = patternOf(schedule);
  if ('message' in pattern) return { ok: false, field: 'schedule', message: pattern.message };
  const times = timesIn(pattern, offsetAt);
  if (times.next(now) !== undefined) return { ok: true, times };
  return { ok: false, field: 'schedule', message: 'never comes: no month that it names has such a day' };
}

interface Refused {
  readonly message: string;
}

/** The values of one field. */
interface FieldValues {
  readonly values: readonly number[];
  /** Any value, as with `*` and `?`. */
  readonly isAny: boolean;
  readonly hasStep: boolean;
}

type FiveFields = readonly [FieldValues, FieldValues, FieldValues, FieldValues, FieldValues];

function patternOf(schedule: string): CronPattern | Refused {
  if (!schedule.startsWith('@')) return fieldsOf(schedule);
  const text = Object.hasOwn(macros, schedule) ? macros[schedule] : undefined;
  return text ? fieldsOf(text) : { message: `${schedule} is not one of ${Object.keys(macros).join(', ')}` };
}

function fieldsOf(schedule: string): CronPattern | Refused {
  const texts = schedule.trim().split(/\s+/);
  if (texts.length !== cronFields.length)
    return {
      message: `has ${texts.length} fields instead of 5: minute, hour, day of the month, month, day of the week`,
    };
  const read = cronFields.map((field, index) => readField(field, texts[index] ?? ''));
  const wrong = read.find((one) => 'message' in one);
  if (wrong !== undefined) return wrong;
  const [minute, hour, monthDay, month, weekday] = read as unknown as FiveFields;
  return {
    minutes: minute.values,
    hours: hour.values,
    isInterval: [minute, hour].some(({ isAny, hasStep }) => isAny || hasStep),
    isOn: (day) => {
      if (!month.values.includes(day.getUTCMonth() + 1)) return false;
      const found = [monthDay.values.includes(day.getUTCDate()), weekday.values.includes(day.getUTCDay())];
      // As in CronJob, one of the two is enough if both are restricted.
      return monthDay.isAny || weekday.isAny ? found.every(Boolean) : found.some(Boolean);
    },
  };
}

function readField(field: CronField, text: string): FieldValues | Refused {
  const parts = text.split(',').map((part) => readPart(field, part));
  const found = parts.filter((part) => part !== undefined);
  if (found.length === parts.length) {
    const values = [...new Set(found.flatMap((part) => part.values))].toSorted((one, other) => one - other);
    return { values, isAny: found.some(({ isAny }) => isAny), hasStep: found.some(({ hasStep }) => hasStep) };
  }
  const names = field.names.length === 0 ? '' : ` or ${field.names[0]} to ${field.names.at(-1)}`;
  return {
    message: `the ${field.name} "${text}" cannot be read: use *, numbers from ${field.least} to ${field.most}${names}, ranges such as ${field.least}-${field.most}, steps such as */2, and lists of these`,
  };
}

const partForm = /^(?:([*?])|(\w+)(?:-(\w+))?)(?:\/(\d{1,2}))?$/;

/** `*`, `1`, `1-5`, each with a step; undefined if it is none of these. */
function readPart(field: CronField, part: string): FieldValues | undefined {
  const [found, star, first, last, stepText] = partForm.exec(part) ?? [];
  if (found === undefined) return undefined;
  const step = stepText === undefined ? 1 : Number(stepText);
  if (step === 0 || step > field.most - field.least + 1) return undefined;
  const from = star === undefined ? valueOf(field, first ?? '') : field.least;
  // `5/15` means `5-59/15`.
  const open = stepText === undefined && star === undefined ? from : field.most;
  const to = last === undefined ? open : valueOf(field, last);
  if (from === undefined || to === undefined || from > to) return undefined;
  const values = Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
  return { values, isAny: star !== undefined && step === 1, hasStep: stepText !== undefined };
}

function valueOf({ least, most, names }: CronField, text: string): number | undefined {
  const named = names.indexOf(text.toUpperCase());
  const value = named >= 0 ? named + least : /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}
