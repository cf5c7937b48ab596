// Reads the schedule of a JobSchedule: five fields or a name such as @daily, in a time zone.
import { Cron } from 'croner';
import type { ScheduleTimes } from './plan.ts';

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
  if (!isTimeZone(zone)) {
    const message = `${zone} is not a known time zone: use a name of the IANA database such as Europe/Berlin, or remove timeZone for UTC`;
    return { ok: false, field: 'timeZone', message };
  }
  const pattern = patternOf(schedule);
  if ('message' in pattern) return { ok: false, field: 'schedule', message: pattern.message };
  const times = timesOf(new Cron(pattern.text, { timezone: zone, paused: true, fixedTimeRule: 'no-wildcard' }));
  if (times.next(now) !== undefined) return { ok: true, times };
  return { ok: false, field: 'schedule', message: 'never comes: no month that it names has such a day' };
}

function timesOf(cron: Cron): ScheduleTimes {
  return {
    next: (after) => cron.nextRun(new Date(after))?.getTime(),
    // All times are whole minutes, so a second more includes `at` itself.
    latest: (at) =>
      cron
        .previousRuns(3, new Date(at + 1_000))
        .find((time) => time.getTime() <= at)
        ?.getTime(),
  };
}

function isTimeZone(zone: string): boolean {
  // An offset is not a time zone, and a zone of the machine would differ between machines.
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

type CronPatternText = { readonly text: string } | { readonly message: string };

/** The fields in the words of the library, which accepts more than CronJob does and less in one place (`5/15`). */
function patternOf(schedule: string): CronPatternText {
  if (schedule.startsWith('@')) {
    const text = Object.hasOwn(macros, schedule) ? macros[schedule] : undefined;
    return text ? { text } : { message: `${schedule} is not one of ${Object.keys(macros).join(', ')}` };
  }
  const fields = schedule.trim().split(/\s+/);
  if (fields.length !== cronFields.length)
    return {
      message: `has ${fields.length} fields instead of 5: minute, hour, day of the month, month, day of the week`,
    };
  const texts = cronFields.map((field, index) => fieldText(field, fields[index] ?? ''));
  const wrong = texts.find((one) => 'message' in one);
  return wrong ?? { text: texts.map((one) => ('text' in one ? one.text : '')).join(' ') };
}

function fieldText(field: CronField, text: string): CronPatternText {
  const parts = text.split(',').map((part) => partText(field, part));
  const found = parts.filter((part) => part !== undefined);
  if (found.length === parts.length) return { text: found.includes('*') ? '*' : found.join(',') };
  const names = field.names.length === 0 ? '' : ` or ${field.names[0]} to ${field.names.at(-1)}`;
  return {
    message: `the ${field.name} "${text}" cannot be read: use *, numbers from ${field.least} to ${field.most}${names}, ranges such as ${field.least}-${field.most}, steps such as */2, and lists of these`,
  };
}

const partForm = /^(?:([*?])|(\w+)(?:-(\w+))?)(?:\/(\d{1,2}))?$/;

/** `*`, `1`, `1-5`, each with a step; undefined if it is none of these. */
function partText(field: CronField, part: string): string | undefined {
  const [found, star, first, last, stepText] = partForm.exec(part) ?? [];
  if (found === undefined) return undefined;
  const step = stepText === undefined ? undefined : Number(stepText);
  if (step === 0 || (step !== undefined && step > field.most - field.least + 1)) return undefined;
  if (star !== undefined) return step === undefined || step === 1 ? '*' : `*/${step}`;
  const from = valueOf(field, first ?? '');
  // `5/15` means `5-59/15`.
  const to = last === undefined ? (step === undefined ? from : field.most) : valueOf(field, last);
  if (from === undefined || to === undefined || from > to) return undefined;
  const range = from === to ? `${from}` : `${from}-${to}`;
  return step === undefined || from === to ? range : `${range}/${step}`;
}

function valueOf({ least, most, names }: CronField, text: string): number | undefined {
  const named = names.indexOf(text.toUpperCase());
  const value = named >= 0 ? named + least : /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}
