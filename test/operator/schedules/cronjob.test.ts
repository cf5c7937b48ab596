// JobSchedule beside CronJob of batch/v1: what each does, and where the documentation tells of a difference.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseSchedule } from '../../../src/operator/schedules/cron.ts';
import { planSchedule, type ScheduleRules } from '../../../src/operator/schedules/schedule-plan.ts';
import { at, execution, timesOf, usual } from './support.ts';

interface Row<Given, Result> {
  readonly what: string;
  readonly given: Given;
  /** What the documentation of CronJob says, or what its library for schedules does where that says nothing. */
  readonly cronJob: Result;
  readonly ours: Result;
  /** Words of docs/concepts/jobs/schedules.md, if and only if the two differ. */
  readonly told?: string;
}

/** A schedule in New York, and from when on. */
type Clocks = readonly [schedule: string, from: string];

// In New York, 2:00 to 3:00 is missing on March 8 (7:00 UTC), and 1:00 to 2:00 occurs twice on November 1 (5:00 and 6:00 UTC).
const clocks: readonly Row<Clocks, readonly string[]>[] = [
  {
    what: 'a fixed time that is missing',
    given: ['30 2 * * *', '2026-03-08T00:00:00Z'],
    cronJob: ['03-09T06:30', '03-10T06:30'],
    ours: ['03-08T07:00', '03-09T06:30'],
    told: 'right after the gap if it is missing',
  },
  {
    what: 'a fixed time that occurs twice',
    given: ['30 1 * * *', '2026-11-01T00:00:00Z'],
    cronJob: ['11-01T05:30', '11-01T06:30', '11-02T06:30'],
    ours: ['11-01T05:30', '11-02T06:30', '11-03T06:30'],
    told: 'in the first of two hours if it occurs twice',
  },
  {
    what: 'a list of fixed times that occur twice',
    given: ['0,30 1 * * *', '2026-11-01T00:00:00Z'],
    cronJob: ['11-01T05:00', '11-01T05:30', '11-01T06:00', '11-01T06:30'],
    ours: ['11-01T05:00', '11-01T05:30', '11-02T06:00', '11-02T06:30'],
    told: 'in the first of two hours if it occurs twice',
  },
  {
    what: 'an interval of minutes over the gap',
    given: ['*/30 * * * *', '2026-03-08T06:00:00Z'],
    cronJob: ['03-08T06:30', '03-08T07:00', '03-08T07:30'],
    ours: ['03-08T06:30', '03-08T07:00', '03-08T07:30'],
  },
  {
    what: 'an interval of hours in both hours',
    given: ['0 * * * *', '2026-11-01T04:00:00Z'],
    cronJob: ['11-01T05:00', '11-01T06:00', '11-01T07:00'],
    ours: ['11-01T05:00', '11-01T06:00', '11-01T07:00'],
  },
];

interface Late {
  readonly now: string;
  readonly rules?: Partial<ScheduleRules>;
  /** The execution of 1:00, after which everything was missed, has not ended. */
  readonly active?: true;
}

const none = 'nothing';
// An hourly schedule that last ran at 1:00 on January 1.
const late: readonly Row<Late, string>[] = [
  {
    what: 'after some missed times',
    given: { now: '09:30' },
    cronJob: '01 09:00',
    ours: '01 09:00',
  },
  {
    // So the documentation of CronJob has it. Since Kubernetes 1.21 its controller warns, and starts the last one.
    what: 'after more than 100 missed times',
    given: { now: '20 09:30' },
    cronJob: none,
    ours: '20 09:00',
    told: 'starts nothing after more than 100 missed times',
  },
  {
    what: 'after more than 100 missed times, with a deadline that leaves fewer',
    given: { now: '20 09:30', rules: { startingDeadlineSeconds: 7_200 } },
    cronJob: '20 09:00',
    ours: '20 09:00',
  },
  {
    what: 'beyond the deadline',
    given: { now: '02:01', rules: { startingDeadlineSeconds: 30 } },
    cronJob: none,
    ours: none,
  },
  {
    // CronJob looks every 10 seconds.
    what: 'within a deadline of less than 10 seconds',
    given: { now: '02:00:03', rules: { startingDeadlineSeconds: 5 } },
    cronJob: 'perhaps nothing',
    ours: '01 02:00',
    told: 'may start nothing if `startingDeadlineSeconds` is less than 10',
  },
  {
    what: 'with a deadline of 0',
    given: { now: '02:00', rules: { startingDeadlineSeconds: 0 } },
    cronJob: none,
    ours: none,
  },
  {
    what: 'while an execution is active, with Forbid',
    given: { now: '02:00', rules: { concurrencyPolicy: 'Forbid' }, active: true },
    cronJob: none,
    ours: none,
  },
];

function times([schedule, from]: Clocks, many: number): readonly string[] {
  const parsed = parseSchedule(schedule, 'America/New_York', Date.parse(from));
  if (!parsed.ok) throw new Error(parsed.message);
  const found: string[] = [];
  for (let next = parsed.times.next(Date.parse(from)); next !== undefined; next = parsed.times.next(next)) {
    found.push(new Date(next).toISOString().slice(5, 16));
    if (found.length === many) break;
  }
  return found;
}

function started({ now, rules, active }: Late): string {
  const last = at('01:00');
  const { due } = planSchedule({
    rules: { ...usual, ...rules },
    times: timesOf('0 * * * *'),
    now: at(now),
    createdAt: at('00:10'),
    recorded: { annotation: last, status: last, known: undefined },
    executions: active ? [execution('01:00')] : [],
  });
  return due === undefined ? none : new Date(due).toISOString().slice(8, 16).replace('T', ' ');
}

describe('when clocks change', () => {
  test.each(clocks)('$what', ({ given, ours }) => {
    expect(times(given, ours.length)).toEqual(ours);
  });
});

test('the forms of a field mean what their documentation says', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../docs/concepts/jobs/schedules.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([\d*/,-]+)` \| [^|:]+: ([\d, ]+) \|$/gm)];
  expect(rows.length).toBe(6);
  for (const [, form = '', minutes = ''] of rows) {
    const expected = minutes.split(', ').map(Number);
    const found = times([`${form} * * * *`, '2026-01-01T00:59:00Z'], expected.length);
    expect(found.map((time) => Number(time.slice(-2)))).toEqual(expected);
    expect(times([`${form} * * * *`, '2026-01-01T00:59:00Z'], expected.length + 1).at(-1)).toMatch(/T02:/);
  }
});

describe('what is started', () => {
  test.each(late)('$what', ({ given, ours }) => {
    expect(started(given)).toBe(ours);
  });
});

test.each<Row<unknown, unknown>>([...clocks, ...late])('$what: a difference is documented', async (row) => {
  const page = await readFile(join(import.meta.dirname, '../../../docs/concepts/jobs/schedules.md'), 'utf8');
  const [, list = ''] = /The semantics are those of CronJob([\s\S]*?)\n\n(?=\*\*)/.exec(page) ?? [];
  expect(row.told !== undefined).toBe(JSON.stringify(row.ours) !== JSON.stringify(row.cronJob));
  expect(list.replaceAll(/\s+/g, ' ')).toContain(row.told ?? '');
  expect(list).not.toBe('');
});
